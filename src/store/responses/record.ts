/** A response as the API shows it, and its score. */
import { isCorrect, type Key } from '../questions/scoring.ts';
import { formatTime } from '../time.ts';
import { decodeAnswer, GIVEN, type Given, hasText } from './sittings.ts';

interface Owner {
  question_id: string;
  respondent: string;
  session: string;
  group: string | null;
}

/** A response as the API shows it, without its score. */
export const toRecord = ({ session, ...owner }: Owner, { kind, answer, at }: Omit<Given, 'slot'>) => ({
  ...owner,
  session: session === '' ? null : session,
  answer: hasText(kind) ? decodeAnswer({ kind, answer }) : null,
  missing: kind === GIVEN.omitted ? 'omitted' : kind === GIVEN.notReached ? 'not_reached' : null,
  answered_at: formatTime(at),
});

/** Scores a response; null for a missing answer, and for an answer to a deleted question. */
export function scoreResponse({ kind, answer }: Omit<Given, 'slot'>, key: Key | undefined): boolean | null {
  if (hasText(kind)) return key ? isCorrect(key, decodeAnswer({ kind, answer })) : null;
  return kind === GIVEN.correct ? true : kind === GIVEN.wrong ? false : null;
}
