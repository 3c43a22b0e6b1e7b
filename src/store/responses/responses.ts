/** Responses: recorded, and forgotten with the person who gave them. How they are listed: response-list.ts. */
import { errors, type Fault } from '../../errors.ts';
import type { ResponseInput } from '../../schemas/response.ts';
import type { Table, Tx, Value } from '../db.ts';
import { rightness } from './list.ts';
import {
  GIVEN,
  type Given,
  inOrder,
  pack,
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

export const ANSWERED: Table = { name: 'answered', columns: { question: 'bigint', sitting: 'bigint' } };

export const ANSWERED_QUESTIONS: Table = {
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
  /** How many are new; the others took the place of earlier ones. */
  created: number;
  /** What became of a single one. Nothing in it names the respondent: it is kept where an Idempotency-Key was given. */
  one: { group: string | null; at: number; correct: boolean | null } | undefined;
}

export async function recordResponses(tx: Tx, { inputs, many, at }: Recording): Promise<Recorded> {
  const questions = await questionsAnswered(tx, inputs, many);
  const sittings = bySitting(inputs, questions, at);
  const unheard = [...questions.values()].filter(({ heard }) => heard === null);
  if (unheard.length > 0)
    await tx.insert(
      ANSWERED_QUESTIONS,
      unheard.sort((a, b) => a.slot - b.slot).map(({ slot, id }) => [slot, id]),
    );
  const held = await lockSittings(tx, sittings);
  let created = 0;
  for (const portion of portions(sittings, held)) created += await addTo(tx, portion, held);
  if (many) return { created, one: undefined };
  const [{ given, group, respondent, session }] = sittings as [Sitting];
  const [response] = given as [Given];
  const [question] = questions.values();
  const stored = held.get(nameOf({ respondent, session }))!;
  const correct = rightness(response, JSON.parse(`{${question!.answer_json}}`));
  return { created, one: { group: group ?? stored.in_group, at: response.at, correct } };
}

type Held = Pick<SittingRow, 'id' | 'respondent' | 'session' | 'in_group' | 'n'>;

/** Sittings looked up, or made, by one statement. */
const AT_ONCE = 2000;
/** A respondent can be forgotten between making a row and holding it, though hardly again and again. */
const MOST_TRIES = 5;

/**
 * The rows of these sittings, held until the transaction ends. First all that are missing are made, then all are held, both in one
 * order: whoever records for the same people at the same time waits, and then adds to what was recorded before.
 */
async function lockSittings(tx: Tx, sittings: Sitting[]): Promise<Map<string, Held>> {
  const held = new Map<string, Held>();
  for (let tries = 0; held.size < sittings.length; tries++) {
    if (tries === MOST_TRIES)
      throw errors.unavailable('These respondents are being forgotten at the same time. Try again shortly.');
    const missing = sittings.filter((sitting) => !held.has(nameOf(sitting)));
    for (let i = 0; i < missing.length; i += AT_ONCE)
      await tx.insert(
        NEW_SITTINGS,
        missing
          .slice(i, i + AT_ONCE)
          .map(({ respondent, session }) => [respondent, session, 0, new Uint8Array()]),
      );
    for (let i = 0; i < missing.length; i += AT_ONCE) {
      const names = missing.slice(i, i + AT_ONCE).map(({ respondent, session }) => [respondent, session]);
      const rows = await tx.all<Held>(
        `SELECT id, respondent, session, in_group, n FROM sittings
         WHERE (respondent, session) IN (SELECT value->>0, value->>1 FROM ${tx.dialect.each('$1')})
         ORDER BY respondent, session ${tx.dialect.forUpdate}`,
        JSON.stringify(names),
      );
      for (const row of rows) held.set(nameOf(row), row);
    }
  }
  return held;
}

/** Responses, those that are there included, that are written by one statement: a long one stops the loop while it is put together. */
const WRITTEN_AT_ONCE = 5000;

function* portions(sittings: Sitting[], held: Map<string, Held>): Generator<Sitting[]> {
  let some: Sitting[] = [];
  let n = 0;
  for (const sitting of sittings) {
    some.push(sitting);
    n += sitting.given.length + held.get(nameOf(sitting))!.n;
    if (n < WRITTEN_AT_ONCE) continue;
    yield some;
    some = [];
    n = 0;
  }
  if (some.length > 0) yield some;
}

/** Adds to what there is of these sittings; tells how many responses are new. */
async function addTo(tx: Tx, sittings: Sitting[], held: Map<string, Held>): Promise<number> {
  const stored = new Map<number, Uint8Array>();
  const ids = sittings.map((sitting) => held.get(nameOf(sitting))!).filter(({ n }) => n > 0);
  if (ids.length > 0) {
    const rows = await tx.all<Pick<SittingRow, 'id' | 'responses'>>(
      `SELECT id, responses FROM sittings WHERE id IN (SELECT CAST(value AS bigint) FROM ${tx.dialect.each('$1')})`,
      JSON.stringify(ids.map(({ id }) => id)),
    );
    for (const { id, responses } of rows) stored.set(id, responses);
  }
  const pairs: Value[][] = [];
  const changed = sittings.map((sitting) => {
    const row = held.get(nameOf(sitting))!;
    const before = stored.get(row.id);
    const { all, added } = merged(before ? unpack(before) : [], sitting.given);
    for (const slot of added) pairs.push([slot, row.id]);
    const in_group = sitting.group ?? row.in_group;
    return sittingValues({ ...row, in_group, n: all.length, responses: pack(all) });
  });
  await tx.insert(SITTINGS, changed);
  await tx.insert(ANSWERED, pairs);
  return pairs.length;
}

interface Answered {
  id: string;
  slot: number;
  /** Its slot again, if anybody has answered it before. */
  heard: number | null;
  /** What tells the answer, for a single one to be scored. */
  answer_json: string | null;
}

/** Questions looked up by one statement. */
const LOOKED_UP = 5000;

/** The questions that were answered, by their ids; every unknown one is told. */
async function questionsAnswered(
  tx: Tx,
  inputs: ResponseInput[],
  many: boolean,
): Promise<Map<string, Answered>> {
  const questions = new Map<string, Answered>();
  const ids = [...new Set(inputs.map(({ question_id }) => question_id))];
  for (let i = 0; i < ids.length; i += LOOKED_UP) {
    const rows = await tx.all<Answered>(
      `SELECT q.id, q.created_slot AS slot, a.slot AS heard, ${many ? 'NULL' : 'q.answer_json'} AS answer_json
       FROM questions q LEFT JOIN answered_questions a ON a.slot = q.created_slot
       WHERE q.id IN (SELECT ${tx.dialect.id('value->>0')} FROM ${tx.dialect.each('$1')})`,
      JSON.stringify(ids.slice(i, i + LOOKED_UP).map((id) => [id])),
    );
    for (const row of rows) questions.set(row.id, row);
  }
  const faults = inputs.flatMap(({ question_id }, i): Fault[] =>
    questions.has(question_id)
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
  return questions;
}

const nameOf = ({ respondent, session }: { respondent: string; session: string }) =>
  `${respondent}\0${session}`;

/** The responses by respondent and session, in one order whoever sends them. */
function bySitting(inputs: ResponseInput[], questions: Map<string, Answered>, now: number): Sitting[] {
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
    sitting.given.push({ slot: questions.get(input.question_id)!.slot, at, ...saidBy(input) });
  }
  return [...sittings.values()].sort(inOrder);
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
export async function deleteRespondent(tx: Tx, respondent: string): Promise<number> {
  const rows = await tx.all<Pick<SittingRow, 'id' | 'n' | 'responses'>>(
    `SELECT id, n, responses FROM sittings WHERE respondent = $1 ORDER BY respondent, session ${tx.dialect.forUpdate}`,
    respondent,
  );
  // By the rows that are held: what is recorded in this moment comes after the forgetting, and stays whole.
  for (const { id, responses } of rows) {
    const slots = unpack(responses).map(({ slot }) => slot);
    await tx.run(
      `DELETE FROM answered WHERE sitting = $1
       AND question IN (SELECT CAST(value AS bigint) FROM ${tx.dialect.each('$2')})`,
      id,
      JSON.stringify(slots),
    );
    await tx.run('DELETE FROM sittings WHERE id = $1', id);
  }
  return rows.reduce((sum, { n }) => sum + n, 0);
}
