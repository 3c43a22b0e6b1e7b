/** Who is signed in. */
import { computed, signal } from '@preact/signals';
import { Problem } from '../../src/client/request.ts';
import type { Scope } from '../../src/schemas/scopes.ts';
import { api } from './api.ts';

interface Session {
  client: { id: string; name: string; role: string };
  scopes: Scope[];
  expires_at: string;
}

type State =
  | { kind: 'loading' }
  | { kind: 'signed-out'; reason?: string }
  | { kind: 'signed-in'; session: Session }
  | { kind: 'failed'; error: unknown };

export const state = signal<State>({ kind: 'loading' });
export const session = computed(() => (state.value.kind === 'signed-in' ? state.value.session : undefined));

export const may = (...scopes: Scope[]): boolean =>
  scopes.every((scope) => session.value?.scopes.includes(scope) ?? false);

const readLink = () => /^#link=(\w+)$/.exec(window.location.hash)?.[1];
export const hasLink = () => readLink() !== undefined;

/** Signs in by the link in the fragment of the address, if there is one, else by the cookie. */
export async function startSession(): Promise<void> {
  const link = readLink();
  // The link leaves the address and the history before it is used.
  if (link) history.replaceState(null, '', window.location.pathname + window.location.search);
  state.value = { kind: 'loading' };
  try {
    const found = link
      ? await api.post<Session>('/session', { link })
      : await api.get<Session | { client: null }>('/session');
    state.value = found.client ? { kind: 'signed-in', session: found } : { kind: 'signed-out' };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) state.value = { kind: 'failed', error };
    else state.value = { kind: 'signed-out', ...(link && { reason: error.message }) };
  }
}

export async function signIn(client_id: string, client_secret: string): Promise<void> {
  const found = await api.post<Session>('/session', { client_id, client_secret });
  state.value = { kind: 'signed-in', session: found };
}

export async function signOut(): Promise<void> {
  await api.request('DELETE', '/session');
  state.value = { kind: 'signed-out' };
}

/** Called when a request is refused because the session has ended. */
export function endSession(): void {
  if (state.value.kind === 'signed-in')
    state.value = { kind: 'signed-out', reason: 'Your session has ended. Sign in to continue.' };
}
