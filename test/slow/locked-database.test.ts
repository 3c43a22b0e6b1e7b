/** A SQLite database that another process has locked. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { startService } from '../support/process.ts';

describe('a database that another process has locked', () => {
  it('503: answers waiting writes in time, and resumes when the lock is released', async (t) => {
    const folder = tempFolder();
    t.after(() => removeFolder(folder));
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'silent' });
    const post = async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(sample());
      return (await service.fetch('/questions', { method: 'POST', headers, body })).status;
    };
    const other = new DatabaseSync(join(folder, 'quaestor.db'));
    other.exec('BEGIN IMMEDIATE');
    const start = Date.now();
    assert.deepEqual(new Set(await Promise.all([post(), post(), post(), post()])), new Set([503]));
    assert.ok(Date.now() - start < 12_000);
    assert.equal((await service.fetch('/questions')).status, 200);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await post(), 201);
    await service.end('SIGTERM');
  });
});
