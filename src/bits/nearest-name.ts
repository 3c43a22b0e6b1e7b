/** Finds the name that was probably meant by a name that does not exist. */
import { editDistance } from './edit-distance.ts';

/** Both bound the time of a search: that of one comparison is quadratic in the length. */
const MAX_COMPARED_CHARS = 64;
const MAX_COMPARED_NAMES = 1000;
/** The share of the characters of the longer name that may differ. */
const MAX_DIFFERENCE = 0.4;
/** The difference of a name that has all words of the other: "Games" and "Video Games". */
const CONTAINED_DIFFERENCE = 0.3;

/** Returns undefined if no name is near. Of equally near names, the first. */
export function findNearestName(wanted: string, names: readonly string[]): string | undefined {
  const folded = foldName(wanted);
  if (folded === '') return undefined;
  let nearest: { name: string; difference: number } | undefined;
  for (const name of names.slice(0, MAX_COMPARED_NAMES)) {
    const difference = computeDifference(folded, foldName(name));
    if (difference <= MAX_DIFFERENCE && difference < (nearest?.difference ?? Number.POSITIVE_INFINITY))
      nearest = { name, difference };
  }
  return nearest?.name;
}

/** Ignores case, diacritics and punctuation. */
const foldName = (name: string): string =>
  name
    .slice(0, MAX_COMPARED_CHARS)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** From 0, for equal names, to 1. */
function computeDifference(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (1 - shorter.length / longer.length <= MAX_DIFFERENCE) {
    const difference = editDistance(a, b) / longer.length;
    if (difference <= CONTAINED_DIFFERENCE) return difference;
    return containsWords(longer, shorter) ? CONTAINED_DIFFERENCE : difference;
  }
  return containsWords(longer, shorter) ? CONTAINED_DIFFERENCE : 1;
}

const containsWords = (longer: string, shorter: string): boolean => ` ${longer} `.includes(` ${shorter} `);
