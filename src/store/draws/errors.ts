/** The errors of draws. */
import { ApiError, type Fault } from '../../errors.ts';
import type { Shortage } from './row.ts';

const DRAW_CONFLICT = 'draw_conflict';

export const drawErrors = {
  noSuchDraw: (id: string) => new ApiError(404, 'no_such_draw', `There is no draw ${id}.`),
  shortSupply: (shortages: Shortage[]) =>
    new ApiError(
      409,
      'short_supply',
      'There are too few questions, and nothing was drawn; see shortages. Ask for fewer, or send "when_short": "fewer".',
      { members: { shortages } },
    ),
  alreadyAnswered: (faults: Fault[]) =>
    new ApiError(
      409,
      'already_answered',
      'The respondent has answered some of these questions of the draw; see errors. Nothing was recorded.',
      { errors: faults },
    ),
  drawConflict: () =>
    new ApiError(
      409,
      DRAW_CONFLICT,
      'Other questions were handed out to the respondent at the same moment. Nothing was drawn; try again.',
      { headers: { 'retry-after': '1' } },
    ),
};

export const isDrawConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === DRAW_CONFLICT;
