/** Responses: recorded, and forgotten with the person who gave them. How they are listed: response-list.ts. */
import { errors, type Fault } from '../errors.ts';
import type { ResponseInput } from '../schemas/response.ts';
import type { Table, Tx, Value } from './db.ts';
import { rightness } from './response-list.ts';
import { slotsOf } from './selection.ts';
import {
  GIVEN,
  type Given,
  pack,
  SITTING_COLUMNS,
  SITTINGS,
  type SittingRow,
  sittingValues,
  unpack,
} from './sittings.ts';

const NEW_SITTINGS: Table = {
  name: 'sittings',
  columns: { respondent: 'text', session: 'text', n: 'bigint', responses: 'bytea' },
  onConflict: 'ON CONFLICT (respondent, session) DO NOTHING',
};

const ANSWERED: Table = { name: 'answered', columns: { question: 'bigint', sitting: 'bigint' } };

const ANSWERED_QUESTIONS: Table = {
  name: 'answered_questions',
  columns: { slot: 'bigint', id: 'uuid' },
  onConflict: 'ON CONFLICT (slot) DO NOTHING',
};

export interface Recording {
  /** With ids in the form they are stored in. */
  inputs: ResponseInput[];
  /** Whether the body was an array: it decides where faults point. */
  many: boolean;
  /** When they arrived. */
  at: number;
}

interface Sitting {
  respondent: string;
  session: string;
  group: string | null;
  given: Given[];
}

export interface Recorded {
  created: number;
  replaced: number;
  /** What became of a single one. Nothing in it names the respondent: it is kept where an Idempotency-Key was given. */
  one: { group: string | null; at: number; correct: boolean | null } | undefined;
}

/** Responses written by one statement: a long one would stop the loop while it is put together. */
const AT_ONCE = 2000;

export async function recordResponses(tx: Tx, { inputs, many, at }: Recording): Promise<Recorded> {
  const slots = await questionsAnswered(tx, inputs, many);
  const sittings = bySitting(inputs, slots, at);
  await tx.insert(
    ANSWERED_QUESTIONS,
    [...slots].sort(([, a], [, b]) => a - b).map(([id, slot]) => [slot, id]),
  );
  let created = 0;
  let group: string | null = null;
  for (const some of portions(sittings)) {
    const done = await addTo(tx, some);
    created += done.created;
    group = done.group;
  }
  const counts = { created, replaced: inputs.length - created };
  if (many) return { ...counts, one: undefined };
  const given = sittings[0]!.given[0]!;
  const question = await tx.get<{ secret: string }>(
    'SELECT secret FROM questions WHERE seq = $1',
    given.slot,
  );
  const correct = rightness(given, JSON.parse(`{${question!.secret}}`));
  return { ...counts, one: { group, at: given.at, correct } };
}

function* portions(sittings: Sitting[]): Generator<Sitting[]> {
  let some: Sitting[] = [];
  let n = 0;
  for (const sitting of sittings) {
    some.push(sitting);
    n += sitting.given.length;
    if (n < AT_ONCE) continue;
    yield some;
    some = [];
    n = 0;
  }
  if (some.length > 0) yield some;
}

/** Adds to what there is of these sittings; tells how many responses are new, and the group of the last of them. */
async function addTo(tx: Tx, sittings: Sitting[]): Promise<{ created: number; group: string | null }> {
  // Rows are made before they are locked, and in one order: whoever records for the same people at the same time waits, and
  // then adds to what was recorded before.
  await tx.insert(
    NEW_SITTINGS,
    sittings.map(({ respondent, session }) => [respondent, session, 0, new Uint8Array()]),
  );
  const rows = await tx.all<SittingRow>(
    `SELECT ${SITTING_COLUMNS} FROM sittings
     WHERE (respondent, session) IN (SELECT value->>0, value->>1 FROM ${tx.dialect.each('$1')})
     ORDER BY respondent, session ${tx.dialect.forUpdate}`,
    JSON.stringify(sittings.map(({ respondent, session }) => [respondent, session])),
  );
  const stored = new Map(rows.map((row) => [nameOf(row), row]));
  const pairs: Value[][] = [];
  const changed = sittings.map((sitting): SittingRow => {
    const row = stored.get(nameOf(sitting))!;
    const { all, added } = merged(unpack(row.responses), sitting.given);
    for (const slot of added) pairs.push([slot, row.id]);
    return { ...row, in_group: sitting.group ?? row.in_group, n: all.length, responses: pack(all) };
  });
  await tx.insert(SITTINGS, changed.map(sittingValues));
  await tx.insert(ANSWERED, pairs);
  return { created: pairs.length, group: changed.at(-1)!.in_group };
}

