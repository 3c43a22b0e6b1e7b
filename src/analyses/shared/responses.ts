/** What all analyses of responses share: what can be set, and responses as scores. */
import Type from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { CORRECT, NOT_REACHED, OMITTED, type Responses } from '../define.ts';

/** Settings of every analysis that reads responses. */
export const RESPONSE_PARAMETERS = {
  cases: Type.Enum(['respondent', 'session'], {
    default: 'respondent',
    description:
      'What counts as one case. `respondent`: a person, whatever the number of their sessions; of several responses to one question ' +
      'the first counts, for the later ones were practised. `session`: every session is a case of its own.',
  }),
  session: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    default: null,
    description: 'Only responses given in this session, such as one exam; null for all.',
  }),
  omitted: Type.Enum(['wrong', 'missing'], {
    default: 'wrong',
    description:
      'How a question counts that was seen and left out: as wrong, the usual rule of number-right scoring, or as if it had not been asked.',
  }),
  not_reached: Type.Enum(['missing', 'wrong'], {
    default: 'missing',
    description:
      'How a question counts that was not reached: as if it had not been asked, for it says nothing of the question, or as wrong, in tests where speed is part of what is measured.',
  }),
};

export interface ResponseParameters {
  omitted: 'wrong' | 'missing';
  not_reached: 'wrong' | 'missing';
}

/** Right and wrong, and only where it counts: cases by items, sparse, by rows. */
export interface Scores {
  cases: number;
  items: number;
  /** The scores of case c are those from starts[c] to before starts[c + 1]; there may be none. */
  starts: Uint32Array;
  /** To which item each belongs, ascending within a case. */
  item: Uint32Array;
  /** 1 or 0. */
  right: Uint8Array;
}

/** The responses as scores, with what is missing left out. The cases stay where they are. */
export function scored(responses: Responses, items: number, parameters: ResponseParameters): Scores {
  const { cases, starts, questions, outcomes } = responses;
  const dropped = new Uint8Array(4);
  if (parameters.omitted === 'missing') dropped[OMITTED] = 1;
  if (parameters.not_reached === 'missing') dropped[NOT_REACHED] = 1;
  const right = new Uint8Array(outcomes.length);
  const item = new Uint32Array(outcomes.length);
  const from = new Uint32Array(cases + 1);
  let n = 0;
  for (let c = 0; c < cases; c++) {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const outcome = outcomes[i]!;
      if (dropped[outcome]) continue;
      item[n] = questions[i]!;
      right[n++] = outcome === CORRECT ? 1 : 0;
    }
    from[c + 1] = n;
  }
  return { cases, items, starts: from, item: item.subarray(0, n), right: right.subarray(0, n) };
}
