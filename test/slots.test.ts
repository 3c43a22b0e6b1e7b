import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Marks } from '../src/store/index/marks.ts';
import { type Block, changeBlock, SlotSet, toBlock } from '../src/store/index/slots.ts';
import { createRandom } from './support/random.ts';

const random = createRandom(7);
/** Sets from almost empty to almost full, over several blocks. */
const randomSlots = (density: number, reach = 40_000) =>
  Array.from({ length: reach }, (_, i) => i).filter(() => random.maybe(density));

describe('sets of slots', () => {
  const densities = [0, 0.0001, 0.01, 0.0625, 0.07, 0.5, 0.999, 1];

  it('return their size, any slice and any rank', () => {
    for (const density of densities) {
      const slots = randomSlots(density);
      const set = SlotSet.of(slots);
      assert.equal(set.total, slots.length);
      for (let i = 0; i < 50; i++) {
        const offset = random.below(slots.length + 2);
        const limit = 1 + random.below(i < 40 ? 30 : 20_000);
        assert.deepEqual(set.slice(offset, limit), slots.slice(offset, offset + limit));
        const slot = random.below(41_000);
        assert.equal(set.rank(slot), slots.filter((each) => each < slot).length);
        assert.deepEqual(
          set.from(slot).slice(0, 1e6),
          slots.filter((each) => each >= slot),
        );
      }
    }
  });

  it('intersect and unite', () => {
    for (const a of densities) {
      for (const b of densities) {
        const [left, right] = [randomSlots(a), randomSlots(b)];
        const [inLeft, inRight] = [new Set(left), new Set(right)];
        const shared = SlotSet.intersection([SlotSet.of(left), SlotSet.of(right)]);
        assert.deepEqual(
          shared.slice(0, 1e6),
          [...inLeft.intersection(inRight)].sort((x, y) => x - y),
        );
        const both = SlotSet.union(SlotSet.of(left), SlotSet.of(right));
        assert.deepEqual(
          both.slice(0, 1e6),
          [...inLeft.union(inRight)].sort((x, y) => x - y),
        );
      }
    }
  });

  it('apply changes in any order: marks are sums', () => {
    const marks = new Marks();
    const others = new Marks();
    const slots = randomSlots(0.3, 20_000);
    for (const slot of slots) marks.add('s', slot);
    const removed = slots.filter(() => random.maybe(0.5));
    for (const slot of removed) others.remove('s', slot);
    const restored = removed.filter(() => random.maybe(0.5));
    for (const slot of restored) others.add('s', slot);
    others.merge(marks);
    const blocks = others
      .changes()
      .map(
        ({ block, added, removed }): Block =>
          changeBlock({ block, n: 0, members: new Uint8Array() }, added, removed),
      );
    const left = new Set(slots).difference(new Set(removed)).union(new Set(restored));
    assert.deepEqual(
      new SlotSet(blocks.sort((a, b) => a.block - b.block)).slice(0, 1e6),
      [...left].sort((a, b) => a - b),
    );
    assert.equal(toBlock(8191), 0);
    assert.equal(toBlock(8192), 1);
  });
});
