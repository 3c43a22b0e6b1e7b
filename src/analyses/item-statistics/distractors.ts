/** Tests the distractors of all questions of a run for a positive correlation with the rest score. */
import { falseDiscoveryRate } from '../../statistics/adjust.ts';
import { normalUpperTail } from '../../statistics/special.ts';
import type { ItemStatistics, Option, Parameters } from './schemas.ts';

type Limits = Pick<Parameters, 'min_cases' | 'min_per_outcome' | 'min_distractor_share'>;

/**
 * Adds the adjusted p-values to the options. The family is all distractors of the run that enough
 * cases chose: with 1,000 distractors, 25 intervals of 95 % lie above 0 by chance.
 */
export function testDistractors(items: readonly ItemStatistics[], limits: Limits): ItemStatistics[] {
  const p = items.map(({ option_n, option_discrimination_n, options }) => {
    const all = option_discrimination_n ?? 0;
    return (options ?? []).map((option) =>
      (option_n ?? 0) >= limits.min_cases && isTested(option, all, limits) ? testPositive(option, all) : null,
    );
  });
  const adjusted = falseDiscoveryRate(p.flat())[Symbol.iterator]();
  return items.map((item) => ({
    ...item,
    options:
      item.options?.map((option) => ({ ...option, p_adjusted: adjusted.next().value ?? null })) ?? null,
  }));
}

function isTested(
  { key, share, discrimination_n: n, point_biserial: r }: Option,
  all: number,
  { min_per_outcome, min_distractor_share }: Limits,
): boolean {
  return !key && r !== null && share >= min_distractor_share && Math.min(n, all - n) >= min_per_outcome;
}

/** The one-sided test that belongs to Fisher's interval, so that both agree. */
function testPositive({ point_biserial: r }: Option, n: number): number {
  return n > 3 ? normalUpperTail(Math.atanh(r!) * Math.sqrt(n - 3)) : 1;
}
