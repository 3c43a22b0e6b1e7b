/** `quaestor token`: manages keys, which are long-lived tokens with a name. */
import { DAY_MS, generateKey } from '../access/sessions.ts';
import { type Key, KeyInput } from '../schemas/client.ts';
import { createKey, deleteKey, listKeys } from '../store/access/tokens.ts';
import { type Command, parseInput, renderTable } from './command.ts';

/** Scopes in one or several options, separated by commas or white space. */
const parseScopes = (given: string[]): string[] => [
  ...new Set(given.flatMap((text) => text.split(/[\s,]+/)).filter(Boolean)),
];

export const tokenCommands: Record<string, Command> = {
  list: {
    usage: '[--client ID]',
    summary: 'lists the keys of all clients, or of one',
    async run(engine, _args, { client }) {
      const filter = { client, now: Date.now(), limit: Number.MAX_SAFE_INTEGER, offset: 0 };
      const data: Key[] = JSON.parse(`[${(await listKeys(engine.db, filter)).items}]`);
      const rows = data.map((key) => [
        key.id,
        key.client_id,
        key.expires_at.slice(0, 10),
        key.scopes.join(' '),
        key.name,
      ]);
      return { data, text: renderTable(['ID', 'CLIENT', 'EXPIRES', 'SCOPES', 'NAME'], rows) };
    },
  },
  add: {
    usage: 'NAME [--client ID] [--scope SCOPE]... [--days N]',
    summary: 'creates a key; default: for the client admin, with all its scopes, for 90 days',
    async run(engine, [keyName], { client = 'admin', scope, days = '90' }, lifetimes) {
      const { name, scopes, client_id, expires_in_days } = parseInput(KeyInput, {
        name: keyName,
        client_id: client,
        expires_in_days: Number(days),
        ...(scope && { scopes: parseScopes(scope) }),
      });
      const lifetime = Math.min(expires_in_days! * DAY_MS, lifetimes.key);
      const { text, row } = generateKey({ client_id: client_id!, name, at: Date.now(), lifetime });
      const key = await engine.write(createKey, { token: row, scopes, by: undefined });
      return {
        data: { ...key, token: text },
        text: `${text}\n`,
        note: `The key is shown only once. It expires on ${key.expires_at.slice(0, 10)}.`,
      };
    },
  },
  revoke: {
    usage: 'ID',
    summary: 'revokes a key; takes effect at the next request',
    async run(engine, [id]) {
      await engine.write(deleteKey, { id: id!, reach: {}, by: undefined });
      return { data: { revoked: id }, text: '', note: `Revoked ${id}.` };
    },
  },
};
