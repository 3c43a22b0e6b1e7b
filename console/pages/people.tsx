/** People and programs: who may do what, invitations, secrets and keys. */
import { useSignal } from '@preact/signals';
import type { Role } from '../../src/schemas/scopes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Once } from '../parts/once.tsx';
import { FailedPage, Loading } from '../parts/states.tsx';
import { api } from '../state/api.ts';
import { formatAge } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { session } from '../state/session.ts';

interface Client {
  id: string;
  name: string;
  role: Role;
  created_at: string;
}

interface Key {
  id: string;
  name: string;
  client_id: string;
  created_at: string;
  expires_at: string;
}

interface Shown {
  title: string;
  hint: string;
  value: string;
}

const ROLE_WORDS: Record<Role, string> = {
  reader: 'Reader: sees questions and results, no answers',
  author: 'Author: writes questions',
  reviewer: 'Reviewer: approves questions, changes none',
  editor: 'Editor: questions, categories, analyses',
  teacher: 'Teacher: an editor who records responses',
  analyst: 'Analyst: responses and analyses',
  player: 'Player: a quiz that checks answers',
  quiz: 'Quiz: a quiz that also records responses',
  admin: 'Admin: everything',
};

const MAX_ROWS = 200;

export function People() {
  const clients = useResource<{ data: Client[] }>('/auth/clients', { limit: MAX_ROWS });
  const keys = useResource<{ data: Key[] }>('/auth/tokens', { limit: MAX_ROWS });
  const shown = useSignal<Shown | undefined>(undefined);
  const failed = clients.error ?? keys.error;
  if (!clients.data || !keys.data)
    return failed ? <FailedPage error={failed} onRetry={reloadAll} /> : <Loading what="people" />;

  /** Does something, and shows what it returns or announces. */
  const attempt = async (act: () => Promise<Shown | string>) => {
    try {
      const result = await act();
      if (typeof result === 'string') announce(result);
      else shown.value = result;
      reloadAll();
    } catch (error) {
      announceFailure(error);
    }
  };
  return (
    <>
      <h1>People and programs</h1>
      <p class="lead">Each has a role, which limits what they see and do.</p>
      {shown.value && (
        <Once
          {...shown.value}
          onDone={() => {
            shown.value = undefined;
          }}
        />
      )}
      <Invitation onInvite={(name, role) => attempt(() => invite(name, role))} />
      <ul class="card list">
        {clients.data.data.map((client) => (
          <ClientRow key={client.id} client={client} attempt={attempt} />
        ))}
      </ul>
      <h2>Keys of programs</h2>
      <NewKey clients={clients.data.data} onCreate={(name, id) => attempt(() => createKey(name, id))} />
      <ul class="card list">
        {keys.data.data.map(({ id, name, client_id, expires_at }) => (
          <li key={id}>
            <span>
              {name}
              <small class="quiet">
                of {client_id}, expires {formatAge(expires_at)}
              </small>
            </span>
            <ConfirmButton
              label="Revoke"
              question={`Revoke ${name} for good?`}
              onConfirm={() => attempt(() => remove(`/auth/tokens/${id}`, `The key ${name} is revoked.`))}
            />
          </li>
        ))}
        {keys.data.data.length === 0 && <li class="quiet">There are no keys.</li>}
      </ul>
    </>
  );
}

type Attempt = (act: () => Promise<Shown | string>) => Promise<void>;

function ClientRow({ client, attempt }: { client: Client; attempt: Attempt }) {
  const { id, name, role, created_at } = client;
  const isSelf = id === session.value?.client.id;
  return (
    <li>
      <span>
        {name}
        <small class="quiet">
          {id}, added {formatAge(created_at)}
        </small>
      </span>
      <select
        aria-label={`Role of ${name}`}
        value={role}
        disabled={isSelf}
        onChange={({ currentTarget }) => attempt(() => setRole(client, currentTarget.value as Role))}
      >
        <RoleOptions />
      </select>
      <span class="actions">
        <button type="button" class="button" onClick={() => attempt(() => createLink(id, name))}>
          Sign-in link
        </button>
        {!isSelf && (
          <>
            <ConfirmButton
              label="New secret"
              question="End all sessions, and make a new secret?"
              onConfirm={() => attempt(() => createSecret(client))}
            />
            <ConfirmButton
              label="Remove"
              question={`Remove ${name} for good?`}
              onConfirm={() => attempt(() => remove(`/auth/clients/${id}`, `${name} is removed.`))}
            />
          </>
        )}
      </span>
    </li>
  );
}

function RoleOptions() {
  return (
    <>
      {Object.entries(ROLE_WORDS).map(([role, words]) => (
        <option key={role} value={role}>
          {words}
        </option>
      ))}
    </>
  );
}

function Invitation({ onInvite }: { onInvite(name: string, role: Role): Promise<void> }) {
  return (
    <form
      class="bar form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const data = new FormData(form);
        void onInvite(String(data.get('name')), data.get('role') as Role).then(() => form.reset());
      }}
    >
      <input class="search" name="name" aria-label="Name" placeholder="Name" required maxLength={200} />
      <select name="role" aria-label="Role">
        <RoleOptions />
      </select>
      <button type="submit" class="button primary">
        Invite
      </button>
    </form>
  );
}

function NewKey({ clients, onCreate }: { clients: Client[]; onCreate(name: string, id: string): void }) {
  return (
    <form
      class="bar form"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        onCreate(String(data.get('name')), String(data.get('client')));
        event.currentTarget.reset();
      }}
    >
      <input
        class="search"
        name="name"
        aria-label="Name of the key"
        placeholder="What the key is for"
        required
        maxLength={200}
      />
      <select name="client" aria-label="Owner of the key">
        {clients.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit" class="button">
        Create a key
      </button>
    </form>
  );
}

async function invite(name: string, role: Role): Promise<Shown> {
  const { id } = await api.post<{ id: string }>('/auth/clients', { name, role });
  return createLink(id, name);
}

async function createLink(id: string, name: string): Promise<Shown> {
  const { link } = await api.post<{ link: string }>(`/auth/clients/${id}/link`);
  return {
    title: `Sign-in link of ${name}`,
    hint: 'Send it to them. It works once, within 30 minutes, and is not shown again.',
    value: `${window.location.origin}/#link=${link}`,
  };
}

async function createSecret({ id, name }: Client): Promise<Shown> {
  const { secret } = await api.post<{ secret: string }>(`/auth/clients/${id}/secret`);
  return {
    title: `Secret of ${name}`,
    hint: `With the client id ${id}. It is not shown again.`,
    value: secret,
  };
}

async function createKey(name: string, client_id: string): Promise<Shown> {
  const { token } = await api.post<{ token: string }>('/auth/tokens', { name, client_id });
  return { title: `Key ${name}`, hint: 'For a program. It is not shown again.', value: token };
}

async function setRole({ id, name }: Client, role: Role): Promise<string> {
  await api.request('PATCH', `/auth/clients/${id}`, { body: { role } });
  return `${name} has the role ${role}.`;
}

async function remove(path: string, words: string): Promise<string> {
  await api.request('DELETE', path);
  return words;
}
