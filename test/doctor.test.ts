/** `quaestor doctor`: what it finds in a folder, a database, a port, the settings and the clock. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { checkClock, diagnose } from '../src/cli/doctor.ts';
import { openEngine } from '../src/engines/index.ts';
import { listen, openService } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { freshDatabase } from './support/postgres.ts';

interface Checks {
  checks: { name: string; status: string; detail: string; remedy?: string }[];
}

describe('quaestor doctor', () => {
  const root = tempFolder();
  after(() => removeFolder(root));

  async function examine(env: Record<string, string>) {
    const { data, exitCode } = await diagnose([], {}, undefined, { PORT: '0', ...env });
    const { checks } = data as Checks;
    return { checks, exitCode, of: (name: string) => checks.find((check) => check.name === name)! };
  }

  it('0: finds nothing wrong before the first start, and creates nothing', async () => {
    const folder = join(root, 'new', 'data');
    const { exitCode, of } = await examine({ QUAESTOR_DATA_DIR: folder });
    assert.equal(exitCode, 0);
    for (const name of ['Node', 'settings', 'data folder', 'database', 'clock', 'port', 'console'])
      assert.equal(of(name).status, 'ok', of(name).detail);
    assert.ok(!existsSync(join(root, 'new')));
  });

  it('names the schema of a bank, and files that others can read', async () => {
    const folder = join(root, 'bank');
    await (await openEngine({ dataDir: folder })).close();
    const path = join(folder, 'quaestor.db');
    chmodSync(path, 0o600);
    const sound = await examine({ QUAESTOR_DATA_DIR: folder });
    assert.match(sound.of('database').detail, /schema version \d+/);
    chmodSync(path, 0o644);
    const open = await examine({ QUAESTOR_DATA_DIR: folder });
    assert.deepEqual([open.exitCode, open.of('data folder').status], [0, 'warning']);
    assert.match(open.of('data folder').remedy!, /chmod 600/);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 9999');
    database.close();
    const newer = await examine({ QUAESTOR_DATA_DIR: folder });
    assert.deepEqual([newer.exitCode, newer.of('database').status], [1, 'failed']);
    assert.match(newer.of('database').remedy!, /newer release/);
  });

  it('1: reports a damaged file, wrong settings and an unreachable server', async () => {
    const folder = join(root, 'damaged');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'quaestor.db'), 'not a database, but long enough to be one'.repeat(100));
    const damaged = await examine({ QUAESTOR_DATA_DIR: folder });
    assert.match(damaged.of('database').remedy!, /quaestor verify/);
    const wrong = await examine({ PORT: 'x' });
    assert.equal(wrong.exitCode, 1);
    assert.match(wrong.of('settings').detail, /PORT/);
    const away = await examine({ QUAESTOR_DATABASE_URL: 'postgres://x@127.0.0.1:1/none' });
    assert.equal(away.of('database').status, 'failed');
    assert.match(away.of('database').remedy!, /psql/);
  });

  it('tells a running Quaestor from another process on the port', async () => {
    const other = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await new Promise((listening) => other.once('listening', listening));
    const taken = await examine({
      QUAESTOR_DATA_DIR: join(root, 'none'),
      PORT: String((other.address() as AddressInfo).port),
    });
    other.close();
    assert.deepEqual([taken.exitCode, taken.of('port').status], [1, 'failed']);
    const service = await openService('sqlite');
    const { url } = await listen(service);
    const beside = await examine({ QUAESTOR_DATA_DIR: join(root, 'none'), PORT: new URL(url).port });
    await service.close();
    assert.equal(beside.of('port').status, 'ok', beside.of('port').detail);
  });

  it('reads a database of PostgreSQL, without a bank and with one', async () => {
    const { url, drop } = await freshDatabase();
    const empty = await examine({ QUAESTOR_DATABASE_URL: url });
    assert.match(empty.of('database').detail, /no bank yet/);
    await (await openEngine({ dataDir: '', databaseUrl: url })).close();
    const filled = await examine({ QUAESTOR_DATABASE_URL: url });
    assert.equal(filled.exitCode, 0, JSON.stringify(filled.checks));
    assert.match(filled.of('database').detail, /PostgreSQL, schema version \d+/);
    await drop();
  });

  it('compares the clock with that of the database and the latest write', () => {
    const now = Date.UTC(2027, 1, 1);
    const bank = (databaseNow: number, lastAt: number) =>
      checkClock({ schemaVersion: 1, supportedVersion: 1, clock: { now: databaseNow, lastAt } }, now).status;
    assert.equal(bank(now, now - 1000), 'ok');
    assert.equal(bank(now + 60_000, now), 'failed');
    assert.equal(bank(now, now + 60_000), 'failed');
    assert.equal(checkClock(undefined, 0).status, 'failed');
  });
});
