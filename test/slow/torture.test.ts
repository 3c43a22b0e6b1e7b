/** The short form of every torture case. The long runs are started with `npm run torture`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CASES } from '../../torture/cases/index.ts';
import { runCase } from '../../torture/run.ts';

const seed = Number(process.env.QUAESTOR_TEST_SEED ?? 1);

describe('torture', () => {
  for (const item of CASES)
    it(`${item.name}: ${item.promise}`, async (t) => {
      const { violations, skipped } = await runCase(item, { seed, form: 'short' });
      if (skipped !== undefined) t.skip(skipped);
      assert.deepEqual(violations, []);
    });
});
