/** What a thread can be asked to do: each works on one part, and no two parts write to the same place. */
import { sumComplete } from './complete.ts';
import { expectByBlock, expectByForm, fillBlocks, measure } from './expectation.ts';
import { makeReady, sumPairs } from './pairs.ts';
import type { Problem } from './problem.ts';
import { type Further, sumOwn, sumProducts } from './products.ts';

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
