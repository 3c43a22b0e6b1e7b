/**
 * Counts of a text: words, syllables, letters and so on, as textstat 0.7 counts them, with three
 * differences. A typographic apostrophe is an apostrophe. Sentences do not end at abbreviations,
 * initials, decimal points or within quotations, but at the lines of a song (tokens.ts). A name is
 * never a long, difficult or complex word, and counts as a word of at most two syllables and six
 * letters (names.ts).
 *
 * Characters are classified in typed arrays rather than with regular expressions, because there are
 * many.
 */
import { isProbablyForeign } from './language.ts';
import { findNames, listOptionNames } from './names.ts';
import { findSentenceEnds, type Token, tokenize } from './tokens.ts';

const COUNTS = [
  'words',
  'names',
  'tokens',
  'sentences',
  'syllables',
  'letters',
  'characters',
  'polysyllables',
  'long_words',
  'difficult_words',
  'complex_words',
] as const;
export type Counts = Record<(typeof COUNTS)[number], number>;

const createCounts = (): Counts => ({
  words: 0,
  names: 0,
  tokens: 0,
  sentences: 0,
  syllables: 0,
  letters: 0,
  characters: 0,
  polysyllables: 0,
  long_words: 0,
  difficult_words: 0,
  complex_words: 0,
});

/** Character classes, as bits. */
const WORD = 1;
const LETTER = 2;
const LATIN = 4;
const SPACE = 8;

const IS_WORD = /^[\p{L}\p{N}_]$/u;
const IS_LETTER = /^\p{L}$/u;
const IS_LATIN = /^\p{Script=Latin}$/u;
const IS_SPACE = /^\s$/;

const classify = (character: string): number =>
  (IS_WORD.test(character) ? WORD : 0) |
  (IS_LETTER.test(character) ? LETTER : 0) |
  (IS_LATIN.test(character) ? LATIN : 0) |
  (IS_SPACE.test(character) ? SPACE : 0);

const UNKNOWN = 255;
/** Classes by UTF-16 code unit, filled in on first use. */
const CLASSES = new Uint8Array(0x10000).fill(UNKNOWN);

const MIN_POLYSYLLABLE_SYLLABLES = 3;
const MAX_NAME_SYLLABLES = 2;
const MAX_NAME_LETTERS = 6;
/** Shorter sequences are not counted as sentences. */
const MIN_SENTENCE_WORDS = 3;

export interface WordProperties {
  syllables: number;
  /** Seven letters or more. */
  isLong: boolean;
  /** On the Dale-Chall list. */
  isEasy: boolean;
  /** In the English dictionary. */
  isKnown: boolean;
}

/** Bounds of the word cache. */
const MAX_CACHED_WORDS = 200_000;
const MAX_CACHED_WORD_CHARS = 40;
/** Copies a slice: V8 slices keep the whole string that they were cut from in memory. */
const copyString = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

export interface TextAnalysis {
  counts: Counts;
  /** Whether most of the letters are Latin. */
  isLatin: boolean;
  /** Whether most of the words that can be judged are not English. */
  isForeign: boolean;
  /** Words in the English dictionary. */
  knownWords: number;
}

/** Analyzes many texts, caching the properties of their words. */
export class TextAnalyzer {
  readonly #lookUpWord: (word: string) => WordProperties;
  readonly #cache = new Map<string, WordProperties>();
  /** Classes of the characters of the current text. Reused, since most texts are short. */
  #classes = new Uint8Array(1024);

  constructor(lookUpWord: (word: string) => WordProperties) {
    this.#lookUpWord = lookUpWord;
  }

