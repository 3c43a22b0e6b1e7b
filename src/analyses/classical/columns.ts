import { NO_OPTION, type Responses } from '../define.ts';
import type { Scores } from '../shared/responses.ts';

/** The score matrix stored by columns: one per item, with the chosen options. */
export interface Columns {
  /**
   * The entries of item i are at starts[i] up to but not including starts[i + 1], by ascending
   * case.
   */
  starts: Uint32Array;
  cases: Uint32Array;
  right: Uint8Array;
  /** The index into the question's choices, or NO_OPTION. */
  options: Uint8Array;
  /** A value of `ResponseDetails` plus one, or 0 without one. Empty if no response has one. */
  details: Uint32Array;
}

const NO_DETAILS = { at: new Uint32Array(), values: new Uint32Array() };

/** Transposes the scores. `counts` is the number of scores of each item. */
export function toColumns(scores: Scores, counts: Uint32Array, responses: Responses): Columns {
  const starts = new Uint32Array(scores.items + 1);
  for (let item = 0; item < scores.items; item++) starts[item + 1] = starts[item]! + counts[item]!;
  const next = starts.slice(0, scores.items);
  const cases = new Uint32Array(scores.item.length);
  const right = new Uint8Array(scores.item.length);
  const options = new Uint8Array(scores.item.length);
  const { at, values } = responses.details ?? NO_DETAILS;
  const details = new Uint32Array(at.length > 0 ? scores.item.length : 0);
  let d = 0;
  for (let c = 0; c < scores.cases; c++) {
    // Within a case, scores are a subsequence of the responses, and both are ascending by item.
    let r = responses.starts[c]!;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++, r++) {
      const item = scores.item[i]!;
      while (responses.questions[r] !== item) r++;
      const index = next[item]!++;
      cases[index] = c;
      right[index] = scores.right[i]!;
      options[index] = responses.options?.[r] ?? NO_OPTION;
      while (at[d]! < r) d++;
      if (at[d] === r) details[index] = values[d]! + 1;
    }
  }
  return { starts, cases, right, options, details };
}
