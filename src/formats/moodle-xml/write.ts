/** Writes Moodle XML: plain text or Markdown, so that the text comes back as it is. */
import type { PortableQuestion, WriteOptions } from '../format.ts';
import { hasCharactersOutsideXml } from '../xml/write.ts';
import { writeExtension } from './extension.ts';
import { writeCategory, writeText } from './texts.ts';

const MAX_NAME_CHARS = 100;
const FLUSH_CHARS = 64 * 1024;
const FIVE_DECIMALS = 5;

export async function* writeMoodleXml(
  questions: AsyncIterable<PortableQuestion>,
  options: WriteOptions,
): AsyncGenerator<Uint8Array> {
  let text = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n';
  let category: string | undefined;
  let index = 0;
  for await (const question of questions) {
    const notice = (code: string, detail: string) => options.onNotice({ index, code, detail });
    if (question.category !== undefined && question.category !== category)
      text += categoryXml(question.category);
    category = question.category ?? category;
    text += questionXml(question, notice);
    index++;
    if (text.length < FLUSH_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}</quiz>\n`);
}

const textXml = (text: string) => writeText('text', text);

const categoryXml = (category: string) =>
  `  <question type="category">\n    <category>${writeCategory(category)}</category>\n  </question>\n`;

type NoticeHandler = (code: string, detail: string) => void;

function questionXml(question: PortableQuestion, notice: NoticeHandler): string {
  const format = question.text_format === 'markdown' ? 'markdown' : 'plain_text';
  const { type, body } = answersXml(question, format, notice);
  const name = toName(question.question_text);
  const extension = writeExtension(question);
  if (extension)
    notice('metadata_extension', 'Fields that Moodle does not have are in an element that Moodle ignores.');
  if (hasBadText(question)) notice('characters_dropped', 'Characters that XML cannot have are left out.');
  return [
    `  <question type="${type}">\n`,
    `    <name>${textXml(name)}</name>\n`,
    `    <questiontext format="${format}">${textXml(question.question_text)}</questiontext>\n`,
    `    <generalfeedback format="${format}">${textXml(question.explanation ?? '')}</generalfeedback>\n`,
    '    <defaultgrade>1</defaultgrade>\n    <penalty>0.3333333</penalty>\n    <hidden>0</hidden>\n',
    question.external_id === undefined ? '' : `    ${writeText('idnumber', question.external_id)}\n`,
    body,
    tagsXml(question.tags ?? []),
    extension ?? '',
    '  </question>\n',
  ].join('');
}

const hasBadText = (value: unknown): boolean =>
  typeof value === 'string'
    ? hasCharactersOutsideXml(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasBadText);

function toName(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_NAME_CHARS ? line : `${line.slice(0, MAX_NAME_CHARS - 1).trimEnd()}…`;
}

const tagsXml = (tags: readonly string[]) =>
  tags.length === 0 ? '' : `    <tags>${tags.map((tag) => `<tag>${textXml(tag)}</tag>`).join('')}</tags>\n`;

const answerXml = (text: string, fraction: string, format: string, inner = '') =>
  `    <answer fraction="${fraction}" format="${format}">${textXml(text)}` +
  `<feedback format="plain_text"><text></text></feedback>${inner}</answer>\n`;

function answersXml(question: PortableQuestion, format: string, notice: NoticeHandler) {
  const { correct_answer: correct, incorrect_answers: incorrect = [], numeric } = question;
  if (numeric) return { type: 'numerical', body: numericalXml(question, notice) };
  if (Array.isArray(correct) || incorrect.length > 0) {
    if (isTrueFalse(question)) return { type: 'truefalse', body: trueFalseXml(correct === 'True') };
    return { type: 'multichoice', body: multichoiceXml(question, format) };
  }
  const accepted = [correct, ...(question.accepted_answers ?? [])];
  const isExact = question.answer_matching?.ignore_case === false;
  const body =
    `    <usecase>${isExact ? 1 : 0}</usecase>\n` +
    accepted.map((text) => answerXml(text.replaceAll('*', '\\*'), '100', 'moodle_auto_format')).join('');
  return { type: 'shortanswer', body };
}

function isTrueFalse({ correct_answer, incorrect_answers, choices_order }: PortableQuestion): boolean {
  const pair = `${correct_answer}/${incorrect_answers?.join('/')}`;
  return (pair === 'True/False' || pair === 'False/True') && (choices_order ?? 'shuffled') === 'shuffled';
}

const trueFalseXml = (isTrue: boolean) =>
  answerXml('true', isTrue ? '100' : '0', 'moodle_auto_format') +
  answerXml('false', isTrue ? '0' : '100', 'moodle_auto_format');

function multichoiceXml(question: PortableQuestion, format: string): string {
  const { correct_answer, incorrect_answers = [], choices, choices_order } = question;
  const correct = Array.isArray(correct_answer) ? correct_answer : [correct_answer];
  const isShuffled = (choices_order ?? 'shuffled') !== 'as_given';
  const options = isShuffled || !choices ? [...correct, ...incorrect_answers] : choices;
  const share = String(Number((100 / correct.length).toFixed(FIVE_DECIMALS)));
  const keys = new Set(correct);
  return (
    `    <single>${!Array.isArray(correct_answer)}</single>\n` +
    `    <shuffleanswers>${isShuffled}</shuffleanswers>\n    <answernumbering>abc</answernumbering>\n` +
    options.map((text) => answerXml(text, keys.has(text) ? share : '0', format)).join('')
  );
}

function numericalXml({ correct_answer, numeric = {} }: PortableQuestion, notice: NoticeHandler): string {
  const value = String(correct_answer);
  let tolerance = numeric.tolerance ?? 0;
  if (numeric.relative_tolerance !== undefined) {
    tolerance = Math.abs(Number(value)) * numeric.relative_tolerance;
    if (!Number.isFinite(tolerance)) tolerance = 0;
    notice('relative_tolerance_converted', `The relative tolerance is written as ${tolerance}.`);
  }
  const unit =
    numeric.unit === undefined
      ? ''
      : `    <units><unit><multiplier>1</multiplier>${writeText('unit_name', numeric.unit)}</unit></units>\n`;
  return answerXml(value, '100', 'moodle_auto_format', `<tolerance>${tolerance}</tolerance>`) + unit;
}
