import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { moodleXml } from '../../src/formats/moodle-xml/index.ts';
import { toComparable } from '../support/comparable-questions.ts';
import {
  assertDeclared,
  assertSurvivesCuts,
  listCodes,
  readAll,
  toSource,
  writeAll,
} from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

const fixture = readFileSync(new URL('./fixtures/moodle.xml', import.meta.url));
const question = (body: string, type = 'multichoice', text = 'Q?') =>
  `<question type="${type}"><questiontext format="html"><text>${text}</text></questiontext>${body}</question>`;
const ANSWERS =
  '<answer fraction="100"><text>yes</text></answer><answer fraction="0"><text>no</text></answer>';
const quiz = (...questions: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n${questions.join('\n')}\n</quiz>\n`;
const read = (content: string | Uint8Array, options = {}) => readAll(moodleXml, content, options);

describe('reading Moodle XML', () => {
  it('reads every kind that has an answer, and rejects the others by kind', async () => {
    const file = await read(fixture);
    assert.deepEqual(
      file.questions.map(({ question_text, correct_answer }) => [question_text, correct_answer]),
      [
        ['Which planets are gas giants?\nChoose all.', ['Jupiter', 'Saturn']],
        ['What is 2³?', '8'],
        ['The sun is a star.', 'True'],
        ['What is the capital of France?', 'Paris'],
        ['What is π?', '3.14'],
        ['Which of these is *italic*?', '**bold**'],
      ],
    );
    assert.deepEqual(listCodes(file.rejects), [
      'unsupported_essay',
      'unsupported_matching',
      'unsupported_cloze',
      'needs_media',
    ]);
    assert.deepEqual(
      file.rejects.map(({ position }) => position.line),
      [...fixture.toString().split('\n').entries()]
        .filter(([, line]) => /type="(?:essay|matching|cloze)"|rejected: picture/.test(line))
        .map(([index]) => index + 1),
    );
    assertDeclared(moodleXml, file.notices);
  });

  it('maps fields', async () => {
    const { read: items } = await read(fixture);
    const [giants, power, , paris, pi] = items.map(({ question }) => question);
    assert.equal(giants!.category, 'Astronomy/Planets and/or moons');
    assert.equal(giants!.external_id, 'planets-1');
    assert.deepEqual(giants!.tags, ['solar system', 'easy & fun']);
    assert.deepEqual(giants!.incorrect_answers, ['Mars', 'Venus']);
    assert.equal(giants!.explanation, 'They consist of hydrogen.\nMars: Mars is made of rock.');
    assert.deepEqual(power!.choices, ['6', '8', '9']);
    assert.equal(power!.choices_order, 'as_given');
    assert.deepEqual(paris!.accepted_answers, ['City of *Light*']);
    assert.deepEqual(paris!.answer_matching, { ignore_case: false });
    assert.deepEqual(pi!.numeric, { tolerance: 0.005, unit: 'rad' });
    assert.deepEqual(listCodes(items[0]!.notices), [
      'negative_marks_dropped',
      'option_feedback_appended',
      'hints_dropped',
    ]);
    assert.deepEqual(listCodes(items[3]!.notices).sort(), [
      'name_dropped',
      'partial_credit_dropped',
      'wildcard_answer_dropped',
    ]);
  });

  it('gives back rejected items byte for byte', async () => {
    const { rejects, read: items } = await read(fixture);
    for (const { raw } of [...rejects, ...items]) {
      assert.ok(fixture.includes(raw!));
      assert.match(Buffer.from(raw!).toString(), /^<question [\s\S]*<\/question>$/);
    }
  });

  it('one bad question does not stop the rest', async () => {
    const bad = [
      question('<answer fraction="100"><text>Tom & Jerry</text></answer>'),
      question(`${ANSWERS}<oops>`),
      question('<answer fraction="100"><text>\u0001</text></answer>'),
      question('<answer fraction="100"><text>&own;</text></answer>'),
      `<question type="multichoice"><questiontext><text><![CDATA[unclosed</text></questiontext>${ANSWERS}</question>`,
      `<question type="multichoice"><questiontext><text>never closed</text></questiontext>${ANSWERS}`,
      question('<answer fraction="x"><text>a</text></answer>'),
      question('<answer fraction="33"><text>a</text></answer>'),
      question(ANSWERS, 'multichoice', ''),
      question(ANSWERS, 'telepathy'),
    ];
    const good = question(ANSWERS, 'multichoice', '<![CDATA[<p>good</p>]]>');
    const { questions, rejects } = await read(quiz(...bad.flatMap((item) => [item, good])));
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      bad.map(() => 'good'),
    );
    assert.deepEqual(listCodes(rejects), [
      'xml_bare_ampersand',
      'xml_malformed',
      'xml_malformed',
      'xml_entity_refused',
      'xml_malformed',
      'xml_unclosed',
      'invalid_fraction',
      'no_correct_answer',
      'no_question_text',
      'unsupported_kind',
    ]);
    assert.deepEqual(
      rejects.map(({ position }) => position.line),
      bad.map((_, index) => 3 + 2 * index),
    );
  });

  it('names the place of an error', async () => {
    const { rejects } = await read(quiz(question('\n  <answer fraction="100"><text>a & b</text></answer>')));
    assert.deepEqual(rejects[0]!.position, { line: 4, column: 34 });
    const lenient = await read(quiz(question('<answer fraction="100"><text>a & b</text></answer>')), {
      lenient: true,
    });
    assert.equal(lenient.questions[0]!.correct_answer, 'a & b');
    assert.deepEqual(listCodes(lenient.notices), ['bare_ampersand']);
  });

  it('refuses two full marks where one can be chosen', async () => {
    const two =
      '<single>true</single><answer fraction="100"><text>a</text></answer><answer fraction="100"><text>b</text></answer>';
    assert.deepEqual(listCodes((await read(quiz(question(two)))).rejects), ['several_correct_answers']);
  });

  it('understands HTML entities, and text in CDATA, escaped, twice escaped or as elements', async () => {
    const { questions, notices } = await read(
      quiz(
        question(ANSWERS, 'multichoice', 'a&nbsp;b &eacute;'),
        question(ANSWERS, 'multichoice', '<![CDATA[a &lt; b<br>c]]>'),
        question(ANSWERS, 'multichoice', '&lt;p&gt;a &amp;lt; b&lt;/p&gt;'),
        question(ANSWERS, 'multichoice', '<p>a</p><p>b</p>'),
        question(ANSWERS, 'multichoice', 'x<![CDATA[ <b>y</b>]]> z'),
      ),
    );
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['a b é', 'a < b\nc', 'a < b', 'a\nb', 'x y z'],
    );
    assert.deepEqual(listCodes(notices), ['html_entities', 'formatting_dropped']);
  });

  it('converts HTML to Markdown where asked', async () => {
    const { questions } = await read(
      quiz(question(ANSWERS, 'multichoice', '<![CDATA[<p>Is <b>this</b> 2*3?</p>]]>')),
      {
        htmlTo: 'markdown',
      },
    );
    assert.equal(questions[0]!.question_text, 'Is **this** 2\\*3?');
    assert.equal(questions[0]!.text_format, 'markdown');
  });

  it('reports pictures: by their alternative text, rejected, or dropped', async () => {
    const withAlt = question(
      ANSWERS,
      'multichoice',
      '<![CDATA[See <img src="@@PLUGINFILE@@/a.png" alt="a cat">]]>',
    );
    const without = question(
      '<answer fraction="100"><text><![CDATA[<img src="@@PLUGINFILE@@/a.png">x]]></text><file name="a.png" encoding="base64">iVBO</file></answer>',
    );
    const file = await read(quiz(withAlt, without));
    assert.equal(file.questions[0]!.question_text, 'See [image: a cat]');
    assert.deepEqual(listCodes(file.rejects), ['needs_media']);
    const dropped = await read(quiz(without), { media: 'drop' });
    assert.equal(dropped.questions[0]!.correct_answer, 'x');
    assert.deepEqual(listCodes(dropped.notices), ['media_dropped']);
  });

  it('refuses another file, and reports one without questions', async () => {
    await assert.rejects(read('<html><question type="x"/></html>'), {
      name: 'UnreadableFile',
      code: 'not_moodle_xml',
    });
    await assert.rejects(read(''), { code: 'not_moodle_xml' });
    assert.deepEqual(listCodes((await read('<quiz/>')).notices), ['no_questions']);
  });

  it('reports a file that breaks off', async () => {
    const whole = quiz(question(ANSWERS), question(ANSWERS));
    const cut = await read(whole.slice(0, whole.lastIndexOf('<answer')));
    assert.equal(cut.questions.length, 1);
    assert.deepEqual(listCodes(cut.rejects), ['xml_unclosed']);
    assert.deepEqual(listCodes(cut.notices), ['file_truncated']);
  });

  it('never expands entities of the file', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY a "lol"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>\n<quiz>${question(ANSWERS, 'multichoice', '&b;')}${question(ANSWERS, 'multichoice', '&x;')}${question(ANSWERS)}</quiz>`;
    const { rejects, questions, notices } = await read(bomb);
    assert.deepEqual(listCodes(rejects), ['xml_entity_refused', 'xml_entity_refused']);
    assert.equal(questions.length, 1);
    assert.deepEqual(listCodes(notices), ['entities_refused']);
  });

  it('reads encodings by mark, declaration and guess', async () => {
    const text = quiz(question(ANSWERS, 'multichoice', 'Größe “x”?'));
    const latin = Buffer.from(text.replace(/[“”]/g, '').replace('UTF-8', 'ISO-8859-1'), 'latin1');
    const undeclared = Buffer.from(text.replace(/[“”]/g, '').replace(' encoding="UTF-8"', ''), 'latin1');
    const utf16 = Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    for (const [bytes, expected, codes] of [
      [Buffer.from(`\ufeff${text}`), 'Größe “x”?', []],
      [latin, 'Größe x?', []],
      [undeclared, 'Größe x?', ['encoding_assumed']],
      [utf16, 'Größe “x”?', []],
      [utf16.swap16(), 'Größe “x”?', []],
    ] as const) {
      // `swap16` works in place: the third entry is big-endian too by then.
      const file = await read(Buffer.from(bytes));
      assert.equal(file.questions[0]?.question_text, expected);
      assert.deepEqual(listCodes(file.notices), codes);
    }
    await assert.rejects(read(text, { encoding: 'klingon' }), { code: 'encoding_unknown' });
  });

  it('rejects an item that is too large and goes on', async () => {
    const large = question(`<file encoding="base64">${'A'.repeat(300_000)}</file>${ANSWERS}`);
    const { rejects, questions } = await read(quiz(question(ANSWERS), large, question(ANSWERS)), {
      maxItemBytes: 100_000,
    });
    assert.deepEqual(listCodes(rejects), ['item_too_large']);
    assert.equal(rejects[0]!.raw, undefined);
    assert.equal(questions.length, 2);
  });

  it('is not misled by comments and CDATA sections', async () => {
    const { questions, rejects } = await read(
      quiz(
        '<!-- question: 1 <question type="x"> -->',
        question(ANSWERS, 'multichoice', '<![CDATA[what is </question> in XML?]]>'),
        question(`<!-- </question> -->${ANSWERS}`),
        question(ANSWERS, 'multichoice', '<![CDATA[a <![CDATA[ b]]>'),
      ),
    );
    assert.deepEqual(rejects, []);
    assert.deepEqual(questions.length, 3);
  });

  it('reads the same in chunks of any size', async () => {
    const whole = await read(fixture);
    for (const bytes of [1, 2, 3, 7, 100]) {
      const chunked = await readAll(moodleXml, toSource(fixture, bytes));
      assert.deepEqual(chunked.items, whole.items);
    }
  });

  it('survives a cut at every byte', async () => {
    await assertSurvivesCuts(moodleXml, fixture, 7);
  });
});

