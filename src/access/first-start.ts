/**
 * Access to a new bank: the client `admin`, with a generated secret or one given in the settings.
 * No default password.
 */
import { ROLES } from '../schemas/scopes.ts';
import { findCredentials, hasClients } from '../store/access/clients.ts';
import { createFirstClient } from '../store/access/first-client.ts';
import type { Engine } from '../store/db.ts';
import { generateLink } from './browser-sessions.ts';
import { verifySecret } from './secrets.ts';
import { generateKey, generateSecret, type Lifetimes } from './sessions.ts';

const ADMIN = 'admin';

export interface Credentials {
  secret: string;
  key: string;
  /** Signs in to the console once. */
  link: string;
}

export type Access =
  | ({ created: true } & Credentials)
  /** With the secret given in the settings, and without a key. */
  | { created: true; preset: true }
  /** `presetIgnored`: the settings give another secret than the one that the client has. */
  | { created: false; presetIgnored: boolean };

/**
 * Creates the client `admin` if the bank has no clients. Generated credentials are shown by
 * `announce`, whose text is written to stderr before they become valid (see createFirstClient); a
 * preset secret is never shown.
 */
export async function prepareAccess(
  engine: Engine,
  lifetimes: Lifetimes,
  presetSecret: string | undefined,
  announce?: (credentials: Credentials) => string,
): Promise<Access> {
  if (await hasClients(engine.db)) return checkPreset(engine, presetSecret);
  const at = Date.now();
  const secret = await generateSecret(presetSecret);
  const key = generateKey({
    client_id: ADMIN,
    name: 'Created at the first start',
    at,
    lifetime: lifetimes.key,
  });
  const link = generateLink(ADMIN, at);
  const credentials = { secret: secret.text, key: key.text, link: link.text };
  const scope = ROLES.admin.join(' ');
  const generated = presetSecret === undefined;
  const created = await engine.write(createFirstClient, {
    client: { id: ADMIN, name: 'Administrator', role: 'admin', secret: secret.hash, at },
    tokens: generated ? [key.row, link.row].map((row) => ({ ...row, scope })) : [],
    announcement: generated ? announce?.(credentials) : undefined,
  });
  if (!created) return checkPreset(engine, presetSecret);
  return generated ? { created, ...credentials } : { created, preset: true };
}

async function checkPreset(engine: Engine, presetSecret: string | undefined): Promise<Access> {
  if (presetSecret === undefined) return { created: false, presetIgnored: false };
  const admin = await findCredentials(engine.db, ADMIN);
  const presetIgnored = admin !== undefined && !(await verifySecret(presetSecret, admin.secret));
  return { created: false, presetIgnored };
}
