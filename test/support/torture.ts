/** The short form of torture cases. The long runs are started with `npm run torture`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CASES } from '../../torture/cases/index.ts';
import { runCase } from '../../torture/run.ts';

const seed = Number(process.env.QUAESTOR_TEST_SEED ?? 1);

/** Cases about load; the others are about faults. They are in two files, which run side by side. */
const LOAD = [
  ...['greedy-pages', 'idle-connections', 'noisy-neighbours', 'overload'],
  ...['requests', 'slow-clients', 'soak'],
];

export function testTorture(about: 'faults' | 'load'): void {
  describe(`torture: ${about}`, () => {
    for (const item of CASES.filter(({ name }) => LOAD.includes(name) === (about === 'load')))
      it(`${item.name}: ${item.promise}`, async (t) => {
        const { violations, skipped } = await runCase(item, { seed, form: 'short' });
        if (skipped !== undefined) t.skip(skipped);
        assert.deepEqual(violations, []);
      });
  });
}
