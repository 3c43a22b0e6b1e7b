/** Scores by question instead of by case: who was asked it, whether they had it right, and what they chose. */
import { NO_OPTION, type Responses } from '../define.ts';
import type { Scores } from '../shared/responses.ts';

export interface Columns {
  /** The entries of question q are those from starts[q] to before starts[q + 1], by case. */
  starts: Uint32Array;
  cases: Uint32Array;
  right: Uint8Array;
  /** Which of the question's choices, or NO_OPTION. */
  options: Uint8Array;
}

export function columnsOf(scores: Scores, counts: Uint32Array, responses: Responses): Columns {
  const starts = new Uint32Array(scores.items + 1);
  for (let q = 0; q < scores.items; q++) starts[q + 1] = starts[q]! + counts[q]!;
  const next = starts.slice(0, scores.items);
  const cases = new Uint32Array(scores.item.length);
  const right = new Uint8Array(scores.item.length);
  const options = new Uint8Array(scores.item.length);
  for (let c = 0; c < scores.cases; c++) {
    // Scores are responses in their order with some left out; a question is there only once.
    let r = responses.starts[c]!;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++, r++) {
      const question = scores.item[i]!;
      while (responses.questions[r] !== question) r++;
      const place = next[question]!++;
      cases[place] = c;
      right[place] = scores.right[i]!;
      options[place] = responses.options?.[r] ?? NO_OPTION;
    }
  }
  return { starts, cases, right, options };
}
