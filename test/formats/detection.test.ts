/** What holds for every format. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileSource } from '../../src/formats/format.ts';
import { detectFormat, FORMATS } from '../../src/formats/index.ts';
import { assertDeclared, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

const TEXT_FORMATS = ['csv', 'tsv', 'jsonl', 'json', 'opentdb', 'gift', 'aiken', 'anki'];
const EXTENSIONS: Record<string, string> = { gift: '.txt', aiken: '.txt', anki: '.txt' };

for (const name of TEXT_FORMATS)
  describe(`the format ${name}`, async () => {
    const format = await FORMATS[name]!();
    const questions = generateQuestions(51, 20, { kinds: ['multiple_choice'] });

    it('has its name, and is found by content, whatever the file is called', async () => {
      assert.equal(format.name, name);
      const { bytes } = await writeAll(format, questions);
      const fileName = `file${EXTENSIONS[name] ?? format.extensions[0]}`;
      for (const given of [fileName, fileName.toUpperCase(), undefined])
        assert.equal((await detectFormat(bytes, given))?.name, name, given ?? 'without a name');
    });

    it('reports a file without questions', async () => {
      const { bytes } = await writeAll(format, []);
      const { items, notices } = await readAll(format, bytes);
      assert.deepEqual(listCodes(notices), ['no_questions']);
      assert.equal(items.filter(({ kind }) => kind !== 'header').length, 1);
    });

    it('reads only as much as is needed, and closes the file', async () => {
      let [written, pulled, closed] = [0, 0, false];
      const source: FileSource = {
        async *stream() {
          try {
            for await (const chunk of format.write!(repeat(), { onNotice() {} })) {
              pulled++;
              yield chunk;
            }
          } finally {
            closed = true;
          }
        },
      };
      async function* repeat() {
        for (; written < 100_000; written++) yield questions[written % questions.length]!;
      }
      for await (const item of format.read!(source, {})) if (item.kind === 'question') break;
      assert.ok(pulled <= 3, `${pulled} chunks`);
      assert.ok(closed);
    });

    it('accepts bytes of any kind', async () => {
      const { bytes } = await writeAll(format, questions);
      const damaged = Buffer.from(bytes.map((byte, i) => (i % 37 === 11 ? (byte * 7 + i) % 256 : byte)));
      for (const file of [damaged, Buffer.alloc(1_000), Buffer.from('PK\x03\x04'), Buffer.from([0xff, 0xfe])])
        try {
          const { read, notices } = await readAll(format, file);
          assertDeclared(format, notices);
          for (const { question } of read) assert.equal(typeof question.question_text, 'string');
        } catch (error) {
          assert.equal((error as Error).name, 'UnreadableFile', String(error));
        }
    });
  });

describe('detection', () => {
  it('finds nothing in other files', async () => {
    for (const text of ['', 'Dear diary', '<html></html>', '%PDF-1.7', '\x00\x01\x02'])
      assert.equal(await detectFormat(Buffer.from(text)), undefined, text);
  });

  it('knows every format by its own name', async () => {
    for (const [name, load] of Object.entries(FORMATS)) assert.equal((await load()).name, name);
  });
});
