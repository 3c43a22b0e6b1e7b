import { CORRECT, NOT_REACHED, OMITTED, type Responses, WRONG } from '../define.ts';

/** Responses by question: all, and by outcome. */
export interface OutcomeCounts {
  responses: Uint32Array;
  correct: Uint32Array;
  incorrect: Uint32Array;
  omitted: Uint32Array;
  notReached: Uint32Array;
  /** The number of questions with a response. */
  withResponses: number;
}

export function countOutcomes({ questions, outcomes }: Responses, count: number): OutcomeCounts {
  const responses = new Uint32Array(count);
  const byOutcome = Array.from({ length: 4 }, () => new Uint32Array(count));
  for (let i = 0; i < questions.length; i++) {
    responses[questions[i]!]!++;
    byOutcome[outcomes[i]!]![questions[i]!]!++;
  }
  return {
    responses,
    correct: byOutcome[CORRECT]!,
    incorrect: byOutcome[WRONG]!,
    omitted: byOutcome[OMITTED]!,
    notReached: byOutcome[NOT_REACHED]!,
    withResponses: responses.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0),
  };
}
