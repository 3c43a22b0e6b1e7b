import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { qti12 } from '../../src/formats/qti/index.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll } from '../support/format-files.ts';
import { buildZip } from '../support/zip-files.ts';

const wrap = (...items: string[]) =>
  `<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE questestinterop SYSTEM "ims_qtiasiv1p2.dtd">\n<questestinterop><assessment ident="a" title="Quiz"><section ident="root">\n${items.join('\n')}\n</section></assessment></questestinterop>`;
const type = (name: string, label = 'question_type') =>
  `<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>${label}</fieldlabel><fieldentry>${name}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>`;
const text = (value: string) => `<material><mattext texttype="text/html">${value}</mattext></material>`;
const label = (id: string, value: string) => `<response_label ident="${id}">${text(value)}</response_label>`;
const choices = (labels: string[], cardinality = 'Single', shuffle = '') =>
  `<response_lid ident="r" rcardinality="${cardinality}"><render_choice${shuffle}>${labels.join('')}</render_choice></response_lid>`;
const COLOURS = [label('1', 'red'), label('2', '&lt;b&gt;green&lt;/b&gt;'), label('3', 'blue')];
const rule = (condition: string, score: string, action = 'Set', rest = '') =>
  `<respcondition continue="No"><conditionvar>${condition}</conditionvar><setvar varname="SCORE" action="${action}">${score}</setvar>${rest}</respcondition>`;
const equal = (value: string) => `<varequal respident="r">${value}</varequal>`;
const item = (metadata: string, presentation: string, processing: string, rest = '') =>
  `<item ident="i1" title="Question">${metadata}<presentation>${text('Which one?')}${presentation}</presentation><resprocessing><outcomes><decvar maxvalue="100" varname="SCORE"/></outcomes>${processing}</resprocessing>${rest}</item>`;
const entry =
  '<response_str ident="r" rcardinality="Single"><render_fib><response_label ident="a"/></render_fib></response_str>';
const read = (...items: string[]) => readAll(qti12, wrap(...items));

