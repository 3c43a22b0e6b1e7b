/** What came of the responses to each question. */
import { CORRECT, NOT_REACHED, OMITTED, type Responses, WRONG } from '../define.ts';

/** By question: responses of whatever outcome, and those of each. */
export interface OutcomeCounts {
  given: Uint32Array;
  right: Uint32Array;
  wrong: Uint32Array;
  omitted: Uint32Array;
  notReached: Uint32Array;
  /** How many questions have a response. */
  answered: number;
}

export function outcomeCounts({ questions, outcomes }: Responses, count: number): OutcomeCounts {
  const given = new Uint32Array(count);
  const by = Array.from({ length: 4 }, () => new Uint32Array(count));
  for (let i = 0; i < questions.length; i++) {
    given[questions[i]!]!++;
    by[outcomes[i]!]![questions[i]!]!++;
  }
  return {
    given,
    right: by[CORRECT]!,
    wrong: by[WRONG]!,
    omitted: by[OMITTED]!,
    notReached: by[NOT_REACHED]!,
    answered: given.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0),
  };
}
