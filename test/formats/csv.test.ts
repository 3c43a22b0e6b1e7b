import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { csv, tsv } from '../../src/formats/csv/csv.ts';
import { CsvRecords } from '../../src/formats/csv/records.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';
import { createRandom } from '../support/random.ts';

const PLAIN = 'Question,Answer\nCapital of France?,Paris\n';

describe('CSV round trips', () => {
  for (const format of [csv, tsv])
    it(`${format.name}: reading what was written gives the same questions, in chunks of any size`, async () => {
      const questions = generateQuestions(1, 400);
      const { bytes, notices } = await writeAll(format, questions);
      assert.deepEqual(notices, []);
      for (const chunkBytes of [64 * 1024, 1000, 7]) {
        const read = await readAll(format, bytes, {}, chunkBytes);
        assert.deepEqual(read.rejects, []);
        assert.deepEqual(read.notices, []);
        assert.deepEqual(read.questions, questions);
      }
    });

  it('gives the bytes of every item', async () => {
    const { bytes, text } = await writeAll(csv, generateQuestions(2, 50));
    const { read } = await readAll(csv, bytes, {}, 100);
    const header = text.slice(1, text.indexOf('\n') + 1);
    assert.equal(header + read.map(({ raw }) => Buffer.from(raw!).toString()).join(''), text.slice(1));
  });

  it('writes the same bytes for the same questions', async () => {
    const questions = generateQuestions(3, 20);
    assert.deepEqual((await writeAll(csv, questions)).bytes, (await writeAll(csv, questions)).bytes);
  });

  it('neutralises formulas, and restores them in its own files only', async () => {
    const formulas = ['=1+1', '+cmd', '-x', '@SUM(A1)', '\tx', "'quoted'", '-5'];
    const questions = formulas.map((text) => ({ question_text: text, correct_answer: text }));
    const { text } = await writeAll(csv, questions);
    for (const row of parse(text, { bom: true, from: 2 }) as string[][])
      for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r](?!\d+$)/);
    assert.deepEqual((await readAll(csv, text)).questions, questions);
    const foreign = await readAll(csv, "Question,Answer\nWhat?,'=1+1\n");
    assert.equal(foreign.questions[0]!.correct_answer, "'=1+1");
  });

  it('reads its own file after a spreadsheet saved it with semicolons', async () => {
    const questions = generateQuestions(4, 30, { without: /;/ });
    const { text } = await writeAll(csv, questions);
    const rows = parse(text, { bom: true }) as string[][];
    const saved = rows
      .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';'))
      .join('\r\n');
    assert.deepEqual((await readAll(csv, saved)).questions, questions);
  });
});

describe('CSV records', () => {
  it('are those of csv-parse, for every valid text and chunk size', () => {
    const random = createRandom(5);
    for (let round = 0; round < 300; round++) {
      const rows = Array.from({ length: 1 + random.below(6) }, () =>
        Array.from({ length: 1 + random.below(5) }, () => randomCell(random)),
      );
      const end = random.pick(['\n', '\r\n']);
      const text = rows.map((row) => row.map(quote).join(';')).join(end) + random.pick(['', end]);
      const expected = parse(text, { delimiter: ';', relax_column_count: true, skip_empty_lines: false });
      const records = new CsvRecords(
        { delimiter: ';', newline: '\n', skippedLines: 0, width: undefined },
        1000,
      );
      const size = 1 + random.below(20);
      const found = [];
      for (let i = 0; i < text.length; i += size) found.push(...records.push(text.slice(i, i + size)));
      found.push(...records.push('', true));
      assert.deepEqual(
        found.map(({ cells }) => cells),
        expected,
        JSON.stringify(text),
      );
      assert.equal(found.map(({ source }) => source).join(''), text);
    }
  });

  function randomCell(random: ReturnType<typeof createRandom>): string {
    const pieces = ['a', 'bc', '"', ';', '\n', '\r\n', ' ', 'ü', ''];
    return Array.from({ length: random.below(4) }, () => random.pick(pieces)).join('');
  }
  const quote = (cell: string) =>
    /[";\r\n]/.test(cell) || cell === '' ? `"${cell.replaceAll('"', '""')}"` : cell;

  it('have the line on which they begin', async () => {
    const { read } = await readAll(csv, 'Question,Answer\n"a\nb",1\nc,2\n"d",3');
    assert.deepEqual(
      read.map(({ position }) => position.line),
      [2, 4, 5],
    );
  });

  it('that miss a closing quotation mark do not swallow the rows after them', async () => {
    const { questions, rejects } = await readAll(
      csv,
      'Question,Answer,Topic\n1,"never closed\n2,two,t\n3,"quoted, text",t\n4,four,t\n',
    );
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['2', '3', '4'],
    );
    assert.deepEqual(listCodes(rejects), ['unclosed_quote']);
    assert.deepEqual(rejects[0]!.position, { line: 2, column: 3 });
    assert.equal(Buffer.from(rejects[0]!.raw!).toString(), '1,"never closed\n');
  });

  it('keep quotation marks that are not doubled, with a notice', async () => {
    const { questions, notices } = await readAll(
      csv,
      'Question,Answer\n"Who said "hello"?",Ann\n"Hi" is what,a greeting\nA 5" pipe,x\n',
    );
    assert.deepEqual(
      questions.map(({ question_text }) => question_text),
      ['Who said "hello"?', '"Hi" is what', 'A 5" pipe'],
    );
    assert.deepEqual(listCodes(notices), ['stray_quote', 'stray_quote']);
    assertDeclared(csv, notices);
  });

  it('with classic Mac line ends', async () => {
    assert.equal((await readAll(csv, PLAIN.replaceAll('\n', '\r'))).questions.length, 1);
  });

  it('that are too large are rejected, and the next one is read', async () => {
    const big = 'x'.repeat(5_000);
    for (const chunkBytes of [100, 100_000]) {
      const text = `Question,Answer\n${big},a\n"${big}",a\nsmall,a\n`;
      const { questions, rejects } = await readAll(csv, text, { maxItemBytes: 4_000 }, chunkBytes);
      assert.deepEqual(listCodes(rejects), ['item_too_large', 'item_too_large']);
      assert.deepEqual(questions, [{ question_text: 'small', correct_answer: 'a' }]);
    }
  });

  it('are read from a file that is cut anywhere', async () => {
    const { bytes } = await writeAll(csv, generateQuestions(6, 3));
    await assertSurvivesCuts(csv, bytes);
  });
});

