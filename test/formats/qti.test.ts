import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { qti12, qti21, qti22, qti30 } from '../../src/formats/qti/index.ts';
import { toComparable } from '../support/comparable-questions.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';
import { buildZip } from '../support/zip-files.ts';

const MATCH =
  '<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>';
const MAP =
  '<responseProcessing template="http://www.imsglobal.org/question/qti_v2p2/rptemplates/map_response.xml"/>';
const declare = (values: string[], cardinality = 'single', baseType = 'identifier', rest = '') =>
  `<responseDeclaration identifier="R" cardinality="${cardinality}" baseType="${baseType}">${
    values.length > 0
      ? `<correctResponse>${values.map((v) => `<value>${v}</value>`).join('')}</correctResponse>`
      : ''
  }${rest}</responseDeclaration>`;
const CHOICES =
  '<simpleChoice identifier="A">red</simpleChoice><simpleChoice identifier="B">green</simpleChoice><simpleChoice identifier="C">blue</simpleChoice>';
const choice = (attributes = 'shuffle="true" maxChoices="1"', choices = CHOICES) =>
  `<choiceInteraction responseIdentifier="R" ${attributes}><prompt>Which colour?</prompt>${choices}</choiceInteraction>`;
const item = (
  declaration: string,
  body: string,
  processing = MATCH,
  attributes = 'identifier="i1" title="Which colour?"',
) =>
  `<?xml version="1.0"?>\n<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" ${attributes}>\n${declaration}\n<itemBody>${body}</itemBody>\n${processing}</assessmentItem>`;
const mapping = (entries: Record<string, number>) =>
  `<mapping defaultValue="0">${Object.entries(entries)
    .map(([key, value]) => `<mapEntry mapKey="${key}" mappedValue="${value}"/>`)
    .join('')}</mapping>`;
const read = (content: string | Uint8Array, options = {}) => readAll(qti21, content, options);

async function readOne(content: string, options = {}) {
  const file = await read(content, options);
  assert.deepEqual(listCodes(file.rejects), []);
  assertDeclared(qti21, file.notices);
  return { question: file.questions[0]!, codes: listCodes(file.notices) };
}
const rejectOf = async (content: string) => (await read(content)).rejects[0]?.code;

