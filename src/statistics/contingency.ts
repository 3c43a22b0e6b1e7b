/** Tests and measures for tables of counts. What is not defined is null, with the reason in words. */
import { chiSquaredUpperTail } from './special.ts';

interface ChiSquared {
  chi_squared: number | null;
  degrees_of_freedom: number | null;
  p_value: number | null;
  /** Whether too many expected counts are too small for the p-value to be trusted. */
  doubtful: boolean;
  reason: string | null;
}

interface Association extends ChiSquared {
  cramers_v: number | null;
  cramers_v_corrected: number | null;
}

/** What was counted in a cell, and what was expected there. */
type Cell = readonly [observed: number, expected: number];

/** Cochran's rule (1954): at most a fifth of the expected counts below 5, and none below 1. */
const SMALL = 5;
const SMALL_SHARE = 0.2;
const TOO_SMALL = 1;

/** Pearson's test of counts against weights that say how they should be spread. Classes of no weight take no part. */
export function goodnessOfFit(observed: readonly number[], weights: readonly number[]): ChiSquared {
  const classes = [...weights.keys()].filter((i) => weights[i]! > 0);
  if (classes.length < 2) return notTested('There are fewer than two classes to compare.');
  const total = sumOf(classes.map((i) => observed[i]!));
  if (total === 0) return notTested('There is no question in any of the classes.');
  const weight = sumOf(classes.map((i) => weights[i]!));
  const cells = classes.map((i): Cell => [observed[i]!, (total * weights[i]!) / weight]);
  return pearson(cells, classes.length - 1);
}

/** How far the columns of a table depend on its rows. Rows and columns without any count take no part. */
export function association(table: readonly (readonly number[])[]): Association {
  const rows = table.map(sumOf);
  const columns = (table[0] ?? []).map((_, j) => table.reduce((sum, row) => sum + row[j]!, 0));
  const total = sumOf(rows);
  const r = rows.filter((sum) => sum > 0).length;
  const k = columns.filter((sum) => sum > 0).length;
  if (r < 2 || k < 2) {
    const reason = 'It takes two rows and two columns with questions in them.';
    return { ...notTested(reason), cramers_v: null, cramers_v_corrected: null };
  }
  const test = pearson(cellsOf(table, rows, columns, total), (r - 1) * (k - 1));
  const phiSquared = test.chi_squared! / total;
  return {
    ...test,
    cramers_v: Math.min(1, Math.sqrt(phiSquared / (Math.min(r, k) - 1))),
    cramers_v_corrected: correctedV(phiSquared, r, k, total),
  };
}

function* cellsOf(
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

/** Cramér's V without its bias upwards, which is large where a table has many cells for few counts (Bergsma). */
function correctedV(phiSquared: number, r: number, k: number, total: number): number | null {
  const rows = r - (r - 1) ** 2 / (total - 1);
  const columns = k - (k - 1) ** 2 / (total - 1);
  const most = Math.min(rows, columns) - 1;
  if (!(most > 0)) return null;
  const corrected = Math.max(0, phiSquared - ((r - 1) * (k - 1)) / (total - 1));
  return Math.min(1, Math.sqrt(corrected / most));
}

function pearson(cells: Iterable<Cell>, freedom: number): ChiSquared {
  let chiSquared = 0;
  let count = 0;
  let small = 0;
  let least = Infinity;
  for (const [observed, expected] of cells) {
    chiSquared += (observed - expected) ** 2 / expected;
    count++;
    if (expected < SMALL) small++;
    least = Math.min(least, expected);
  }
  return {
    chi_squared: chiSquared,
    degrees_of_freedom: freedom,
    p_value: chiSquaredUpperTail(chiSquared, freedom),
    doubtful: small > SMALL_SHARE * count || least < TOO_SMALL,
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

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
