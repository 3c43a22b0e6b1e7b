/**
 * Purifies the matching criterion: items that show DIF are removed from the anchors, and all items
 * are tested again, until the anchors no longer change (Holland & Thayer 1988; Clauser, Mazor &
 * Hambleton 1993).
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { NEITHER } from './groups.ts';
import { classify, type MantelHaenszel, mantelHaenszel } from './mantel-haenszel.ts';
import { type AnchorScores, scoreAnchors, visitTables } from './matching.ts';
import type { Sample } from './sample.ts';

const MIN_ANCHORS = 2;
/** In larger samples nearly every item is significant, so `auto` removes items by class. */
const MAX_CASES_BY_SIGNIFICANCE = 10_000;

export const ENDINGS = ['disabled', 'converged', 'cycle', 'max_rounds', 'too_few_anchors'] as const;

/** The criterion for removing an item from the anchors. */
export const CRITERIA = ['auto', 'significance', 'class'] as const;

export interface Purification {
  results: MantelHaenszel[];
  anchorScores: AnchorScores;
  rounds: number;
  ending: (typeof ENDINGS)[number];
}

interface Settings {
  purify: boolean;
  purify_by: (typeof CRITERIA)[number];
  max_purification_rounds: number;
  significance: number;
  continuity_correction: boolean;
}

export async function purify(sample: Sample, settings: Settings, ticker: Ticker): Promise<Purification> {
  const { max_purification_rounds, significance, continuity_correction } = settings;
  const test = async (anchors: Uint8Array, round: number) => {
    // The number of rounds is not known in advance: each is assumed to be half of the remaining
    // work.
    const part = ticker.part(1 - 0.5 ** round, 1 - 0.5 ** (round + 1));
    const anchorScores = scoreAnchors(sample, anchors);
    const results: MantelHaenszel[] = [];
    const visit = (table: Uint32Array) => void results.push(mantelHaenszel(table, continuity_correction));
    await visitTables(sample, anchorScores, visit, part);
    return { anchorScores, results };
  };
  let tested = await test(new Uint8Array(sample.items.length).fill(1), 0);
  if (!settings.purify) return { ...tested, rounds: 0, ending: 'disabled' };
  const isByClass =
    settings.purify_by === 'class' ||
    (settings.purify_by === 'auto' && countCases(sample) > MAX_CASES_BY_SIGNIFICANCE);
  const showsDif = (result: MantelHaenszel) => {
    const etsClass = classify(result, significance);
    return isByClass
      ? etsClass === 'B' || etsClass === 'C'
      : etsClass !== null && result.p_value! < significance;
  };
  const seen = new Set([String(tested.anchorScores.anchors)]);
  for (let rounds = 0; ; rounds++) {
    const anchors = Uint8Array.from(tested.results, (result) => (showsDif(result) ? 0 : 1));
    const key = String(anchors);
    if (key === String(tested.anchorScores.anchors)) return { ...tested, rounds, ending: 'converged' };
    if (anchors.reduce((sum, isAnchor) => sum + isAnchor, 0) < MIN_ANCHORS) {
      return { ...tested, rounds, ending: 'too_few_anchors' };
    }
    if (seen.has(key)) return { ...tested, rounds, ending: 'cycle' };
    if (rounds === max_purification_rounds) return { ...tested, rounds, ending: 'max_rounds' };
    seen.add(key);
    tested = await test(anchors, rounds + 1);
  }
}

const countCases = ({ sides }: Sample) => sides.reduce((n, side) => n + (side === NEITHER ? 0 : 1), 0);
