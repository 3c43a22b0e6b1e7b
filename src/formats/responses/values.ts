/** What the value of a cell means: an answer, a score, or a missing response. */
import { RejectItem } from '../reject-item.ts';
import type { Missing, PortableResponse, ResponseReadOptions } from './format.ts';

/** Codes such as 9 have several traditions and are never guessed. */
const USUAL_MISSING = new Set(['', 'na', 'n/a', '.', '-', 'nan', 'null', '#n/a']);

type Outcome = Pick<PortableResponse, 'answer' | 'correct' | 'missing'>;

export function findMissing(value: string, options: ResponseReadOptions): Missing | undefined {
  const given = options.missing?.[value];
  if (given) return given;
  return USUAL_MISSING.has(value.toLowerCase()) ? 'omitted' : undefined;
}

export const isScore = (value: string) => /^[01](?:\.0+)?$/.test(value);

/** @throws RejectItem */
export function readScore(value: string, options: ResponseReadOptions): Outcome {
  const missing = findMissing(value, options);
  if (missing) return { missing };
  if (isScore(value)) return { correct: value.startsWith('1') };
  if (/^(?:true|right|correct|yes)$/i.test(value)) return { correct: true };
  if (/^(?:false|wrong|incorrect|no)$/i.test(value)) return { correct: false };
  throw new RejectItem(
    'invalid_score',
    `"${value.slice(0, 60)}" is neither 0 nor 1. Give its meaning if it stands for a missing response, such as 9=not_reached.`,
  );
}

export function readAnswer(value: string, options: ResponseReadOptions): Outcome {
  const missing = findMissing(value, options);
  return missing ? { missing } : { answer: value };
}

/** ISO 8601, or the way Canvas writes times; undefined for others. */
export function readTime(text: string): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/.exec(
    text.trim(),
  );
  if (!match) return undefined;
  const zone = !match[3] || match[3] === 'UTC' ? 'Z' : match[3];
  const time = new Date(`${match[1]}T${match[2] ?? '00:00'}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
