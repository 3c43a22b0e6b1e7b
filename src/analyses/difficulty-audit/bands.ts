/** Maps difficulty labels to bands of facility. */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';

/** The names of the difficulties, by level. */
export const LEVELS = DIFFICULTIES.map(({ name }) => name);

/**
 * Facilities from `max_advanced_facility` up to but not including `min_basic_facility` are
 * Intermediate.
 */
export interface Bounds {
  min_basic_facility: number;
  max_advanced_facility: number;
}

/** The difficulty whose band contains the facility. */
export function findBand(facility: number, { min_basic_facility, max_advanced_facility }: Bounds): number {
  if (facility >= min_basic_facility) return 0;
  return facility >= max_advanced_facility ? 1 : 2;
}

/** The band of a difficulty. Its upper end belongs to the easier band, except for 1. */
export function getBand(
  difficulty: number,
  { min_basic_facility, max_advanced_facility }: Bounds,
): [from: number, to: number] {
  if (difficulty === 0) return [min_basic_facility, 1];
  return difficulty === 1 ? [max_advanced_facility, min_basic_facility] : [0, max_advanced_facility];
}
