/** The difficulties as bands of facility, and where an observed facility lies among them. */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';

/** Their names, by level. */
export const LEVELS = DIFFICULTIES.map(({ name }) => name);

/** Facilities from `advanced_below` to before `basic_from` are Intermediate. */
export interface Bounds {
  basic_from: number;
  advanced_below: number;
}

export function bandOf(facility: number, { basic_from, advanced_below }: Bounds): number {
  if (facility >= basic_from) return 0;
  return facility >= advanced_below ? 1 : 2;
}

/** Where the facilities of a difficulty begin and end; the upper end belongs to the band above, but for 1. */
export function rangeOf(difficulty: number, { basic_from, advanced_below }: Bounds): [number, number] {
  if (difficulty === 0) return [basic_from, 1];
  return difficulty === 1 ? [advanced_below, basic_from] : [0, advanced_below];
}

export type Verdict = 'as_labelled' | 'harder' | 'easier' | 'too_few';

/** A label is wrong only if no facility of the whole interval would fit it. */
export function verdictOn(
  difficulty: number,
  [low, high]: readonly [number, number],
  bounds: Bounds,
): Exclude<Verdict, 'too_few'> {
  if (bandOf(high, bounds) > difficulty) return 'harder';
  return bandOf(low, bounds) < difficulty ? 'easier' : 'as_labelled';
}
