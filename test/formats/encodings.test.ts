import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csv } from '../../src/formats/csv/csv.ts';
import type { ReadOptions } from '../../src/formats/format.ts';
import { decodeFile } from '../../src/formats/text/encoding.ts';
import { listCodes, readAll, toSource } from '../support/format-files.ts';

async function decode(bytes: Uint8Array, options: ReadOptions = {}, chunkBytes?: number) {
  const file = decodeFile(toSource(bytes, chunkBytes), options);
  let text = '';
  for await (const chunk of file.chunks()) text += chunk;
  return { text, notices: file.notices, encode: file.encode };
}

const TEXT = 'Größe “x” – naïve €\n日本\n';
const LATIN = 'Größe “x” – naïve €\n';
/** Windows-1252 of `LATIN`. */
const LATIN_BYTES = Buffer.from(
  LATIN.replace('“', '\x93').replace('”', '\x94').replace('–', '\x96').replace('€', '\x80'),
  'latin1',
);
const toUtf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('encodings', () => {
  for (const chunkBytes of [1, 3, 100_000]) {
    it(`are found by byte order mark, in chunks of ${chunkBytes}`, async () => {
      const marked = `\uFEFF${TEXT}`;
      for (const bytes of [Buffer.from(marked), Buffer.from(marked, 'utf16le'), toUtf16be(marked)]) {
        const { text, notices } = await decode(bytes, {}, chunkBytes);
        assert.equal(text, TEXT);
        assert.deepEqual(notices, []);
      }
    });

    it(`are found without a mark, in chunks of ${chunkBytes}`, async () => {
      for (const bytes of [Buffer.from(TEXT), Buffer.from('Was? “x”', 'utf16le'), toUtf16be('Was? “x”')])
        assert.match((await decode(bytes, {}, chunkBytes)).text, /“x”/);
    });

    it(`fall back to Windows-1252 with a warning and a line, in chunks of ${chunkBytes}`, async () => {
      const bytes = Buffer.concat([Buffer.from('a\nb\n'), LATIN_BYTES]);
      const { text, notices } = await decode(bytes, {}, chunkBytes);
      assert.equal(text, `a\nb\n${LATIN}`);
      assert.deepEqual(listCodes(notices), ['encoding_assumed']);
      assert.deepEqual(notices[0]!.position, { line: 3 });
    });
  }

  it('switch to Windows-1252 after a long beginning in ASCII', async () => {
    const long = 'line\n'.repeat(50_000);
    const { text, notices } = await decode(Buffer.concat([Buffer.from(long), LATIN_BYTES]), {}, 1_000);
    assert.equal(text, long + LATIN);
    assert.deepEqual(notices[0]!.position, { line: 50_001 });
  });

  it('stay UTF-8 if only some bytes are invalid', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${TEXT}${TEXT}`),
      Buffer.from([0x93, 0x41, 0x94]),
      Buffer.from(TEXT),
    ]);
    const { text, notices } = await decode(bytes);
    assert.equal(text, `${TEXT}${TEXT}“A”${TEXT}`);
    assert.deepEqual(listCodes(notices), ['invalid_bytes']);
    assert.deepEqual(notices[0]!.position, { line: 5 });
  });

  it('can be named, but a byte order mark is stronger', async () => {
    assert.equal((await decode(Buffer.from([0xc1, 0xd0]), { encoding: 'koi8-r' })).text, 'ап');
    assert.equal((await decode(Buffer.from([0x83, 0x65]), { encoding: 'shift_jis' }, 1)).text, 'テ');
    assert.equal((await decode(Buffer.from(`\uFEFFä`), { encoding: 'windows-1252' })).text, 'ä');
    await assert.rejects(async () => decode(Buffer.from('x'), { encoding: 'utf-7' }), {
      code: 'encoding_unknown',
    });
  });

  it('refuse UTF-32, and report bytes that the named encoding does not have', async () => {
    const utf32 = Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]);
    await assert.rejects(async () => decode(utf32), { code: 'encoding_unknown' });
    const { notices } = await decode(Buffer.from([0x0a, 0x80, 0x81]), { encoding: 'shift_jis' });
    assert.deepEqual(listCodes(notices), ['invalid_bytes']);
  });

  it('give back the bytes of the file', async () => {
    const latin = await decode(LATIN_BYTES);
    assert.deepEqual(Buffer.from(latin.encode(LATIN)), LATIN_BYTES);
    const utf8 = await decode(Buffer.from(TEXT));
    assert.deepEqual(Buffer.from(utf8.encode(TEXT)), Buffer.from(TEXT));
    const cyrillic = await decode(Buffer.from([0xc1, 0xd0]), { encoding: 'koi8-r' });
    assert.deepEqual(Buffer.from(cyrillic.encode('ап')), Buffer.from([0xc1, 0xd0]));
  });
});

describe('files from spreadsheets', () => {
  const table = 'Question\tAnswer\r\nHöhe der Zugspitze?\t2962\r\n';
  const files = {
    'as Unicode text (UTF-16)': Buffer.from(`\uFEFF${table}`, 'utf16le'),
    'with a byte order mark': Buffer.from(`\uFEFF${table}`),
    'in Windows-1252': Buffer.from(table, 'latin1'),
  };
  for (const [name, bytes] of Object.entries(files))
    it(`are read: ${name}`, async () => {
      const { questions } = await readAll(csv, bytes);
      assert.deepEqual(questions, [{ question_text: 'Höhe der Zugspitze?', correct_answer: '2962' }]);
    });
});