describe('writing Moodle XML', () => {
  it('gives back what was written', async () => {
    let category: string | undefined;
    // A question without a category after one with a category is in that category.
    const questions = generateQuestions(1, 400).map((question) => {
      category = question.category ?? category;
      return category === undefined ? question : { ...question, category };
    });
    const written = await writeAll(moodleXml, questions);
    assertDeclared(moodleXml, written.notices);
    const file = await read(written.bytes);
    assert.deepEqual(file.rejects, []);
    assert.deepEqual(file.questions.map(toComparable), questions.map(toComparable));
    assert.deepEqual(listCodes(file.notices), []);
  });

  it('writes kinds as Moodle has them', async () => {
    const { text } = await writeAll(moodleXml, [
      { question_text: 'a', correct_answer: ['x', 'y', 'z'], incorrect_answers: ['w'] },
      { question_text: 'b', correct_answer: 'False', incorrect_answers: ['True'] },
      { question_text: 'c', correct_answer: '5 * 3' },
      { question_text: 'd', correct_answer: '200', numeric: { relative_tolerance: 0.01 } },
    ]);
    assert.equal(text.match(/fraction="33.33333"/g)?.length, 3);
    assert.match(text, /type="truefalse"/);
    assert.match(text, /5 \\\* 3/);
    assert.match(text, /<tolerance>2<\/tolerance>/);
  });

  it('leaves out characters that XML cannot have, with a notice', async () => {
    const { notices, bytes } = await writeAll(moodleXml, [
      { question_text: 'a\u0001\ud800b', correct_answer: 'x' },
    ]);
    assert.deepEqual(listCodes(notices), ['characters_dropped']);
    assert.equal((await read(bytes)).questions[0]!.question_text, 'a\ufffdb');
  });
});

describe('detecting Moodle XML', () => {
  it('is certain of a quiz with questions', () => {
    assert.ok(moodleXml.detect(fixture, 'x.xml') > 0.9);
    assert.equal(moodleXml.detect(Buffer.from('<assessmentItem/>'), 'x.xml'), 0);
  });
});
