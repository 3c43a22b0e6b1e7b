/** What happened, for the live region and the toast. One at a time. */
import { signal } from '@preact/signals';

export interface Message {
  text: string;
  kind: 'done' | 'failed';
  /** Such as the undo of what was done. */
  action?: { label: string; run(): void };
}

export const message = signal<Message | undefined>(undefined);
const SHOWN_MS = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string, action?: Message['action']): void {
  show({ text, kind: 'done', ...(action && { action }) });
}

/** Replaced by what comes of it. */
export function announceProgress(text: string): void {
  clearTimeout(timer);
  message.value = { text, kind: 'done' };
}

export function announceFailure(error: unknown): void {
  show({ text: error instanceof Error ? error.message : 'The request failed.', kind: 'failed' });
}

export const dismissMessage = (): void => {
  message.value = undefined;
};

function show(next: Message): void {
  clearTimeout(timer);
  message.value = next;
  // A failure, and a message with an action, stays until it is dismissed or replaced.
  if (next.kind === 'done' && !next.action) timer = setTimeout(dismissMessage, SHOWN_MS);
}
