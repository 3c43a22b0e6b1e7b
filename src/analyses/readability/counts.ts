/**
 * What a text is made of. Words, sentences and syllables are counted as textstat 0.7 does, so that figures can be
 * compared; only a typographic apostrophe is taken for what it is.
 */

/** In the order in which they are told. */
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

const noCounts = (): Counts => ({
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

const kindOf = (character: string): number =>
  (IS_WORD.test(character) ? WORD : 0) |
  (IS_LETTER.test(character) ? LETTER : 0) |
  (IS_LATIN.test(character) ? LATIN : 0) |
  (IS_SPACE.test(character) ? SPACE : 0) |
  (IS_STOP.test(character) ? STOP : 0);

const UNKNOWN = 255;
/** By the code of a character, filled in as characters turn up: testing takes far longer than looking up. */
const KINDS = new Uint8Array(0x10000).fill(UNKNOWN);

const POLYSYLLABLE = 3;

export interface WordFacts {
  syllables: number;
  /** Of seven letters or more. */
  long: boolean;
  /** On the Dale-Chall list. */
  easy: boolean;
  /** In the dictionary of English. */
  known: boolean;
}

/** Words are remembered by how they are written, as long as they are few and short enough for memory. */
const REMEMBERED_WORDS = 200_000;
const REMEMBERED_LENGTH = 40;
/** Of a string that keeps the text it was cut from alive, one that does not. */
const detached = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

export interface Reading {
  counts: Counts;
  /** Of its letters, whether most are Latin ones. */
  latin: boolean;
  /** How many of the words are in the dictionary of English. */
  known: number;
}

/** Reads many texts, and remembers their words. */
export class Reader {
  readonly #factsOf: (written: string) => WordFacts;
  readonly #remembered = new Map<string, WordFacts>();
  /** Of the characters of the text that is being read. */
  #kinds = new Uint8Array(1024);

  constructor(factsOf: (written: string) => WordFacts) {
    this.#factsOf = factsOf;
  }

  read(text: string): Reading {
    const reading: Reading = { counts: noCounts(), latin: false, known: 0 };
    this.#readCharacters(text, reading);
    this.#readWords(text, reading);
    this.#readSentences(text, reading);
    return reading;
  }

  #readCharacters(text: string, reading: Reading): void {
    if (this.#kinds.length < text.length) this.#kinds = new Uint8Array(2 * text.length);
    const kinds = this.#kinds;
    let [characters, letters, latin, other] = [0, 0, 0, 0];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      let kind = KINDS[code]!;
      if (kind === UNKNOWN) {
        const character = String.fromCodePoint(text.codePointAt(i)!);
        kind = kindOf(character);
        // Half a character says nothing about the other characters that begin with it.
        if (character.length === 2) kinds[i++] = kind;
        else if (character.isWellFormed()) KINDS[code] = kind;
      }
      kinds[i] = kind;
      if (!(kind & SPACE)) characters++;
      if (kind & WORD) letters++;
      if (kind & LATIN) latin++;
      else if (kind & LETTER) other++;
    }
    reading.counts.characters = characters;
    reading.counts.letters = letters;
    reading.latin = latin > other;
  }

  /** A word goes from its first letter or digit to its last one before white space. */
  #readWords(text: string, reading: Reading): void {
    const kinds = this.#kinds;
    let start = -1;
    let end = -1;
    let withinToken = false;
    for (let i = 0; i < text.length; i++) {
      const kind = kinds[i]!;
      if (kind & SPACE) {
        if (start >= 0) this.#add(text.slice(start, end), reading);
        start = -1;
        withinToken = false;
        continue;
      }
      if (!withinToken) reading.counts.tokens++;
      withinToken = true;
      if (kind & WORD) {
        if (start < 0) start = i;
        end = i + 1;
      }
    }
    if (start >= 0) this.#add(text.slice(start, end), reading);
  }

  #add(written: string, reading: Reading): void {
    const { counts } = reading;
    const { syllables, long, easy, known } = this.#recall(written);
    counts.words++;
    counts.syllables += syllables;
    if (syllables >= POLYSYLLABLE) counts.polysyllables++;
    if (long) counts.long_words++;
    if (!easy) counts.difficult_words++;
    if (!easy && syllables >= POLYSYLLABLE) counts.complex_words++;
    if (known) reading.known++;
  }

  #recall(written: string): WordFacts {
    const remembered = this.#remembered.get(written);
    if (remembered !== undefined) return remembered;
    const facts = this.#factsOf(written);
    if (written.length > REMEMBERED_LENGTH) return facts;
    if (this.#remembered.size >= REMEMBERED_WORDS) this.#remembered.clear();
    this.#remembered.set(detached(written), facts);
    return facts;
  }

  /** A sentence goes from a letter or digit to a stop, even within a word. Two words or fewer are none. */
  #readSentences(text: string, { counts }: Reading): void {
    const kinds = this.#kinds;
    let words = 0;
    let withinWord = false;
    for (let i = 0; i < text.length; i++) {
      const kind = kinds[i]!;
      if (kind & WORD) {
        if (!withinWord) words++;
        withinWord = true;
      } else if (kind & (SPACE | STOP)) {
        withinWord = false;
        if (kind & STOP) {
          if (words > 2) counts.sentences++;
          words = 0;
        }
      }
    }
    if (words > 2) counts.sentences++;
    counts.sentences = Math.max(1, counts.sentences);
  }
}

/** The counts of many texts by their place: numbers only, so that a million of them need little. */
export class CountTable {
  readonly #cells: Uint32Array;

  constructor(texts: number) {
    this.#cells = new Uint32Array(texts * COUNTS.length);
  }

  set(place: number, counts: Counts): void {
    for (let k = 0; k < COUNTS.length; k++) this.#cells[place * COUNTS.length + k] = counts[COUNTS[k]!];
  }

  get(place: number): Counts {
    const counts = noCounts();
    for (let k = 0; k < COUNTS.length; k++) counts[COUNTS[k]!] = this.#cells[place * COUNTS.length + k]!;
    return counts;
  }
}
