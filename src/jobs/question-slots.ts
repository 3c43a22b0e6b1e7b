/**
 * The slots and categories of questions by id: a hash table with open addressing in typed arrays,
 * some 40 bytes per question where a Map of strings takes three times as much.
 */
const WORDS_PER_ID = 4;
const MAX_LOAD = 0.5;

export class QuestionSlots {
  readonly #ids: Uint32Array;
  readonly #slots: Float64Array;
  /** Indexes into the names. */
  readonly #categories: Uint32Array;
  readonly #names: string[] = [];
  readonly #indexes = new Map<string, number>();
  /** 1 + the number of an entry, at the first free place from its hash on. */
  readonly #table: Uint32Array;
  #length = 0;

  constructor(capacity: number) {
    this.#ids = new Uint32Array(WORDS_PER_ID * capacity);
    this.#slots = new Float64Array(capacity);
    this.#categories = new Uint32Array(capacity);
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(capacity / MAX_LOAD + 1)));
  }

  add(id: string, slot: number, category: string): void {
    const words = parseWords(id);
    const entry = this.#length++;
    this.#ids.set(words, WORDS_PER_ID * entry);
    this.#slots[entry] = slot;
    this.#categories[entry] = this.#indexes.getOrInsertComputed(
      category,
      () => this.#names.push(category) - 1,
    );
    this.#table[this.#find(words)] = entry + 1;
  }

  get(id: string): { slot: number; category: string } | undefined {
    const entry = this.#table[this.#find(parseWords(id))]! - 1;
    if (entry < 0) return undefined;
    return { slot: this.#slots[entry]!, category: this.#names[this.#categories[entry]!]! };
  }

  /** The place of an id in the table, or the free place where it belongs. */
  #find(words: number[]): number {
    const mask = this.#table.length - 1;
    // The last word of an id is random.
    for (let place = words[3]! & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place]!;
      if (entry === 0) return place;
      const start = WORDS_PER_ID * (entry - 1);
      if (words.every((word, i) => this.#ids[start + i] === word)) return place;
    }
  }
}

const parseWords = (id: string): number[] => {
  const hex = id.replaceAll('-', '');
  return [0, 8, 16, 24].map((start) => Number.parseInt(hex.slice(start, start + 8), 16));
};
