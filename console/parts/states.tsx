/** What a page shows instead of data: that it is loading, failed or empty. */
import type { ComponentChildren } from 'preact';
import { Problem, Unreachable } from '../../src/client/request.ts';

export function Loading({ what }: { what: string }) {
  return (
    <p class="quiet" role="status">
      Loading {what}…
    </p>
  );
}

/** In place of a whole page. */
export function FailedPage({ error, onRetry }: { error: unknown; onRetry(): void }) {
  return (
    <>
      <h1>This page could not be loaded</h1>
      <Failed error={error} onRetry={onRetry} />
    </>
  );
}

export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{explain(error)}</p>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function explain(error: unknown): string {
  if (error instanceof Unreachable) return 'The service cannot be reached. Check the connection.';
  if (!(error instanceof Problem)) return 'This page failed. Load it again.';
  const wait = error.retryAfter === undefined ? '' : ` Try again in ${error.retryAfter} seconds.`;
  return error.message + wait;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
