/** Reads one question of GIFT. */
import type { PortableQuestion, Position, ReadOptions } from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { unsupported } from '../unsupported.ts';
import { readAnswers } from './answers.ts';
import type { GiftBlock } from './blocks.ts';
import { addComments, readComments } from './comments.ts';
import { findUnescaped, readText, trim, unescapeText } from './text.ts';

/** What Moodle writes for the place of the answer within a sentence. */
const GAP = '_____';
/** Text after the answers that is probably a slip, such as `";`. */
const STRAY = /^[\s"'“”’«»;,)\]]+$/;

/** @throws RejectItem */
export function readQuestion(
  block: GiftBlock,
  category: string | undefined,
  report: ItemReport,
  { lenient = false, htmlTo }: ReadOptions,
): PortableQuestion {
  const whole = block.lines.join('\n');
  const start = whole.length - whole.replace(/^\s+/, '').length;
  const { name, end } = readName(whole, start);
  const { open, close } = findBraces(whole, end, (offset) => locate(whole, offset, block.line));
  const after = trim(whole.slice(close + 1));
  if (after !== '' && STRAY.test(after))
    report.add(
      'text_after_answers',
      `Only ${JSON.stringify(after)} follows the answers. Remove it if it does not belong to the question.`,
    );
  const stem = readText(
    whole.slice(end, open) + (after === '' ? '' : `${GAP}${whole.slice(close + 1)}`),
    'moodle',
    report,
  );
  if (stem.text.trim() === '') throw new RejectItem('no_question_text', 'The question has no text.');
  const { answers, general } = splitFeedback(whole.slice(open + 1, close));
  const { fields, options, feedback } = readAnswers(answers, stem.format, report, lenient);
  const question: PortableQuestion = { question_text: stem.text, ...fields };
  const isHtml = stem.format === 'html' || stem.format === 'moodle';
  if (stem.format === 'markdown' || (isHtml && htmlTo === 'markdown')) question.text_format = 'markdown';
  const explanation = [readText(general, stem.format, report).text, ...feedback].filter(
    (text) => text !== '',
  );
  if (explanation.length > 0) question.explanation = explanation.join('\n');
  if (feedback.length > 0)
    report.add('option_feedback_appended', 'The feedback on answers is added to the explanation.');
  const extension = readComments(block.comments);
  const own = extension.no_category ? undefined : (extension.category ?? category);
  if (own !== undefined) question.category = own;
  addComments(question, extension, options);
  reportNotices(block, name, stem.text, report);
  return question;
}

function reportNotices(block: GiftBlock, name: string, stem: string, report: ItemReport): void {
  if (block.hasBlankLine)
    report.add(
      'blank_line_in_answers',
      'A blank line is within the braces; Moodle ends the question there. Remove it.',
    );
  if (block.isAttached)
    report.add(
      'blank_line_missing',
      'No blank line precedes the question; Moodle takes it for a part of the one before. Add one.',
    );
  const fold = (text: string) =>
    text
      .replace(/…$|\.\.\.$/, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  if (name !== '' && !fold(stem).startsWith(fold(name)))
    report.add('name_dropped', `The name "${name.slice(0, 100)}" is lost.`);
}

function readName(whole: string, start: number): { name: string; end: number } {
  if (!whole.startsWith('::', start)) return { name: '', end: start };
  const end = findUnescaped(whole, ':').find((at) => at >= start + 2 && whole[at + 1] === ':');
  if (end === undefined) return { name: '', end: start + 2 };
  return { name: trim(unescapeText(whole.slice(start + 2, end))), end: end + 2 };
}

function findBraces(whole: string, from: number, toPosition: (offset: number) => Position) {
  const opens = findUnescaped(whole, '{').filter((at) => at >= from);
  const closes = findUnescaped(whole, '}').filter((at) => at >= from);
  const [open, second] = opens;
  const [close] = closes;
  if (open === undefined && close === undefined) throw unsupported('description');
  const wrong =
    open === undefined || (close !== undefined && close < open)
      ? { at: close!, detail: 'This } has no { before it. Write \\} for a brace that belongs to the text.' }
      : close === undefined
        ? {
            at: open,
            detail:
              'The { of the answers is not closed. Add }, or write \\{ for a brace that belongs to the text.',
          }
        : second !== undefined || closes.length > 1
          ? {
              at: second ?? closes[1]!,
              detail:
                'The question has more than one pair of braces. Write \\{ and \\} for braces that belong to the text, as in \\frac\\{1\\}\\{2\\}.',
            }
          : undefined;
  if (wrong) throw new RejectItem('brace_error', wrong.detail, toPosition(wrong.at));
  return { open: open!, close: close! };
}

/** General feedback follows the last four number signs. */
function splitFeedback(text: string): { answers: string; general: string } {
  const signs = findUnescaped(text, '#');
  const last = signs.findLast((at, i) => signs[i + 3] === at + 3);
  if (last === undefined) return { answers: text, general: '' };
  return { answers: text.slice(0, last), general: text.slice(last + 4) };
}

function locate(text: string, offset: number, line: number): Position {
  const before = text.slice(0, offset);
  return { line: line + before.split('\n').length - 1, column: offset - before.lastIndexOf('\n') };
}