/** The slots of the questions that were answered, by their ids; every unknown one is told. */
async function questionsAnswered(
  tx: Tx,
  inputs: ResponseInput[],
  many: boolean,
): Promise<Map<string, number>> {
  const slots = await slotsOf(tx, [...new Set(inputs.map(({ question_id }) => question_id))]);
  const faults = inputs.flatMap(({ question_id }, i): Fault[] =>
    slots.has(question_id)
      ? []
      : [
          {
            pointer: `${many ? `/${i}` : ''}/question_id`,
            code: 'unknown_question',
            detail: `is ${question_id}, which no question has`,
          },
        ],
  );
  if (faults.length > 0) throw errors.invalidBody(faults);
  return slots;
}

const nameOf = ({ respondent, session }: { respondent: string; session: string }) =>
  `${respondent}\0${session}`;

/** The responses by respondent and session, in one order whoever sends them. */
function bySitting(inputs: ResponseInput[], slots: Map<string, number>, now: number): Sitting[] {
  const sittings = new Map<string, Sitting>();
  for (const input of inputs) {
    const { respondent } = input;
    const session = input.session ?? '';
    const sitting = sittings.getOrInsertComputed(nameOf({ respondent, session }), () => ({
      respondent,
      session,
      group: null,
      given: [],
    }));
    sitting.group = input.group ?? sitting.group;
    const at = typeof input.answered_at === 'string' ? Date.parse(input.answered_at) : now;
    sitting.given.push({ slot: slots.get(input.question_id)!, at, ...saidBy(input) });
  }
  return [...sittings].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sitting]) => sitting);
}

/** What an input says came of the question. */
export function saidBy({ answer, correct, missing }: ResponseInput): Pick<Given, 'kind' | 'answer'> {
  if (answer) return { kind: GIVEN.answer, answer };
  if (correct !== undefined) return { kind: correct ? GIVEN.correct : GIVEN.wrong, answer: '' };
  return { kind: missing === 'not_reached' ? GIVEN.notReached : GIVEN.omitted, answer: '' };
}

/** What was there with what came, a later one in place of an earlier one; and which slots are new. */
function merged(before: Given[], given: Given[]): { all: Given[]; added: number[] } {
  const bySlot = new Map(before.map((each) => [each.slot, each]));
  const added: number[] = [];
  for (const each of given) {
    if (!bySlot.has(each.slot)) added.push(each.slot);
    bySlot.set(each.slot, each);
  }
  const all = [...bySlot.values()];
  return { all: added.length > 0 ? all.sort((a, b) => a.slot - b.slot) : all, added };
}

/** Forgets everything that a respondent answered, and says how many responses that were. */
export async function forgetRespondent(tx: Tx, respondent: string): Promise<number> {
  const rows = await tx.all<SittingRow>(
    `SELECT ${SITTING_COLUMNS} FROM sittings WHERE respondent = $1 ORDER BY respondent, session ${tx.dialect.forUpdate}`,
    respondent,
  );
  for (const { id, responses } of rows) {
    const slots = unpack(responses).map(({ slot }) => slot);
    await tx.run(
      `DELETE FROM answered WHERE sitting = $1
       AND question IN (SELECT CAST(value AS bigint) FROM ${tx.dialect.each('$2')})`,
      id,
      JSON.stringify(slots),
    );
  }
  await tx.run('DELETE FROM sittings WHERE respondent = $1', respondent);
  return rows.reduce((sum, { n }) => sum + n, 0);
}
