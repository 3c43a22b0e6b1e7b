import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PortableQuestion } from '../../src/formats/format.ts';
import { json } from '../../src/formats/json/json.ts';
import { jsonl } from '../../src/formats/json/jsonl.ts';
import { opentdb } from '../../src/formats/json/opentdb.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

const QUESTION: PortableQuestion = {
  question_text: 'Capital of France?',
  correct_answer: 'Paris',
  incorrect_answers: ['Rome', 'Oslo'],
};

describe('JSON and JSON Lines', () => {
  for (const format of [json, jsonl]) {
    it(`${format.name}: reading what was written gives the same questions, in chunks of any size`, async () => {
      const questions = generateQuestions(11, 300);
      questions[0]!.answer_matching = { ignore_articles: true };
      const { bytes, notices } = await writeAll(format, questions);
      assert.deepEqual(notices, []);
      for (const chunkBytes of [64 * 1024, 100, 3]) {
        const read = await readAll(format, bytes, {}, chunkBytes);
        assert.deepEqual([read.rejects, read.notices], [[], []]);
        assert.deepEqual(read.questions, questions);
      }
    });

    it(`${format.name}: no questions are written and read`, async () => {
      const { bytes } = await writeAll(format, []);
      const { questions, rejects, notices } = await readAll(format, bytes);
      assert.deepEqual([questions, rejects, listCodes(notices)], [[], [], ['no_questions']]);
    });

    it(`${format.name}: is read when cut anywhere`, async () => {
      await assertSurvivesCuts(format, (await writeAll(format, generateQuestions(12, 3))).bytes);
    });
  }

  it('name the schema on the first line', async () => {
    const { text } = await writeAll(jsonl, [QUESTION, QUESTION]);
    assert.match(text, /^\{"\$schema":"urn:quaestor:question:1",.*\n\{"question_text"/);
  });

  it('reject a broken line with its place and bytes, and read the others', async () => {
    const good = JSON.stringify(QUESTION);
    const { questions, rejects } = await readAll(
      jsonl,
      `${good}\n\n{"question_text": nope}\r\n[1]\n"x"\n${good}`,
    );
    assert.equal(questions.length, 2);
    assert.deepEqual(listCodes(rejects), ['invalid_json', 'wrong_type', 'wrong_type']);
    assert.deepEqual(rejects[0]!.position, { line: 3, column: 19 });
    assert.equal(Buffer.from(rejects[0]!.raw!).toString(), '{"question_text": nope}\r\n');
  });

  it('accept what the API shows, and name other fields once', async () => {
    const shown = {
      id: 'x',
      revision: 3,
      created_at: 'now',
      kind: 'multiple_choice',
      choices: ['Rome'],
      tags: null,
    };
    const text = JSON.stringify({
      data: [
        { ...QUESTION, ...shown, points: 3 },
        { ...QUESTION, points: 1 },
      ],
    });
    const { questions, notices } = await readAll(json, text);
    assert.deepEqual(questions, [QUESTION, QUESTION]);
    assert.deepEqual(listCodes(notices), ['field_ignored']);
    assertDeclared(json, notices);
  });

  it('reject fields of a wrong type', async () => {
    const bad = [
      { question_text: 3, correct_answer: 'x' },
      { question_text: 'x', correct_answer: {} },
      { question_text: 'x', correct_answer: 'x', tags: 'a' },
      { question_text: 'x', correct_answer: 'x', numeric: 3 },
      { question_text: 'x', correct_answer: 'x', difficulty: 'hard' },
      { question_text: 'x' },
      { correct_answer: 'x' },
    ];
    const { rejects } = await readAll(json, JSON.stringify(bad));
    assert.deepEqual(listCodes(rejects), [
      ...['wrong_type', 'wrong_type', 'wrong_type', 'wrong_type', 'wrong_type'],
      ...['no_correct_answer', 'no_question_text'],
    ]);
  });

  it('reject an item that is too large', async () => {
    const big = { ...QUESTION, explanation: 'x'.repeat(10_000) };
    for (const chunkBytes of [100, 100_000]) {
      const lines = [QUESTION, big, QUESTION].map((question) => JSON.stringify(question));
      const options = { maxItemBytes: 5_000 };
      const fromLines = await readAll(jsonl, lines.join('\n'), options, chunkBytes);
      assert.deepEqual([fromLines.questions.length, listCodes(fromLines.rejects)], [2, ['item_too_large']]);
      const fromArray = await readAll(json, `[${lines.join(',\n')}]`, options, chunkBytes);
      assert.deepEqual([fromArray.questions.length, listCodes(fromArray.rejects)], [2, ['item_too_large']]);
    }
  });
});

describe('JSON of other programs', () => {
  const objects: Record<string, unknown> = {
    'options and a text': {
      question: 'Capital of France?',
      options: ['Paris', 'Rome', 'Oslo'],
      answer: 'Paris',
    },
    'options and a letter': {
      question: 'Capital of France?',
      choices: ['Rome', 'Paris', 'Oslo'],
      answer: 'B',
    },
    'lettered options': {
      question: 'Capital of France?',
      options: { A: 'Rome', B: 'Paris', C: 'Oslo' },
      correct: 'B',
    },
    'separate options': {
      question: 'Capital of France?',
      optionA: 'Rome',
      optionB: 'Paris',
      optionC: 'Oslo',
      correctAnswer: 'b',
    },
    'marked options': {
      question: 'Capital of France?',
      answers: [
        { text: 'Rome', correct: false },
        { text: 'Paris', correct: true },
        { text: 'Oslo', correct: false },
      ],
    },
    'wrong answers': {
      question: 'Capital of France?',
      correctAnswer: 'Paris',
      incorrectAnswers: ['Rome', 'Oslo'],
    },
  };
  for (const [name, object] of Object.entries(objects))
    it(`is understood: ${name}`, async () => {
      const { questions, rejects } = await readAll(json, JSON.stringify({ quiz: [object] }));
      assert.deepEqual(rejects, []);
      assert.deepEqual(questions, [QUESTION]);
    });

  it('is rejected where a number may count from 0 or 1', async () => {
    const { rejects } = await readAll(json, '[{"question":"x","options":["a","b","c"],"answer":1}]');
    assert.deepEqual(listCodes(rejects), ['ambiguous_key']);
  });

  it('is read as one object, several arrays, or lines', async () => {
    const text = JSON.stringify(QUESTION, null, 2);
    for (const [content, count] of [
      [text, 1],
      [`[${text}]\n[${text},${text}]`, 3],
      [`${text}\n${text}`, 2],
      [`{"title":"x","nested":{"questions":[1]},"questions":[${text}],"more":[{}]}`, 1],
    ] as const)
      assert.equal((await readAll(json, content, {}, 5)).questions.length, count, content);
  });

  it('loses one question to a mistake, and says where', async () => {
    const lines = [1, 2, 3, 4].map((n) => JSON.stringify({ ...QUESTION, external_id: `${n}` }));
    const mistakes: Record<string, string> = {
      'no closing brace': lines[1]!.slice(0, -1),
      'an open string': lines[1]!.replace('"Paris"', '"Paris'),
      'no comma': lines[1]!.replace(',', ' '),
      'one brace too many': `${lines[1]}}`,
    };
    for (const [name, bad] of Object.entries(mistakes))
      for (const chunkBytes of [9, 100_000]) {
        const text = `[\n${[lines[0], bad, lines[2], lines[3]].join(',\n')}\n]`;
        const { questions, rejects } = await readAll(json, text, {}, chunkBytes);
        const ids = questions.map(({ external_id }) => external_id).filter((id) => id !== '2');
        assert.deepEqual([ids, rejects.length], [['1', '3', '4'], 1], name);
        assert.equal(rejects[0]!.position.line, 3, name);
      }
  });

  it('is refused if it is not JSON', async () => {
    await assert.rejects(readAll(json, 'What? {=x}'), { code: 'not_json' });
    await assert.rejects(readAll(json, ''), { code: 'not_json' });
  });
});

describe('Open Trivia DB', () => {
  const ITEM = {
    type: 'multiple',
    difficulty: 'hard',
    category: 'Entertainment: Film',
    question: 'Who said "I\'m & you\'re"?',
    correct_answer: 'José',
    incorrect_answers: ['A<B', '100%', 'C+D'],
  };
  const EXPECTED: PortableQuestion = {
    question_text: ITEM.question,
    correct_answer: ITEM.correct_answer,
    incorrect_answers: ITEM.incorrect_answers,
    category: ITEM.category,
    difficulty: 2,
  };
  const encodeAll = (encode: (text: string, name: string) => string) => ({
    response_code: 0,
    results: [
      Object.fromEntries(
        Object.entries(ITEM).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.map((text) => encode(text, name)) : encode(value, name),
        ]),
      ),
    ],
  });
  const html = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#039;')
      .replaceAll('<', '&lt;')
      .replaceAll('é', '&eacute;');
  const encodings: Record<string, (text: string) => string> = {
    html,
    url3986: (text) => encodeURIComponent(text).replaceAll("'", '%27'),
    base64: (text) => Buffer.from(text).toString('base64'),
    none: (text) => text,
  };
  for (const [name, encode] of Object.entries(encodings))
    it(`is read in the encoding ${name}`, async () => {
      const { questions, rejects } = await readAll(opentdb, JSON.stringify(encodeAll(encode)));
      assert.deepEqual(rejects, []);
      assert.deepEqual(questions, [EXPECTED]);
    });

  it('is refused if it is an error', async () => {
    await assert.rejects(readAll(opentdb, '{"response_code":5,"results":[]}'), { code: 'error_response' });
  });

  it('rejects items without answers', async () => {
    const { rejects } = await readAll(opentdb, '{"results":[{"question":"x"},7,null]}');
    assert.deepEqual(listCodes(rejects), ['wrong_type', 'wrong_type', 'wrong_type']);
  });

  it('gives back what was written, within its losses', async () => {
    const questions = generateQuestions(13, 300);
    const { bytes, notices } = await writeAll(opentdb, questions);
    assertDeclared(opentdb, notices);
    const left = questions.filter(
      ({ correct_answer, incorrect_answers }) => typeof correct_answer === 'string' && incorrect_answers,
    );
    const expected = left.map(
      ({ question_text, correct_answer, incorrect_answers, category, difficulty }) => ({
        ...{ question_text, correct_answer, incorrect_answers },
        ...(category !== undefined && { category }),
        ...(difficulty !== undefined && { difficulty }),
      }),
    );
    assert.deepEqual((await readAll(opentdb, bytes, {}, 1_000)).questions, expected);
    assert.equal(
      notices.filter(({ code }) => code === 'kind_not_written').length,
      questions.length - left.length,
    );
  });

  it('is detected before JSON', () => {
    const head = Buffer.from(JSON.stringify(encodeAll(html)));
    assert.ok(opentdb.detect(head, 'x.json') > json.detect(head, 'x.json'));
    const own = Buffer.from(JSON.stringify([QUESTION]));
    assert.ok(opentdb.detect(own, 'x.json') < json.detect(own, 'x.json'));
    assert.ok(jsonl.detect(Buffer.from(`${JSON.stringify(QUESTION)}\n{`), 'x.jsonl') > 0.9);
  });
});
