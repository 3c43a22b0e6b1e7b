/** The tokens of a text, prepared once for the comparison with many other texts. */
import { FILLERS } from './lexicon.ts';
import type { Token } from './tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Above every position of a token: sorts by two numbers at once. */
const POSITIONS = 2 ** 20;

export const isContent = ({ kind }: Token) => kind !== 'stopword';

/** Words without statistics: they are not counted (text-index.ts). */
export const isFiller = ({ key, name }: Token) => FILLERS.has(key) && name !== true;

export const sumIdf = (tokens: readonly Token[], vocabulary: Vocabulary) =>
  tokens.reduce((sum, { stem }) => sum + vocabulary.idf(stem), 0);

export class PreparedText {
  readonly tokens: readonly Token[];
  /** The tokens without stopwords. */
  readonly content: readonly Token[];
  /** The numbers of the keys of `content`, ascending, and by entry the position in `content`. */
  readonly keyNumbers: Uint32Array;
  readonly positions: Uint32Array;
  #keys: Set<string> | undefined;
  #stopwords: Token[] | undefined;
  #idf: number | undefined;

  /** `numberKey` returns the same number for the same key. */
  constructor(tokens: readonly Token[], numberKey: (key: string) => number) {
    this.tokens = tokens;
    this.content = tokens.filter(isContent);
    const sorted = new Float64Array(this.content.length);
    for (const [i, { key }] of this.content.entries()) sorted[i] = numberKey(key) * POSITIONS + i;
    sorted.sort();
    this.keyNumbers = Uint32Array.from(sorted, (value) => Math.floor(value / POSITIONS));
    this.positions = Uint32Array.from(sorted, (value) => value % POSITIONS);
  }

  hasKey(key: string): boolean {
    this.#keys ??= new Set(this.tokens.map((token) => token.key));
    return this.#keys.has(key);
  }

  /** Each spelling once. */
  get stopwords(): readonly Token[] {
    if (!this.#stopwords) {
      const distinct = new Map<string, Token>();
      for (const token of this.tokens)
        if (!isContent(token)) distinct.set(`${token.key} ${token.written}`, token);
      this.#stopwords = [...distinct.values()];
    }
    return this.#stopwords;
  }

  /** The sum over `content` without fillers. */
  idf(vocabulary: Vocabulary): number {
    this.#idf ??= sumIdf(
      this.content.filter((token) => !isFiller(token)),
      vocabulary,
    );
    return this.#idf;
  }
}

/**
 * The content words that only one of two texts has, in their order; of a repeated word, the last
 * occurrences. Undefined if there are more than `max` in a text.
 */
export function findUnmatched(
  a: PreparedText,
  b: PreparedText,
  max: number,
): [a: Token[], b: Token[]] | undefined {
  const [onlyA, onlyB] = [[] as number[], [] as number[]];
  const [keysA, keysB] = [a.keyNumbers, b.keyNumbers];
  let [i, j] = [0, 0];
  while (i < keysA.length || j < keysB.length) {
    const difference = i === keysA.length ? 1 : j === keysB.length ? -1 : keysA[i]! - keysB[j]!;
    if (difference < 0 && onlyA.push(a.positions[i]!) > max) return undefined;
    if (difference > 0 && onlyB.push(b.positions[j]!) > max) return undefined;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  const pick = (tokens: readonly Token[], positions: number[]) =>
    positions.sort((x, y) => x - y).map((position) => tokens[position]!);
  return [pick(a.content, onlyA), pick(b.content, onlyB)];
}
