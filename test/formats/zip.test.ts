import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openZip } from '../../src/formats/zip/read.ts';
import { writeZip } from '../../src/formats/zip/write.ts';
import { toSource } from '../support/format-files.ts';
import { buildZip } from '../support/zip-files.ts';

/** The same archive with other bytes in place of a text of the same length, wherever it occurs. */
function replaceBytes(zip: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}
const open = (bytes: Uint8Array) => openZip(toSource(bytes));

describe('zip archives', () => {
  it('gives back what was written, the same bytes each time', async () => {
    const files = { 'a/b.txt': 'hello', 'ü.txt': 'x'.repeat(100_000) };
    const zip = await buildZip(files);
    assert.deepEqual(await buildZip(files), zip);
    const archive = await open(zip);
    assert.deepEqual(archive.paths, ['a/b.txt', 'ü.txt']);
    assert.equal((await archive.read('ü.txt', 1e6)).toString(), files['ü.txt']);
    await assert.rejects(archive.read('ü.txt', 10), { code: 'item_too_large' });
    archive.close();
  });

  it('refuses unsafe names, links and encryption', async () => {
    const zip = await buildZip({ 'aa/bb.xml': 'x' });
    await assert.rejects(open(replaceBytes(zip, 'aa/bb', '../bb')), {
      name: 'UnreadableFile',
      code: 'zip_unsafe',
    });
    await assert.rejects(open(replaceBytes(zip, 'aa/bb', '/a/bb')), { code: 'zip_unsafe' });
    await assert.rejects(open(replaceBytes(zip, 'aa/bb', 'C:/bb')), { code: 'zip_unsafe' });
    const directory = zip.indexOf('PK\x01\x02');
    const link = Buffer.from(zip);
    link.writeUInt32LE((0o120777 << 16) >>> 0, directory + 38);
    await assert.rejects(open(link), { code: 'zip_unsafe' });
    const encrypted = Buffer.from(zip);
    encrypted.writeUInt16LE(encrypted.readUInt16LE(directory + 8) | 1, directory + 8);
    await assert.rejects(open(encrypted), { code: 'zip_encrypted' });
  });

  it('reads backslashes as folders', async () => {
    const archive = await open(replaceBytes(await buildZip({ 'aa/bb.xml': 'x' }), 'aa/bb', 'aa\\bb'));
    assert.deepEqual(archive.paths, ['aa/bb.xml']);
  });

  it('refuses an archive that expands to far more than its size', async () => {
    const bomb = await buildZip({ 'a.txt': Buffer.alloc(30_000_000) });
    assert.ok(bomb.length < 100_000);
    await assert.rejects(open(bomb), { code: 'zip_too_large' });
  });

  it('notices an entry that is larger than it says, and a wrong checksum', async () => {
    const zip = await buildZip({ 'a.txt': 'x'.repeat(1_000) });
    const directory = zip.indexOf('PK\x01\x02');
    const understated = Buffer.from(zip);
    understated.writeUInt32LE(10, directory + 24);
    const small = await open(understated);
    await assert.rejects(small.read('a.txt', 1e6), { code: 'zip_damaged' });
    const wrong = Buffer.from(zip);
    wrong.writeUInt32LE(1, directory + 16);
    await assert.rejects((await open(wrong)).read('a.txt', 1e6), { code: 'zip_damaged' });
  });

  it('is readable or refused, whatever byte is cut', async () => {
    const zip = await buildZip({ 'a.txt': 'hello', 'b.txt': 'world' });
    for (let length = 0; length < zip.length; length++)
      await assert.rejects(open(zip.subarray(0, length)), { name: 'UnreadableFile' });
  });

  it('passes on an error of the content', async () => {
    const failing = async function* () {
      yield { path: 'a', content: Buffer.from('x') };
      throw new Error('no more');
    };
    await assert.rejects(async () => {
      for await (const _ of writeZip(failing()));
    }, /no more/);
  });
});
