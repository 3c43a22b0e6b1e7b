/** Reads one `<item>` of QTI 1.2, as Canvas, Blackboard and Respondus write it. */
import type { PortableQuestion } from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { type UnsupportedKind, unsupported } from '../unsupported.ts';
import { findChild, findChildren, findDescendants, textOf, walk, type XmlElement } from '../xml/tree.ts';
import { readMaterial } from './material.ts';
import { type Condition, listConditions } from './scoring.ts';

const RESPONSES = new Set(['response_lid', 'response_str', 'response_num', 'response_xy', 'response_grp']);
const STOP = new Set([...RESPONSES, 'response_extension']);
const UNSUPPORTED: [pattern: RegExp, kind: UnsupportedKind][] = [
  [/^essay|^short response/, 'essay'],
  [/^file.?upload/, 'upload'],
  [/^matching/, 'matching'],
  [/^order/, 'ordering'],
  [/^text.?only/, 'description'],
  [/^fill.in.multiple|^fill in the blank plus|^multiple.dropdown|^jumbled/, 'cloze'],
  [/^calculated/, 'calculated'],
  [/^hot.?spot/, 'hotspot'],
  [/^opinion|^likert/, 'survey'],
];

type Answers = Omit<PortableQuestion, 'question_text'>;

/** @throws RejectItem */
export function readItem12(item: XmlElement, report: ItemReport): PortableQuestion {
  const metadata = readMetadata(item);
  const type = (
    metadata.question_type ??
    metadata.bbmd_questiontype ??
    metadata.qmd_itemtype ??
    ''
  ).toLowerCase();
  const kind = UNSUPPORTED.find(([pattern]) => pattern.test(type))?.[1];
  if (kind) throw unsupported(kind);
  const presentation = findChild(item, 'presentation');
  if (!presentation) throw unsupported('description');
  const response = findResponse(presentation);
  const stem = readMaterial(presentation, report, STOP);
  if (stem === '')
    throw new RejectItem('no_question_text', 'The item has no text. Write one into its material.');
  const conditions = listConditions(item);
  const options = listOptions(response, report);
  const isChoice = response.name === 'response_lid' && options.size > 0;
  const answers = isChoice
    ? readChoices(response, options, conditions, report)
    : readEntry(response, type, conditions, report);
  const question: PortableQuestion = { question_text: stem, ...answers };
  if (report.markup.to === 'markdown') question.text_format = 'markdown';
  const id = (item.attributes.ident || metadata.bbmd_asi_object_id || '').trim();
  if (id !== '') question.external_id = id;
  const explanation = listFeedback(item, options, conditions, report).join('\n');
  if (explanation !== '') question.explanation = explanation;
  reportLosses(item, metadata, stem, report);
  return question;
}

/** Fields of the metadata, and elements such as `<bbmd_questiontype>`. */
function readMetadata(item: XmlElement): Record<string, string> {
  const metadata: Record<string, string> = {};
  const root = findChild(item, 'itemmetadata');
  if (!root) return metadata;
  for (const element of walk(root)) {
    if (element.name === 'qtimetadatafield')
      metadata[textOf(findChild(element, 'fieldlabel')).trim()] = textOf(
        findChild(element, 'fieldentry'),
      ).trim();
    else if (/^(?:bbmd|qmd)_/.test(element.name)) metadata[element.name] = textOf(element).trim();
  }
  return metadata;
}

function findResponse(presentation: XmlElement): XmlElement {
  const responses = [...walk(presentation)].filter(({ name }) => RESPONSES.has(name));
  const [response, ...others] = responses;
  if (!response) throw unsupported('description');
  if (response.name === 'response_grp') throw unsupported('matching');
  if (response.name === 'response_xy' || findDescendants(presentation, 'render_hotspot').length > 0)
    throw unsupported('hotspot');
  if (findDescendants(presentation, 'render_slider').length > 0) throw unsupported('slider');
  if (others.length > 0) throw unsupported(response.name === 'response_lid' ? 'matching' : 'cloze');
  if (/^ordered$/i.test(response.attributes.rcardinality ?? '')) throw unsupported('ordering');
  return response;
}

/** The options by their identifiers; true and false in the spelling of the bank. */
function listOptions(response: XmlElement, report: ItemReport): Map<string, string> {
  const options = findDescendants(response, 'response_label').map((label): [id: string, text: string] => [
    label.attributes.ident ?? '',
    readMaterial(label, report),
  ]);
  const isTrueFalse = options.length === 2 && options.every(([, text]) => /^(?:true|false)$/i.test(text));
  return new Map(
    isTrueFalse ? options.map(([id, text]) => [id, /^t/i.test(text) ? 'True' : 'False']) : options,
  );
}

const noKey = () =>
  new RejectItem('no_correct_answer', 'No condition gives marks. Mark the correct answer and export again.');

