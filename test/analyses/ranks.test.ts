/** Rank correlations against SciPy, and Cohen's κ against exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kappa, kendall, quadraticKappa, spearman } from '../../src/statistics/ranks.ts';
import { assertClose } from '../support/numbers.ts';

const CONFIDENCE = 0.95;
const TOLERANCE = { relative: 1e-12 };
const list = (...values: number[]) => Float64Array.from(values);

const X = list(0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1);
const Y = list(0.95, 0.8, 0.8, 0.5, 0.6, 0.7, 0.35, 0.3, 0.2, 0.5, 0.45, 0.62);
const TABLE = [
  [20, 5, 1],
  [4, 15, 6],
  [0, 7, 12],
];

describe('rank correlations', () => {
  it('match SciPy, with ties', () => {
    const rho = spearman(X, Y, CONFIDENCE);
    assertClose(rho.coefficient, -0.7714080778260046, TOLERANCE);
    assertClose(rho.p_value, 0.003299984107870459, { relative: 1e-10 });
    assertClose(rho.low, -0.9433887330232205, TOLERANCE);
    assertClose(rho.high, -0.27253611244404496, { relative: 1e-11 });
    const tau = kendall(X, Y, CONFIDENCE);
    assertClose(tau.coefficient, -0.6675612487505048, TOLERANCE);
    assertClose(tau.p_value, 0.006553190920041415, { relative: 1e-11 });
    assertClose(tau.low, -0.852276321543612, TOLERANCE);
    assertClose(tau.high, -0.33482114501453825, TOLERANCE);
  });

  it('are 1 and −1 for the same order and its reverse', () => {
    for (const [y, expected] of [
      [list(1, 2, 5, 9), 1],
      [list(9, 5, 2, 1), -1],
    ] as const) {
      const rho = spearman(list(1, 2, 3, 4), y, CONFIDENCE);
      assert.deepEqual([rho.coefficient, rho.low, rho.p_value], [expected, null, 0]);
      assert.match(rho.reason!, /perfect order/);
      assert.equal(kendall(list(1, 2, 3, 4), y, CONFIDENCE).coefficient, expected);
    }
  });

  it('count pairs as a comparison of all pairs does', () => {
    const n = 300;
    const x = Float64Array.from({ length: n }, (_, i) => (i * 7919) % 13);
    const y = Float64Array.from({ length: n }, (_, i) => (i * 104729) % 101);
    let difference = 0;
    let untiedX = 0;
    let untiedY = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const dx = Math.sign(x[i]! - x[j]!);
        const dy = Math.sign(y[i]! - y[j]!);
        difference += dx * dy;
        untiedX += dx * dx;
        untiedY += dy * dy;
      }
    }
    assertClose(kendall(x, y, CONFIDENCE).coefficient, difference / Math.sqrt(untiedX * untiedY), TOLERANCE);
  });

  const UNDEFINED: [name: string, x: Float64Array, y: Float64Array, reason: RegExp][] = [
    ['no pair', list(), list(), /fewer than two/],
    ['one pair', list(1), list(2), /fewer than two/],
    ['the same label everywhere', list(1, 1, 1), list(1, 2, 3), /same value everywhere/],
    ['the same facility everywhere', list(1, 2, 3), list(1, 1, 1), /same value everywhere/],
  ];
  for (const [name, x, y, reason] of UNDEFINED) {
    it(`are null with the reason for ${name}`, () => {
      for (const found of [spearman(x, y, CONFIDENCE), kendall(x, y, CONFIDENCE)]) {
        assert.deepEqual([found.coefficient, found.p_value, found.low], [null, null, null]);
        assert.match(found.reason!, reason);
      }
    });
  }

  it('have no p-value for two pairs and no interval for three, with the reason', () => {
    for (const correlate of [spearman, kendall]) {
      const two = correlate(list(1, 2), list(1, 2), CONFIDENCE);
      assert.deepEqual([two.p_value, two.low], [null, null]);
      assert.match(two.reason!, /Two questions leave neither/);
      const three = correlate(list(1, 2, 3), list(1, 3, 2), CONFIDENCE);
      assert.ok(three.p_value !== null && three.low === null);
      assert.match(three.reason!, /3 questions leave no interval: it takes [45]\./);
      const five = correlate(list(1, 2, 3, 4, 5), list(1, 3, 2, 5, 4), CONFIDENCE);
      assert.ok(five.low! < five.coefficient! && five.coefficient! < five.high!);
      assert.equal(five.reason, null);
    }
  });
});

describe('kappa', () => {
  it('matches exact fractions, with the standard errors of Fleiss, Cohen and Everitt', () => {
    const plain = kappa(TABLE, CONFIDENCE);
    assertClose(plain.coefficient, 0.5030864197530864, TOLERANCE);
    assertClose(plain.low, 0.3367277963684555, TOLERANCE);
    assertClose(plain.p_value, 3.023747551175169e-9, { relative: 1e-9 });
    const weighted = quadraticKappa(TABLE, CONFIDENCE);
    assertClose(weighted.coefficient, 0.7011494252873564, TOLERANCE);
    assertClose(weighted.low, 0.5720637445181396, TOLERANCE);
    assertClose(weighted.p_value, 4.327587352020574e-9, { relative: 1e-9 });
    assert.equal(weighted.n, 70);
  });

  const UNDEFINED: [name: string, table: number[][], reason: RegExp][] = [
    [
      'no question',
      [
        [0, 0],
        [0, 0],
      ],
      /no question/,
    ],
    [
      'one class on both sides',
      [
        [9, 0],
        [0, 0],
      ],
      /all questions in the same class/,
    ],
    [
      'one label',
      [
        [4, 3],
        [0, 0],
      ],
      /all questions in the same class/,
    ],
    [
      'one observed class',
      [
        [0, 4],
        [0, 3],
      ],
      /all questions in the same class/,
    ],
    [
      'one label of three',
      [
        [0, 0, 0],
        [7, 5, 3],
        [0, 0, 0],
      ],
      /all questions in the same class/,
    ],
  ];
  for (const [name, table, reason] of UNDEFINED) {
    it(`is null with the reason for ${name}`, () => {
      for (const found of [kappa(table, CONFIDENCE), quadraticKappa(table, CONFIDENCE)]) {
        const { coefficient, low, high, p_value } = found;
        assert.deepEqual([coefficient, low, high, p_value], [null, null, null, null]);
        assert.match(found.reason!, reason);
      }
    });
  }

  it('has a test but no interval where all agree or all disagree', () => {
    const agreeing = [
      [20000, 0],
      [0, 1],
    ];
    for (const [table, expected] of [
      [
        [
          [5, 0],
          [0, 4],
        ],
        1,
      ],
      [
        [
          [0, 5],
          [5, 0],
        ],
        -1,
      ],
      [agreeing, 1],
    ] as const) {
      const found = kappa(table, CONFIDENCE);
      assertClose(found.coefficient, expected, TOLERANCE);
      assert.deepEqual([found.low, found.high], [null, null]);
      assert.ok(found.p_value! < 0.01);
      assert.match(found.reason!, /standard error is 0/);
    }
  });

  it('has neither test nor interval where the two have no class in common', () => {
    const found = kappa(
      [
        [0, 0, 2, 3],
        [0, 0, 3, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
      CONFIDENCE,
    );
    assert.deepEqual([found.coefficient, found.low, found.p_value], [0, null, null]);
    assert.match(found.reason!, /standard error is 0/);
  });
});
