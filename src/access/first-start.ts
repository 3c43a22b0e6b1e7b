/** A bank's first start: somebody has to be able to get in, and nobody by a password that everybody knows. */
import { ROLES } from '../schemas/scopes.ts';
import { createFirstClient, credentialsOf, hasClients } from '../store/access/clients.ts';
import type { Engine } from '../store/db.ts';
import { verifySecret } from './secrets.ts';
import { type Lifetimes, newKey, newSecret } from './sessions.ts';

const ADMIN = 'admin';

export type FirstStart =
  /** Made now: what is shown this once, unless the secret was given. */
  | { first: true; secret: string; key: string }
  | { first: true; preset: true }
  /** Made before; whether the secret that was given is another than the one it has. */
  | { first: false; ignored: boolean };

/** Makes the client `admin` in a bank that has no clients yet. A secret that is given is used and not shown. */
export async function prepareAccess(
  engine: Engine,
  lifetimes: Lifetimes,
  preset: string | undefined,
): Promise<FirstStart> {
  if (await hasClients(engine.db)) return seenBefore(engine, preset);
  const at = Date.now();
  const secret = await newSecret(preset);
  const key = newKey({ client_id: ADMIN, name: 'Made at the first start', at, lifetime: lifetimes.key });
  const scope = ROLES.admin.join(' ');
  const made = await engine.write(createFirstClient, {
    client: { id: ADMIN, name: 'Administrator', role: 'admin', secret: secret.hash, at },
    key: preset === undefined ? { ...key.row, scope } : undefined,
  });
  if (!made) return seenBefore(engine, preset);
  return preset === undefined
    ? { first: true, secret: secret.text, key: key.text }
    : { first: true, preset: true };
}

async function seenBefore(engine: Engine, preset: string | undefined): Promise<FirstStart> {
  if (preset === undefined) return { first: false, ignored: false };
  const admin = await credentialsOf(engine.db, ADMIN);
  return { first: false, ignored: admin !== undefined && !(await verifySecret(preset, admin.secret)) };
}
