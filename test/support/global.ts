/**
 * Global setup of a test run: `node --test --test-global-setup=test/support/global.ts`. Starts the
 * PostgreSQL servers that test files share. The processes of the test files inherit their addresses
 * through the environment.
 */
import { type PostgresServer, startOwnPostgres } from './postgres.ts';

/**
 * One per test file that runs at a time (`--test-concurrency`), so that files do not share a
 * transaction horizon.
 */
const SERVERS = 3;

let servers: PostgresServer[] = [];

export async function globalSetup(): Promise<void> {
  if (process.env.QUAESTOR_TEST_POSTGRES_URL) return;
  servers = await Promise.all(Array.from({ length: SERVERS }, () => startOwnPostgres()));
  process.env.QUAESTOR_TEST_POSTGRES_URL = servers.map(({ url }) => url).join(' ');
}

export async function globalTeardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
