/**
 * The registry of analysis types. A new type is a folder beside this file and an entry in
 * `analyses`.
 */
import type { Static } from 'typebox';
import { coverage } from './coverage/index.ts';
import { dif } from './dif/index.ts';
import { difficultyAudit } from './difficulty-audit/index.ts';
import { duplicates } from './duplicates/index.ts';
import { irt } from './irt/index.ts';
import { itemStatistics } from './item-statistics/index.ts';
import { labels } from './labels/index.ts';
import { quality } from './quality/index.ts';
import { readability } from './readability/index.ts';
import { reliability } from './reliability/index.ts';

export const analyses = [
  ...[coverage, duplicates, readability, quality, labels],
  ...[itemStatistics, reliability, irt, difficultyAudit, dif],
] as const;

export type Analysis = (typeof analyses)[number];

export const findAnalysis = (type: string): Analysis | undefined =>
  analyses.find((analysis) => analysis.type === type);

/** The given parameters, completed by the defaults of the schema. */
export function withDefaults<A extends Analysis>(analysis: A, given: object): Static<A['parameters']> {
  const properties = Object.entries(analysis.parameters.properties as Record<string, { default?: unknown }>);
  const defaults = Object.fromEntries(properties.map(([name, schema]) => [name, schema.default]));
  return { ...defaults, ...given } as Static<A['parameters']>;
}
