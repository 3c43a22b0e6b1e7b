import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aiken } from '../../src/formats/aiken/aiken.ts';
import type { PortableQuestion, ReadOptions } from '../../src/formats/format.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

async function read(text: string, options: ReadOptions = {}) {
  const file = await readAll(aiken, text, options);
  assertDeclared(aiken, file.notices);
  return file;
}

describe('Aiken', () => {
  it('reads stems of several lines, options with and without a space, and any line end', async () => {
    const text = 'Which colour\nis it?\nA)red\nB. green\nC)  blue\nANSWER: B\n\nNext?\nA) 1\nB) 2\nAnswer:a';
    for (const end of ['\n', '\r\n', '\r']) {
      const { read: items, rejects } = await read(text.replaceAll('\n', end));
      assert.deepEqual(rejects, []);
      assert.deepEqual(
        items.map(({ question, position }) => ({ ...question, line: position.line })),
        [
          {
            question_text: 'Which colour\nis it?',
            correct_answer: 'green',
            incorrect_answers: ['red', 'blue'],
            line: 1,
          },
          { question_text: 'Next?', correct_answer: '1', incorrect_answers: ['2'], line: 8 },
        ],
      );
    }
  });

  it('does not take names in a stem for options', async () => {
    const { questions } = await read(
      'A. Einstein was born in\nA) 1879\nB) 1889\nANSWER: A\n\nC. S. Lewis wrote\nA) Narnia\nB) Dune\nANSWER: A\n',
    );
    assert.deepEqual(
      questions.map(({ question_text, correct_answer }) => [question_text, correct_answer]),
      [
        ['A. Einstein was born in', '1879'],
        ['C. S. Lewis wrote', 'Narnia'],
      ],
    );
  });

  it('rejects what is not complete, with line and bytes, and reads the rest', async () => {
    const { questions, rejects } = await read(
      [
        ...['Too few', 'A) Only one', 'ANSWER: A', ''],
        ...['A) No stem', 'B) at all', 'ANSWER: A', ''],
        ...['ANSWER: nothing here', ''],
        ...['Good', 'A) x', 'B) y', 'ANSWER: A', ''],
        ...['No answer line', 'A) x', 'B) y', ''],
        ...['Wrong letter', 'A) x', 'B) y', 'ANSWER: E', ''],
        ...['Also good', 'A) x', 'B) y', 'ANSWER: B', ''],
        ...['Left over'],
      ].join('\n'),
    );
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['Good', 'Also good'],
    );
    assert.deepEqual(
      rejects.map(({ code, position }) => [code, position.line]),
      [
        ['too_few_options', 1],
        ['no_question_text', 5],
        ['no_question_text', 9],
        ['no_answer_line', 16],
        ['key_not_among_options', 20],
        ['no_options', 30],
      ],
    );
    assert.equal(Buffer.from(rejects[3]!.raw!).toString(), 'No answer line\nA) x\nB) y\n\n');
  });

  it('reads options of several lines, paragraphs, several letters and other languages', async () => {
    const { questions, notices } = await read(
      'First part\n\nSecond part?\nA) one\ncontinued\nB) two\nC) three\n\nANTWORT: A, C\n',
    );
    assert.deepEqual(questions, [
      {
        question_text: 'First part\n\nSecond part?',
        correct_answer: ['one\ncontinued', 'three'],
        incorrect_answers: ['two'],
      },
    ]);
    assert.deepEqual(listCodes(notices), ['several_keys', 'paragraphs_joined']);
  });

  it('reads small letters if lenient', async () => {
    const text = 'Which?\na) one\nb) two\nANSWER: b\n';
    assert.deepEqual(listCodes((await read(text)).rejects), ['no_options']);
    assert.equal((await read(text, { lenient: true })).questions[0]!.correct_answer, 'two');
  });

  it('rejects an item that is too large', async () => {
    const good = 'Which?\nA) one\nB) two\nANSWER: B\n\n';
    const text = `${good}${'x'.repeat(500)}\nA) one\nB) two\nANSWER: A\n\n${good}`;
    const { questions, rejects } = await read(text, { maxItemBytes: 300 });
    assert.equal(questions.length, 2);
    assert.equal(rejects[0]!.code, 'item_too_large');
  });

  it('gives back what was written, within its losses', async () => {
    const questions = generateQuestions(31, 400);
    const { bytes, notices } = await writeAll(aiken, questions);
    assertDeclared(aiken, notices);
    const file = await readAll(aiken, bytes, {}, 1_000);
    assert.deepEqual([file.rejects, file.notices], [[], []]);
    const line = (text: string) => text.trim().replace(/[ \t]*[\r\n]+[ \t]*/g, ' ');
    const stem = (text: string) => line(text).replace(/^(?:[A-Z](?=[).])|ANSWER(?=:))/i, '$& ');
    const simplify = ({ question_text, correct_answer, incorrect_answers }: PortableQuestion) => ({
      question_text,
      correct_answer,
      incorrect_answers: incorrect_answers!.toSorted(),
    });
    const expected = questions
      .filter(
        ({ correct_answer, incorrect_answers }) => typeof correct_answer === 'string' && incorrect_answers,
      )
      .map((question) => ({
        question_text: stem(question.question_text),
        correct_answer: line(String(question.correct_answer)),
        incorrect_answers: question.incorrect_answers!.map(line),
      }));
    assert.deepEqual(file.questions.map(simplify), expected.map(simplify));
  });

  it('survives a cut anywhere, and is detected', async () => {
    const { bytes } = await writeAll(aiken, generateQuestions(32, 10, { kinds: ['multiple_choice'] }));
    await assertSurvivesCuts(aiken, bytes);
    assert.ok(aiken.detect(bytes, 'x.txt') > 0.8);
    assert.equal(aiken.detect(Buffer.from('Q?{=a}'), 'x.txt'), 0);
  });
});
