/**
 * Finds the questions by which to match: those that show no DIF themselves (Holland and Thayer 1988; Clauser
 * and others 1993).
 */
import { NEITHER } from './groups.ts';
import { classOf, type MantelHaenszel, mantelHaenszel } from './mantel-haenszel.ts';
import { type Base, baseOf, eachTable } from './matching.ts';
import type { Sample } from './sample.ts';

/** With fewer to match by there would be nothing to call a score. */
const FEWEST_ANCHORS = 2;

export const ENDINGS = ['not_asked_for', 'converged', 'cycle', 'limit', 'too_few_left'] as const;

export interface Purified {
  results: MantelHaenszel[];
  base: Base;
  rounds: number;
  ending: (typeof ENDINGS)[number];
}

/** What is taken out of the matching score. */
export const RULES = ['auto', 'significance', 'class'] as const;
/** Among more cases than this, next to everything is significant. */
const MANY = 10_000;

interface Settings {
  purify: boolean;
  purify_by: (typeof RULES)[number];
  max_purification_rounds: number;
  significance: number;
  correction: boolean;
}

/**
 * Takes the questions that show DIF out of the score, tests all again, and so on until the same are found as the
 * time before. The question studied always counts in its own matching score.
 */
export async function purified(
  sample: Sample,
  { purify, purify_by, max_purification_rounds, significance, correction }: Settings,
  progress: () => Promise<void>,
): Promise<Purified> {
  const test = async (anchors: Uint8Array) => {
    const base = baseOf(sample, anchors);
    const results: MantelHaenszel[] = [];
    await eachTable(sample, base, (table) => void results.push(mantelHaenszel(table, correction)), progress);
    return { base, results };
  };
  let found = await test(new Uint8Array(sample.tested.length).fill(1));
  if (!purify) return { ...found, rounds: 0, ending: 'not_asked_for' };
  const byClass = purify_by === 'class' || (purify_by === 'auto' && casesIn(sample) > MANY);
  const isOut = (result: MantelHaenszel) => {
    const letter = classOf(result, significance);
    return byClass ? letter === 'B' || letter === 'C' : letter !== null && result.p_value! < significance;
  };
  const seen = new Set([String(found.base.anchors)]);
  for (let rounds = 0; ; rounds++) {
    const anchors = Uint8Array.from(found.results, (result) => (isOut(result) ? 0 : 1));
    const key = String(anchors);
    if (key === String(found.base.anchors)) return { ...found, rounds, ending: 'converged' };
    if (anchors.reduce((sum, is) => sum + is, 0) < FEWEST_ANCHORS) {
      return { ...found, rounds, ending: 'too_few_left' };
    }
    if (seen.has(key)) return { ...found, rounds, ending: 'cycle' };
    if (rounds === max_purification_rounds) return { ...found, rounds, ending: 'limit' };
    seen.add(key);
    found = await test(anchors);
  }
}

const casesIn = ({ sides }: Sample) => sides.reduce((n, side) => n + (side === NEITHER ? 0 : 1), 0);
