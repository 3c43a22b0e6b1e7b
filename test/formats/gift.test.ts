import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PortableQuestion, ReadOptions } from '../../src/formats/format.ts';
import { gift } from '../../src/formats/gift/gift.ts';
import { toComparable } from '../support/comparable-questions.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';

async function read(text: string, options: ReadOptions = {}) {
  const file = await readAll(gift, text, options);
  assertDeclared(gift, file.notices);
  return file;
}
async function readOne(text: string, options?: ReadOptions): Promise<PortableQuestion> {
  const { questions, rejects } = await read(text, options);
  assert.deepEqual(rejects, []);
  assert.equal(questions.length, 1);
  return questions[0]!;
}
const codesOf = async (text: string, options?: ReadOptions) => {
  const { rejects, notices } = await read(text, options);
  return { rejects: listCodes(rejects), notices: listCodes(notices) };
};

describe('GIFT: kinds of questions', () => {
  const cases: [
    text: string,
    expected: Omit<PortableQuestion, 'question_text'> & { question_text?: string },
  ][] = [
    ['Q?{~a =b ~c}', { correct_answer: 'b', incorrect_answers: ['a', 'c'] }],
    [
      'Two and {~one =two ~six} is four.',
      { question_text: 'Two and _____ is four.', correct_answer: 'two', incorrect_answers: ['one', 'six'] },
    ],
    ['Q?{T}', { correct_answer: 'True', incorrect_answers: ['False'] }],
    ['Q?{FALSE}', { correct_answer: 'False', incorrect_answers: ['True'] }],
    ['Q?{=four =4}', { correct_answer: 'four', accepted_answers: ['4'] }],
    ['Q?{four}', { correct_answer: 'four' }],
    ['Q?{=%100%four#well done}', { correct_answer: 'four', explanation: 'four: well done' }],
    ['Q?{#1822}', { correct_answer: '1822', numeric: {} }],
    ['Q?{#3:2}', { correct_answer: '3', numeric: { tolerance: 2 } }],
    ['Q?{#3.141..3.142}', { correct_answer: '3.1415', numeric: { tolerance: 0.0005 } }],
    ['Q?{#-5:0.5}', { correct_answer: '-5', numeric: { tolerance: 0.5 } }],
    ['Q?{~%50%a ~%50%b ~c}', { correct_answer: ['a', 'b'], incorrect_answers: ['c'] }],
    [
      'Q?{~%33.33333%a ~%33.33333%b ~%33.33333%c ~%-100%d}',
      { correct_answer: ['a', 'b', 'c'], incorrect_answers: ['d'] },
    ],
    ['Q?{~%-50%a ~%100%b}', { correct_answer: 'b', incorrect_answers: ['a'] }],
    [
      'Q?{\n=a # right\n~b # [html]<b>wrong</b>\n####Because.\n}',
      { correct_answer: 'a', incorrect_answers: ['b'], explanation: 'Because.\na: right\nb: wrong' },
    ],
    [
      'Q?{FALSE#No, it is.#Right.####General}',
      {
        correct_answer: 'False',
        incorrect_answers: ['True'],
        explanation: 'General\nTrue: No, it is.\nFalse: Right.',
      },
    ],
  ];
  for (const [text, expected] of cases)
    it(text.replaceAll('\n', ' '), async () => {
      assert.deepEqual(await readOne(text), { question_text: 'Q?', ...expected });
    });

  it('rejects, by item and with a reason, what cannot be scored', async () => {
    const { rejects, questions } = await read(
      'How are you?{}\n\nOnly a text.\n\nMatch{=a -> 1 =b->2}\n\nDo it {####feedback only}\n\nGood?{T}\n',
    );
    assert.deepEqual(listCodes(rejects), [
      'unsupported_essay',
      'unsupported_description',
      'unsupported_matching',
      'unsupported_essay',
    ]);
    assert.deepEqual(
      rejects.map(({ position }) => position.line),
      [1, 3, 5, 7],
    );
    assert.equal(questions.length, 1);
  });

  it('reports what it does not keep', async () => {
    const { notices } = await codesOf('Q?{=a ~%50%b ~%-20%c}');
    assert.deepEqual(notices, ['partial_credit_dropped', 'negative_marks_dropped']);
    assert.deepEqual((await codesOf('::Name::Q?{=a ~b#x}')).notices, [
      'option_feedback_appended',
      'name_dropped',
    ]);
    assert.deepEqual((await codesOf('::Q?::Q? Really?{=a ~b}')).notices, []);
    assert.deepEqual((await codesOf('Q?{#=1:0 =2:0 =%50%3:1}')).notices, [
      'accepted_answers_dropped',
      'partial_credit_dropped',
    ]);
    assert.deepEqual((await codesOf('Q?{=cat =c*t =%0%*#wrong}')).notices, [
      'wildcard_answer_dropped',
      'option_feedback_appended',
    ]);
    assert.deepEqual((await codesOf('Q?{=c*t}')).rejects, ['wildcard_answer']);
  });

  it('reads lower-case truth values as they are, unless lenient', async () => {
    assert.deepEqual((await codesOf('Q?{true}')).notices, ['lowercase_truth']);
    assert.equal((await readOne('Q?{true}')).correct_answer, 'true');
    assert.deepEqual((await readOne('Q?{true}', { lenient: true })).incorrect_answers, ['False']);
  });

  it('rejects two keys in a question with one, unless lenient', async () => {
    assert.deepEqual((await codesOf('Q?{=a =b ~c}')).rejects, ['several_correct_answers']);
    assert.deepEqual((await readOne('Q?{=a =b ~c}', { lenient: true })).correct_answer, ['a', 'b']);
  });
});