describe('reading items of QTI 2.x and 3.0', () => {
  it('reads a choice with its prompt', async () => {
    const { question, codes } = await readOne(item(declare(['B']), `<p>Look.</p>${choice()}`));
    assert.deepEqual(question, {
      question_text: 'Look.\nWhich colour?',
      correct_answer: 'green',
      incorrect_answers: ['red', 'blue'],
      external_id: 'i1',
    });
    assert.deepEqual(codes, ['title_dropped']);
  });

  it('reads the names of 3.0, with and without a prefix', async () => {
    const kebab = `<qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="x" title="Which?">
      <qti-response-declaration identifier="R" cardinality="multiple" base-type="identifier"><qti-correct-response><qti-value>A</qti-value><qti-value>C</qti-value></qti-correct-response></qti-response-declaration>
      <qti-item-body><qti-choice-interaction response-identifier="R" shuffle="false" max-choices="2"><qti-prompt>Which?</qti-prompt>
      <qti-simple-choice identifier="A">a<qti-feedback-inline outcome-identifier="F" identifier="A">good</qti-feedback-inline></qti-simple-choice><qti-simple-choice identifier="B">b</qti-simple-choice><qti-simple-choice identifier="C">c</qti-simple-choice></qti-choice-interaction></qti-item-body>
      <qti-response-processing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml"/></qti-assessment-item>`;
    const { question, codes } = await readOne(kebab);
    assert.deepEqual(question, {
      question_text: 'Which?',
      correct_answer: ['a', 'c'],
      incorrect_answers: ['b'],
      choices_order: 'as_given',
      choices: ['a', 'b', 'c'],
      choose: 2,
      external_id: 'x',
      explanation: 'a: good',
    });
    assert.deepEqual(codes, ['feedback_appended']);
    const prefixed = item(declare(['B']), choice())
      .replace('xmlns=', 'xmlns:q=')
      .replaceAll(/<(\/?)(\w)/g, '<$1q:$2')
      .replaceAll('<q:xml', '<xml');
    assert.equal((await readOne(prefixed)).question.correct_answer, 'green');
  });

  it('finds the key in the mapping and in the response processing', async () => {
    const mapped = item(declare([], 'single', 'identifier', mapping({ A: 0.5, B: 1, C: -1 })), choice(), MAP);
    const { question, codes } = await readOne(mapped);
    assert.equal(question.correct_answer, 'green');
    assert.deepEqual(codes.sort(), ['negative_marks_dropped', 'partial_credit_dropped']);
    const rule = `<responseProcessing><responseCondition><responseIf><match><variable identifier="R"/><baseValue baseType="identifier">C</baseValue></match><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`;
    assert.equal((await readOne(item(declare([]), choice(), rule))).question.correct_answer, 'blue');
    assert.equal(await rejectOf(item(declare([]), choice())), 'no_correct_answer');
    assert.equal(await rejectOf(item(declare(['X']), choice())), 'no_correct_answer');
    assert.equal(
      await rejectOf(item(declare([], 'single', 'identifier', mapping({ A: 1, B: 1 })), choice(), MAP)),
      'several_correct_answers',
    );
  });

  it('keeps the order of options of which some have a fixed place', async () => {
    const fixed = choice('shuffle="true"', CHOICES.replace('"C"', '"C" fixed="true"'));
    const { question, codes } = await readOne(item(declare(['B']), fixed));
    assert.deepEqual(question.choices, ['red', 'green', 'blue']);
    assert.deepEqual(codes, ['shuffle_dropped']);
  });

  it('reads one text entry within a sentence, with accepted answers', async () => {
    const entry = '<p>Richard is from <textEntryInteraction responseIdentifier="R"/>, England.</p>';
    const york = mapping({ York: 1, Eboracum: 1, york: 0.5 });
    const { question, codes } = await readOne(
      item(declare(['York'], 'single', 'string', york), entry, MAP, 'identifier="t"'),
    );
    assert.deepEqual(question, {
      question_text: 'Richard is from _____, England.',
      correct_answer: 'York',
      accepted_answers: ['Eboracum'],
      external_id: 't',
    });
    assert.deepEqual(codes, ['partial_credit_dropped']);
    const atEnd = '<p>Capital of France?</p><p><textEntryInteraction responseIdentifier="R"/></p>';
    assert.equal(
      (await readOne(item(declare(['Paris'], 'single', 'string'), atEnd))).question.question_text,
      'Capital of France?',
    );
  });

  it('reads numbers with a tolerance, and a choice within a sentence', async () => {
    const processing = (attributes: string) =>
      `<responseProcessing><responseCondition><responseIf><equal ${attributes}><variable identifier="R"/><correct identifier="R"/></equal></responseIf></responseCondition></responseProcessing>`;
    const body = '<p>π is <textEntryInteraction responseIdentifier="R"/></p>';
    const number = (attributes: string) =>
      item(declare(['3.14'], 'single', 'float'), body, processing(attributes));
    const absolute = await readOne(number('toleranceMode="absolute" tolerance="0.01 0.02"'));
    assert.deepEqual(absolute.question.numeric, { tolerance: 0.01 });
    assert.ok(absolute.codes.includes('tolerance_simplified'));
    assert.deepEqual((await readOne(number('toleranceMode="relative" tolerance="5 5"'))).question.numeric, {
      relative_tolerance: 0.05,
    });
    assert.deepEqual((await readOne(number('toleranceMode="exact"'))).question.numeric, {});
    assert.equal(await rejectOf(number('toleranceMode="absolute" tolerance="{V}"')), 'invalid_tolerance');
    const inline =
      '<p>The sky is <inlineChoiceInteraction responseIdentifier="R" shuffle="true"><inlineChoice identifier="A">blue</inlineChoice><inlineChoice identifier="B">red</inlineChoice></inlineChoiceInteraction>.</p>';
    const { question } = await readOne(item(declare(['A']), inline));
    assert.equal(question.question_text, 'The sky is _____.');
    assert.deepEqual(question.incorrect_answers, ['red']);
  });

  it('puts rubrics and feedback where they are seen', async () => {
    const body = `<rubricBlock view="candidate"><p>Take care.</p></rubricBlock><rubricBlock view="scorer tutor"><p>Green is a mixture.</p></rubricBlock>${choice()}`;
    const feedback =
      '<modalFeedback outcomeIdentifier="F" identifier="A" showHide="show">No.</modalFeedback>';
    const { question, codes } = await readOne(item(declare(['B']), body, `${MATCH}${feedback}`));
    assert.equal(question.question_text, 'Take care.\nWhich colour?');
    assert.equal(question.explanation, 'Green is a mixture.\nred: No.');
    assert.deepEqual(codes.sort(), [
      'feedback_appended',
      'rubric_in_explanation',
      'rubric_in_text',
      'title_dropped',
    ]);
  });

  it('rejects what has no single answer, each with its reason', async () => {
    const interaction = (name: string) => item(declare(['x']), `<p>Q</p><${name} responseIdentifier="R"/>`);
    const cases: [content: string, code: string][] = [
      ...Object.entries({
        extendedTextInteraction: 'essay',
        orderInteraction: 'ordering',
        matchInteraction: 'matching',
        gapMatchInteraction: 'drag_and_drop',
        hotspotInteraction: 'hotspot',
        sliderInteraction: 'slider',
        drawingInteraction: 'drawing',
        uploadInteraction: 'upload',
        mediaInteraction: 'media',
        customInteraction: 'custom',
      }).map(([name, kind]): [string, string] => [interaction(name), `unsupported_${kind}`]),
      [item('', '<p>Only text.</p>'), 'unsupported_description'],
      [item(declare(['A']), choice() + choice()), 'unsupported_several_interactions'],
      [item(declare(['A']), choice(), MATCH, 'adaptive="true"'), 'unsupported_adaptive'],
      [
        item(
          `${declare(['A'])}<templateDeclaration identifier="X" cardinality="single" baseType="integer"/>`,
          choice(),
        ),
        'unsupported_template',
      ],
      [item(declare(['A']), `<xi:include href="x.xml"/>${choice()}`), 'needs_include'],
      [item(declare(['A']), `<img src="a.png" alt=""/>${choice()}`), 'needs_media'],
      [
        item(`${declare(['A'])}<assessmentStimulusRef identifier="s" href="s.xml"/>`, choice()),
        'needs_stimulus',
      ],
      [item(declare(['A']), `${choice()}<p>`), 'xml_malformed'],
      [
        item(declare(['A']), `<p>&own;</p>${choice()}`).replace(
          '?>',
          '?><!DOCTYPE x [<!ENTITY own SYSTEM "file:///etc/passwd">]>',
        ),
        'xml_entity_refused',
      ],
    ];
    for (const [content, code] of cases) assert.equal(await rejectOf(content), code);
  });

  it('refuses other files', async () => {
    await assert.rejects(read('<html/>'), { name: 'UnreadableFile', code: 'not_qti' });
    await assert.rejects(read(''), { code: 'not_qti' });
    await assert.rejects(read('<manifest/>'), { code: 'needs_package' });
    await assert.rejects(read(await buildZip({ 'a.txt': 'x' })), { code: 'not_qti' });
  });
});

