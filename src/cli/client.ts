/** `quaestor client`: manages clients. */
import { generateSecret } from '../access/sessions.ts';
import { type Client, ClientChange, ClientInput } from '../schemas/client.ts';
import {
  changeSecret,
  createClient,
  deleteClient,
  listClients,
  updateClient,
} from '../store/access/clients.ts';
import { uuidv7 } from '../store/ids.ts';
import type { Outcome } from './command.ts';
import { parseInput } from './input.ts';
import { withEngine } from './settings.ts';
import { renderTable } from './table.ts';

interface Options {
  readonly 'data-dir'?: string | undefined;
}

const renderClients = (clients: Client[]) =>
  renderTable(
    ['ID', 'ROLE', 'NAME'],
    clients.map(({ id, role, name }) => [id, role, name]),
  );

const ALL_CLIENTS = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

export const listAllClients = (_args: string[], options: Options): Promise<Outcome> =>
  withEngine(options, async ({ db }) => {
    const data: Client[] = JSON.parse(`[${(await listClients(db, ALL_CLIENTS)).items}]`);
    return { data, text: renderClients(data) };
  });

export async function addClient(
  [name]: string[],
  options: Options & { readonly role?: string | undefined },
): Promise<Outcome> {
  const input = parseInput(ClientInput, { name, role: options.role });
  const secret = await generateSecret();
  const at = Date.now();
  const creation = { id: uuidv7(at), ...input, secret: secret.hash, by: undefined, at };
  const { client } = await withEngine(options, (engine) => engine.write(createClient, creation));
  return {
    data: { ...client, secret: secret.text },
    text: `id      ${client.id}\nsecret  ${secret.text}\n`,
    note: 'The secret is shown only once.',
  };
}

export async function changeRole([id, role]: string[], options: Options): Promise<Outcome> {
  const change = parseInput(ClientChange, { role });
  const update = { id: id!, change, by: undefined, at: Date.now(), ifMatch: undefined };
  const { client } = await withEngine(options, (engine) => engine.write(updateClient, update));
  return { data: client, text: renderClients([client]) };
}

export async function rotateSecret([id]: string[], options: Options): Promise<Outcome> {
  const secret = await generateSecret();
  const at = Date.now();
  const change = { id: id!, secret: secret.hash, by: undefined, at, nonce: uuidv7(at) };
  const { client } = await withEngine(options, (engine) => engine.write(changeSecret, change));
  return {
    data: { ...client, secret: secret.text },
    text: `${secret.text}\n`,
    note: 'The secret is shown only once. Keys stay valid; `quaestor token list` lists them.',
  };
}

export async function removeClient([id]: string[], options: Options): Promise<Outcome> {
  const removal = { id: id!, by: undefined, ifMatch: undefined };
  await withEngine(options, (engine) => engine.write(deleteClient, removal));
  return { data: { removed: id }, text: '', note: `Removed ${id}.` };
}
