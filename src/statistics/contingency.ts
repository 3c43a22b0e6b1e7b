/**
 * Pearson's χ² tests and Cramér's V for tables of counts. Null means undefined; `reason` says why.
 */
import { chiSquaredUpperTail } from './special.ts';

interface ChiSquared {
  chi_squared: number | null;
  degrees_of_freedom: number | null;
  p_value: number | null;
  /**
   * Whether the expected counts violate Cochran's rule, so that the χ² approximation is unreliable.
   */
  doubtful: boolean;
  reason: string | null;
}

interface Association extends ChiSquared {
  cramers_v: number | null;
  cramers_v_corrected: number | null;
}

type Cell = readonly [observed: number, expected: number];

/** Cochran's rule (1954): at most a fifth of the expected counts below 5, and none below 1. */
const SMALL_COUNT = 5;
const MAX_SMALL_SHARE = 0.2;
const MIN_COUNT = 1;

/**
 * Pearson's χ² goodness-of-fit test of counts against expected proportions, given as weights ≥ 0 of
 * any sum. Classes with weight 0 are ignored. Undefined for fewer than two classes, or where all
 * counts are 0.
 */
export function goodnessOfFit(observed: readonly number[], weights: readonly number[]): ChiSquared {
  const classes = [...weights.keys()].filter((i) => weights[i]! > 0);
  if (classes.length < 2) return notTested('There are fewer than two classes to compare.');
  const total = sum(classes.map((i) => observed[i]!));
  if (total === 0) return notTested('There is no question in any of the classes.');
  const weight = sum(classes.map((i) => weights[i]!));
  const cells = classes.map((i): Cell => [observed[i]!, (total * weights[i]!) / weight]);
  return pearson(cells, classes.length - 1);
}

/**
 * Pearson's χ² test of independence of rows and columns, and Cramér's V = √(χ² / (n · (min(r, k) −
 * 1))). Empty rows and columns are ignored. Undefined for fewer than two rows or two columns with
 * counts; `cramers_v_corrected` also where the bias correction is undefined.
 */
export function association(table: readonly (readonly number[])[]): Association {
  const rows = table.map(sum);
  const columns = (table[0] ?? []).map((_, j) => table.reduce((total, row) => total + row[j]!, 0));
  const total = sum(rows);
  const r = rows.filter((n) => n > 0).length;
  const k = columns.filter((n) => n > 0).length;
  if (r < 2 || k < 2) {
    const reason = 'It takes at least two rows and two columns with questions in them.';
    return { ...notTested(reason), cramers_v: null, cramers_v_corrected: null };
  }
  const test = pearson(listCells(table, rows, columns, total), (r - 1) * (k - 1));
  const phiSquared = test.chi_squared! / total;
  return {
    ...test,
    cramers_v: Math.min(1, Math.sqrt(phiSquared / (Math.min(r, k) - 1))),
    cramers_v_corrected: correctedV(phiSquared, r, k, total),
  };
}

function* listCells(
  table: readonly (readonly number[])[],
  rows: readonly number[],
  columns: readonly number[],
  total: number,
): Generator<Cell> {
  for (const [i, row] of table.entries()) {
    for (const [j, count] of row.entries()) {
      const expected = (rows[i]! * columns[j]!) / total;
      if (expected > 0) yield [count, expected];
    }
  }
}

/**
 * Bias-corrected Cramér's V (Bergsma, 2013). V itself is biased upwards, strongly so where a table
 * has many cells for few counts. Null where the corrected number of rows or columns is at most 1.
 */
function correctedV(phiSquared: number, r: number, k: number, total: number): number | null {
  const rows = r - (r - 1) ** 2 / (total - 1);
  const columns = k - (k - 1) ** 2 / (total - 1);
  const maxPhiSquared = Math.min(rows, columns) - 1;
  if (!(maxPhiSquared > 0)) return null;
  const corrected = Math.max(0, phiSquared - ((r - 1) * (k - 1)) / (total - 1));
  return Math.min(1, Math.sqrt(corrected / maxPhiSquared));
}

/** Pearson's statistic Σ (O − E)² / E, with its p-value from the χ² distribution. */
function pearson(cells: Iterable<Cell>, freedom: number): ChiSquared {
  let chiSquared = 0;
  let count = 0;
  let small = 0;
  let minExpected = Infinity;
  for (const [observed, expected] of cells) {
    chiSquared += (observed - expected) ** 2 / expected;
    count++;
    if (expected < SMALL_COUNT) small++;
    minExpected = Math.min(minExpected, expected);
  }
  return {
    chi_squared: chiSquared,
    degrees_of_freedom: freedom,
    p_value: chiSquaredUpperTail(chiSquared, freedom),
    doubtful: small > MAX_SMALL_SHARE * count || minExpected < MIN_COUNT,
    reason: null,
  };
}

const notTested = (reason: string): ChiSquared => ({
  chi_squared: null,
  degrees_of_freedom: null,
  p_value: null,
  doubtful: false,
  reason,
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
