/** `quaestor client`: who may use the bank. */
import { newSecret } from '../access/sessions.ts';
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
import { type Command, checked, table } from './command.ts';

const roles = Object.keys(ROLES).join(', ');

const asText = (clients: Client[]) =>
  table(
    ['ID', 'ROLE', 'NAME'],
    clients.map(({ id, role, name }) => [id, role, name]),
  );

const EVERYTHING = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

export const clientCommands: Record<string, Command> = {
  list: {
    takes: '',
    does: 'lists the clients',
    async run(engine) {
      const data: Client[] = JSON.parse(`[${(await listClients(engine.db, EVERYTHING)).items}]`);
      return { data, text: asText(data) };
    },
  },
  add: {
    takes: 'NAME --role ROLE',
    does: `adds one: ${roles}`,
    async run(engine, [name], options) {
      const input = checked(ClientInput, { name, role: options.role });
      const secret = await newSecret();
      const at = Date.now();
      const made = { id: uuidv7(at), ...input, secret: secret.hash, by: undefined, at };
      const { client } = await engine.write(createClient, made);
      return {
        data: { ...client, secret: secret.text },
        text: `id      ${client.id}\nsecret  ${secret.text}\n`,
        note: 'The secret is shown this once.',
      };
    },
  },
  role: {
    takes: 'ID ROLE',
    does: 'gives it another role',
    async run(engine, [id, role]) {
      const change = checked(ClientChange, { role });
      const { client } = await engine.write(updateClient, {
        id: id!,
        change,
        by: undefined,
        at: Date.now(),
        ifMatch: undefined,
      });
      return { data: client, text: asText([client]) };
    },
  },
  secret: {
    takes: 'ID',
    does: 'gives it a new secret; what was obtained with the old one ends',
    async run(engine, [id]) {
      const secret = await newSecret();
      const at = Date.now();
      const change = { id: id!, secret: secret.hash, by: undefined, at, nonce: uuidv7(at) };
      const { client } = await engine.write(changeSecret, change);
      return {
        data: { ...client, secret: secret.text },
        text: `${secret.text}\n`,
        note: 'This is shown this once. Its keys stay; `quaestor token list` shows them.',
      };
    },
  },
  remove: {
    takes: 'ID',
    does: 'removes it, with its tokens and keys',
    async run(engine, [id]) {
      await engine.write(deleteClient, { id: id!, by: undefined, ifMatch: undefined });
      return { data: { removed: id }, text: '', note: `${id} is removed.` };
    },
  },
};
