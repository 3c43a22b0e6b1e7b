import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { toComparable } from '../support/comparable-questions.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';
import { buildZip } from '../support/zip-files.ts';

const RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (list: [id: string, type: string, target: string][]) =>
  `<Relationships>${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELS}/${type}" Target="${target}"/>`).join('')}</Relationships>`;
const STYLES =
  '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="165"/></cellXfs></styleSheet>';

interface Parts {
  strings?: string[];
  properties?: string;
}

/** A workbook of sheets, each with the XML of its rows. */
function buildWorkbook(sheets: Record<string, string>, { strings = [], properties = '' }: Parts = {}) {
  const names = Object.keys(sheets);
  return buildZip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([['rId1', 'officeDocument', '/xl/workbook.xml']]),
    'xl/workbook.xml': `<x:workbook xmlns:x="m" xmlns:r="${RELS}">${properties}<x:sheets>${names.map((name, i) => `<x:sheet name="${name}" sheetId="${i + 9}" r:id="s${i}"/>`).join('')}</x:sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, i): [string, string, string] => [`s${i}`, 'worksheet', `worksheets/sheet${i}.xml`]),
      ['st', 'styles', 'styles.xml'],
      ['sh', 'sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/styles.xml': STYLES,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [
        `xl/worksheets/sheet${i}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}
const inline = (text: string, reference = '') =>
  `<c ${reference && `r="${reference}"`} t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (texts: string[], number?: number) =>
  `<row${number ? ` r="${number}"` : ''}>${texts.map((text) => inline(text)).join('')}</row>`;
const HEADER = row(['question', 'correct answer', 'option 1', 'option 2']);

describe('reading workbooks', () => {
  it('reads shared, inline and rich strings, booleans, numbers, dates and percentages', async () => {
    const strings = [
      '<t>What?</t>',
      '<r><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh><t>x</t></rPh>',
      '<t>a_x000A_b</t>',
    ];
    const rows = [
      '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c></row>',
      '<row r="4"><c r="A4" t="s"><v>2</v></c><c r="C4"><v>0.30000000000000004</v></c></row>',
      '<row r="5"><c r="A5" t="s"><v>0</v></c><c r="C5" s="1"><v>45323</v></c></row>',
      '<row r="6"><c r="A6" t="s"><v>0</v></c><c r="C6" s="2"><v>0.07</v></c></row>',
      '<row r="7"><c r="A7" t="s"><v>0</v></c><c r="C7" t="b"><v>1</v></c></row>',
      '<row r="8"><c r="A8" t="s"><v>0</v></c><c r="C8" s="3"><v>12</v></c></row>',
      '<row r="9"><c r="A9" t="s"><v>0</v></c><c r="C9" t="str"><f>A1</f><v>cached</v></c></row>',
      '<row r="10"><c r="A10" t="s"><v>0</v></c><c r="C10"><f>NOW()</f></c></row>',
      '<row r="11"><c r="A11" t="s"><v>0</v></c><c r="C11" t="e"><v>#REF!</v></c></row>',
    ];
    const header =
      '<row r="2"><c r="A2" t="inlineStr"><is><t>Question</t></is></c><c r="C2" t="inlineStr"><is><t>Answer</t></is></c></row>';
    const file = await readAll(xlsx, await buildWorkbook({ Sheet1: header + rows.join('') }, { strings }));
    assert.deepEqual(
      file.questions.map(({ correct_answer }) => correct_answer),
      ['rich', '0.3', '2024-02-01', '7%', 'True', '12', 'cached'],
    );
    assert.equal(file.questions[1]!.question_text, 'a\nb');
    assert.deepEqual(
      file.rejects.map(({ position }) => position),
      [
        { line: 10, path: 'Sheet1' },
        { line: 11, path: 'Sheet1' },
      ],
    );
    assert.ok(listCodes(file.notices).includes('date_cell'));
    assertDeclared(xlsx, file.notices);
  });

  it('counts days from 1904 where the workbook says so', async () => {
    const rows = `${HEADER}<row>${inline('When?')}<c s="1"><v>0</v></c></row>`;
    const file = await readAll(
      xlsx,
      await buildWorkbook({ A: rows }, { properties: '<workbookPr date1904="1"/>' }),
    );
    assert.equal(file.questions[0]!.correct_answer, '1904-01-01');
  });

  it('finds the header of a template below its title', async () => {
    const rows = [
      row(['', 'Quiz template'], 2),
      row(['', 'Add questions, at least two answer alternatives'], 3),
      row(
        [
          ...[
            '',
            'Question - max 120 characters',
            'Answer 1 - max 75 characters',
            'Answer 2 - max 75 characters',
          ],
          ...[
            'Answer 3 - max 75 characters',
            'Answer 4 - max 75 characters',
            'Time limit (sec) – 5, 10, 20',
            'Correct answer(s) - choose at least one',
          ],
        ],
        8,
      ),
      `<row r="9"><c><v>1</v></c>${inline('2 + 2?')}<c><v>3</v></c><c><v>4</v></c>${inline('')}${inline('')}<c><v>20</v></c><c><v>2</v></c></row>`,
    ];
    const file = await readAll(xlsx, await buildWorkbook({ Sheet1: rows.join('') }));
    assert.deepEqual(file.rejects, []);
    assert.equal(file.questions[0]!.correct_answer, '4');
    assert.deepEqual(file.questions[0]!.incorrect_answers, ['3']);
    assert.equal(file.read[0]!.position.line, 9);
  });

  it('reads every sheet with a header, and names the others', async () => {
    const question = row(['Q?', 'a', 'a', 'b']);
    const file = await readAll(
      xlsx,
      await buildWorkbook({
        Notes: row(['just', 'notes']),
        One: HEADER + question,
        Empty: '',
        Two: HEADER + question,
      }),
    );
    assert.deepEqual(
      file.read.map(({ position }) => position.path),
      ['One', 'Two'],
    );
    assert.deepEqual(listCodes(file.notices), ['sheet_ignored']);
  });

  it('refuses other files, and gives the rows before a damage', async () => {
    await assert.rejects(readAll(xlsx, await buildWorkbook({ A: row(['x', 'y']) })), { code: 'no_header' });
    await assert.rejects(readAll(xlsx, await buildWorkbook({ A: '' })), { code: 'empty_file' });
    await assert.rejects(readAll(xlsx, Buffer.from('d0cf11e0a1b11ae1', 'hex')), { code: 'not_xlsx' });
    await assert.rejects(readAll(xlsx, await buildZip({ 'content.xml': '<x/>' })), { code: 'not_xlsx' });
    await assert.rejects(readAll(xlsx, 'question,answer'), { code: 'zip_damaged' });
    const damaged = await readAll(
      xlsx,
      await buildWorkbook({ A: `${HEADER}${row(['Q?', 'a', 'a', 'b'])}<row><oops></row>` }),
    );
    assert.equal(damaged.questions.length, 1);
    assert.deepEqual(listCodes(damaged.rejects), ['xml_malformed']);
  });
});

describe('writing workbooks', () => {
  it('gives back what was written', async () => {
    const questions = generateQuestions(6, 300);
    const written = await writeAll(xlsx, questions);
    assertDeclared(xlsx, written.notices);
    const file = await readAll(xlsx, written.bytes);
    assert.deepEqual(file.rejects, []);
    assert.deepEqual(file.questions.map(toComparable), questions.map(toComparable));
    assert.ok(xlsx.detect(written.bytes.subarray(0, 65_536), undefined) > 0.9);
  });

  it('keeps control characters, and reports cells that are too long', async () => {
    const questions = [{ question_text: 'a\u0001b _x0041_', correct_answer: 'x'.repeat(40_000) }];
    const written = await writeAll(xlsx, questions);
    assert.deepEqual(listCodes(written.notices), ['cell_too_long']);
    assert.deepEqual((await readAll(xlsx, written.bytes)).questions, questions);
  });

  it('survives cuts', async () => {
    const { bytes } = await writeAll(xlsx, generateQuestions(7, 5));
    await assertSurvivesCuts(xlsx, bytes, 61);
  });
});
