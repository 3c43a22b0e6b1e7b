/** The similarity of two texts, where there is no index of all shingles. */
import { SHINGLE_CHARS } from './shingles.ts';

/** Bounds the cost of a comparison. */
const MAX_CHARS = 4_000;

/** The Jaccard similarity of the shingles of two folded texts, as `TextIndex.similarity` computes it. */
export function computePairSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [shinglesA, shinglesB] = [buildShingles(a), buildShingles(b)];
  const shared = shinglesA.intersection(shinglesB).size;
  return shared / (shinglesA.size + shinglesB.size - shared);
}

function buildShingles(folded: string): Set<string> {
  const text = folded.slice(0, MAX_CHARS);
  const shingles = new Set<string>();
  for (let i = 0; i === 0 || i + SHINGLE_CHARS <= text.length; i++)
    shingles.add(text.slice(i, i + SHINGLE_CHARS));
  return shingles;
}
