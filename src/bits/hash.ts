/**
 * FNV-1a (Fowler, Noll, Vo), 32 bits. Not cryptographic: for hash tables, shuffling and change
 * detection only. Texts are hashed by their UTF-16 code units.
 */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** The plain hash, as a signed integer. Its low bits depend mostly on the last characters. */
export function fnv1a(text: string, seed = OFFSET_BASIS): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

export function fnv1aBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, PRIME);
  return hash;
}

/** Adds the finalizer of MurmurHash3, so that every bit depends on every character. Unsigned. */
export function hash32(text: string): number {
  let hash = fnv1a(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
