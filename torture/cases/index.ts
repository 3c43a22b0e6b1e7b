/** The catalogue, in the order in which it runs. */
import type { TortureCase } from '../case.ts';

export const CASES: TortureCase[] = [];
