/**
 * The distinct texts of a bank, their words and their shingles. Questions with the same folded text
 * share one text; texts are numbered in the order of their first questions.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { GrowingArray } from '../shared/growing-array.ts';
import type { Bank } from './bank.ts';
import { isContentWord, weighWord } from './content-words.ts';
import { FingerprintTable, fingerprint } from './fingerprints.ts';
import { isGenericText } from './generic-text.ts';
import { areOpposites, areSynonyms, FILLERS } from './lexicon.ts';
import { foldText } from './normalization.ts';
import { type PackedSets, rankByFrequency } from './packed-sets.ts';
import { PreparedText } from './prepared-text.ts';
import { compareRewording, type Rewording } from './rewording.ts';
import { buildShingleSets, findMaxChars } from './shingles.ts';
import { computeJaccard } from './similarity-join.ts';
import { areWordsSwapped } from './swapped-words.ts';
import { type Token, tokenize } from './tokens.ts';
import { mayBeTypo } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';
import { compareWording, type Wording } from './wording.ts';

/** How many tokens of prepared texts are cached: up to some 100 MB. */
const MAX_CACHED_TOKENS = 500_000;
/** Further texts that are assumed for the smoothed IDF: a word in all of five texts is not frequent. */
const BACKGROUND_TEXTS = 1000;
/** A word in fewer texts may be a typo. */
const MIN_ESTABLISHED_TEXTS = 3;
/** Texts that differ in more words do not ask the same. */
const MAX_DIFFERING_WORDS = 6;
/** Texts with more words, interrogatives included, are not generic. */
const MAX_GENERIC_WORDS = 4;
/** A bit of a word number: the word is certainly a name in this text. */
const NAME_BIT = 0x80000000;

export interface WordStatistics {
  /** The number of texts. */
  total: number;
  /** The number of texts that contain a word with the stem; at least 1. */
  countTexts(stem: string): number;
}

export class TextIndex {
  /** By question: its text. */
  readonly textOfQuestion = new GrowingArray(Uint32Array);
  /** By text: its first question. */
  readonly firstQuestions = new GrowingArray(Uint32Array);
  readonly vocabulary: Vocabulary;
  readonly #bank: Bank;
  #fingerprints = new FingerprintTable();
  /** By text: the length when folded. */
  readonly #lengths = new GrowingArray(Uint32Array);
  readonly #numbers = new Map<string, number>();
  readonly #words: { stem: string; key: string; isNumber: boolean; texts: number }[] = [];
  /** By text: its content words, ascending, with NAME_BIT. */
  readonly #members = new GrowingArray(Uint32Array);
  readonly #starts = new GrowingArray(Uint32Array);
  /** By text. */
  readonly #prepared = new Map<number, PreparedText>();
  #cachedTokens = 0;
  readonly #generic = new Map<number, boolean>();
  readonly #keyNumbers = new Map<string, number>();
  #shingles: PackedSets | undefined;

  /** `statistics`: those of a larger bank that the texts are compared as a part of. */
  constructor(bank: Bank, statistics?: WordStatistics) {
    this.#bank = bank;
    this.#starts.push(0);
    const countTexts = (stem: string) =>
      statistics?.countTexts(stem) ?? this.#words[this.#numbers.get(stem) ?? -1]?.texts ?? 1;
    const total = () => statistics?.total ?? this.count;
    this.vocabulary = {
      idf: (stem) => Math.log(1 + total() / countTexts(stem)),
      smoothedIdf: (stem) => Math.log(1 + (total() + BACKGROUND_TEXTS) / (countTexts(stem) + 1)),
      isEstablished: (stem) => countTexts(stem) >= MIN_ESTABLISHED_TEXTS,
    };
  }

  get count(): number {
    return this.firstQuestions.length;
  }

  /** Adds the last question of the bank. */
  add(): void {
    const text = this.#bank.texts.at(-1)!;
    const folded = foldText(text);
    const number = this.#fingerprints.intern(...fingerprint(folded));
    this.textOfQuestion.push(number);
    if (number < this.count) return;
    this.#lengths.push(folded.length);
    this.firstQuestions.push(this.#bank.texts.length - 1);
    this.#addWords(tokenize(text));
  }

  #addWords(tokens: Token[]): void {
    const own = new Map<number, boolean>();
    for (const token of tokens) {
      if (token.kind !== 'stopword' && !FILLERS.has(token.key))
        own.set(this.#internWord(token), token.name === true);
    }
    for (const [number, isName] of [...own].sort(([a], [b]) => a - b)) {
      this.#words[number]!.texts++;
      this.#members.push(isName ? number + NAME_BIT : number);
    }
    this.#starts.push(this.#members.length);
  }

  #internWord({ stem, key, kind }: Token): number {
    const known = this.#numbers.get(stem);
    if (known !== undefined) return known;
    this.#numbers.set(stem, this.#words.length);
    return this.#words.push({ stem, key, isNumber: kind === 'number', texts: 0 }) - 1;
  }

