/** Clients of several roles, for tests of review: an author may not review their own change. */
import type { Role } from '../../src/schemas/scopes.ts';
import type { Service } from './engines.ts';

export interface TestClient {
  id: string;
  token: string;
  call: Service['call'];
}

export async function createTestClient({ call }: Service, role: Role): Promise<TestClient> {
  const created = await call('POST', '/auth/clients', { body: { name: role, role } });
  const { id, secret } = created.body;
  const body = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const token: string = (await call('POST', '/auth/token', { token: null, body })).body.access_token;
  return { id, token, call: (method, url, options) => call(method, url, { token, ...options }) };
}
