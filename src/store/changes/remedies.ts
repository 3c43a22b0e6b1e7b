/**
 * Safe remedies of findings: corrected texts of single fields. Several remedies of one question are
 * composed if they change different words.
 */
import type { QuestionFields } from '../questions/fields.ts';

/** The correction that a finding of a run carries. */
export interface Remedy {
  /** The text that was examined. */
  before: string;
  /** The revision that was examined; null where it is not recorded. */
  revision: number | null;
  /** The corrected fields. */
  body: Record<string, unknown>;
}

/** A row of a result, as far as it has remedies. */
export interface ResultRow {
  question_id: string;
  findings?: { rule: string; change: Remedy | null }[];
}

/** The remedies of a row of a result, of some rules or of all. */
export const listRemedies = ({ findings = [] }: ResultRow, rules: readonly string[] | null): Remedy[] =>
  findings.flatMap(({ rule, change }) => (change && (rules?.includes(rule) ?? true) ? [change] : []));

/** Whether a remedy was computed from the question as it is. */
export function isCurrent({ revision, before }: Remedy, current: number, fields: QuestionFields): boolean {
  if (revision !== null) return revision === current;
  return Object.values(fields).some((value) =>
    Array.isArray(value) ? value.includes(before) : value === before,
  );
}

/**
 * Composes the remedies of one question; all were computed from the same fields. Counts those that
 * are left out, because they change words that an earlier one changes.
 */
export function composeRemedies(
  fields: QuestionFields,
  remedies: readonly Remedy[],
): { change: Record<string, unknown>; overlapping: number } {
  const original = fields as unknown as Record<string, unknown>;
  const change: Record<string, unknown> = {};
  let overlapping = 0;
  for (const { body } of remedies) {
    const composed: Record<string, unknown> = {};
    const fits = Object.entries(body).every(([name, value]) => {
      const next = composeValue(original[name], change[name] ?? original[name], value);
      composed[name] = next;
      return next !== undefined;
    });
    if (fits) Object.assign(change, composed);
    else overlapping++;
  }
  return { change, overlapping };
}

/** Applies what a remedy changes in `original` to `current`; undefined if that is not possible. */
function composeValue(original: unknown, current: unknown, corrected: unknown): unknown {
  if (typeof original === 'string' && typeof current === 'string' && typeof corrected === 'string')
    return composeText(original, current, corrected);
  if (!Array.isArray(original) || !Array.isArray(current) || !Array.isArray(corrected)) return undefined;
  if (original.length !== current.length || original.length !== corrected.length) return undefined;
  const composed = original.map((each, i) => composeValue(each, current[i], corrected[i]));
  return composed.includes(undefined) ? undefined : composed;
}

/** The words from `start` to `end` of the original become `words`. */
interface Edit {
  start: number;
  end: number;
  words: string[];
}

/** Texts are divided into words and the white space between them. */
const splitWords = (text: string) => text.match(/\s+|\S+/gu) ?? [];

function composeText(original: string, current: string, corrected: string): string | undefined {
  if (current === original || current === corrected) return corrected;
  if (corrected === original) return current;
  const words = splitWords(original);
  const edits = [...findEdits(words, splitWords(current)), ...findEdits(words, splitWords(corrected))];
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  // Edits that touch are not independent: both may insert or remove the white space between words.
  if (edits.some(({ start }, i) => i > 0 && start <= edits[i - 1]!.end)) return undefined;
  for (const { start, end, words: next } of edits.toReversed()) words.splice(start, end - start, ...next);
  return words.join('');
}

/** Longer texts are compared only from both ends. */
const MAX_COMPARED_WORDS = 400;

/** The edits that lead from one list of words to another: by their longest common subsequence. */
function findEdits(from: readonly string[], to: readonly string[]): Edit[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let [endFrom, endTo] = [from.length, to.length];
  while (endFrom > head && endTo > head && from[endFrom - 1] === to[endTo - 1]) {
    endFrom--;
    endTo--;
  }
  const [n, m] = [endFrom - head, endTo - head];
  if (n === 0 && m === 0) return [];
  const whole = { start: head, end: endFrom, words: to.slice(head, endTo) };
  if (n === 0 || m === 0 || n > MAX_COMPARED_WORDS || m > MAX_COMPARED_WORDS) return [whole];
  const lengths = computeLengths(from.slice(head, endFrom), to.slice(head, endTo));
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  let open: Edit | undefined;
  while (i < n || j < m) {
    if (i < n && j < m && from[head + i] === to[head + j]) {
      open = undefined;
      i++;
      j++;
      continue;
    }
    if (!open) {
      open = { start: head + i, end: head + i, words: [] };
      edits.push(open);
    }
    const removes = j === m || (i < n && lengths[i + 1]![j]! >= lengths[i]![j + 1]!);
    if (removes) open.end = head + ++i;
    else open.words.push(to[head + j++]!);
  }
  return edits;
}

/** The lengths of the longest common subsequences of all suffixes. */
function computeLengths(from: readonly string[], to: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      lengths[i]![j] =
        from[i] === to[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}
