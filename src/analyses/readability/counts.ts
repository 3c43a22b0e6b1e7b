/**
 * Counts of a text: words, sentences, syllables and so on, as textstat 0.7 counts them, so that
 * results can be compared. The one difference: a typographic apostrophe is an apostrophe.
 *
 * Every character of a bank passes through here, so texts are scanned by character class in typed
 * arrays rather than with regular expressions.
 */

const COUNTS = [
  'words',
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
const STOP = 16;

const IS_WORD = /^[\p{L}\p{N}_]$/u;
const IS_LETTER = /^\p{L}$/u;
const IS_LATIN = /^\p{Script=Latin}$/u;
const IS_SPACE = /^\s$/;
const IS_STOP = /^[.!?]$/;

const classify = (character: string): number =>
  (IS_WORD.test(character) ? WORD : 0) |
  (IS_LETTER.test(character) ? LETTER : 0) |
  (IS_LATIN.test(character) ? LATIN : 0) |
  (IS_SPACE.test(character) ? SPACE : 0) |
  (IS_STOP.test(character) ? STOP : 0);

const UNKNOWN = 255;
/** Classes by UTF-16 code unit, filled in on first use. */
const CLASSES = new Uint8Array(0x10000).fill(UNKNOWN);

const MIN_POLYSYLLABLE_SYLLABLES = 3;

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

  analyze(text: string): TextAnalysis {
    const analysis: TextAnalysis = { counts: createCounts(), isLatin: false, knownWords: 0 };
    this.#countCharacters(text, analysis);
    this.#countWords(text, analysis);
    this.#countSentences(text, analysis);
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

  /** A word extends from the first to the last letter or digit of a token. */
  #countWords(text: string, analysis: TextAnalysis): void {
    const classes = this.#classes;
    let start = -1;
    let end = -1;
    let withinToken = false;
    for (let i = 0; i < text.length; i++) {
      const bits = classes[i]!;
      if (bits & SPACE) {
        if (start >= 0) this.#addWord(text.slice(start, end), analysis);
        start = -1;
        withinToken = false;
        continue;
      }
      if (!withinToken) analysis.counts.tokens++;
      withinToken = true;
      if (bits & WORD) {
        if (start < 0) start = i;
        end = i + 1;
      }
    }
    if (start >= 0) this.#addWord(text.slice(start, end), analysis);
  }

  #addWord(word: string, analysis: TextAnalysis): void {
    const { counts } = analysis;
    const { syllables, isLong, isEasy, isKnown } = this.#getProperties(word);
    counts.words++;
    counts.syllables += syllables;
    if (syllables >= MIN_POLYSYLLABLE_SYLLABLES) counts.polysyllables++;
    if (isLong) counts.long_words++;
    if (!isEasy) counts.difficult_words++;
    if (!isEasy && syllables >= MIN_POLYSYLLABLE_SYLLABLES) counts.complex_words++;
    if (isKnown) analysis.knownWords++;
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

  /** A sentence ends at a full stop, question or exclamation mark and has three words or more. */
  #countSentences(text: string, { counts }: TextAnalysis): void {
    const classes = this.#classes;
    let words = 0;
    let withinWord = false;
    for (let i = 0; i < text.length; i++) {
      const bits = classes[i]!;
      if (bits & WORD) {
        if (!withinWord) words++;
        withinWord = true;
      } else if (bits & (SPACE | STOP)) {
        withinWord = false;
        if (bits & STOP) {
          if (words > 2) counts.sentences++;
          words = 0;
        }
      }
    }
    if (words > 2) counts.sentences++;
    counts.sentences = Math.max(1, counts.sentences);
  }
}

/** The counts of many texts in one typed array: 40 bytes per text. */
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
