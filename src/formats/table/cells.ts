/** The text of cells: lists within a cell, formulas, difficulties, kinds. */

/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/**
 * Neutralises a formula with an apostrophe, and doubles an apostrophe at the beginning, so that
 * `unguardCell` is its inverse.
 */
export function guardCell(text: string): string {
  return text.startsWith("'") || (FORMULA.test(text) && !PLAIN_NUMBER.test(text)) ? `'${text}` : text;
}

export const unguardCell = (text: string) => (/^'['=+\-@\t\r]/.test(text) ? text.slice(1) : text);

/** The inverse of `splitList`. Spaces at the ends of an element are escaped, too. */
export function joinList(list: readonly string[]): string {
  return list
    .map((element) =>
      element
        .replace(/[\\|]/g, '\\$&')
        .replace(/^\s/, '\\$&')
        .replace(/(?<!\\)\s$/, '\\$&'),
    )
    .join('|');
}

/** Elements separated by `|`, where `\` escapes the next character; empty ones are left out. */
export function splitList(text: string): string[] {
  if (!text.includes('\\')) return toElements(text.split('|'));
  const elements = text.match(/(?:\\.|[^|\\]|\\$)+/gs) ?? [];
  return elements
    .map((element) => element.replace(/^\s+/, '').replace(/(?<!\\)\s+$/, ''))
    .map((element) => element.replace(/\\(.)/gs, '$1'))
    .filter((element) => element !== '');
}

const toElements = (parts: string[]) => parts.map((part) => part.trim()).filter((part) => part !== '');

export interface ForeignList {
  elements: string[];
  /** The list has commas, which may separate elements or be part of them. */
  isDoubtful: boolean;
}

/** A list as others write it: a JSON or Python array, or separated by `|`, line breaks or `;`. */
export function splitForeignList(text: string): ForeignList {
  const array = parseArray(text);
  if (array) return { elements: array, isDoubtful: false };
  for (const separator of ['|', '\n', ';'])
    if (text.includes(separator))
      return {
        elements: separator === '|' ? splitList(text) : toElements(text.split(separator)),
        isDoubtful: false,
      };
  return { elements: toElements([text]), isDoubtful: text.includes(',') };
}

/** Tags are short, so that commas separate them. */
export function splitTags(text: string): string[] {
  return parseArray(text) ?? (text.includes('|') ? splitList(text) : toElements(text.split(/[;,\n]/)));
}

function parseArray(text: string): string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number'))
      return toElements(value.map(String));
  } catch {
    return parsePythonList(text);
  }
}

/** `['a', "it's"]`, as Python prints a list. */
function parsePythonList(text: string): string[] | undefined {
  const item = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,|\]$)/sy;
  const elements: string[] = [];
  item.lastIndex = 1;
  for (;;) {
    const match = item.exec(text);
    if (!match) return undefined;
    elements.push((match[1] ?? match[2]!).replace(/\\n/g, '\n').replace(/\\(.)/gs, '$1'));
    if (match[3] !== ',') return toElements(elements);
  }
}

const DIFFICULTIES = [
  'basic, easy, beginner, low, simple, leicht, einfach, facil, facile, baja, gemakkelijk',
  'intermediate, medium, moderate, normal, average, mittel, medio, media, moyen, moyenne, intermedio, gemiddeld',
  'advanced, hard, difficult, expert, high, schwer, schwierig, dificil, difficile, alta, avanzado, moeilijk',
].map((names) => new Set(names.split(', ')));

/** 0, 1, 2 or a name; undefined for anything else. */
export function parseDifficulty(text: string): 0 | 1 | 2 | undefined {
  if (text === '0' || text === '1' || text === '2') return Number(text) as 0 | 1 | 2;
  const name = text.trim().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  const level = DIFFICULTIES.findIndex((names) => names.has(name));
  return level === -1 ? undefined : (level as 0 | 1 | 2);
}

export type KindHint =
  | 'multiple_choice'
  | 'multiple_response'
  | 'short_answer'
  | 'numeric'
  | 'true_false'
  | 'not_supported';

const KINDS: Record<KindHint, string> = {
  multiple_choice:
    'multiple choice, multichoice, mc, mcq, single choice, single, multiple, single answer, single select, radio, quiz',
  multiple_response:
    'multiple response, multiple answer, multiple answers, checkbox, checkboxes, multiple select, multi select, multiselect, ' +
    'multiresponse, multiple correct, mrq, msq',
  short_answer:
    'short answer, shortanswer, fill in the blank, fill in the blanks, fill in, type answer, identification, short text',
  numeric: 'numeric, numerical, number',
  true_false: 'true false, truefalse, true or false, boolean, bool, tf, t f, yes no',
  not_supported:
    'open ended, openended, essay, long answer, poll, survey, draw, drawing, slide, word cloud, match, matching, reorder, ordering, ' +
    'order, puzzle, description, upload, file upload, hotspot, drag and drop, drop down, dropdown, labeling, categorize',
};
const KIND_BY_NAME = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.split(', ').map((name) => [name, kind as KindHint])),
);

export const parseKind = (text: string): KindHint | undefined =>
  KIND_BY_NAME.get(
    text
      .toLowerCase()
      .replace(/[^a-z]+/g, ' ')
      .trim(),
  );

const MONTH = '(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*';
const DATE_LIKE = new RegExp(`^(?:\\d{1,2}[-. ]{1,2}${MONTH}\\.?|${MONTH}[-. ]\\d{2})$`, 'i');

/** `01.Feb`, `2-Jan`: what spreadsheets make of `1-2`. */
export const isDateLike = (text: string) => text.length <= 12 && DATE_LIKE.test(text);