function readChoices(
  response: XmlElement,
  options: ReadonlyMap<string, string>,
  conditions: readonly Condition[],
  report: ItemReport,
): Answers {
  const scored = conditions
    .map((condition) => ({
      ...condition,
      ids: condition.equal.map(({ value }) => value).filter((id) => options.has(id)),
    }))
    .filter(({ ids, score }) => ids.length > 0 && score > 0);
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const top = scored.filter(({ score }) => score === best);
  if (top.length === 0) throw noKey();
  if (conditions.some(({ score }) => score < 0))
    report.add('negative_marks_dropped', 'Wrong answers take no marks away.');
  const isMultiple = /^multiple$/i.test(response.attributes.rcardinality ?? '');
  const isWhole = scored.some(({ ids, notEqual }) => ids.length > 1 || notEqual.length > 0);
  const keys = new Set((isMultiple && !isWhole ? scored : top).flatMap(({ ids }) => ids));
  if (isMultiple && isWhole && top.length > 1)
    throw new RejectItem(
      'several_correct_answers',
      'Several combinations of options have full marks. Leave one.',
    );
  if (!isMultiple && keys.size > 1)
    throw new RejectItem(
      'several_correct_answers',
      `${keys.size} options have full marks, but only one can be chosen.`,
    );
  if (scored.length > top.length)
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  if (isMultiple && keys.size === 1)
    report.add(
      'single_key_of_several',
      'Several options can be chosen, but one is correct: multiple choice.',
    );
  const correct = [...options].filter(([id]) => keys.has(id)).map(([, text]) => text);
  const answers: Answers = {
    correct_answer: correct.length === 1 ? correct[0]! : correct,
    incorrect_answers: [...options]
      .filter(([id, text]) => !keys.has(id) && text !== '')
      .map(([, text]) => text),
  };
  const [render] = findDescendants(response, 'render_choice');
  if (/^no$/i.test(render?.attributes.shuffle ?? '')) {
    answers.choices_order = 'as_given';
    answers.choices = [...options.values()].filter((text) => text !== '');
  }
  return answers;
}

function readEntry(
  response: XmlElement,
  type: string,
  conditions: readonly Condition[],
  report: ItemReport,
): Answers {
  const scored = conditions.filter(
    ({ score, equal, bounds }) => score > 0 && equal.length + bounds.length > 0,
  );
  if (scored.length === 0) throw type === '' || type === 'error' ? unsupported('essay') : noKey();
  const best = Math.max(...scored.map(({ score }) => score));
  const top = scored.filter(({ score }) => score === best);
  if (scored.length > top.length)
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  const isNumeric =
    /^numeric/.test(type) || response.name === 'response_num' || top.some(({ bounds }) => bounds.length > 0);
  if (isNumeric) return readNumber(top, report);
  if (top.some(({ isSubset }) => isSubset))
    report.add(
      'contains_match_dropped',
      'Answers that contain the correct one are wrong: only equal ones are right.',
    );
  const comparisons = top.flatMap(({ equal }) => equal).filter(({ value }) => value !== '');
  const [first, ...others] = [...new Set(comparisons.map(({ value }) => value))];
  if (first === undefined) throw noKey();
  const answers: Answers = { correct_answer: first };
  if (others.length > 0) answers.accepted_answers = others;
  if (comparisons.every(({ isCaseSensitive }) => isCaseSensitive))
    answers.answer_matching = { ignore_case: false };
  return answers;
}

/** The value with its bounds, or the middle between two bounds. */
function readNumber(top: readonly Condition[], report: ItemReport): Answers {
  const [first, ...others] = top;
  if (others.length > 0 || first!.equal.length > 1)
    report.add('accepted_answers_dropped', 'Only the first number with full marks is kept.');
  const select = (pattern: RegExp) =>
    first!.bounds.filter(({ name }) => pattern.test(name)).map(({ value }) => value);
  const lower = Math.max(...select(/^vargt/));
  const upper = Math.min(...select(/^varlt/));
  const text = first!.equal[0]?.value;
  if (text === undefined && !(Number.isFinite(lower) && Number.isFinite(upper) && lower <= upper))
    throw noKey();
  const round = (value: number) => Number(value.toPrecision(12));
  const value = text ?? String(round((lower + upper) / 2));
  const distances = [Number(value) - lower, upper - Number(value)]
    .filter((d) => Number.isFinite(d) && d > 0)
    .map(round);
  if (distances.length === 0) return { correct_answer: value, numeric: {} };
  const tolerance = Math.min(...distances);
  if (distances.some((distance) => distance !== tolerance))
    report.add('tolerance_simplified', 'Different tolerances above and below become the smaller one.');
  return { correct_answer: value, numeric: { tolerance } };
}

/** Feedback on an option begins with the option. */
function listFeedback(
  item: XmlElement,
  options: ReadonlyMap<string, string>,
  conditions: readonly Condition[],
  report: ItemReport,
): string[] {
  const texts = findChildren(item, 'itemfeedback').flatMap((feedback) => {
    const text = readMaterial(feedback, report);
    const ident = feedback.attributes.ident ?? '';
    if (text === '') return [];
    const shown = conditions.filter((condition) => condition.feedback.includes(ident));
    const linked = shown.length === 1 && shown[0]!.equal.length === 1 ? shown[0]!.equal[0]!.value : '';
    const option = options.get(ident.replace(/_fb$/, '')) ?? options.get(ident) ?? options.get(linked);
    return [option === undefined ? text : `${option}: ${text}`];
  });
  if (texts.length > 0) report.add('feedback_appended', 'Feedback is added to the explanation.');
  return [...new Set(texts)];
}

function reportLosses(
  item: XmlElement,
  metadata: Record<string, string>,
  stem: string,
  report: ItemReport,
): void {
  const title = (item.attributes.title ?? '').trim();
  const fold = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();
  if (
    title !== '' &&
    !/^(?:question|q|item)?[\s.#_-]*\d*$/i.test(title) &&
    !fold(stem).startsWith(fold(title))
  )
    report.add('title_dropped', `The title "${title.slice(0, 100)}" is lost.`);
  const points = Number(metadata.points_possible ?? metadata.qmd_weighting ?? '1');
  if (points > 0 && points !== 1) report.add('weight_dropped', `The ${points} points are lost.`);
}
