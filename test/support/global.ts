// For `node --test --test-global-setup=test/support/global.ts`: one PostgreSQL for the whole test run. The test files
// run in processes of their own, which inherit its address through the environment.
import { type PostgresServer, startPostgres } from './postgres.ts';

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await startPostgres();
  process.env.QUAESTOR_TEST_POSTGRES_URL = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
