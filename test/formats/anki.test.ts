import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anki } from '../../src/formats/anki/anki.ts';
import type { ReadOptions } from '../../src/formats/format.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

async function read(text: string, options: ReadOptions = {}) {
  const file = await readAll(anki, text, options);
  assertDeclared(anki, file.notices);
  return file;
}

describe('Anki text', () => {
  it('reads notes with a header', async () => {
    const { read: items, rejects } = await read(
      [
        ...[
          '#separator:tab',
          '#html:true',
          '#guid column:1',
          '#notetype column:2',
          '#deck column:3',
          '#tags column:6',
        ],
        'g1\tBasic\tBio::Cells\tWhat is <b>ATP</b>?<br>(one word)\tan &quot;energy&quot; carrier\tcell energy',
        'g2\tBasic\tDefault\t"quoted\ttab"\tx\t',
      ].join('\n'),
    );
    assert.deepEqual(rejects, []);
    assert.deepEqual(
      items.map(({ question }) => question),
      [
        {
          question_text: 'What is ATP?\n(one word)',
          correct_answer: 'an "energy" carrier',
          ...{ external_id: 'g1', category: 'Bio/Cells', tags: ['cell', 'energy'] },
        },
        { question_text: 'quoted tab', correct_answer: 'x', external_id: 'g2' },
      ],
    );
    assert.deepEqual(
      items.map(({ position }) => position.line),
      [7, 8],
    );
  });

  it('reads a header to which a spreadsheet added separators', async () => {
    const { questions } = await read(
      '#separator:Comma,,,\n#html:false,,,\n#deck:A,,,\n#tags:x y,,,\n1 < 2?,yes,,\n',
    );
    assert.deepEqual(questions, [
      { question_text: '1 < 2?', correct_answer: 'yes', category: 'A', tags: ['x', 'y'] },
    ]);
  });

  it('reads named columns as a table, and positions only for question and answer', async () => {
    const named = await read(
      '#separator:;\n#columns:Answer;Question;Wrong 1;Wrong 2\nParis;Capital of France?;Rome;Oslo\n',
    );
    assert.deepEqual(named.questions, [
      { question_text: 'Capital of France?', correct_answer: 'Paris', incorrect_answers: ['Rome', 'Oslo'] },
    ]);
    const plain = await read('#separator:tab\nfront\tback\tmore\n');
    assert.deepEqual(plain.questions, [{ question_text: 'front', correct_answer: 'back' }]);
    assert.deepEqual(listCodes(plain.notices), ['fields_dropped']);
  });

  it('rejects cloze deletions, pictures, sounds and cards without an answer', async () => {
    const { questions, rejects } = await read(
      '#separator:tab\nA {{c1::gap}}\t\n<img src="x.png">\ty\nx\t[sound:a.mp3]\nalone\t\ngood\tx\n# note\n',
    );
    assert.equal(questions.length, 1);
    assert.deepEqual(listCodes(rejects), [
      'unsupported_cloze',
      'needs_media',
      'needs_media',
      'no_correct_answer',
    ]);
    assert.deepEqual(
      rejects.map(({ position }) => position.line),
      [2, 3, 4, 5],
    );
    assert.equal(Buffer.from(rejects[3]!.raw!).toString(), 'alone\t\n');
  });

  it('gives back what was written, in chunks of any size', async () => {
    const questions = generateQuestions(41, 300);
    const { bytes, notices, text } = await writeAll(anki, questions);
    assertDeclared(anki, notices);
    assert.match(text, /^#separator:tab\n#html:true\n/);
    for (const chunkBytes of [100_000, 50]) {
      const file = await readAll(anki, bytes, {}, chunkBytes);
      assert.deepEqual([file.rejects, file.notices], [[], []]);
      assert.deepEqual(file.questions, questions);
    }
  });

  it('reads a card that was changed since from what it shows', async () => {
    const { text } = await writeAll(anki, [{ question_text: 'Old?', correct_answer: 'x', difficulty: 2 }]);
    const { questions, notices } = await read(text.replace('Old?', 'New?'));
    assert.deepEqual(questions, [{ question_text: 'New?', correct_answer: 'x' }]);
    assert.ok(listCodes(notices).includes('own_fields_outdated'));
  });

  it('survives a cut anywhere, and is detected by its header', async () => {
    const { bytes } = await writeAll(anki, generateQuestions(42, 3));
    await assertSurvivesCuts(anki, bytes, 3);
    assert.ok(anki.detect(bytes, 'notes.txt') > 0.9);
    assert.equal(anki.detect(Buffer.from('a\tb\n'), 'notes.txt'), 0);
  });
});