  /** Options are read for the names in them only. */
  analyze(text: string, options: readonly string[] = []): TextAnalysis {
    const analysis: TextAnalysis = {
      counts: createCounts(),
      isLatin: false,
      isForeign: false,
      knownWords: 0,
    };
    const isKnown = (word: string) => this.#getProperties(word).isKnown;
    const tokens = tokenize(text);
    const ends = findSentenceEnds(tokens);
    const names = findNames(tokens, ends, listOptionNames(options, isKnown), isKnown);
    this.#countCharacters(text, analysis);
    analysis.counts.tokens = tokens.length;
    for (const [i, { word }] of tokens.entries()) if (word !== '') this.#addWord(word, names[i]!, analysis);
    analysis.counts.sentences = countSentences(tokens, ends);
    analysis.isForeign = analysis.isLatin && isProbablyForeign(tokens, names, isKnown);
    return analysis;
  }

  #countCharacters(text: string, analysis: TextAnalysis): void {
    if (this.#classes.length < text.length) this.#classes = new Uint8Array(2 * text.length);
    const classes = this.#classes;
    let [characters, letters, latin, other] = [0, 0, 0, 0];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      let bits = CLASSES[code]!;
      if (bits === UNKNOWN) {
        const character = String.fromCodePoint(text.codePointAt(i)!);
        bits = classify(character);
        // A high surrogate has no class of its own: it depends on the code point.
        if (character.length === 2) classes[i++] = bits;
        else if (character.isWellFormed()) CLASSES[code] = bits;
      }
      classes[i] = bits;
      if (!(bits & SPACE)) characters++;
      if (bits & WORD) letters++;
      if (bits & LATIN) latin++;
      else if (bits & LETTER) other++;
    }
    analysis.counts.characters = characters;
    analysis.counts.letters = letters;
    analysis.isLatin = latin > other;
  }

  #addWord(word: string, isName: boolean, analysis: TextAnalysis): void {
    const { counts } = analysis;
    const { syllables, isLong, isEasy, isKnown } = this.#getProperties(word);
    counts.words++;
    if (isKnown) analysis.knownWords++;
    if (isName) {
      const excess = Math.max(0, [...word].length - MAX_NAME_LETTERS);
      counts.names++;
      counts.syllables += Math.min(syllables, MAX_NAME_SYLLABLES);
      counts.letters -= excess;
      counts.characters -= excess;
      return;
    }
    counts.syllables += syllables;
    if (syllables >= MIN_POLYSYLLABLE_SYLLABLES) counts.polysyllables++;
    if (isLong) counts.long_words++;
    if (!isEasy) counts.difficult_words++;
    if (!isEasy && syllables >= MIN_POLYSYLLABLE_SYLLABLES) counts.complex_words++;
  }

  #getProperties(word: string): WordProperties {
    const cached = this.#cache.get(word);
    if (cached !== undefined) return cached;
    const properties = this.#lookUpWord(word);
    if (word.length > MAX_CACHED_WORD_CHARS) return properties;
    if (this.#cache.size >= MAX_CACHED_WORDS) this.#cache.clear();
    this.#cache.set(copyString(word), properties);
    return properties;
  }
}

function countSentences(tokens: readonly Token[], ends: readonly boolean[]): number {
  let [sentences, words] = [0, 0];
  for (const [i, { word }] of tokens.entries()) {
    if (word !== '') words++;
    if (!ends[i] && i + 1 < tokens.length) continue;
    if (words >= MIN_SENTENCE_WORDS) sentences++;
    words = 0;
  }
  return Math.max(1, sentences);
}

/** The counts of many texts in one typed array: 44 bytes per text. */
export class CountTable {
  readonly #cells: Uint32Array;

  constructor(size: number) {
    this.#cells = new Uint32Array(size * COUNTS.length);
  }

  set(index: number, counts: Counts): void {
    for (let k = 0; k < COUNTS.length; k++) this.#cells[index * COUNTS.length + k] = counts[COUNTS[k]!];
  }

  get(index: number): Counts {
    const counts = createCounts();
    for (let k = 0; k < COUNTS.length; k++) counts[COUNTS[k]!] = this.#cells[index * COUNTS.length + k]!;
    return counts;
  }
}
