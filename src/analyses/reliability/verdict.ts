import { formatDecimal, formatInterval, roundTo } from '../shared/format.ts';
import type { Reliability } from './coefficients.ts';
import type { LEVELS } from './schemas.ts';

type Level = (typeof LEVELS)[number];

/** Nunnally & Bernstein (1994, p. 264-265). */
const GRADES: readonly { min: number; level: Level; meaning: string }[] = [
  {
    min: 0.9,
    level: 'high',
    meaning: 'the minimum for decisions about individuals, for which 0.95 is desirable',
  },
  {
    min: 0.8,
    level: 'good',
    meaning: 'sufficient for research on groups, but not for decisions about individuals, which need 0.90',
  },
  {
    min: 0.7,
    level: 'modest',
    meaning: 'sufficient for early stages of research',
  },
  {
    min: -Infinity,
    level: 'low',
    meaning: 'below 0.70, the value for early stages of research',
  },
];

/** Grades the value as it is shown, with two decimals. */
const findGrade = (value: number) => GRADES.find(({ min }) => roundTo(value) >= min)!;

export function judgeAlpha(
  { coefficients, covariances }: Reliability,
  minCases: number,
): { verdict: Level; message: string } {
  const { alpha, alpha_interval: interval, alpha_reason } = coefficients;
  if (alpha === null || !covariances) {
    return { verdict: 'too_little_data', message: `Alpha could not be computed. ${alpha_reason}` };
  }
  const { cases, minShared, method } = covariances;
  const confidence = interval ? ` (95 % interval ${formatInterval(interval)})` : '';
  const sample =
    method === 'pairwise'
      ? `${cases} cases, with at least ${minShared} per pair of questions`
      : `${cases} cases`;
  const result = `Alpha is ${formatDecimal(alpha)}${confidence} from ${sample}`;
  if (minShared < minCases) {
    return {
      verdict: 'too_little_data',
      message: `${result}: not judged with fewer than ${minCases} cases.`,
    };
  }
  if (roundTo(alpha) < 0) {
    return {
      verdict: 'low',
      message: `${result}: low. A negative value is no estimate of reliability, which cannot be below 0; the covariances of the questions are negative on average.`,
    };
  }
  const { level, meaning } = findGrade(alpha);
  return {
    verdict: level,
    message: `${result}: ${level}, ${meaning} (Nunnally & Bernstein 1994).${describeDoubt(level, interval)}`,
  };
}

/** The interval may extend into other grades. */
function describeDoubt(level: Level, interval: { low: number; high: number } | null): string {
  if (!interval) return '';
  const [lowest, highest] = [findGrade(interval.low).level, findGrade(interval.high).level];
  if (lowest === highest) return '';
  const range =
    lowest === level
      ? `up to ${highest}`
      : highest === level
        ? `down to ${lowest}`
        : `from ${lowest} to ${highest}`;
  return ` The interval extends ${range}: more cases are needed to decide.`;
}
