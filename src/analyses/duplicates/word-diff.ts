/** What differs between two texts, word by word. */

export interface Piece {
  text: string;
  differs: boolean;
}

/** The words of a text with the blanks behind them. */
const chunksOf = (text: string) => text.match(/\S+\s*/gu) ?? [];

const keyOf = (chunk: string) => {
  const key = chunk.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  return key === '' ? chunk.trim() : key;
};

/**
 * A text in pieces: what is not in the other one differs (by a longest common subsequence). For short texts.
 */
export function diffWords(text: string, other: string): Piece[] {
  const chunks = chunksOf(text);
  const [keys, otherKeys] = [chunks.map(keyOf), chunksOf(other).map(keyOf)];
  const common = commonLengths(keys, otherKeys);
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

/** For each pair of places, how many words the rests of both have in common, in order. */
function commonLengths(a: string[], b: string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
