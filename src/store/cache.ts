/** The size of an entry besides its value: the map's slot, the key's header, the entry object. */
const ENTRY_BYTES = 500;

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/**
 * A cache bounded in bytes, which evicts the least recently used entries first. Callers estimate
 * the size of values.
 */
export class LruCache {
  /** In order of use: a Map iterates in order of insertion, and a hit inserts its entry again. */
  readonly #entries = new Map<string, { value: unknown; bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get<V>(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value as V;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  set(key: string, value: unknown, valueBytes: number): void {
    const bytes = valueBytes + 2 * key.length + ENTRY_BYTES;
    this.#bytes += bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, bytes });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
