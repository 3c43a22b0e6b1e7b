/** `quaestor backup` and `restore`: beside a service that writes, and with damaged backups. */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { backUp, restore } from '../src/cli/backup.ts';
import { verifyDatabase } from '../src/cli/verify.ts';
import { openEngine } from '../src/engines/index.ts';
import { openService, sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { createRandom } from './support/random.ts';

const DAMAGED_BACKUPS = 1_000;

describe('a backup', async () => {
  const root = tempFolder();
  const path = (...names: string[]) => join(root, ...names);
  const service = await openService('sqlite');
  const dataDir = dirname(service.engine.location);
  after(async () => {
    await service.close();
    removeFolder(root);
  });
  const file = path('bank.backup');
  const at = (folder: string) => ({ 'data-dir': folder });
  const create = (n: number) =>
    service.call('POST', '/questions', { body: sample({ question_text: `Which number is ${n}?` }) });
  const countRows = (folder: string) => {
    const database = new DatabaseSync(join(folder, 'quaestor.db'));
    const { n } = database.prepare('SELECT count(*) AS n FROM questions').get() as { n: number };
    database.close();
    return n;
  };

  it('is made while the service writes, and is restored complete', async () => {
    for (let n = 0; n < 20; n++) await create(n);
    let isDone = false;
    const written = (async () => {
      let n = 20;
      while (!isDone) await create(n++);
      return n;
    })();
    const { data } = await backUp([file], at(dataDir));
    isDone = true;
    const total = await written;
    const { bytes } = data as { bytes: number };
    assert.equal(statSync(file).size, bytes + 256);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(root).sort(), ['bank.backup']);
    await restore([file], at(path('restored')));
    const restored = countRows(path('restored'));
    assert.ok(restored >= 20 && restored <= total, `${restored} of ${total}`);
    const { damage } = await verifyDatabase({ path: path('restored', 'quaestor.db') });
    assert.deepEqual(damage, []);
    await (await openEngine({ dataDir: path('restored') })).close();
    assert.equal(statSync(path('restored', 'quaestor.db')).mode & 0o777, 0o600);
  });

  it('is a database that SQLite opens', () => {
    const database = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    database.close();
  });

  it('overwrites neither a file nor a bank', async () => {
    const before = readFileSync(file);
    await assert.rejects(backUp([file], at(dataDir)), /exists\. Choose another name/);
    assert.ok(before.equals(readFileSync(file)));
    await assert.rejects(
      restore([file], at(dataDir)),
      /quaestor\.db exists\. A backup is restored to a folder/,
    );
    const leftover = path('leftover');
    mkdirSync(leftover);
    writeFileSync(join(leftover, 'quaestor.db-wal'), '');
    await assert.rejects(restore([file], at(leftover)), /quaestor\.db-wal exists/);
    await assert.rejects(backUp([path('x')], at(path('nowhere'))), /There is no bank in/);
    await assert.rejects(restore([path('nothing')], at(path('y'))), /cannot be read/);
    assert.deepEqual([existsSync(path('x')), existsSync(path('y'))], [false, false]);
  });

  it('is refused in a folder that a service is about to use', async () => {
    const { lockFolder } = await import('../src/engines/sqlite/folder.ts');
    mkdirSync(path('locked'));
    const lock = lockFolder(path('locked'));
    await assert.rejects(restore([file], at(path('locked'))), /is in use by another Quaestor/);
    lock.close();
    assert.ok(!existsSync(path('locked', 'quaestor.db')));
  });

  it('is not made of a damaged bank', async () => {
    await restore([file], at(path('damaged')));
    const database = new DatabaseSync(path('damaged', 'quaestor.db'));
    database.exec(`UPDATE questions SET public_json = replace(public_json, 'Which', 'Where')`);
    database.close();
    await assert.rejects(
      backUp([path('never')], at(path('damaged'))),
      /The bank is damaged, so nothing was written/,
    );
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('never')),
      [],
    );
  });

  it(`is refused before anything is touched, each of ${DAMAGED_BACKUPS} times that it is damaged`, async () => {
    const random = createRandom(17);
    const copy = path('copy.backup');
    const original = readFileSync(file);
    writeFileSync(copy, original);
    const handle = openSync(copy, 'r+');
    const { size } = fstatSync(handle);
    const target = path('target');
    for (let round = 0; round < DAMAGED_BACKUPS; round++) {
      // The trailer is small, and is hit as often as the pages.
      const offset = round % 4 === 0 ? size - 1 - random.below(256) : random.below(size);
      const length = round % 3 === 0 ? Math.min(1 + random.below(4096), size - offset) : 1;
      if (round % 5 === 4) truncateSync(copy, offset);
      else {
        const bytes = Buffer.alloc(length);
        readSync(handle, bytes, 0, length, offset);
        const mask = 1 << random.below(8);
        writeSync(
          handle,
          bytes.map((byte) => byte ^ mask),
          0,
          length,
          offset,
        );
      }
      await assert.rejects(
        restore([copy], at(target)),
        /is damaged|is not a backup/,
        `round ${round}, at ${offset}`,
      );
      if (round % 5 === 4) writeSync(handle, original, offset, size - offset, offset);
      else writeSync(handle, original, offset, length, offset);
    }
    closeSync(handle);
    assert.ok(!existsSync(target));
    await restore([copy], at(target));
    assert.equal(countRows(target), countRows(path('restored')));
  });

  it('of a newer release is refused', async () => {
    await restore([file], at(path('newer')));
    const database = new DatabaseSync(path('newer', 'quaestor.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    await backUp([path('newer.backup')], at(path('newer')));
    await assert.rejects(
      restore([path('newer.backup')], at(path('older'))),
      /is version 9999; this release supports up to \d+\. Restore it with release/,
    );
    assert.ok(!existsSync(path('older')));
  });

  it('of a bank on PostgreSQL is made with the tools of the server', async () => {
    process.env.QUAESTOR_DATABASE_URL = 'postgres://user@127.0.0.1/none';
    try {
      await assert.rejects(backUp([path('p')], {}), /pg_dump --format=custom .*pg_basebackup/);
      await assert.rejects(restore([file], {}), /pg_restore/);
    } finally {
      delete process.env.QUAESTOR_DATABASE_URL;
    }
  });
});
