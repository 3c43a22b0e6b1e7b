/**
 * Parameters of every analysis that reads responses, and the scoring of responses as correct or
 * incorrect.
 */

import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { CORRECT, NOT_REACHED, OMITTED, type Responses } from '../define.ts';

export const RESPONSE_PARAMETERS = {
  cases: Type.Enum(['respondent', 'session'], {
    default: 'respondent',
    description:
      'The unit of analysis. `respondent`: one case per respondent over all sessions; the first response to a question counts, because later ' +
      'ones are affected by practice. `session`: every session is a case.',
  }),
  session: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    default: null,
    description: 'Restricts the analysis to responses of this session, such as one exam. Null: all sessions.',
  }),
  omitted: Type.Enum(['wrong', 'missing'], {
    default: 'wrong',
    description:
      'How an omitted question is scored: as wrong, the rule of number-correct scoring, or as missing, like a question that was not presented.',
  }),
  not_reached: Type.Enum(['missing', 'wrong'], {
    default: 'missing',
    description:
      'How a question that was not reached is scored: as missing, because the respondent did not see it, or as wrong, for speeded tests.',
  }),
};

export interface ResponseParameters {
  omitted: 'wrong' | 'missing';
  not_reached: 'wrong' | 'missing';
}

/**
 * The matrix of item scores, cases by items, sparse and stored by rows. Missing responses have no
 * entry.
 */
export interface Scores {
  cases: number;
  items: number;
  /**
   * The scores of case c are at starts[c] up to but not including starts[c + 1]; a case may have
   * none.
   */
  starts: Uint32Array;
  /** The item of each score, ascending within a case. */
  item: Uint32Array;
  /** 1 if correct, else 0. */
  right: Uint8Array;
}

/** Scores the responses and drops missing ones. Cases keep their indices. */
export function scoreResponses(responses: Responses, items: number, parameters: ResponseParameters): Scores {
  const { cases, starts, questions, outcomes } = responses;
  const isMissing = new Uint8Array(4);
  if (parameters.omitted === 'missing') isMissing[OMITTED] = 1;
  if (parameters.not_reached === 'missing') isMissing[NOT_REACHED] = 1;
  const right = new Uint8Array(outcomes.length);
  const item = new Uint32Array(outcomes.length);
  const scoreStarts = new Uint32Array(cases + 1);
  let n = 0;
  for (let c = 0; c < cases; c++) {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const outcome = outcomes[i]!;
      if (isMissing[outcome]) continue;
      item[n] = questions[i]!;
      right[n++] = outcome === CORRECT ? 1 : 0;
    }
    scoreStarts[c + 1] = n;
  }
  return { cases, items, starts: scoreStarts, item: item.subarray(0, n), right: right.subarray(0, n) };
}