describe('reading packages of QTI', () => {
  const manifest = (resources: string) =>
    `<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"><resources>${resources}</resources></manifest>`;
  const resource = (href: string, inner = '', attributes = '') =>
    `<resource identifier="r" type="imsqti_item_xmlv2p1" href="${href}" ${attributes}>${inner}<file href="${href}"/></resource>`;
  const colour = (id: string) => item(declare(['B']), choice(), MATCH, `identifier="${id}"`);

  it('reads items in the order of the manifest, by their paths, with metadata', async () => {
    const lom =
      '<metadata><imsmd:lom xmlns:imsmd="x"><imsmd:general><imsmd:keyword><imsmd:string>colours</imsmd:string></imsmd:keyword></imsmd:general><imsmd:educational><imsmd:difficulty><imsmd:source>LOMv1.0</imsmd:source><imsmd:value>difficult</imsmd:value></imsmd:difficulty></imsmd:educational><imsmd:classification><imsmd:taxonPath><imsmd:taxon><imsmd:entry><imsmd:string>Art</imsmd:string></imsmd:entry></imsmd:taxon></imsmd:taxonPath></imsmd:classification></imsmd:lom></metadata>';
    const zip = await buildZip({
      'top/b/item.xml': colour('b'),
      'top/a/item.xml': colour('a'),
      'top/a/my item.xml': colour('space'),
      'top/c/item.xml': colour('c'),
      'top/forgotten.xml': colour('forgotten'),
      'top/test.xml': '<assessmentTest/>',
      'top/imsmanifest.xml': manifest(
        [
          resource('a/item.xml', lom),
          resource('b/item.xml'),
          resource('a/my%20item.xml'),
          resource('item.xml', '', 'xml:base="c/"'),
          resource('gone.xml'),
        ].join('\n'),
      ),
      '__MACOSX/top/a/._item.xml': 'garbage',
      'top/inner.zip': await buildZip({ 'x.xml': colour('x') }),
    });
    const file = await read(zip);
    assert.deepEqual(
      file.questions.map(({ external_id }) => external_id),
      ['a', 'b', 'space', 'c', 'forgotten'],
    );
    const { tags, difficulty, category } = file.questions[0]!;
    assert.deepEqual({ tags, difficulty, category }, { tags: ['colours'], difficulty: 2, category: 'Art' });
    assert.deepEqual(
      file.rejects.map(({ code, position }) => [code, position.path]),
      [
        ['file_missing', 'top/gone.xml'],
        ['zip_in_zip', 'top/inner.zip'],
      ],
    );
    assert.deepEqual(listCodes(file.notices), ['not_in_manifest', 'test_structure_dropped']);
    assert.equal(file.read[0]!.position.path, 'top/a/item.xml');
    assertDeclared(qti21, file.notices);
  });

  it('inserts shared texts, and reads on behind a damaged item', async () => {
    const shared = item(
      `${declare(['B'])}<assessmentStimulusRef identifier="s" href="../s/stimulus.xml"/>`,
      choice(),
    );
    const zip = await buildZip({
      'imsmanifest.xml': manifest(resource('items/bad.xml') + resource('items/a.xml')),
      'items/bad.xml': '<assessmentItem><oops></assessmentItem>',
      'items/a.xml': shared,
      's/stimulus.xml':
        '<assessmentStimulus><stimulusBody><p>The sky.</p></stimulusBody></assessmentStimulus>',
    });
    const file = await read(zip);
    assert.equal(file.questions[0]!.question_text, 'The sky.\nWhich colour?');
    assert.deepEqual(listCodes(file.rejects), ['xml_malformed']);
    assert.deepEqual(file.rejects[0]!.position, { line: 1, column: 40, path: 'items/bad.xml' });
  });

  it('reports a package without a manifest or without items', async () => {
    const file = await read(await buildZip({ 'a.xml': colour('a') }));
    assert.equal(file.questions.length, 1);
    assert.deepEqual(listCodes(file.notices), ['no_manifest']);
    const empty = await read(await buildZip({ 'imsmanifest.xml': manifest('') }));
    assert.deepEqual(listCodes(empty.notices), ['no_questions']);
  });
});