describe('GIFT: escapes and braces', () => {
  it('knows the escapes, and keeps the backslash of others', async () => {
    const question = await readOne('1+1\\=2 \\{x\\} \\~ \\# a\\:b \\\\ \\q line\\nbreak{=\\=5 ~\\~4 ~\\#3}');
    assert.equal(question.question_text, '1+1=2 {x} ~ # a:b \\ \\q line\nbreak');
    assert.deepEqual([question.correct_answer, question.incorrect_answers], ['=5', ['~4', '#3']]);
    assert.equal((await readOne('a\\\\{=b}')).question_text, 'a\\');
  });

  it('names the column of braces that belong to the text', async () => {
    const { rejects } = await read('\nWhat is \\frac{1}{2}?{=0.5}\n');
    assert.deepEqual(listCodes(rejects), ['brace_error']);
    assert.deepEqual(rejects[0]!.position, { line: 2, column: 17 });
    assert.match(rejects[0]!.detail, /\\\{/);
    assert.equal(
      (await readOne('What is \\frac\\{1\\}\\{2\\}?{=0.5}')).question_text,
      'What is \\frac{1}{2}?',
    );
  });

  it('rejects unbalanced braces and goes on', async () => {
    const { questions, rejects } = await read(
      'One?{=a ~b\n\nTwo?{=a ~b}\n\nThree? =a}\n\n::4::Four?{=a\n\n::5::Five?{T}\n',
    );
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['Two?', 'Five?'],
    );
    assert.deepEqual(listCodes(rejects), ['brace_error', 'brace_error', 'brace_error']);
    assert.equal(Buffer.from(rejects[0]!.raw!).toString(), 'One?{=a ~b\n');
  });

  it('does not end a question at a blank line between answers', async () => {
    const { questions, notices } = await read('One?{\n=a\n\n~b\n\n}\n\nTwo?{T}');
    assert.equal(questions.length, 2);
    assert.deepEqual(listCodes(notices), ['blank_line_in_answers']);
  });

  it('reads named questions that no blank line separates', async () => {
    const {
      questions,
      notices,
      read: items,
    } = await read('::a::a?{T}\n// [id:2]\n::b::b?{\n=x\n~y\n}\n$CATEGORY: C\n::c::c?{F}\n');
    assert.deepEqual(
      questions.map(({ question_text, external_id, category }) => [question_text, external_id, category]),
      [
        ['a?', undefined, undefined],
        ['b?', '2', undefined],
        ['c?', undefined, 'C'],
      ],
    );
    assert.deepEqual(listCodes(notices), [
      'category_not_separate',
      'blank_line_missing',
      'blank_line_missing',
    ]);
    assert.equal(Buffer.from(items[1]!.raw!).toString(), '// [id:2]\n::b::b?{\n=x\n~y\n}\n');
  });

  it('rejects HTML attributes that would be cut in pieces', async () => {
    assert.deepEqual((await codesOf('Q?{=<a href="x">a</a> ~b}')).rejects, ['unescaped_equals']);
    assert.deepEqual((await readOne('Q?{=<a href\\="x">a</a> ~b}')).incorrect_answers, ['b']);
  });

  it('takes text after the answers as Moodle does, and warns of a slip', async () => {
    const { questions, notices } = await read('A number? {#3:2~#Wrong}";\n\nPi is {#3.14}.');
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['A number? _____";', 'Pi is _____.'],
    );
    assert.deepEqual(listCodes(notices), ['text_after_answers', 'option_feedback_appended']);
  });

  it('reads weights of every value', async () => {
    assert.deepEqual((await codesOf('Q?{=a ~%-15%b}')).notices, ['negative_marks_dropped']);
  });
});

