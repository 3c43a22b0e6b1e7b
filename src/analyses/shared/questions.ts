import type { Ticker } from '../../concurrency/ticker.ts';
import type { Input } from '../define.ts';

/** Reads all questions of a run, and keeps what `pick` takes of each. */
export async function collectQuestions<Q, R>(
  { count, questions }: Pick<Input<Q>, 'count' | 'questions'>,
  pick: (question: Q) => R,
  ticker: Ticker,
): Promise<R[]> {
  const picked: R[] = [];
  for await (const batch of questions) {
    for (const question of batch) picked.push(pick(question));
    await ticker.yield(picked.length / Math.max(1, count));
  }
  return picked;
}
