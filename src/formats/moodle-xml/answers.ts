/** The answers of Moodle's questions, by type. */
import type { PortableQuestion } from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { findChild, findChildren, type XmlElement } from '../xml/tree.ts';
import { readText, readValue } from './texts.ts';

interface Answer {
  text: string;
  /** Percent of the marks. */
  fraction: number;
  feedback: string;
  element: XmlElement;
}
type AnswerFields = Omit<PortableQuestion, 'question_text'> & {
  /** Feedback on answers, one line each. */
  feedback: string[];
};

const FULL = 99.99;

/** Undefined for a type that is not known. @throws RejectItem */
export function readAnswers(
  type: string,
  question: XmlElement,
  report: ItemReport,
): AnswerFields | undefined {
  switch (type) {
    case 'multichoice':
      return readMultichoice(question, report);
    case 'truefalse':
      return readTrueFalse(question, report);
    case 'shortanswer':
      return readShortAnswer(question, report);
    case 'numerical':
      return readNumerical(question, report);
    default:
      return undefined;
  }
}

const readMarkup = (element: XmlElement, report: ItemReport) => readText(element, report).text;

function listAnswers(question: XmlElement, report: ItemReport, read = readMarkup): Answer[] {
  return findChildren(question, 'answer').map((element) => {
    const fraction = Number((element.attributes.fraction ?? '0').replace(',', '.'));
    if (!Number.isFinite(fraction))
      throw new RejectItem(
        'invalid_fraction',
        `The fraction "${element.attributes.fraction}" is not a number. Write percent, such as 100.`,
        { ...report.position, line: element.line },
      );
    return {
      text: read(element, report),
      fraction,
      feedback: readText(findChild(element, 'feedback'), report).text,
      element,
    };
  });
}

const toFeedback = (answers: readonly Answer[]) =>
  answers.filter(({ feedback }) => feedback !== '').map(({ text, feedback }) => `${text}: ${feedback}`);

const noKey = () =>
  new RejectItem('no_correct_answer', 'No answer has the fraction 100. Mark the correct answer with it.');

function readMultichoice(question: XmlElement, report: ItemReport): AnswerFields {
  const all = listAnswers(question, report);
  const answers = all.filter(({ text }) => text.trim() !== '');
  if (answers.length < all.length) report.add('empty_option_dropped', 'Options without text are lost.');
  const isSingle = !/^(?:false|0)$/i.test(readValue(question, 'single'));
  const correct = isSingle ? pickSingle(answers, report) : pickSeveral(answers, report);
  const keys = new Set(correct);
  const texts = (list: readonly Answer[]) => list.map(({ text }) => text);
  const fields: AnswerFields = {
    correct_answer: correct.length === 1 ? correct[0]!.text : texts(correct),
    incorrect_answers: texts(answers.filter((answer) => !keys.has(answer))),
    feedback: toFeedback(answers),
  };
  const shuffles = findChild(question, 'shuffleanswers');
  if (shuffles && /^(?:false|0)$/i.test(readValue(question, 'shuffleanswers'))) {
    fields.choices_order = 'as_given';
    fields.choices = texts(answers);
  }
  return fields;
}

function pickSingle(answers: readonly Answer[], report: ItemReport): Answer[] {
  const correct = answers.filter(({ fraction }) => fraction >= FULL);
  if (correct.length === 0) throw noKey();
  if (correct.length > 1)
    throw new RejectItem(
      'several_correct_answers',
      `${correct.length} answers have full marks, but only one can be chosen. Leave one, or allow several.`,
    );
  if (answers.some(({ fraction }) => fraction > 0 && fraction < FULL))
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  reportPenalty(answers, report);
  return correct;
}

function pickSeveral(answers: readonly Answer[], report: ItemReport): Answer[] {
  const correct = answers.filter(({ fraction }) => fraction > 0);
  if (correct.length === 0) throw noKey();
  if (correct.length === 1)
    report.add(
      'single_key_of_several',
      'Several options can be chosen, but one is correct: multiple choice.',
    );
  const shares = correct.map(({ fraction }) => fraction);
  if (correct.length > 1 && Math.max(...shares) - Math.min(...shares) > 0.01)
    report.add('partial_credit_dropped', 'The correct options have different shares of the marks.');
  reportPenalty(answers, report);
  return correct;
}

