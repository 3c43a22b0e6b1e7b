/**
 * The computations that an executor can distribute over threads. A kernel works on one part of the
 * problem; no two parts write to the same memory.
 */

import { estimateEap, expectByBlock, expectByForm, fillBlocks } from './expectation.ts';
import { sumMissing2pl } from './information-2pl.ts';
import type { KernelArguments } from './kernel-arguments.ts';
import type { Problem } from './problem.ts';
import { sumItemCovariances, sumMeanProducts } from './score-covariances.ts';
import { fillPosteriorBatch, sumPairProducts } from './score-products.ts';

const all = {
  estimateEap,
  expectByBlock,
  expectByForm,
  fillBlocks,
  fillPosteriorBatch,
  sumItemCovariances,
  sumMeanProducts,
  sumMissing2pl,
  sumPairProducts,
};

export type Kernel = keyof typeof all;

export const kernels: Record<Kernel, (problem: Problem, part: number, args: KernelArguments) => void> = all;
