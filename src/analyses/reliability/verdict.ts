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
    meaning: 'sufficient to compare groups, but not for decisions about individuals, which need 0.90',
  },
  {
    min: 0.7,
    level: 'modest',
    meaning: 'sufficient for early research and low-stakes tests',
  },
  {
    min: -Infinity,
    level: 'low',
    meaning: 'below the minimum of 0.70 for low-stakes tests',
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
  const { level, meaning } = findGrade(alpha);
  const lowest = interval ? findGrade(interval.low) : undefined;
  const doubt =
    lowest && lowest.level !== level
      ? ` The confidence interval includes values that are ${lowest.level}: more cases are needed to rule them out.`
      : '';
  return { verdict: level, message: `${result}: ${level}, ${meaning} (Nunnally & Bernstein 1994).${doubt}` };
}
