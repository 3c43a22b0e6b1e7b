/** The events of changes of questions. */
import type { Status } from '../../schemas/status.ts';
import type { Tx } from '../db.ts';
import { emit } from '../events.ts';

interface Emission {
  at: number;
  subjects: string[];
  /** The statuses before and after the change; undefined where there is no question. */
  from: Status | undefined;
  to: Status | undefined;
  reveals_answers?: boolean | undefined;
}

const toKind = (from: unknown, to: unknown) =>
  to === undefined ? 'question.deleted' : from === undefined ? 'question.created' : 'question.updated';

/**
 * Emits the event of a change. Callers that see approved questions only get events as if there were
 * no others: an approved draft is a new question, and a retired one is deleted.
 */
export async function emitChange(tx: Tx, emission: Emission): Promise<void> {
  const { from, to, at, subjects, reveals_answers } = emission;
  const approvedOnly = [from, to].map((status) => (status === 'approved' ? status : undefined));
  const same = approvedOnly[0] === from && approvedOnly[1] === to;
  const event = { kind: toKind(from, to), at, subjects } as const;
  if (same) return emit(tx, { ...event, reveals_answers });
  await emit(tx, { ...event, reveals_answers, audience: 'editors' });
  const [before, after] = approvedOnly;
  if (before !== after) await emit(tx, { kind: toKind(before, after), at, subjects, audience: 'readers' });
}

interface Change extends Pick<Emission, 'from' | 'to'> {
  id: string;
  reveals_answers?: boolean;
}

/** Emits the events of changes of many questions, those that are alike together. */
export async function emitChanges(tx: Tx, at: number, changes: readonly Change[]): Promise<void> {
  const groups = Map.groupBy(changes, ({ from, to, reveals_answers }) => `${from} ${to} ${reveals_answers}`);
  for (const some of groups.values()) {
    const { from, to, reveals_answers } = some[0]!;
    await emitChange(tx, { at, subjects: some.map(({ id }) => id), from, to, reveals_answers });
  }
}