describe('the delimiter and header of a CSV file', () => {
  const rows = [
    ['Frage', 'Richtige Antwort', 'Falsche Antwort 1', 'Falsche Antwort 2'],
    ['Was ist 1,5 + 1?', '2,5', '2', '3'],
  ];
  for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', bar: '|' }))
    it(`are found: ${name}`, async () => {
      const text = rows.map((row) => row.map((cell) => `"${cell}"`).join(delimiter)).join('\r\n');
      assert.deepEqual((await readAll(csv, text)).questions, [
        { question_text: 'Was ist 1,5 + 1?', correct_answer: '2,5', incorrect_answers: ['2', '3'] },
      ]);
    });

  it('are found after a line that names the delimiter', async () => {
    const { read } = await readAll(csv, 'sep=;\r\nQuestion;Answer\r\nOne, two?;x\r\n');
    assert.equal(read[0]!.question.question_text, 'One, two?');
    assert.deepEqual(read[0]!.position, { line: 3 });
  });

  it('are found below a title and empty rows', async () => {
    const text = `My quiz,,\n,,\nMade in May,,\n${PLAIN}`;
    assert.deepEqual((await readAll(csv, text)).questions, [
      { question_text: 'Capital of France?', correct_answer: 'Paris' },
    ]);
  });

  it('are never imported as a question, and positions never decide', async () => {
    await assert.rejects(readAll(csv, 'What is 2 + 2?;4\nWhat is 2 + 3?;5\n'), { code: 'no_header' });
    await assert.rejects(readAll(csv, ''), { code: 'empty_file' });
    await assert.rejects(readAll(csv, '\n\n\n'), { code: 'empty_file' });
  });

  it('can be given by name and by number', async () => {
    const named = await readAll(csv, 'Text;L\nWhat?;4\n', {
      columns: { question_text: 'text', correct_answer: 'L' },
    });
    assert.deepEqual(named.questions, [{ question_text: 'What?', correct_answer: '4' }]);
    const numbered = await readAll(csv, 'What?;x;4\nHow?;x;5\n', {
      columns: { question_text: '1', correct_answer: '3' },
    });
    assert.equal(numbered.questions.length, 2);
    await assert.rejects(readAll(csv, PLAIN, { columns: { question_text: 'Stem' } }), {
      code: 'no_such_column',
    });
    await assert.rejects(readAll(csv, PLAIN, { columns: { stem: 'Question' } }), { code: 'unknown_field' });
    await assert.rejects(readAll(csv, PLAIN, { delimiter: 'ab' }), { code: 'invalid_delimiter' });
  });

  it('name the columns that are not read', async () => {
    const { notices } = await readAll(csv, 'Question,Answer,Points\nWhat?,x,3\n');
    assert.deepEqual(listCodes(notices), ['column_ignored']);
    assert.match(notices[0]!.detail, /Points/);
    assert.deepEqual(notices[0]!.position, { line: 1, column: 3 });
  });
});

describe('detecting CSV', () => {
  const detect = (format: typeof csv, text: string, name?: string) => format.detect(Buffer.from(text), name);
  it('prefers the header to the name', () => {
    assert.ok(detect(csv, PLAIN, 'a.csv') > 0.9);
    assert.ok(detect(csv, PLAIN, 'a.txt') > 0.5);
    assert.ok(detect(csv, PLAIN) > detect(tsv, PLAIN));
    assert.ok(detect(tsv, PLAIN.replaceAll(',', '\t')) > detect(csv, PLAIN.replaceAll(',', '\t')));
    assert.equal(detect(csv, 'What is this? {=x}', 'a.txt'), 0);
    assert.ok(detect(csv, 'a,b,c', 'a.csv') > 0);
  });
});
