/**
 * A full disk: writes are rejected, reads continue, and writes resume when there is space. A file that
 * cannot be opened gives 503.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { ADMIN_SECRET, type ServiceProcess, startService } from './support/process.ts';
import { until } from './support/until.ts';

const folder = tempFolder();
// Mounting a small tmpfs requires root.
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]).status === 0;
if (!mounted)
  process.stderr.write(
    'The test of a full disk needs to mount a small one and is skipped: run as root on Linux.\n',
  );

/** Writes until the disk is full. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as { code: string }).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

describe('a full disk', { skip: !mounted && 'no small disk could be mounted' }, () => {
  it('answers writes with 507 and reads with 200, and writes again when there is space', async () => {
    const filler = join(folder, 'filler');
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'silent' });
    const post = async (body: unknown) => {
      const response = await service.fetch(`/questions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { code?: string } };
    };
    const total = async (from: ServiceProcess) => {
      const response = await from.fetch(`/questions?category=Astronomy&limit=1`);
      assert.equal(response.status, 200);
      return ((await response.json()) as { pagination: { total: number } }).pagination.total;
    };
    writeFileSync(filler, Buffer.alloc(25 * 1024 * 1024));
    const batch = Array.from({ length: 200 }, (_, i) =>
      sample({ explanation: `${i} ${'long '.repeat(200)}` }),
    );
    let stored = 0;
    let answer = await post(batch);
    for (let i = 0; i < 100 && answer.status === 201; i++) {
      stored += 200;
      answer = await post(batch);
    }
    assert.equal(answer.status, 507);
    assert.equal(answer.body.code, 'disk_full');
    assert.equal(await total(service), stored);
    const many = await Promise.all(Array.from({ length: 20 }, () => post(batch)));
    assert.ok(many.every(({ status }) => status === 507));
    assert.equal(await total(service), stored);

    rmSync(filler);
    assert.equal((await post(batch)).status, 201);
    assert.equal(await total(service), stored + 200);
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
    const again = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'silent' });
    assert.equal(await total(again), stored + 200);
    await again.end('SIGTERM');
  });

  it('lets clients sign in and delete after a start on a full disk', async (t) => {
    const filler = join(folder, 'filler');
    const bank = join(folder, 'second');
    const env = {
      QUAESTOR_DATA_DIR: bank,
      QUAESTOR_LOG_LEVEL: 'silent',
    };
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    const before = await startService(env);
    const create = (service: ServiceProcess) =>
      service.fetch('/questions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sample()),
      });
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push(((await (await create(before)).json()) as { id: string }).id);
    assert.equal(statSync(join(bank, 'quaestor.reserve')).size, 8 * 1024 * 1024);
    await before.end('SIGTERM');
    // The next start checkpoints the write-ahead log, which would make space on the full disk.
    await (await startService(env)).end('SIGTERM');
    fillDisk(filler);

    const service = await startService(env);
    t.after(() => service.end('SIGKILL'));
    const created = await create(service);
    assert.deepEqual(
      [created.status, ((await created.json()) as { code: string }).code],
      [507, 'insufficient_storage'],
    );
    for (const id of ids) {
      const answer = await fetch(`${service.url}/auth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`admin:${ADMIN_SECRET}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      assert.equal(answer.status, 200);
      const { access_token } = (await answer.json()) as { access_token: string };
      const deleted = await fetch(`${service.url}/questions/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${access_token}` },
      });
      assert.equal(deleted.status, 204);
    }
    assert.ok(!existsSync(join(bank, 'quaestor.reserve')));
    rmSync(filler);
    await until('a write after space was made', async () => (await create(service)).status === 201);
    assert.ok(existsSync(join(bank, 'quaestor.reserve')));
  });
});

process.on('exit', () => {
  if (mounted) spawnSync('umount', [folder]);
  removeFolder(folder);
});

describe('a database file that cannot be opened', () => {
  it('answers reads that need another connection with 503 until it can', async () => {
    const data = tempFolder();
    const service = await startService({ QUAESTOR_DATA_DIR: data, QUAESTOR_LOG_LEVEL: 'silent' });
    const [file, moved] = [join(data, 'quaestor.db'), join(data, 'moved')];
    const list = async () => {
      const response = await service.fetch('/questions?limit=1');
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    renameSync(file, moved);
    assert.deepEqual(await list(), [503, 'unavailable']);
    renameSync(moved, file);
    assert.deepEqual(await list(), [200, undefined]);
    await service.end('SIGTERM');
    removeFolder(data);
  });
});
