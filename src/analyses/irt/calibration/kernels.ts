/** What a thread can be asked to do: each works on one part, and no two parts write to the same place. */

import { type Further, sumOwn, sumProducts } from './derivatives.ts';
import { expectByBlock, expectByForm, fillBlocks, measure } from './expectation.ts';
import { sumComplete } from './information-2pl.ts';
import type { Problem } from './problem.ts';
import { makeReady, sumPairs } from './score-products.ts';

const all = {
  expectByBlock,
  expectByForm,
  fillBlocks,
  makeReady,
  measure,
  sumComplete,
  sumOwn,
  sumPairs,
  sumProducts,
};

export type Kernel = keyof typeof all;

export const kernels: Record<Kernel, (problem: Problem, part: number, further: Further) => void> = all;