  /**
   * Builds the shingle sets of all texts. No question can be added afterwards. `maxChars` is the
   * length to which long texts were cut, or null.
   */
  async buildShingleSets(ticker: Ticker): Promise<{ sets: PackedSets; maxChars: number | null }> {
    this.#fingerprints = new FingerprintTable();
    const lengths = this.#lengths.view();
    const maxChars = findMaxChars(lengths);
    const isCut = lengths.some((length) => length > maxChars);
    const sets = await buildShingleSets(lengths, (text) => foldText(this.#read(text)), maxChars, ticker);
    this.#shingles = sets;
    return { sets, maxChars: isCut ? maxChars : null };
  }

  /** Builds the sets of content words of all texts. */
  buildWordSets(ticker: Ticker): Promise<PackedSets> {
    const members = this.#members.view().map((member) => member & ~NAME_BIT);
    return rankByFrequency(this.#starts.view().slice(), members, this.#words.length, ticker);
  }

  /** The content words of a text by their numbers, ascending. */
  wordsOf(text: number): Uint32Array {
    return this.#members
      .view(this.#starts.at(text), this.#starts.at(text + 1))
      .map((member) => member & ~NAME_BIT);
  }

  /** By the number of a word: its weight (content-words.ts), 0 if it does not count. */
  weighWords(): Float64Array {
    return Float64Array.from(this.#words, ({ stem, key }) => {
      const token: Token = { key, stem, written: key, kind: 'word', name: false };
      return isContentWord(token) ? weighWord(token, this.vocabulary) : 0;
    });
  }

  compareRewording(a: number, b: number): Rewording | undefined {
    return compareRewording(this.#prepare(a), this.#prepare(b), this.vocabulary);
  }

  isGeneric(text: number): boolean {
    if (this.#starts.at(text + 1) - this.#starts.at(text) > MAX_GENERIC_WORDS) return false;
    return this.#generic.getOrInsertComputed(text, () => isGenericText(this.#prepare(text).tokens));
  }

  /** Whether two words of one text are exchanged in the other. */
  areWordsSwapped(a: number, b: number): boolean {
    return areWordsSwapped(this.#prepare(a).content, this.#prepare(b).content);
  }

  /** The Jaccard similarity of the shingles of two texts. */
  similarity(a: number, b: number): number {
    return a === b ? 1 : computeJaccard(this.#shingles!, a, b, 0);
  }

  /** The length of a text when folded. */
  countChars(text: number): number {
    return this.#lengths.at(text);
  }

  compareWording(a: number, b: number): Wording {
    return compareWording(this.#prepare(a), this.#prepare(b), this.vocabulary);
  }

  #read(text: number): string {
    return this.#bank.texts[this.firstQuestions.at(text)]!;
  }

  #prepare(text: number): PreparedText {
    const cached = this.#prepared.get(text);
    if (cached) return cached;
    const tokens = tokenize(this.#read(text));
    const prepared = new PreparedText(tokens, (key) =>
      this.#keyNumbers.getOrInsertComputed(key, () => this.#keyNumbers.size),
    );
    this.#cachedTokens += tokens.length;
    if (this.#cachedTokens > MAX_CACHED_TOKENS) {
      this.#prepared.clear();
      this.#cachedTokens = tokens.length;
    }
    this.#prepared.set(text, prepared);
    return prepared;
  }

  /**
   * A cheap filter before compareWording, which saves most comparisons in banks made of a few
   * templates: false only where two texts cannot ask the same.
   */
  mayAskTheSame(a: number, b: number): boolean {
    const [onlyA, onlyB] = this.#findDifferingWords(a, b);
    if (onlyA.length === 0 || onlyB.length === 0) return true;
    if (onlyA.length + onlyB.length > MAX_DIFFERING_WORDS) return false;
    const isNumber = (member: number) => this.#words[member & ~NAME_BIT]!.isNumber;
    if (onlyA.some(isNumber) && onlyB.some(isNumber)) return false;
    if (onlyA.length > 1 || onlyB.length > 1 || (onlyA[0]! < NAME_BIT && onlyB[0]! < NAME_BIT)) return true;
    const [wordA, wordB] = [this.#words[onlyA[0]! & ~NAME_BIT]!, this.#words[onlyB[0]! & ~NAME_BIT]!];
    if (mayBeTypo(wordA.stem, wordB.stem)) return true;
    return areOpposites(wordA.key, wordB.key) || areSynonyms(wordA.key, wordB.key);
  }

  /** The words that only one of two texts has. Stops after MAX_DIFFERING_WORDS + 1. */
  #findDifferingWords(a: number, b: number): [number[], number[]] {
    const result: [number[], number[]] = [[], []];
    let [i, j] = [this.#starts.at(a), this.#starts.at(b)];
    const [endA, endB] = [this.#starts.at(a + 1), this.#starts.at(b + 1)];
    while ((i < endA || j < endB) && result[0].length + result[1].length <= MAX_DIFFERING_WORDS) {
      const difference =
        i === endA
          ? 1
          : j === endB
            ? -1
            : (this.#members.at(i) & ~NAME_BIT) - (this.#members.at(j) & ~NAME_BIT);
      if (difference < 0) result[0].push(this.#members.at(i));
      if (difference > 0) result[1].push(this.#members.at(j));
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
    return result;
  }
}
