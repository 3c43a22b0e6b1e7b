/** How many questions each case was asked and had right, and whether all were asked the same ones. */
import type { Scores } from '../shared/responses.ts';

export interface Totals {
  asked: Uint32Array;
  right: Uint32Array;
  /** Cases with at least one response that counts. */
  cases: number;
  /** The questions with at least one response that counts, by their places. */
  questions: Uint32Array;
  /** By question: how many cases have a score on it, and how many have it right. */
  counts: Uint32Array;
  rightCounts: Uint32Array;
  /** Whether every case has a score on every one of these questions. */
  complete: boolean;
}

export function totalsOf(scores: Scores): Totals {
  const asked = new Uint32Array(scores.cases);
  const right = new Uint32Array(scores.cases);
  const counts = new Uint32Array(scores.items);
  const rightCounts = new Uint32Array(scores.items);
  let cases = 0;
  for (let c = 0; c < scores.cases; c++) {
    const [from, to] = [scores.starts[c]!, scores.starts[c + 1]!];
    asked[c] = to - from;
    if (to > from) cases++;
    for (let i = from; i < to; i++) {
      right[c]! += scores.right[i]!;
      counts[scores.item[i]!]!++;
      rightCounts[scores.item[i]!]! += scores.right[i]!;
    }
  }
  const questions = counts.reduce<number[]>((found, count, place) => {
    if (count > 0) found.push(place);
    return found;
  }, []);
  return {
    asked,
    right,
    cases,
    questions: Uint32Array.from(questions),
    counts,
    rightCounts,
    complete: scores.item.length === cases * questions.length,
  };
}

/** The score of each case: the number right, or where not all were asked the same, the share right of what they were asked. */
export function caseScores({ asked, right, complete }: Totals): Float64Array {
  return Float64Array.from(right, (count, c) => {
    if (complete) return count;
    return asked[c]! > 0 ? count / asked[c]! : 0;
  });
}
