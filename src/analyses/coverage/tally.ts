/** Counts questions by category, difficulty and topic, in one pass. */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';

export const LEVELS = DIFFICULTIES.map(({ name }) => name);

export interface NamedCounts {
  /** As first spelled. */
  name: string;
  /** By difficulty. */
  counts: number[];
}

export interface CategoryCounts extends NamedCounts {
  /** The folded name. */
  key: string;
  /** Undefined until the first topic, which saves memory in banks with very many categories. */
  topics: Map<string, NamedCounts> | undefined;
  withoutTopic: number;
}

/** Names that differ only in case or Unicode composition are the same. */
export const foldName = (name: string) => name.normalize('NFC').toLowerCase();

export const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Ties keep the order of first occurrence, since sorting is stable. */
export const sortByCount = <T extends NamedCounts>(counted: Iterable<T>) =>
  [...counted].sort((a, b) => sum(b.counts) - sum(a.counts));

export class Tally {
  readonly #byKey = new Map<string, CategoryCounts>();
  /** By exact spelling: saves folding the name of nearly every question. */
  readonly #byName = new Map<string, CategoryCounts>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get categories(): Iterable<CategoryCounts> {
    return this.#byKey.values();
  }

  /** Adds a category that may have no question. */
  addCategory(name: string): void {
    this.#byName.getOrInsertComputed(name, (name) => this.#getCategory(name));
  }

  /** Counts a question and returns the counts of its category. */
  add(name: string, difficulty: number, topicKey: string | null, topic: string | null): CategoryCounts {
    const category = this.#byName.getOrInsertComputed(name, (name) => this.#getCategory(name));
    category.counts[difficulty]!++;
    if (topicKey === null) {
      category.withoutTopic++;
    } else {
      category.topics ??= new Map();
      category.topics.getOrInsertComputed(topicKey, () => createCounts(topic!)).counts[difficulty]!++;
    }
    return category;
  }

  #getCategory(name: string): CategoryCounts {
    const key = foldName(name);
    const create = () => ({ ...createCounts(name), key, topics: undefined, withoutTopic: 0 });
    return this.#byKey.getOrInsertComputed(key, create);
  }
}

const createCounts = (name: string): NamedCounts => ({ name, counts: LEVELS.map(() => 0) });
