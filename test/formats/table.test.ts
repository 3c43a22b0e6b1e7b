/** Tables of other programs, as CSV. XLSX files have the same rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csv } from '../../src/formats/csv/csv.ts';
import type { PortableQuestion, ReadOptions } from '../../src/formats/format.ts';
import { assertDeclared, listCodes, readAll } from '../support/format-files.ts';

const toCsv = (rows: string[][]) =>
  rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n');
async function readRows(rows: string[][], options: ReadOptions = {}) {
  const file = await readAll(csv, toCsv(rows), options);
  assertDeclared(csv, file.notices);
  return file;
}
/** One question from a header and a row. */
async function readRow(header: string, row: string, options?: ReadOptions) {
  return readRows([header.split('/'), row.split('/')], options);
}

const CHOICE: PortableQuestion = {
  question_text: 'Capital of France?',
  correct_answer: 'Paris',
  incorrect_answers: ['Rome', 'Oslo', 'Bern'],
};

describe('templates of quiz programs', () => {
  it('Kahoot: the header is in row 8, the first column is empty', async () => {
    const header = [
      '',
      'Question - max 120 characters',
      ...[1, 2, 3, 4].map((n) => `Answer ${n} - max 75 characters`),
      'Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs',
      'Correct answer(s) - choose at least one',
    ];
    const { questions, rejects, notices } = await readRows([
      ...[[''], ['', 'Quiz template'], ['', 'Add questions'], [''], [''], [''], ['']],
      header,
      ['1', 'Capital of France?', 'Rome', 'Paris', 'Oslo', 'Bern', '20', '2'],
      ['2', 'Primes?', '1', '2', '3', '4', '20', '2,3'],
      ['3', 'Two?', '2', '4', '', '', '20', '1'],
      ['4', '', '', '', '', '', '', ''],
    ]);
    assert.deepEqual(listCodes(rejects), ['no_question_text']);
    assert.deepEqual(questions, [
      CHOICE,
      { question_text: 'Primes?', correct_answer: ['2', '3'], incorrect_answers: ['1', '4'] },
      { question_text: 'Two?', correct_answer: '2', incorrect_answers: ['4'] },
    ]);
    assert.deepEqual(listCodes(notices), ['column_ignored']);
  });

  it('Quizizz and Wayground: row 2 has instructions', async () => {
    const { questions, rejects, notices } = await readRows([
      [
        ...['Question Text', 'Question Type', 'Option 1', 'Option 2', 'Option 3', 'Option 4', 'Option 5'],
        ...['Correct Answer', 'Time in seconds', 'Image Link', 'Answer explanation'],
      ],
      [
        ...[
          'Text of the question',
          '(default is Multiple Choice)',
          'Text for option 1',
          'Text for option 2',
          '',
          '',
          '',
        ],
        ...[
          'The correct option (between 1-5). Leave blank for open-ended',
          'Optional',
          'Optional',
          'Optional',
        ],
      ],
      [
        'Capital of France?',
        'Multiple Choice',
        'Paris',
        'Rome',
        'Oslo',
        'Bern',
        '',
        '1',
        '30',
        '',
        'On the Seine.',
      ],
      ['Even?', 'Checkbox', '1', '2', '3', '4', '', '2,4', '30', '', ''],
      ['Largest planet?', 'Fill-in-the-Blank', 'Jupiter', 'jupiter', 'Jove', '', '', '', '30', '', ''],
      ['What do you think?', 'Open-Ended', '', '', '', '', '', '', '60', '', ''],
      ['What is this?', 'Multiple Choice', 'a', 'b', '', '', '', '1', '30', 'https://example.org/x.png', ''],
    ]);
    assert.deepEqual(questions, [
      { ...CHOICE, explanation: 'On the Seine.' },
      { question_text: 'Even?', correct_answer: ['2', '4'], incorrect_answers: ['1', '3'] },
      { question_text: 'Largest planet?', correct_answer: 'Jupiter', accepted_answers: ['jupiter', 'Jove'] },
    ]);
    assert.deepEqual(listCodes(rejects), ['kind_not_supported', 'needs_media']);
    assert.deepEqual(listCodes(notices), ['column_ignored', 'instruction_row_skipped']);
  });

  it('Blooket: names with line breaks', async () => {
    const { questions, rejects } = await readRows([
      ['Blooket\nImport Template', '', '', '', '', '', '', ''],
      [
        ...[
          'Question #',
          'Question Text',
          'Answer 1',
          'Answer 2',
          'Answer 3\n(Optional)',
          'Answer 4\n(Optional)',
        ],
        ...['Time Limit (sec)\n(Max: 300 seconds)', 'Correct Answer(s)\n(Only include Answer #)'],
      ],
      ['1', 'Capital of France?', 'Rome', 'Oslo', 'Paris', 'Bern', '20', '3'],
    ]);
    assert.deepEqual(rejects, []);
    assert.deepEqual(questions, [CHOICE]);
  });

  it('Gimkit: a correct answer and incorrect ones', async () => {
    const { questions } = await readRows([
      ['Gimkit Spreadsheet Import Template', '', '', ''],
      [
        'Question',
        'Correct Answer',
        'Incorrect Answer 1',
        'Incorrect Answer 2 (Optional)',
        'Incorrect Answer 3 (Optional)',
      ],
      ['Capital of France?', 'Paris', 'Rome', 'Oslo', 'Bern'],
    ]);
    assert.deepEqual(questions, [CHOICE]);
  });
});

