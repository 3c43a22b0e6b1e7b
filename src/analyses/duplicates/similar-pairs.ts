/** Near-identical texts, by nothing but their characters. */
import { Ticker } from '../../concurrency/ticker.ts';
import { buildShingleSets, findMaxChars } from './shingles.ts';
import { joinSimilarSets } from './similarity-join.ts';

export interface Pair {
  earlier: number;
  later: number;
  similarity: number;
}

/** Every pair of texts whose sets of 5-grams, blanks normalised, have at least this Jaccard similarity. */
export async function similarPairs(
  texts: readonly string[],
  threshold: number,
  ticker = new Ticker(),
): Promise<Pair[]> {
  const normalised = texts.map((text) => text.trim().replace(/\s+/gu, ' '));
  const lengths = normalised.map((text) => text.length);
  const sets = await buildShingleSets(
    lengths,
    (place) => normalised[place]!,
    findMaxChars(lengths),
    ticker.part(0, 0.5),
  );
  const pairs: Pair[] = [];
  const found = (earlier: number, later: number, similarity: number) =>
    pairs.push({ earlier, later, similarity });
  await joinSimilarSets(sets, () => threshold, found, ticker.part(0.5, 1));
  return pairs;
}
