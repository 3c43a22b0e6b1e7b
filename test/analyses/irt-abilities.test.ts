/** ML abilities, infit and outfit against a search of all abilities on a dense grid. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeInfitOutfit } from '../../src/analyses/irt/infit-outfit.ts';
import { estimateMlAbilities } from '../../src/analyses/irt/ml-ability.ts';
import { scoreResponses } from '../../src/analyses/shared/responses.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { buildResponses } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';
import { mulberry32 } from '../support/random.ts';

interface Curve {
  discrimination: number;
  intercept: number;
  guessing: number;
}
type Row = (0 | 1)[];

const toScores = (rows: Row[]) =>
  scoreResponses(buildResponses(rows), rows[0]!.length, { omitted: 'wrong', not_reached: 'wrong' });

const toCurves = (curves: Curve[]) => ({
  discrimination: Float64Array.from(curves, ({ discrimination }) => discrimination),
  intercept: Float64Array.from(curves, ({ intercept }) => intercept),
  guessing: Float64Array.from(curves, ({ guessing }) => guessing),
});

const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

function logLikelihood(row: Row, curves: Curve[], ability: number): number {
  return row.reduce<number>((sum, right, j) => {
    const { discrimination, intercept, guessing: c } = curves[j]!;
    const logit = discrimination * ability + intercept;
    if (!right) return sum + Math.log1p(-c) - softplus(logit);
    return sum + (c === 0 ? -softplus(-logit) : Math.log1p(-(1 - c) / (1 + Math.exp(logit))));
  }, 0);
}

/** The grid is far finer than the search under test, and refined around its best node. */
function searchAbility(row: Row, curves: Curve[]): number {
  let best = 0;
  let value = -Infinity;
  const scan = (from: number, to: number, step: number) => {
    for (let ability = from; ability <= to; ability += step) {
      const here = logLikelihood(row, curves, ability);
      if (here > value) [best, value] = [ability, here];
    }
  };
  scan(-20, 20, 0.01);
  for (const step of [1e-3, 1e-4, 1e-5, 1e-6]) scan(best - 20 * step, best + 20 * step, step);
  return best;
}

/** The published definition, with abilities from the grid. */
function computeNaively(rows: Row[], curves: Curve[]) {
  const found = rows.map((row) => searchAbility(row, curves));
  const finite = found.filter((ability) => Math.abs(ability) < 19.9);
  const offset = 0.1 / (curves.reduce((sum, { discrimination: a }) => sum + Math.abs(a), 0) / curves.length);
  const ability = found.map((value) =>
    Math.abs(value) < 19.9 ? value : value > 0 ? Math.max(...finite) + offset : Math.min(...finite) - offset,
  );
  const outfit = curves.map(({ discrimination, intercept, guessing: c }, j) => {
    const squares = rows.map((row, i) => {
      const p = c + (1 - c) / (1 + Math.exp(-discrimination * ability[i]! - intercept));
      return (row[j]! - p) ** 2 / Math.max(p * (1 - p), Math.sqrt(1e-5));
    });
    return squares.reduce((sum, value) => sum + value, 0) / rows.length;
  });
  return { ability, outfit };
}

function simulate(cases: number, curves: Curve[], seed: number): Row[] {
  const random = mulberry32(seed);
  return Array.from({ length: cases }, () => {
    const ability = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return curves.map(({ discrimination, intercept, guessing: c }): 0 | 1 =>
      random() < c + (1 - c) / (1 + Math.exp(-discrimination * ability - intercept)) ? 1 : 0,
    );
  });
}

const random = mulberry32(5);
const between = (low: number, high: number) => low + (high - low) * random();
const draw = (items: number, newCurve: (j: number) => [a: number, b: number, c: number]): Curve[] =>
  Array.from({ length: items }, (_, j) => {
    const [discrimination, difficulty, guessing] = newCurve(j);
    return { discrimination, intercept: -discrimination * difficulty, guessing };
  });

describe('ML abilities, infit and outfit', () => {
  const tests: [name: string, cases: number, curves: Curve[]][] = [
    [
      'four steep items with a common discrimination',
      379,
      draw(4, (j) => [4.34, [-0.9, -0.2, 0.4, 1][j]!, 0]),
    ],
    ['steps at the bound of the discrimination', 200, draw(5, (j) => [20, j / 2 - 1, 0])],
    ['extreme discriminations', 200, draw(8, () => [between(0.1, 9), between(-3, 3), 0])],
    [
      'discriminations of both signs',
      200,
      draw(8, (j) => [(j % 3 ? 1 : -1) * between(0.5, 4), between(-2, 2), 0]),
    ],
    ['nearly flat items', 150, draw(6, () => [between(0.02, 0.3), between(-2, 2), 0])],
    ['guessing', 300, draw(12, () => [between(0.6, 2.5), between(-2, 2), between(0.1, 0.3)])],
    ['steep items with guessing', 300, draw(8, () => [between(3, 8), between(-2, 2.5), between(0.15, 0.4)])],
    [
      'guessing and both signs',
      200,
      draw(8, (j) => [(j % 4 ? 1 : -1) * between(0.5, 4), between(-2, 2), 0.2]),
    ],
  ];
  for (const [name, cases, items] of tests) {
    it(`maximise the likelihood: ${name}`, async () => {
      const rows: Row[] = [
        ...simulate(cases, items, 17),
        items.map(() => 1 as const),
        items.map(() => 0 as const),
      ];
      const [scores, curves] = [toScores(rows), toCurves(items)];
      const ability = await estimateMlAbilities(scores, curves, new Float64Array(rows.length), new Ticker());
      const expected = computeNaively(rows, items);
      for (const [i, row] of rows.entries()) {
        const [found, best] = [ability[i]!, expected.ability[i]!];
        // On a plateau the height of the maximum is determined, and its location is not.
        const isAsHigh = logLikelihood(row, items, found) > logLikelihood(row, items, best) - 1e-12;
        assert.ok(Math.abs(found - best) < 1e-5 || isAsHigh, `case ${i}: ${found} instead of ${best}`);
      }
      const fit = await computeInfitOutfit(scores, curves, ability, new Ticker());
      for (const [j, outfit] of expected.outfit.entries())
        assertClose(fit(j)!.outfit.mean_square, outfit, { absolute: 1e-4 }, `outfit of item ${j}`);
    });
  }

  it('are undefined if no case has a finite ability', async () => {
    const items = draw(3, () => [1, 0, 0]);
    const rows: Row[] = [
      [1, 1, 1],
      [0, 0, 0],
    ];
    const ability = await estimateMlAbilities(
      toScores(rows),
      toCurves(items),
      new Float64Array(2),
      new Ticker(),
    );
    assert.ok(ability.every(Number.isNaN));
    const fit = await computeInfitOutfit(toScores(rows), toCurves(items), ability, new Ticker());
    assert.equal(fit(0), null);
  });
});
