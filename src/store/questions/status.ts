/**
 * The status of questions: which questions a caller sees. The index has a facet for questions that
 * are not approved and one for each of their statuses; approved questions are in none of them. So a
 * bank without review has no further entries.
 */
import { STATUSES, type Status } from '../../schemas/status.ts';
import type { Visibility } from '../view.ts';
import { facet } from './facets.ts';

/** The condition that a question, or a revision, is one that the caller sees. */
export const isVisibleSql = (row: string, visibility: Visibility) =>
  visibility === 'all' ? 'true' : `${row}.status = 'approved'`;

/** The facets of questions that the caller does not see. */
export const listHiddenFacets = (visibility: Visibility): string[] =>
  visibility === 'all' ? [] : [facet.unapproved];

/** The facets that questions with one of these statuses have one of, or none of. */
export function selectStatuses(statuses: readonly Status[]): { any: string[]; none: string[] } {
  if (statuses.length === 0) return { any: [], none: [facet.all] };
  if (!statuses.includes('approved')) return { any: statuses.map(facet.status), none: [] };
  const others = STATUSES.filter((status) => !statuses.includes(status));
  return { any: [], none: statuses.length === 1 ? [facet.unapproved] : others.map(facet.status) };
}
