/** The parameters of the Open Trivia DB's API, read as leniently as its clients need. */
import type { TriviaCriteria, TriviaType } from '../../store/opentdb/row.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';

export const LEVELS = ['easy', 'medium', 'hard'] as const;
const TYPES: readonly TriviaType[] = ['multiple', 'boolean'];
const MAX_AMOUNT = 50;

export interface QuestionsQuery extends TriviaCriteria {
  amount: number;
  encoding: Encoding;
  token: string | undefined;
}

/**
 * Undefined if a parameter is invalid. Unknown parameters are ignored, and of repeated ones the last
 * counts, as in PHP. Empty values, and the category 0, mean any.
 */
export function parseQuestionsQuery(raw: string): QuestionsQuery | undefined {
  const query = parsePairs(raw);
  const amount = parseNumber(query.get('amount'));
  const category = parseNumber(query.get('category') || '0');
  const difficulty = query.get('difficulty') || null;
  const type = query.get('type') || null;
  const encoding = query.get('encode') ?? '';
  if (amount === undefined || amount < 1 || amount > MAX_AMOUNT || category === undefined) return undefined;
  const level = difficulty === null ? null : LEVELS.indexOf(difficulty as (typeof LEVELS)[number]);
  if (level === -1 || !Object.hasOwn(ENCODINGS, encoding)) return undefined;
  if (type !== null && !TYPES.includes(type as TriviaType)) return undefined;
  return {
    amount,
    category: category || null,
    difficulty: level,
    type: type as TriviaType | null,
    encoding: encoding as Encoding,
    token: query.get('token') || undefined,
  };
}

/** Malformed percent-encodings are taken literally. */
export const parsePairs = (raw: string): Map<string, string> => new Map(new URLSearchParams(raw));

export const parseNumber = (text: string | undefined): number | undefined =>
  /^\d{1,10}$/.test(text ?? '') ? Number(text) : undefined;
