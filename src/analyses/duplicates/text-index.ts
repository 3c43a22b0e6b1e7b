/** The texts of a bank: which are the same, which words they use, and how two of them compare. */
import { type Bank, Numbers } from './bank.ts';
import { FingerprintTable, fingerprint } from './fingerprints.ts';
import { areOpposites, areSynonyms, FILLERS } from './lexicon.ts';
import { foldText } from './normalization.ts';
import { type PackedSets, rankByFrequency } from './packed-sets.ts';
import { buildShingleSets, findMaxChars } from './shingles.ts';
import { computeJaccard } from './similarity-join.ts';
import { type Token, tokenize } from './tokens.ts';
import { mayBeTypo } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';
import { compareWording, type Wording } from './wording.ts';

export type Progress = (share: number) => Promise<void>;

/** Texts of which the words are kept at hand. */
const CACHED = 20_000;
/** Words in fewer texts than this may be slips of the pen. */
const ESTABLISHED = 3;
/** Texts that differ in more words are not the same question; there is no need to look closer. */
const MOST_DIFFERING = 6;
/** In a member of a set of words, beside the number of the word: whether it is certainly a name here. */
const NAME = 0x80000000;

/** Questions with the same letters share a node; nodes are numbered in the order of their first questions. */
export class TextIndex {
  /** For each question its node. */
  readonly textOfQuestion = new Numbers();
  /** For each node its first question. */
  readonly firstQuestions = new Numbers();
  readonly vocabulary: Vocabulary;
  readonly #bank: Bank;
  #known = new FingerprintTable();
  readonly #lengths = new Numbers();
  readonly #numbers = new Map<string, number>();
  readonly #words: { stem: string; key: string; isNumber: boolean; texts: number }[] = [];
  /** For each node its words, ascending. */
  readonly #members = new Numbers();
  readonly #starts = new Numbers();
  readonly #cache = new Map<number, Token[]>();
  #grams: PackedSets | undefined;

  constructor(bank: Bank) {
    this.#bank = bank;
    this.#starts.push(0);
    const textsWith = (stem: string) => this.#words[this.#numbers.get(stem) ?? -1]?.texts ?? 1;
    this.vocabulary = {
      idf: (stem) => Math.log(1 + this.firstQuestions.length / textsWith(stem)),
      isEstablished: (stem) => textsWith(stem) >= ESTABLISHED,
    };
  }

  /** Adds the question that was added to the bank last. */
  add(): void {
    const text = this.#bank.texts.at(-1)!;
    const folded = foldText(text);
    const node = this.#known.intern(...fingerprint(folded));
    this.textOfQuestion.push(node);
    if (node < this.firstQuestions.length) return;
    this.#lengths.push(folded.length);
    this.firstQuestions.push(this.#bank.texts.length - 1);
    this.#addWords(tokenize(text));
  }

  #addWords(tokens: Token[]): void {
    const own = new Map<number, boolean>();
    for (const token of tokens) {
      if (token.kind !== 'stopword' && !FILLERS.has(token.key))
        own.set(this.#numberOf(token), token.name === true);
    }
    for (const [number, name] of [...own].sort(([a], [b]) => a - b)) {
      this.#words[number]!.texts++;
      this.#members.push(name ? number + NAME : number);
    }
    this.#starts.push(this.#members.length);
  }

  #numberOf({ stem, key, kind }: Token): number {
    const known = this.#numbers.get(stem);
    if (known !== undefined) return known;
    this.#numbers.set(stem, this.#words.length);
    return this.#words.push({ stem, key, isNumber: kind === 'number', texts: 0 }) - 1;
  }

  /**
   * The grams of all nodes. From here on nothing can be added. `cut` is where long texts were cut off, if any
   * were.
   */
  async buildShingleSets(progress: Progress): Promise<{ sets: PackedSets; cut: number | null }> {
    this.#known = new FingerprintTable();
    const lengths = this.#lengths.part();
    const longest = findMaxChars(lengths);
    const cut = lengths.some((length) => length > longest) ? longest : null;
    const sets = await buildShingleSets(lengths, (node) => foldText(this.#textOf(node)), longest, progress);
    this.#grams = sets;
    return { sets, cut };
  }

  /** The words that matter of all nodes. */
  buildWordSets(progress: Progress): Promise<PackedSets> {
    const members = this.#members.part().map((member) => member & ~NAME);
    return rankByFrequency(this.#starts.part().slice(), members, this.#words.length, progress);
  }

  similarity(a: number, b: number): number {
    return a === b ? 1 : computeJaccard(this.#grams!, a, b, 0);
  }

  /** How many letters there are to be compared in two texts. */
  countChars(a: number, b: number): number {
    return this.#lengths.at(a) + this.#lengths.at(b);
  }

  compareWording(a: number, b: number): Wording {
    return compareWording(this.#tokens(a), this.#tokens(b), this.vocabulary);
  }

  #textOf(node: number): string {
    return this.#bank.texts[this.firstQuestions.at(node)]!;
  }

  #tokens(node: number): Token[] {
    const cached = this.#cache.get(node);
    if (cached) return cached;
    if (this.#cache.size >= CACHED) this.#cache.clear();
    const tokens = tokenize(this.#textOf(node));
    this.#cache.set(node, tokens);
    return tokens;
  }

  /**
   * A quick look that spares most comparisons in banks made of a few frames: false only where they cannot ask
   * the same.
   */
  mayAskTheSame(a: number, b: number): boolean {
    const [onlyA, onlyB] = this.#differing(a, b);
    if (onlyA.length === 0 || onlyB.length === 0) return true;
    if (onlyA.length + onlyB.length > MOST_DIFFERING) return false;
    const isNumber = (member: number) => this.#words[member & ~NAME]!.isNumber;
    if (onlyA.some(isNumber) && onlyB.some(isNumber)) return false;
    if (onlyA.length > 1 || onlyB.length > 1 || (onlyA[0]! < NAME && onlyB[0]! < NAME)) return true;
    const [one, other] = [this.#words[onlyA[0]! & ~NAME]!, this.#words[onlyB[0]! & ~NAME]!];
    if (mayBeTypo(one.stem, other.stem)) return true;
    return areOpposites(one.key, other.key) || areSynonyms(one.key, other.key);
  }

  /** The words that only one of them has; no more than matter. */
  #differing(a: number, b: number): [number[], number[]] {
    const result: [number[], number[]] = [[], []];
    let [i, j] = [this.#starts.at(a), this.#starts.at(b)];
    const [endA, endB] = [this.#starts.at(a + 1), this.#starts.at(b + 1)];
    while ((i < endA || j < endB) && result[0].length + result[1].length <= MOST_DIFFERING) {
      const difference =
        i === endA ? 1 : j === endB ? -1 : (this.#members.at(i) & ~NAME) - (this.#members.at(j) & ~NAME);
      if (difference < 0) result[0].push(this.#members.at(i));
      if (difference > 0) result[1].push(this.#members.at(j));
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
    return result;
  }
}
