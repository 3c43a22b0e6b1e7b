/** Marks the words in which two texts differ, by their longest common subsequence. */

export interface Piece {
  text: string;
  differs: boolean;
}

/** Words with the white space that follows them. */
const splitChunks = (text: string) => text.match(/\S+\s*/gu) ?? [];

/** Without case and punctuation, unless there is nothing else. */
const toKey = (chunk: string) => {
  const key = chunk.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  return key === '' ? chunk.trim() : key;
};

/**
 * Cuts `text` into pieces that `other` has and pieces it does not have. O(nm) words: for short
 * texts.
 */
export function diffWords(text: string, other: string): Piece[] {
  const chunks = splitChunks(text);
  const [keys, otherKeys] = [chunks.map(toKey), splitChunks(other).map(toKey)];
  const common = computeCommonLengths(keys, otherKeys);
  const pieces: Piece[] = [];
  for (let i = 0, j = 0; i < chunks.length; i++) {
    while (keys[i] !== otherKeys[j] && j < otherKeys.length && common[i]![j + 1] === common[i]![j]) j++;
    const differs = j >= otherKeys.length || keys[i] !== otherKeys[j];
    if (!differs) j++;
    const last = pieces.at(-1);
    if (last && last.differs === differs) last.text += chunks[i]!;
    else pieces.push({ text: chunks[i]!, differs });
  }
  return pieces;
}

/** The length of the longest common subsequence of a[i..] and b[j..], by i and j. */
function computeCommonLengths(a: string[], b: string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