describe('writing QTI', () => {
  for (const format of [qti21, qti22, qti30])
    it(`gives back what was written: ${format.name}`, async () => {
      const questions = generateQuestions(2, 200).map(({ choices_order, ...question }) =>
        choices_order === 'as_given' ? { ...question, choices_order } : question,
      );
      const written = await writeAll(format, questions);
      assert.deepEqual(written.notices, []);
      const file = await readAll(format, written.bytes);
      assert.deepEqual(file.rejects, []);
      assert.deepEqual(file.questions.map(toComparable), questions.map(toComparable));
      assert.deepEqual(file.notices, []);
    });

  it('writes the same bytes each time', async () => {
    const questions = generateQuestions(3, 5);
    assert.deepEqual((await writeAll(qti22, questions)).bytes, (await writeAll(qti22, questions)).bytes);
  });

  it('survives cuts', async () => {
    await assertSurvivesCuts(qti21, Buffer.from(item(declare(['B']), choice())), 5);
    const { bytes } = await writeAll(qti30, generateQuestions(4, 3));
    await assertSurvivesCuts(qti30, bytes, 97);
  });
});

describe('detecting QTI', () => {
  it('recognises versions by namespaces', async () => {
    const formats = [qti12, qti21, qti22, qti30];
    const best = (head: Uint8Array, name?: string) =>
      formats.toSorted((a, b) => b.detect(head, name) - a.detect(head, name))[0]!.name;
    for (const format of [qti21, qti22, qti30]) {
      const { bytes } = await writeAll(format, generateQuestions(5, 3));
      assert.equal(best(bytes.subarray(0, 65_536), 'x.zip'), format.name);
      assert.ok(format.detect(bytes, 'x.zip') > 0.9);
    }
    assert.equal(best(Buffer.from('<questestinterop><item/></questestinterop>')), 'qti-1.2');
    assert.equal(best(Buffer.from(item(declare(['B']), choice()))), 'qti-2.1');
    assert.equal(Math.max(...formats.map((format) => format.detect(Buffer.from('<quiz/>'), 'x.xml'))), 0);
  });
});
