/** `quaestor token`: keys, which are tokens with a name and a long life. */
import { DAY, newKey } from '../access/sessions.ts';
import { type Key, KeyInput } from '../schemas/client.ts';
import { createKey, deleteKey, listKeys } from '../store/access/tokens.ts';
import { type Command, checked, table } from './command.ts';

export const tokenCommands: Record<string, Command> = {
  list: {
    takes: '[--client ID]',
    does: 'lists the keys, of one client or of all',
    async run(engine, _args, { client }) {
      const everything = { client, now: Date.now(), limit: Number.MAX_SAFE_INTEGER, offset: 0 };
      const data: Key[] = JSON.parse(`[${(await listKeys(engine.db, everything)).items}]`);
      const rows = data.map((key) => [
        key.id,
        key.client_id,
        key.expires_at.slice(0, 10),
        key.scopes.join(' '),
        key.name,
      ]);
      return { data, text: table(['ID', 'CLIENT', 'UNTIL', 'SCOPES', 'NAME'], rows) };
    },
  },
  add: {
    takes: 'NAME [--client ID] [--scope SCOPES] [--days N]',
    does: 'makes a key: of the client admin, with all its scopes, for 90 days, unless told otherwise',
    async run(engine, [given], { client = 'admin', scope, days = '90' }, lifetimes) {
      const { name, scopes, client_id, expires_in_days } = checked(KeyInput, {
        name: given,
        client_id: client,
        expires_in_days: Number(days),
        ...(scope !== undefined && { scopes: scope.split(/[\s,]+/).filter(Boolean) }),
      });
      const lifetime = Math.min(expires_in_days! * DAY, lifetimes.key);
      const { text, row } = newKey({ client_id: client_id!, name, at: Date.now(), lifetime });
      const key = await engine.write(createKey, { token: row, scopes, by: undefined });
      return {
        data: { ...key, token: text },
        text: `${text}\n`,
        note: `This is shown this once. It is good until ${key.expires_at.slice(0, 10)}.`,
      };
    },
  },
  revoke: {
    takes: 'ID',
    does: 'ends a key, from the next request on',
    async run(engine, [id]) {
      await engine.write(deleteKey, { id: id!, reach: {}, by: undefined });
      return { data: { revoked: id }, text: '', note: `${id} is revoked.` };
    },
  },
};
