/** Counts questions by category, difficulty and topic. */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';

export const LEVELS = DIFFICULTIES.map(({ name }) => name);

export interface Counted {
  /** As it was written first. */
  name: string;
  /** By difficulty. */
  counts: number[];
}

export interface Category extends Counted {
  key: string;
  /** Made with the first topic: where there are very many categories, most have none. */
  topics: Map<string, Counted> | undefined;
  withoutTopic: number;
}

/** Names are the same whatever their case, and however their accents are written. */
export const fold = (name: string) => name.normalize('NFC').toLowerCase();

export const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** The largest first; sorting is stable, so of equal ones the one that was met first. */
export const largestFirst = <T extends Counted>(counted: Iterable<T>) =>
  [...counted].sort((a, b) => sumOf(b.counts) - sumOf(a.counts));

export class Tally {
  readonly #byKey = new Map<string, Category>();

  /** Whether there is a question in the category, by its folded name. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Most questions have a category whose name was met before, letter for letter. */
  readonly #byName = new Map<string, Category>();

  get categories(): Iterable<Category> {
    return this.#byKey.values();
  }

  /** Counts a question and gives its category. */
  add(name: string, difficulty: number, topicKey: string | null, topic: string | null): Category {
    const category = this.#byName.getOrInsertComputed(name, (name) => this.#categoryOf(name));
    category.counts[difficulty]!++;
    if (topicKey === null) {
      category.withoutTopic++;
    } else {
      category.topics ??= new Map();
      category.topics.getOrInsertComputed(topicKey, () => counted(topic!)).counts[difficulty]!++;
    }
    return category;
  }

  #categoryOf(name: string): Category {
    const key = fold(name);
    const fresh = () => ({ ...counted(name), key, topics: undefined, withoutTopic: 0 });
    return this.#byKey.getOrInsertComputed(key, fresh);
  }
}

const counted = (name: string): Counted => ({ name, counts: LEVELS.map(() => 0) });