describe('reading QTI 1.2', () => {
  it('takes the option with the highest score, not the first condition', async () => {
    const { questions, rejects, notices } = await read(
      item(
        '',
        choices(COLOURS),
        [rule(equal('1'), '0', 'Add'), rule(equal('2'), '10.00'), rule(equal('3'), '5')].join(''),
      ),
    );
    assert.deepEqual(rejects, []);
    assert.deepEqual(questions, [
      {
        question_text: 'Which one?',
        correct_answer: 'green',
        incorrect_answers: ['red', 'blue'],
        external_id: 'i1',
      },
    ]);
    assert.deepEqual(listCodes(notices).sort(), ['formatting_dropped', 'partial_credit_dropped']);
    assertDeclared(qti12, notices);
  });

  it('reads several keys, by combination and by option', async () => {
    const combination = `<and>${equal('1')}<not>${equal('2')}</not>${equal('3')}</and>`;
    const { questions } = await read(
      item(type('multiple_answers_question'), choices(COLOURS, 'Multiple'), rule(combination, '100')),
      item(
        '',
        choices(COLOURS, 'Multiple', ' shuffle="No"'),
        rule(equal('1'), '50', 'Add') + rule(equal('3'), '50', 'Add'),
      ),
    );
    for (const { correct_answer, incorrect_answers } of questions) {
      assert.deepEqual(correct_answer, ['red', 'blue']);
      assert.deepEqual(incorrect_answers, ['green']);
    }
    assert.deepEqual(questions[1]!.choices, ['red', 'green', 'blue']);
  });

  it('reads short answers and numbers', async () => {
    const { questions } = await read(
      item(type('short_answer_question'), entry, rule(equal('Paris') + equal('Lutetia'), '100')),
      item(
        type('numerical_question'),
        entry,
        rule(
          `<or>${equal('4')}<and><vargte respident="r">3.5</vargte><varlte respident="r">4.5</varlte></and></or>`,
          '100',
        ),
      ),
      item(
        type('numerical_question'),
        entry,
        rule('<vargte respident="r">1</vargte><varlte respident="r">2</varlte>', '100'),
      ),
    );
    const gap = `${text('It was')}${entry}${text('in Paris.')}`;
    const [inside] = (await read(item('', gap, rule(equal('cold'), '1')))).questions;
    assert.equal(inside!.question_text, 'Which one?\nIt was _____ in Paris.');
    assert.equal(questions[0]!.correct_answer, 'Paris');
    assert.deepEqual(questions[0]!.accepted_answers, ['Lutetia']);
    assert.deepEqual([questions[1]!.correct_answer, questions[1]!.numeric], ['4', { tolerance: 0.5 }]);
    assert.deepEqual([questions[2]!.correct_answer, questions[2]!.numeric], ['1.5', { tolerance: 0.5 }]);
  });

  it('reads items of Blackboard', async () => {
    const block = (value: string) =>
      `<flow class="FORMATTED_TEXT_BLOCK"><material><mat_extension><mat_formattedtext type="HTML">${value}</mat_formattedtext></mat_extension></material></flow>`;
    const bb = `<item maxattempts="0"><itemmetadata><bbmd_asi_object_id>_7_1</bbmd_asi_object_id><bbmd_questiontype>Multiple Choice</bbmd_questiontype></itemmetadata>
      <presentation><flow class="Block"><flow class="QUESTION_BLOCK">${block('&lt;p&gt;Which?&lt;/p&gt;')}<flow class="FILE_BLOCK"><material><matapplication uri=""/></material></flow></flow>
      <flow class="RESPONSE_BLOCK"><response_lid ident="response" rcardinality="Single"><render_choice shuffle="No">
      <flow_label class="Block"><response_label ident="x">${block('a')}</response_label></flow_label><flow_label class="Block"><response_label ident="y">${block('b')}</response_label></flow_label></render_choice></response_lid></flow></flow></presentation>
      <resprocessing scoremodel="SumOfScores"><outcomes><decvar varname="SCORE" maxvalue="10.0"/></outcomes>
      <respcondition title="correct"><conditionvar><varequal respident="response" case="No">y</varequal></conditionvar><setvar variablename="SCORE" action="Set">SCORE.max</setvar><displayfeedback linkrefid="correct"/></respcondition>
      <respcondition title="incorrect"><conditionvar><other/></conditionvar><setvar variablename="SCORE" action="Set">0.0</setvar></respcondition></resprocessing>
      <itemfeedback ident="correct"><flow_mat>${block('Well done, it is b.')}</flow_mat></itemfeedback></item>`;
    const { questions } = await read(bb);
    assert.deepEqual(questions, [
      {
        question_text: 'Which?',
        correct_answer: 'b',
        incorrect_answers: ['a'],
        choices_order: 'as_given',
        choices: ['a', 'b'],
        external_id: '_7_1',
        explanation: 'b: Well done, it is b.',
      },
    ]);
  });

  it('reads gaps of Blackboard, whose answers have no score, and its true or false', async () => {
    const gap = `<respcondition title="x"><conditionvar>${equal('frog')}</conditionvar><displayfeedback linkrefid="correct"/></respcondition><respcondition title="incorrect"><conditionvar><other/></conditionvar><setvar variablename="SCORE">0.0</setvar></respcondition>`;
    const { questions } = await read(
      item(
        '<itemmetadata><bbmd_questiontype>Fill in the Blank</bbmd_questiontype></itemmetadata>',
        entry,
        gap,
      ),
      item('', choices([label('t', 'true'), label('f', 'false')]), rule(equal('f'), '1')),
    );
    assert.equal(questions[0]!.correct_answer, 'frog');
    assert.deepEqual([questions[1]!.correct_answer, questions[1]!.incorrect_answers], ['False', ['True']]);
  });

  it('rejects by kind, from the metadata or the structure', async () => {
    const cases: [item: string, code: string][] = [
      [item(type('essay_question'), entry, ''), 'unsupported_essay'],
      [item('', entry, ''), 'unsupported_essay'],
      [item(type('Error'), entry, ''), 'unsupported_essay'],
      [item(type('matching_question'), choices(COLOURS) + choices(COLOURS), ''), 'unsupported_matching'],
      [item('', choices(COLOURS) + choices(COLOURS), ''), 'unsupported_matching'],
      [item('', entry + entry, ''), 'unsupported_cloze'],
      [item(type('text_only_question'), '', ''), 'unsupported_description'],
      [item('', '', ''), 'unsupported_description'],
      [item(type('calculated_question'), entry, ''), 'unsupported_calculated'],
      [item('', '<response_xy ident="r"/>', ''), 'unsupported_hotspot'],
      [item('', choices(COLOURS, 'Ordered'), ''), 'unsupported_ordering'],
      [item('', choices(COLOURS), ''), 'no_correct_answer'],
      [item('', choices(COLOURS), rule(equal('1'), '1') + rule(equal('2'), '1')), 'several_correct_answers'],
      [
        item('', `<material><matimage uri="x.png"/></material>${choices(COLOURS)}`, rule(equal('1'), '1')),
        'needs_media',
      ],
      [item('', choices([...COLOURS, label('4', 'a & b')]), rule(equal('1'), '1')), 'xml_bare_ampersand'],
    ];
    const file = await read(...cases.map(([content]) => content));
    assert.deepEqual(
      listCodes(file.rejects),
      cases.map(([, code]) => code),
    );
    assert.deepEqual(
      file.rejects.map(({ position }) => position.line),
      cases.map((_, index) => 4 + index),
    );
  });

  it('reads packages of Canvas once, with the title of a bank as category', async () => {
    const quiz = wrap(item('', choices(COLOURS), rule(equal('1'), '100')));
    const bank = `<questestinterop><objectbank ident="b"><qtimetadata><qtimetadatafield><fieldlabel>bank_title</fieldlabel><fieldentry>Colours &amp; more</fieldentry></qtimetadatafield></qtimetadata>${item('', choices(COLOURS), rule(equal('2'), '100'))}</objectbank></questestinterop>`;
    const zip = await buildZip({
      'imsmanifest.xml': `<manifest><resources><resource identifier="g1" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment"><file href="g1/assessment_qti.xml"/></resource></resources></manifest>`,
      'g1/assessment_qti.xml': quiz,
      'g1/assessment_meta.xml': '<quiz identifier="g1"/>',
      'non_cc_assessments/g1.xml.qti': quiz,
      'non_cc_assessments/bank.xml.qti': bank,
    });
    const file = await readAll(qti12, zip);
    assert.deepEqual(
      file.read.map(({ question, position }) => [question.correct_answer, question.category, position.path]),
      [
        ['red', undefined, 'non_cc_assessments/g1.xml.qti'],
        ['green', 'Colours & more', 'non_cc_assessments/bank.xml.qti'],
      ],
    );
    assertDeclared(qti12, file.notices);
  });

  it('survives cuts', async () => {
    await assertSurvivesCuts(
      qti12,
      Buffer.from(wrap(item('', choices(COLOURS), rule(equal('1'), '100')))),
      11,
    );
  });
});
