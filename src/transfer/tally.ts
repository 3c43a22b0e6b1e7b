/** Counts what was lost, rejected or skipped by code, with the first of each as examples. */

export interface TallyEntry<E> {
  code: string;
  /** What the first one says. */
  detail: string;
  count: number;
  examples: E[];
}

export class Tally<E> {
  readonly #entries = new Map<string, TallyEntry<E>>();
  readonly #maxExamples: number;

  constructor(maxExamples: number) {
    this.#maxExamples = maxExamples;
  }

  add(code: string, detail: string, example: E): void {
    const entry = this.#entries.getOrInsertComputed(code, () => ({ code, detail, count: 0, examples: [] }));
    entry.count++;
    if (entry.examples.length < this.#maxExamples) entry.examples.push(example);
  }

  get total(): number {
    return this.#entries.values().reduce((sum, { count }) => sum + count, 0);
  }

  /** The most frequent first. */
  list(): TallyEntry<E>[] {
    return [...this.#entries.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  }
}
