/**
 * A typed array that grows as values are appended: four or eight bytes per value, where an array of
 * JavaScript numbers would take more and be scanned by the garbage collector. Capacity doubles, so
 * that appending takes constant time on average.
 */
type Storage = Uint8Array | Uint32Array | Int32Array | Float64Array;

const INITIAL_CAPACITY = 1024;

export class GrowingArray<A extends Storage> {
  readonly #Kind: new (
    length: number,
  ) => A;
  #storage: A;
  #length = 0;

  constructor(Kind: new (length: number) => A) {
    this.#Kind = Kind;
    this.#storage = new Kind(INITIAL_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#storage.length) this.#storage = resize(this.#storage, this.#length * 2);
    this.#storage[this.#length++] = value;
  }

  at(index: number): number {
    return this.#storage[index]!;
  }

  set(index: number, value: number): void {
    this.#storage[index] = value;
  }

  /** A view of the values from `start` to before `end`, not a copy. The next push may detach it. */
  view(start = 0, end = this.#length): A {
    return this.#storage.subarray(start, end) as A;
  }

  /** Hands over the first `length` values, trimmed to size. The array is empty afterwards. */
  release(length = this.#length): A {
    const released = resize(this.#storage, length);
    this.#storage = new this.#Kind(INITIAL_CAPACITY);
    this.#length = 0;
    return released;
  }
}

/** Moves the memory instead of copying it where the allocator can. The old array is detached. */
function resize<A extends Storage>(storage: A, length: number): A {
  const Kind = storage.constructor as new (buffer: ArrayBuffer) => A;
  const buffer = storage.buffer as ArrayBuffer;
  return new Kind(buffer.transfer(length * storage.BYTES_PER_ELEMENT));
}
