/** Counts how often each pair of questions was both right, one right, or both wrong, by words of 32 cases at a time. */
import type { Scores } from '../shared/responses.ts';

/**
 * Four counts for each pair i < j of questions: both wrong, only j right, only i right, both right. Pairs are ordered by
 * i, then j.
 */
export type PairCounts = Uint32Array;

/** Cases taken at a time, in words of 32: what belongs to them stays in the processor's cache. */
const WORDS = 256;
/** What counting a pair within a case takes, in units of what a word of 32 cases takes. */
const COST_OF_ONE = 2;
/** Steps between two looks at whether the run is still wanted. */
const STEPS_AT_ONCE = 20_000_000;

const pairsAmong = (k: number) => (k * (k - 1)) / 2;

/** Where the counts of the pair of i and a larger j are. */
export const pairPlace = (i: number, j: number, k: number) => 4 * (i * k - (i * (i + 1)) / 2 + (j - i - 1));

/**
 * Over the cases that `used` marks and the questions with a place of 0 or more in `local`. Both ways of counting give the same;
 * which is quicker depends on how sparse the responses are.
 */
export async function countPairs(
  scores: Scores,
  used: Uint8Array,
  local: Int32Array,
  k: number,
  progress: (share: number) => Promise<void>,
): Promise<PairCounts> {
  let cases = 0;
  let within = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (!used[c]) continue;
    cases++;
    within += pairsAmong(scores.starts[c + 1]! - scores.starts[c]!);
  }
  const byWords = 4 * pairsAmong(k) * Math.ceil(cases / 32);
  const count = COST_OF_ONE * within < byWords ? countWithinCases : countByWords;
  return count(scores, used, local, k, progress);
}

async function countWithinCases(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  local: Int32Array,
  k: number,
  progress: (share: number) => Promise<void>,
): Promise<PairCounts> {
  const counts = new Uint32Array(4 * pairsAmong(k));
  let since = 0;
  for (let c = 0; c < cases; c++) {
    if (!used[c]) continue;
    const to = starts[c + 1]!;
    for (let a = starts[c]!; a < to; a++) {
      const i = local[item[a]!]!;
      if (i < 0) continue;
      const base = 2 * right[a]!;
      for (let b = a + 1; b < to; b++) {
        const j = local[item[b]!]!;
        if (j >= 0) counts[pairPlace(i, j, k) + base + right[b]!]!++;
      }
    }
    since += pairsAmong(to - starts[c]!) + 1;
    if (since > STEPS_AT_ONCE) {
      await progress(c / cases);
      since = 0;
    }
  }
  return counts;
}

async function countByWords(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  local: Int32Array,
  k: number,
  progress: (share: number) => Promise<void>,
): Promise<PairCounts> {
  const counts = new Uint32Array(4 * pairsAmong(k));
  const rightBits = new Int32Array(k * WORDS);
  const wrongBits = new Int32Array(k * WORDS);
  let since = 0;
  for (let c = 0; c < cases; ) {
    rightBits.fill(0);
    wrongBits.fill(0);
    let n = 0;
    for (; c < cases && n < 32 * WORDS; c++) {
      if (!used[c]) continue;
      for (let a = starts[c]!; a < starts[c + 1]!; a++) {
        const i = local[item[a]!]!;
        if (i >= 0) (right[a] ? rightBits : wrongBits)[i * WORDS + (n >>> 5)]! |= 1 << (n & 31);
      }
      n++;
    }
    for (let i = 0; i < k; i++) {
      addRow(counts, rightBits, wrongBits, i, k, Math.ceil(n / 32));
      since += (k - i) * WORDS;
      if (since > STEPS_AT_ONCE) {
        await progress(c / cases);
        since = 0;
      }
    }
  }
  return counts;
}

/** Adds what these words tell of the pairs of question i with later ones. */
function addRow(
  counts: PairCounts,
  rightBits: Int32Array,
  wrongBits: Int32Array,
  i: number,
  k: number,
  words: number,
): void {
  const first = i * WORDS;
  let place = pairPlace(i, i + 1, k);
  for (let j = i + 1; j < k; j++, place += 4) {
    const second = j * WORDS;
    let both = 0;
    let onlyFirst = 0;
    let onlySecond = 0;
    let neither = 0;
    for (let w = 0; w < words; w++) {
      const ri = rightBits[first + w]!;
      const wi = wrongBits[first + w]!;
      const rj = rightBits[second + w]!;
      const wj = wrongBits[second + w]!;
      both += bitsIn(ri & rj);
      onlyFirst += bitsIn(ri & wj);
      onlySecond += bitsIn(wi & rj);
      neither += bitsIn(wi & wj);
    }
    counts[place]! += neither;
    counts[place + 1]! += onlySecond;
    counts[place + 2]! += onlyFirst;
    counts[place + 3]! += both;
  }
}

/** How many bits of a word are set, all at once (Warren, Hacker's Delight). */
function bitsIn(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
