/** The transitions between statuses, and who may make them. docs/review.md has the table. */
import { STATUSES, type Status } from '../../schemas/status.ts';

/** What the caller may do, by scope. */
export interface Powers {
  writes: boolean;
  reviews: boolean;
  /** Makes every transition, and approves their own changes. */
  administers: boolean;
}

type Role = 'writer' | 'reviewer';

/** While review is on. Approval is by reviews; every other transition is up to an admin. */
const TRANSITIONS: Record<Status, Partial<Record<Status, readonly Role[]>>> = {
  draft: { in_review: ['writer'], retired: ['writer'] },
  in_review: { draft: ['writer', 'reviewer'], retired: ['writer'] },
  approved: { draft: ['writer', 'reviewer'], retired: ['writer', 'reviewer'] },
  retired: { draft: ['writer', 'reviewer'] },
};

/** A change to an earlier status requires a reason. */
export const isBack = (from: Status, to: Status) => STATUSES.indexOf(to) < STATUSES.indexOf(from);

/** The scope that the caller lacks for a transition; undefined if they may make it. */
export function findMissingScope(
  from: Status,
  to: Status,
  powers: Powers,
  reviewIsOn: boolean,
): 'questions:write' | 'admin' | undefined {
  if (powers.administers) return undefined;
  const roles = reviewIsOn ? TRANSITIONS[from][to] : (['writer'] as const);
  if (!roles) return 'admin';
  const isAllowed = roles.some((role) => (role === 'writer' ? powers.writes : powers.reviews));
  return isAllowed ? undefined : 'questions:write';
}
