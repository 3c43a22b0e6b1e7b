/** `quaestor token`: manages keys, which are long-lived tokens with a name. */
import { DAY_MS, generateKey } from '../access/sessions.ts';
import { type Key, KeyInput } from '../schemas/client.ts';
import { createKey, deleteKey, listKeys } from '../store/access/tokens.ts';
import type { Outcome } from './command.ts';
import { parseInput } from './input.ts';
import { readLifetimes, withEngine } from './settings.ts';
import { renderTable } from './table.ts';

interface Options {
  readonly client?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export const listAllKeys = (_args: string[], options: Options): Promise<Outcome> =>
  withEngine(options, async ({ db }) => {
    const filter = { client: options.client, now: Date.now(), limit: Number.MAX_SAFE_INTEGER, offset: 0 };
    const data: Key[] = JSON.parse(`[${(await listKeys(db, filter)).items}]`);
    const rows = data.map((key) => [
      key.id,
      key.client_id,
      key.expires_at.slice(0, 10),
      key.scopes.join(' '),
      key.name,
    ]);
    return { data, text: renderTable(['ID', 'CLIENT', 'EXPIRES', 'SCOPES', 'NAME'], rows) };
  });

interface NewKeyOptions extends Options {
  readonly scope?: string[] | undefined;
  readonly days?: string | undefined;
}

export async function addKey([keyName]: string[], options: NewKeyOptions): Promise<Outcome> {
  const { client = 'admin', scope, days = '90' } = options;
  const { name, scopes, client_id, expires_in_days } = parseInput(KeyInput, {
    name: keyName,
    client_id: client,
    expires_in_days: Number(days),
    ...(scope && { scopes: [...new Set(scope)] }),
  });
  const lifetime = Math.min(expires_in_days! * DAY_MS, readLifetimes(options).key);
  const { text, row } = generateKey({ client_id: client_id!, name, at: Date.now(), lifetime });
  const creation = { token: row, scopes, by: undefined };
  const key = await withEngine(options, (engine) => engine.write(createKey, creation));
  return {
    data: { ...key, token: text },
    text: `${text}\n`,
    note: `The key is shown only once. It expires on ${key.expires_at.slice(0, 10)}.`,
  };
}

export async function revokeKey([id]: string[], options: Options): Promise<Outcome> {
  await withEngine(options, (engine) => engine.write(deleteKey, { id: id!, reach: {}, by: undefined }));
  return { data: { revoked: id }, text: '', note: `Revoked ${id}.` };
}
