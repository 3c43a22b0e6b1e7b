/** A SQLite database that another process has locked. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { startService } from '../support/process.ts';

/** Ten times the deadline of a request. */
const MAX_ANSWER_MS = 90_000;

describe('a database that another process has locked', () => {
  it('503: answers waiting writes while the lock is held, and resumes when the lock is released', async (t) => {
    const folder = tempFolder();
    t.after(() => removeFolder(folder));
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'silent' });
    const post = async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(sample());
      const signal = AbortSignal.timeout(MAX_ANSWER_MS);
      return (await service.fetch('/questions', { method: 'POST', headers, body, signal })).status;
    };
    const other = new DatabaseSync(join(folder, 'quaestor.db'));
    other.exec('BEGIN IMMEDIATE');
    assert.deepEqual(new Set(await Promise.all([post(), post(), post(), post()])), new Set([503]));
    assert.equal((await service.fetch('/questions')).status, 200);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await post(), 201);
    await service.end('SIGTERM');
  });
});