describe('GIFT: formats, comments, categories', () => {
  it('turns HTML into text, and keeps plain text', async () => {
    assert.equal((await readOne('[html]<p>x<sup>2</sup> &lt; 4</p>{=a ~b}')).question_text, 'x² < 4');
    assert.equal((await readOne('[plain]<p>x{=a ~b}')).question_text, '<p>x');
    assert.equal((await readOne('if a<b and b>c &{=a ~b}')).question_text, 'if a<b and b>c &');
    assert.equal((await readOne('Some <b>bold</b> &amp; text{=a ~b}')).question_text, 'Some bold & text');
    const markdown = await readOne('[markdown]Some **bold**{=[sic] a ~b}');
    assert.deepEqual(
      [markdown.text_format, markdown.question_text, markdown.correct_answer],
      ['markdown', 'Some **bold**', '[sic] a'],
    );
  });

  it('rejects pictures without text, unless media are dropped', async () => {
    const text = '[html]What is <img src\\="x.png">?{=a ~b}';
    assert.deepEqual((await codesOf(text)).rejects, ['needs_media']);
    assert.deepEqual((await codesOf(text, { media: 'drop' })).notices, ['media_dropped']);
    assert.equal(
      (await readOne('[html]What is <img src\\="x" alt\\="a cat">?{=a ~b}')).question_text,
      'What is [image: a cat]?',
    );
  });

  it('reads ids, tags and categories', async () => {
    const { questions } = await read(
      [
        ...['// question: 0  name: Switch category to $course$/top/A', '$CATEGORY: $course$/top/A//B/C', ''],
        ...['// [id:q-1] [tag:one] [tag:two \\] x]', '::Q::Q?{T}', '', 'R?{F}', ''],
        ...['$CATEGORY: top/Other', '', 'S?{T}'],
      ].join('\n'),
    );
    assert.deepEqual(
      questions.map(({ category, external_id, tags }) => [category, external_id, tags]),
      [
        ['A/B/C', 'q-1', ['one', 'two ] x']],
        ['A/B/C', undefined, undefined],
        ['Other', undefined, undefined],
      ],
    );
  });

  it('does not take a question for a part of the category', async () => {
    const { questions, notices } = await read('$CATEGORY: A\nQ?{T}\n');
    assert.deepEqual(questions[0], {
      question_text: 'Q?',
      correct_answer: 'True',
      incorrect_answers: ['False'],
      category: 'A',
    });
    assert.deepEqual(listCodes(notices), ['category_not_separate']);
  });

  it('reads a file in Windows-1252 with a warning instead of refusing it', async () => {
    const bytes = Buffer.from('Who said \x93hi\x94?{=Ren\xe9}\n', 'latin1');
    const { questions, notices } = await readAll(gift, bytes);
    assert.deepEqual(questions, [{ question_text: 'Who said “hi”?', correct_answer: 'René' }]);
    assert.deepEqual(listCodes(notices), ['encoding_assumed']);
  });
});

describe('GIFT round trips', () => {
  const trim = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '');
  const trimAll = (question: PortableQuestion): PortableQuestion =>
    JSON.parse(JSON.stringify(question), (key, value) =>
      typeof value === 'string' && !['external_id', 'category', 'topic_focus', 'source', 'tags'].includes(key)
        ? trim(value)
        : value,
    );

  it('give back what was written, within the declared losses', async () => {
    // Spaces at the ends of texts are lost, and so are tags with them, which the comparison keeps.
    const questions = generateQuestions(21, 500, { without: /^\s+$|->|^(A\)|B\.) $/ });
    const { bytes, notices } = await writeAll(gift, questions);
    assertDeclared(gift, notices);
    for (const chunkBytes of [100_000, 17]) {
      const file = await readAll(gift, bytes, {}, chunkBytes);
      assert.deepEqual(file.rejects, []);
      assert.deepEqual(file.notices, []);
      assert.deepEqual(file.questions.map(toComparable), questions.map(trimAll).map(toComparable));
    }
  });

  it('lose only spaces and arrows', async () => {
    const question = { question_text: ' a ', correct_answer: 'x -> y' };
    const { bytes, notices } = await writeAll(gift, [question]);
    assert.deepEqual(listCodes(notices), ['space_trimmed', 'arrow_replaced']);
    assert.deepEqual((await readAll(gift, bytes)).questions, [
      { question_text: 'a', correct_answer: 'x → y' },
    ]);
  });

  it('give the bytes of every question', async () => {
    const { bytes, text } = await writeAll(
      gift,
      generateQuestions(22, 20).map(({ category: _, ...rest }) => rest),
    );
    const { read: items } = await readAll(gift, bytes);
    assert.equal(items.map(({ raw }) => `${Buffer.from(raw!)}\n`).join(''), text);
  });

  it('survive a cut anywhere', async () => {
    await assertSurvivesCuts(gift, (await writeAll(gift, generateQuestions(23, 4))).bytes);
  });

  it('are detected', async () => {
    const { bytes } = await writeAll(gift, generateQuestions(24, 4));
    assert.ok(gift.detect(bytes, 'x.txt') > 0.6);
    assert.equal(gift.detect(Buffer.from('{"a":{}}'), 'x.txt'), 0);
    assert.equal(gift.detect(Buffer.from('Question,Answer\n'), undefined), 0);
  });
});
