/** Typed arrays on shared memory, visible to all threads of an executor. */

export const sharedFloats = (length: number) =>
  new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));

export function sharedIntegers(content: number | ArrayLike<number>): Uint32Array {
  const length = typeof content === 'number' ? content : content.length;
  const integers = new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
  if (typeof content !== 'number') integers.set(content);
  return integers;
}
