/** Verifies client credentials, and limits attempts. */
import type { FastifyRequest } from 'fastify';
import { findCredentials } from '../store/access/clients.ts';
import type { Engine } from '../store/db.ts';
import type { Guard } from './guard.ts';
import type { Credentials } from './oauth.ts';
import { verifySecret } from './secrets.ts';

/** The client with its role and the hash of its secret; undefined for wrong credentials. */
export async function authenticateClient(
  request: FastifyRequest,
  { engine, guard }: { engine: Engine; guard: Guard },
  { id, secrets }: Credentials,
) {
  const reportAttempt = guard.countSecretAttempt(id, request);
  const known = await findCredentials(engine.db, id);
  for (const secret of secrets) {
    if (!(await verifySecret(secret, known?.secret))) continue;
    reportAttempt(true);
    return { id, ...known! };
  }
  // An unknown id is not logged, for it may be a secret sent in the wrong field.
  request.log.warn({ request_id: request.id, client: known && id }, 'client authentication failed');
  reportAttempt(false);
  return undefined;
}