describe('plain tables', () => {
  const cases: [name: string, header: string, row: string][] = [
    ['texts', 'question/A/B/C/D/answer', 'Capital of France?/Paris/Rome/Oslo/Bern/Paris'],
    [
      'letters',
      'Question/Option A/Option B/Option C/Option D/Correct',
      'Capital of France?/Paris/Rome/Oslo/Bern/a',
    ],
    [
      'a letter with a bracket',
      'question/optionA/optionB/optionC/optionD/key',
      'Capital of France?/Rome/Paris/Oslo/Bern/B)',
    ],
    [
      'numbers',
      'question_text/choice1/choice2/choice3/choice4/correct',
      'Capital of France?/Rome/Oslo/Paris/Bern/3',
    ],
    [
      'names of columns',
      'Question/Answer 1/Answer 2/Answer 3/Answer 4/Correct answer',
      'Capital of France?/Rome/Oslo/Paris/Bern/Answer 3',
    ],
    [
      'other case',
      'Question/Answer 1/Answer 2/Answer 3/Answer 4/Correct answer',
      'Capital of France?/Rome/Oslo/Paris/Bern/PARIS',
    ],
    ['a list', 'Question/Answer/Options', 'Capital of France?/Paris/Rome|Paris|Oslo|Bern'],
    ['a JSON list', 'Question/Answer/Distractors', 'Capital of France?/Paris/["Rome","Oslo","Bern"]'],
    ['a Python list', 'Question/Answer/wrong_answers', "Capital of France?/Paris/['Rome', \"Oslo\", 'Bern']"],
    [
      'a list with semicolons',
      'Question/Answer/incorrect_answers',
      'Capital of France?/Paris/Rome; Oslo; Bern',
    ],
    [
      'German',
      'Frage/Richtige Antwort/Falsche Antwort 1/Falsche Antwort 2/Falsche Antwort 3',
      'Capital of France?/Paris/Rome/Oslo/Bern',
    ],
    [
      'French',
      'Question/Bonne réponse/Mauvaise réponse 1/Mauvaise réponse 2/Mauvaise réponse 3',
      'Capital of France?/Paris/Rome/Oslo/Bern',
    ],
    [
      'Spanish',
      'Pregunta/Respuesta correcta/Respuesta incorrecta 1/Respuesta incorrecta 2/Respuesta incorrecta 3',
      'Capital of France?/Paris/Rome/Oslo/Bern',
    ],
    ['equal names', 'Question/Correct/Wrong/Wrong/Wrong', 'Capital of France?/Paris/Rome/Oslo/Bern'],
  ];
  for (const [name, header, row] of cases)
    it(`are understood: ${name}`, async () => {
      const { questions, rejects } = await readRow(header, row);
      assert.deepEqual(rejects, []);
      assert.deepEqual(questions, [CHOICE]);
    });

  it('keep all other fields', async () => {
    const { questions } = await readRow(
      'ID/Category/Level/Topic/Question/Answer/Tags/Rationale/Reference',
      'q-7/History/hard/Rome/First emperor?/Augustus/rome, emperors/27 BC./Tacitus',
    );
    assert.deepEqual(questions, [
      {
        ...{ external_id: 'q-7', category: 'History', difficulty: 2, topic_focus: 'Rome' },
        ...{ question_text: 'First emperor?', correct_answer: 'Augustus', tags: ['rome', 'emperors'] },
        ...{ explanation: '27 BC.', source: 'Tacitus' },
      },
    ]);
  });

  it('have several keys', async () => {
    const header = 'Question/Option A/Option B/Option C/Answer';
    for (const key of ['A,C', 'A; C', 'AC', 'a and c', '1,3', 'red|blue']) {
      const { questions } = await readRow(header, `Which?/red/green/blue/${key}`);
      assert.deepEqual(questions[0]!.correct_answer, ['red', 'blue'], key);
    }
  });

  it('have true-false, numbers, and kinds that cannot be scored', async () => {
    const read = async (type: string, answer: string) =>
      (await readRow('Type/Question/Answer/Tolerance', `${type}/Is it?/${answer}/`)).questions[0];
    assert.deepEqual(await read('true/false'.replace('/', '-'), 'TRUE'), {
      question_text: 'Is it?',
      correct_answer: 'True',
      incorrect_answers: ['False'],
    });
    assert.deepEqual(await read('numeric', '3'), {
      question_text: 'Is it?',
      correct_answer: '3',
      numeric: {},
    });
    assert.equal(await read('essay', 'x'), undefined);
    const { questions } = await readRow('Question/Answer/Tolerance/Unit', 'How long?/3/0,5/m');
    assert.deepEqual(questions[0]!.numeric, { tolerance: 0.5, unit: 'm' });
  });
});

