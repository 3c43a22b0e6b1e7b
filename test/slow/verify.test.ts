/** `quaestor verify` on the file of a bank, before and after the file is damaged. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { INHERITED, startService } from '../support/process.ts';
import { send } from '../support/requests.ts';

const program = resolve(import.meta.dirname, '../../quaestor.mjs');
const SQLITE_PAGE_BYTES = 4096;

function verify(folder: string): { code: number | null; output: string; report: { damage: string[] } } {
  const env = { ...INHERITED, QUAESTOR_DATA_DIR: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'verify', '--json'], {
    env,
    encoding: 'utf8',
  });
  assert.notEqual(stdout, '', stderr);
  return { code: status, output: stderr, report: JSON.parse(stdout) };
}

/** A bank with questions, whose service has ended, so that everything is in one file. */
async function createBank(): Promise<{ folder: string; file: string; ids: string[] }> {
  const folder = tempFolder();
  const service = await startService({ QUAESTOR_DATA_DIR: folder });
  const body = Array.from({ length: 20 }, (_, i) => sample({ question_text: `Is this number ${i}?` }));
  const { body: created } = await send(service, 'POST', '/questions', { body });
  await service.end('SIGTERM');
  assert.ok(!existsSync(join(folder, 'quaestor.db-wal')), 'the write-ahead log remains after a stop');
  const ids = created.data.map(({ id }: { id: string }) => id);
  return { folder, file: join(folder, 'quaestor.db'), ids };
}

describe('quaestor verify', () => {
  it('exits with 0 on a sound bank, and with 1 and the id of a question whose text was changed', async () => {
    const { folder, file, ids } = await createBank();
    const sound = verify(folder);
    assert.deepEqual([sound.code, sound.report.damage], [0, []]);
    const bytes = readFileSync(file);
    let changed = 0;
    for (let at = bytes.indexOf('number 7?'); at >= 0; at = bytes.indexOf('number 7?', at + 1), changed++)
      bytes.write('numbed', at);
    assert.ok(changed > 0);
    writeFileSync(file, bytes);
    const { code, report } = verify(folder);
    assert.equal(code, 1);
    assert.ok(
      report.damage.some((line) => line.includes(ids[7]!)),
      report.damage.join('\n'),
    );
    assert.ok(!report.damage.some((line) => line.includes(ids[8]!)));
    removeFolder(folder);
  });

  it('exits with 1 if pages of the file are overwritten', async () => {
    const { folder, file } = await createBank();
    const bytes = readFileSync(file);
    for (let page = 2; page < bytes.length / SQLITE_PAGE_BYTES; page += 2)
      bytes.fill(0xa5, page * SQLITE_PAGE_BYTES, (page + 1) * SQLITE_PAGE_BYTES);
    writeFileSync(file, bytes);
    const { code, report } = verify(folder);
    assert.equal(code, 1);
    assert.match(report.damage[0]!, /database file/);
    removeFolder(folder);
  });
});
