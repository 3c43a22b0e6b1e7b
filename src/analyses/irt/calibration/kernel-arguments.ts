/**
 * Arguments of kernels, besides the problem and the part. They cross threads, so arrays are shared.
 */

/**
 * Tables of the complete-data score: the derivative of one response's log-likelihood by a parameter
 * is residual · factor.
 */
export interface ScoreTables {
  /** Parameters per item: discrimination, intercept and (3PL) the logit of guessing. */
  kinds: number;
  /** For wrong, then right responses, by item and node: the response (0 or 1) minus P. */
  residual: Float64Array;
  /** By kind of parameter, item and node: ∂P / (P · (1 − P)). */
  factor: Float64Array;
}

/** Posterior weights of up to BATCH_PATTERNS response patterns, for the products of scores. */
export interface PosteriorBatch {
  /** Index of the first pattern. */
  first: number;
  /** By pattern and node, times the number of cases; non-zero from node `from` to node `to`. */
  weight: Float64Array;
  from: Uint32Array;
  to: Uint32Array;
  /** By group of items and pattern: the block of responses, or NO_BLOCK. */
  block: Uint32Array;
}

export interface KernelArguments {
  scoreTables: ScoreTables;
  /** Output. */
  sums: Float64Array;
  batch?: PosteriorBatch;
}
