/** The parts of a draw: the generator, the shuffle, the selection by rank and the assignment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assign, type QuotaCandidates } from '../src/store/draws/assignment.ts';
import { SeededRandom, shuffleLazily } from '../src/store/draws/seeded-random.ts';
import { SlotSet } from '../src/store/index/slots.ts';
import { createRandom } from './support/random.ts';

describe('the generator of draws', () => {
  it('is as documented', () => {
    const random = new SeededRandom('draw example 0');
    assert.deepEqual(
      Array.from({ length: 5 }, () => random.below(1000)),
      [908, 332, 782, 979, 480],
    );
    assert.deepEqual([...shuffleLazily(new SeededRandom('draw example 0'), 8)], [4, 5, 0, 7, 2, 1, 3, 6]);
  });

  it('shuffles every number to the front equally often', () => {
    const [draws, n] = [200_000, 20];
    const counts = new Array<number>(n).fill(0);
    for (let seed = 0; seed < draws; seed++)
      counts[shuffleLazily(new SeededRandom(`draw ${seed} 0`), n).next().value!]!++;
    const expected = draws / n;
    const square = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // The 0.999 quantile of χ² with 19 degrees of freedom.
    assert.ok(square < 43.82, `χ² = ${square}`);
  });

  it('shuffles without repeats or omissions', () => {
    const shuffled = [...shuffleLazily(new SeededRandom('x'), 1000)];
    assert.deepEqual(
      shuffled.toSorted((a, b) => a - b),
      Array.from({ length: 1000 }, (_, i) => i),
    );
  });
});

describe('the selection by rank', () => {
  it('finds the members of ranks in any order, in arrays and bitmaps', () => {
    const random = createRandom(3);
    for (const [n, range] of [
      [300, 100_000],
      [40_000, 100_000],
    ] as const) {
      const members = [...new Set(Array.from({ length: n }, () => random.below(range)))].sort(
        (a, b) => a - b,
      );
      const ranks = Array.from({ length: 500 }, () => random.below(members.length));
      assert.deepEqual(
        SlotSet.of(members).at(ranks),
        ranks.map((rank) => members[rank]),
      );
    }
  });
});

describe('the assignment to quotas', () => {
  /** The largest total, by trying everything. */
  function findLargest(quotas: QuotaCandidates[]): number {
    const places = quotas.flatMap(({ asked, candidates }) =>
      Array(asked).fill(candidates.map(({ key }) => key)),
    );
    const search = (i: number, used: ReadonlySet<number>): number => {
      if (i === places.length) return 0;
      let best = search(i + 1, used);
      for (const key of places[i])
        if (!used.has(key)) best = Math.max(best, 1 + search(i + 1, new Set([...used, key])));
      return best;
    };
    return search(0, new Set());
  }

  it('is the largest possible, and takes each key once', () => {
    const random = createRandom(11);
    for (let round = 0; round < 300; round++) {
      const quotas = Array.from({ length: 1 + random.below(4) }, () => {
        const keys = new Set(Array.from({ length: random.below(5) }, () => random.below(7)));
        // Two quotas may take different questions of one cluster.
        const candidates = [...keys].map((key) => ({ key, slot: 100 * (1 + random.below(2)) + key }));
        return { asked: 1 + random.below(2), candidates };
      });
      const drawn = assign(quotas);
      const keys = drawn.flat().map((slot) => slot % 100);
      assert.equal(new Set(keys).size, keys.length);
      assert.equal(keys.length, findLargest(quotas), JSON.stringify(quotas));
      for (const [i, slots] of drawn.entries()) {
        assert.ok(slots.length <= quotas[i]!.asked);
        assert.ok(slots.every((slot) => quotas[i]!.candidates.some((each) => each.slot === slot)));
      }
    }
  });
});
