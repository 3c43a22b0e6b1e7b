/** A full disk: writes are rejected, reads continue, and writes resume when there is space. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { type ServiceProcess, startService } from './support/process.ts';

const folder = tempFolder();
// Mounting a small tmpfs requires root.
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder]).status === 0;
if (!mounted)
  process.stderr.write(
    'The test of a full disk needs to mount a small one and is skipped: run as root on Linux.\n',
  );

describe('a full disk', { skip: !mounted && 'no small disk could be mounted' }, () => {
  it('answers writes with 507 and reads with 200, and writes again when there is space', async () => {
    const filler = join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(5 * 1024 * 1024));
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
});

process.on('exit', () => {
  if (mounted) spawnSync('umount', [folder]);
  removeFolder(folder);
});
