/** `quaestor client`: manages clients. */
import { generateSecret } from '../access/sessions.ts';
import { type Client, ClientChange, ClientInput } from '../schemas/client.ts';
import { ROLES } from '../schemas/scopes.ts';
import {
  changeSecret,
  createClient,
  deleteClient,
  listClients,
  updateClient,
} from '../store/access/clients.ts';
import { uuidv7 } from '../store/ids.ts';
import { type Command, parseInput, renderTable } from './command.ts';

const roles = Object.keys(ROLES).join(', ');

const renderClients = (clients: Client[]) =>
  renderTable(
    ['ID', 'ROLE', 'NAME'],
    clients.map(({ id, role, name }) => [id, role, name]),
  );

const ALL_CLIENTS = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

export const clientCommands: Record<string, Command> = {
  list: {
    usage: '',
    summary: 'lists the clients',
    async run(engine) {
      const data: Client[] = JSON.parse(`[${(await listClients(engine.db, ALL_CLIENTS)).items}]`);
      return { data, text: renderClients(data) };
    },
  },
  add: {
    usage: 'NAME --role ROLE',
    summary: `adds a client; roles: ${roles}`,
    async run(engine, [name], options) {
      const input = parseInput(ClientInput, { name, role: options.role });
      const secret = await generateSecret();
      const at = Date.now();
      const creation = { id: uuidv7(at), ...input, secret: secret.hash, by: undefined, at };
      const { client } = await engine.write(createClient, creation);
      return {
        data: { ...client, secret: secret.text },
        text: `id      ${client.id}\nsecret  ${secret.text}\n`,
        note: 'The secret is shown only once.',
      };
    },
  },
  role: {
    usage: 'ID ROLE',
    summary: 'changes the role of a client',
    async run(engine, [id, role]) {
      const change = parseInput(ClientChange, { role });
      const { client } = await engine.write(updateClient, {
        id: id!,
        change,
        by: undefined,
        at: Date.now(),
        ifMatch: undefined,
      });
      return { data: client, text: renderClients([client]) };
    },
  },
  secret: {
    usage: 'ID',
    summary: 'rotates the secret of a client; tokens issued for the old one are revoked',
    async run(engine, [id]) {
      const secret = await generateSecret();
      const at = Date.now();
      const change = { id: id!, secret: secret.hash, by: undefined, at, nonce: uuidv7(at) };
      const { client } = await engine.write(changeSecret, change);
      return {
        data: { ...client, secret: secret.text },
        text: `${secret.text}\n`,
        note: 'The secret is shown only once. Keys stay valid; `quaestor token list` lists them.',
      };
    },
  },
  remove: {
    usage: 'ID',
    summary: 'removes a client, its tokens and its keys',
    async run(engine, [id]) {
      await engine.write(deleteClient, { id: id!, by: undefined, ifMatch: undefined });
      return { data: { removed: id }, text: '', note: `Removed ${id}.` };
    },
  },
};
