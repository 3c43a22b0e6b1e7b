/** Properties that every format has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PortableQuestion } from '../../src/formats/format.ts';
import { detectFormat, FORMATS } from '../../src/formats/index.ts';
import { assertDeclared, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';
import { createRandom } from '../support/random.ts';

const QUESTIONS: PortableQuestion[] = Array.from({ length: 30 }, (_, index) => ({
  external_id: `q${index}`,
  question_text: `Which planet has the shortest day, number ${index}?`,
  correct_answer: 'Jupiter',
  incorrect_answers: ['Mars', 'Saturn', 'Venus'],
  category: 'Astronomy',
  difficulty: 1,
}));

const formats = await Promise.all(
  Object.entries(FORMATS).map(async ([name, load]) => ({ name, format: await load() })),
);

describe('the formats', () => {
  it('are listed under their names', () => {
    for (const { name, format } of formats) {
      assert.equal(format.name, name);
      for (const extension of format.extensions) assert.match(extension, /^\.\w+$/, name);
    }
  });

  for (const { name, format } of formats) {
    if (!format.write) continue;
    it(`recognise what they wrote: ${name}`, async () => {
      const { bytes, notices } = await writeAll(format, QUESTIONS);
      assertDeclared(format, notices);
      assert.equal((await detectFormat(bytes, `questions${format.extensions[0]}`))?.name, name);
      const file = await readAll(format, bytes);
      assertDeclared(format, file.notices);
      assert.deepEqual(
        file.questions.map(({ question_text, correct_answer }) => [question_text, correct_answer]),
        QUESTIONS.map(({ question_text, correct_answer }) => [question_text, correct_answer]),
      );
    });

    it(`write and read an empty file: ${name}`, async () => {
      const { bytes } = await writeAll(format, []);
      assert.deepEqual((await readAll(format, bytes)).questions, []);
    });
  }

  for (const { name, format } of formats) {
    if (!format.write) continue;
    it(`survive changed bytes: ${name}`, async () => {
      const { bytes } = await writeAll(format, generateQuestions(11, 4));
      const random = createRandom(12);
      for (let run = 0; run < 100; run++) {
        const changed = Buffer.from(bytes);
        for (let i = 0; i <= random.below(4); i++) changed[random.below(changed.length)] = random.below(256);
        await readAll(format, changed).catch((error: Error) =>
          assert.equal(error.name, 'UnreadableFile', `${name} in run ${run}: ${error.stack}`),
        );
      }
    });
  }

  it('recognise nothing in other files', async () => {
    for (const [content, name] of [
      ['<html><body>question</body></html>', 'page.html'],
      ['\x89PNG\r\n\x1a\n', 'picture.png'],
      ['', undefined],
    ] as const)
      assert.equal(await detectFormat(Buffer.from(content, 'latin1'), name), undefined, String(name));
  });
});
