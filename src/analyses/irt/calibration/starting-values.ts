/**
 * Where the estimation begins: curves from the share of right answers and from how the item goes with the
 * others.
 */
import type { Scores } from '../../shared/responses.ts';
import type { Pace } from '../../shared/ticker.ts';
import { keepWithin, type Model, type Point, sizeOf } from './model.ts';

/** Slopes begin between these: none would be left by no step, and large ones are often chance. */
const FLATTEST = 0.3;
const STEEPEST = 2.5;
/** The deviation of the logistic distribution whose slope is 1 in units of the normal one's. */
const LOGISTIC = 1.702;
/** Cases between two looks at the clock. */
const BATCH = 64;
const ANSWERS = 65_536;
/** More cases than that do not make a better start. */
const MOST_CASES = 1000;
/** Standard errors of a correlation that are still chance. */
const CHANCE = 3;
/** Rounds of the power method. */
const ROUNDS = 6;

export interface Counts {
  /** By item: how many were asked, and how many of them were right. */
  asked: Float64Array;
  right: Float64Array;
}

export async function countsOf({ items, item, right }: Scores, pace: Pace): Promise<Counts> {
  const counts = { asked: new Float64Array(items), right: new Float64Array(items) };
  for (let i = 0; i < item.length; i++) {
    if (i % ANSWERS === 0) await pace.pause();
    counts.asked[item[i]!]!++;
    counts.right[item[i]!]! += right[i]!;
  }
  return counts;
}

export async function startingPoint(
  scores: Scores,
  counts: Counts,
  model: Model,
  guess: number,
  pace: Pace,
): Promise<Point> {
  const { items } = scores;
  const correlation = await withTheRest(scores, counts, pace);
  const point = new Float64Array(sizeOf(model, items));
  for (let j = 0; j < items; j++) {
    const r = Math.min(0.85, Math.max(-0.85, correlation[j]!));
    const steep = Math.min(STEEPEST, (LOGISTIC * Math.abs(r)) / Math.sqrt(1 - r * r));
    // What may be chance is taken to be positive: an item that is mostly guessed has a second, lower maximum.
    const cases = Math.min(counts.asked[j]!, MOST_CASES);
    const slope = (r < -CHANCE / Math.sqrt(cases) ? -1 : 1) * Math.max(FLATTEST, steep);
    const share = (counts.right[j]! + 0.5) / (counts.asked[j]! + 1);
    // Below the lower asymptote nothing can be told; a little above it must do.
    const known = model === '3pl' ? Math.max(0.02, (share - guess) / (1 - guess)) : share;
    const spread = Math.sqrt(1 + (slope / LOGISTIC) ** 2);
    const intercept = Math.log(known / (1 - known)) * spread;
    if (model === '1pl') {
      point[0]! += slope / items;
      point[1 + j] = intercept;
    } else {
      point[j] = slope;
      point[items + j] = intercept;
      if (model === '3pl') point[2 * items + j] = Math.log(guess / (1 - guess));
    }
  }
  if (model === '1pl') point[0] = Math.max(FLATTEST, point[0]!);
  keepWithin(point, model, items);
  return point;
}

/** Some of the cases, evenly spread, by how far each answer is from the item's share of right answers. */
interface Deviations {
  starts: number[];
  item: Uint32Array;
  deviation: Float64Array;
  variance: Float64Array;
}

function deviationsOf({ cases, starts, item, right }: Scores, counts: Counts): Deviations {
  const share = counts.right.map((value, j) => value / counts.asked[j]!);
  const every = Math.ceil(cases / MOST_CASES);
  let count = 0;
  for (let c = 0; c < cases; c += every) count += starts[c + 1]! - starts[c]!;
  const from = [0];
  const own = new Uint32Array(count);
  const deviation = new Float64Array(count);
  let n = 0;
  for (let c = 0; c < cases; c += every) {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      own[n] = item[i]!;
      deviation[n++] = right[i]! - share[item[i]!]!;
    }
    from.push(n);
  }
  return { starts: from, item: own, deviation, variance: share.map((p) => p * (1 - p)) };
}

/**
 * Each item's correlation with the others of the same case, weighted by the first principal component: items
 * that go against the others, as with a wrong key, count the other way round.
 */
async function withTheRest(scores: Scores, counts: Counts, pace: Pace): Promise<Float64Array> {
  const deviations = deviationsOf(scores, counts);
  const { starts, item, deviation, variance } = deviations;
  const weight = await principal(deviations, pace);
  const covariance = new Float64Array(variance.length);
  const own = new Float64Array(variance.length);
  const rest = new Float64Array(variance.length);
  for (let c = 0; c + 1 < starts.length; c++) {
    if (c % BATCH === 0) await pace.pause();
    let sum = 0;
    let spread = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      sum += weight[j]! * deviation[i]!;
      spread += weight[j]! ** 2 * variance[j]!;
    }
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const left = spread - weight[j]! ** 2 * variance[j]!;
      if (!(left > 1e-9 * spread)) continue;
      const others = (sum - weight[j]! * deviation[i]!) / Math.sqrt(left);
      covariance[j]! += deviation[i]! * others;
      own[j]! += deviation[i]! ** 2;
      rest[j]! += others * others;
    }
  }
  return covariance.map((value, j) =>
    own[j]! > 0 && rest[j]! > 0 ? value / Math.sqrt(own[j]! * rest[j]!) : 0,
  );
}

/**
 * The weights of the items in the first principal component, by the power method; most of them are positive.
 */
async function principal(
  { starts, item, deviation, variance }: Deviations,
  pace: Pace,
): Promise<Float64Array> {
  const items = variance.length;
  // Not all the same: two items that are each other's opposite would cancel out for ever.
  let weight = Float64Array.from({ length: items }, (_, j) => 1 + (j % 7) / 70);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(items);
    for (let c = 0; c + 1 < starts.length; c++) {
      if (c % BATCH === 0) await pace.pause();
      let sum = 0;
      for (let i = starts[c]!; i < starts[c + 1]!; i++) sum += weight[item[i]!]! * deviation[i]!;
      for (let i = starts[c]!; i < starts[c + 1]!; i++) next[item[i]!]! += sum * deviation[i]!;
    }
    const longest = next.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (longest === 0) break;
    weight = next.map((value) => value / longest);
  }
  const sum = weight.reduce((total, value) => total + value, 0);
  return sum < 0 ? weight.map((value) => -value) : weight;
}