function reportPenalty(answers: readonly Answer[], report: ItemReport): void {
  if (answers.some(({ fraction }) => fraction < 0))
    report.add('negative_marks_dropped', 'Wrong answers take no marks away.');
}

function readTrueFalse(question: XmlElement, report: ItemReport): AnswerFields {
  const answers = listAnswers(question, report, readPlain);
  const correct = answers.find(({ fraction }) => fraction >= FULL);
  if (!correct) throw noKey();
  const isTrue = /^(?:true|1)$/i.test(correct.text.trim());
  return {
    correct_answer: isTrue ? 'True' : 'False',
    incorrect_answers: [isTrue ? 'False' : 'True'],
    feedback: toFeedback(answers),
  };
}

const WILDCARD = /(?<!\\)\*/;

function readShortAnswer(question: XmlElement, report: ItemReport): AnswerFields {
  // Short answers are plain text whatever their format says.
  const answers = listAnswers(question, report, readPlain);
  const full = answers.filter(({ fraction, text }) => fraction >= FULL && text.trim() !== '');
  if (full.length === 0) throw noKey();
  const exact = full.filter(({ text }) => !WILDCARD.test(text));
  if (exact.length === 0)
    throw new RejectItem('wildcard_answer', 'Every correct answer has a wildcard (*). Add one in full.');
  if (exact.length < full.length)
    report.add('wildcard_answer_dropped', 'Correct answers with a wildcard (*) are lost.');
  if (answers.some(({ fraction }) => fraction > 0 && fraction < FULL))
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  const [first, ...others] = [...new Set(exact.map(({ text }) => text.replaceAll('\\*', '*')))];
  const fields: AnswerFields = { correct_answer: first!, feedback: toFeedback(answers) };
  if (others.length > 0) fields.accepted_answers = others;
  if (readValue(question, 'usecase') === '1') fields.answer_matching = { ignore_case: false };
  return fields;
}

function readPlain(element: XmlElement): string {
  const holder = findChild(element, 'text');
  const text = holder?.children.filter((node) => typeof node === 'string').join('') ?? '';
  return holder?.attributes['xml:space'] === 'preserve' ? text : text.trim();
}

function readNumerical(question: XmlElement, report: ItemReport): AnswerFields {
  const answers = listAnswers(question, report, readPlain);
  const full = answers.filter(
    ({ fraction, text }) => fraction >= FULL && text.trim() !== '' && text.trim() !== '*',
  );
  const [first] = full;
  if (!first) throw noKey();
  if (full.length > 1)
    report.add('accepted_answers_dropped', 'Only the first number with full marks is kept.');
  if (answers.some(({ fraction }) => fraction > 0 && fraction < FULL))
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  const numeric: NonNullable<PortableQuestion['numeric']> = {};
  const tolerance = Number(readValue(first.element, 'tolerance') || '0');
  if (!Number.isFinite(tolerance) || tolerance < 0)
    throw new RejectItem('invalid_tolerance', 'The tolerance is not a number of 0 or more.');
  if (tolerance > 0) numeric.tolerance = tolerance;
  const unit = readUnit(question, report);
  if (unit !== undefined) numeric.unit = unit;
  return { correct_answer: first.text.trim(), numeric, feedback: toFeedback(answers) };
}

/** The unit with the multiplier 1. */
function readUnit(question: XmlElement, report: ItemReport): string | undefined {
  const list = findChild(question, 'units');
  const units = (list ? findChildren(list, 'unit') : [])
    .map((unit) => ({
      name: readValue(unit, 'unit_name'),
      multiplier: Number(readValue(unit, 'multiplier') || '1'),
    }))
    .filter(({ name }) => name !== '');
  const base = units.find(({ multiplier }) => multiplier === 1);
  if (units.length > (base ? 1 : 0)) report.add('units_dropped', 'Units other than the base unit are lost.');
  return base?.name;
}
