import { useSignal } from '@preact/signals';
import { Problem } from '../../src/client/request.ts';
import { signIn } from '../state/session.ts';

const isInsecure = () => !window.isSecureContext;

export function SignIn({ reason }: { reason?: string | undefined }) {
  const error = useSignal(reason);
  const isBusy = useSignal(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    isBusy.value = true;
    error.value = undefined;
    try {
      await signIn(String(form.get('client_id')).trim(), String(form.get('client_secret')));
    } catch (problem) {
      error.value = explain(problem);
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>Sign in</h1>
        <p class="lead">With the client id and secret of your account, or with the link you were sent.</p>
        {isInsecure() && (
          <p class="notice">
            This connection is not encrypted: others on the network can read what you send. See the
            documentation on TLS.
          </p>
        )}
        <div class="field">
          <label for="client_id">Client id</label>
          <input id="client_id" name="client_id" autocomplete="username" required autofocus />
        </div>
        <div class="field">
          <label for="client_secret">Secret</label>
          <input
            id="client_secret"
            name="client_secret"
            type="password"
            autocomplete="current-password"
            required
          />
        </div>
        <div role="alert">{error.value && <p class="notice bad">{error.value}</p>}</div>
        <button class="button primary" type="submit" disabled={isBusy.value}>
          {isBusy.value ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

function explain(problem: unknown): string {
  if (!(problem instanceof Error)) return 'Signing in failed.';
  if (problem instanceof Problem && problem.retryAfter !== undefined)
    return `${problem.message} Try again in ${problem.retryAfter} seconds.`;
  return problem.message;
}