describe('rows that are not clear', () => {
  const codes = async (header: string, row: string, options?: ReadOptions) => {
    const { rejects, questions, notices } = await readRow(header, row, options);
    return { rejects: listCodes(rejects), notices: listCodes(notices), questions };
  };
  const OPTIONS = 'Question/Option 1/Option 2/Option 3/Answer';

  it('are rejected instead of guessed', async () => {
    assert.deepEqual((await codes(OPTIONS, 'Two?/2/3/4/3')).rejects, ['ambiguous_key']);
    assert.deepEqual((await codes(OPTIONS, 'Two?/a/b/c/0')).rejects, ['key_not_among_options']);
    assert.deepEqual((await codes(OPTIONS, 'Two?/a/b/c/d')).rejects, ['key_not_among_options']);
    assert.deepEqual((await codes(OPTIONS, 'Two?/a/b//3')).rejects, ['key_not_among_options']);
    assert.deepEqual((await codes(OPTIONS, 'Two?/a/b/c/')).rejects, ['no_correct_answer']);
    assert.deepEqual((await codes(OPTIONS, '/a/b/c/a')).rejects, ['no_question_text']);
    assert.deepEqual((await codes('Question/Answer', 'One, two/x/stray')).rejects, ['too_many_cells']);
    assert.deepEqual((await codes('Question/Answer/Tolerance', 'One/1/much')).rejects, ['invalid_number']);
  });

  it('are read as the rows before them', async () => {
    const { questions } = await readRows([
      OPTIONS.split('/'),
      ['Which?', 'a', 'b', 'c', '2'],
      ['Two?', '2', '3', '4', '3'],
    ]);
    assert.deepEqual(
      questions.map(({ correct_answer }) => correct_answer),
      ['b', '4'],
    );
  });

  it('are read with a notice where nothing is lost', async () => {
    assert.deepEqual((await codes('Question/Answer', 'What is 1-2?/01.Feb')).notices, ['date_like_answer']);
    assert.deepEqual((await codes('Question/Answer/Difficulty', 'What?/x/7')).notices, [
      'difficulty_unknown',
    ]);
    const commas = await codes('Question/Answer/Incorrect answers', 'Where?/Paris/Rome, Italy');
    assert.deepEqual(commas.notices, ['list_not_split']);
    assert.deepEqual(commas.questions[0]!.incorrect_answers, ['Rome, Italy']);
    const media = await codes('Question/Answer/Image', 'Where?/Paris/x.png', { media: 'drop' });
    assert.deepEqual(media.notices, ['media_dropped']);
  });
});
