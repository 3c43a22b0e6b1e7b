/** The catalogue, in the order in which it runs. */
import type { TortureCase } from '../case.ts';
import { kill } from './kill.ts';
import { overloadCase } from './overload.ts';

export const CASES: TortureCase[] = [kill, overloadCase];
