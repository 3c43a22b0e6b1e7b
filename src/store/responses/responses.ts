/** Records responses, and deletes those of a respondent. list.ts lists them. */
import { errors, type Fault } from '../../errors.ts';
import type { ResponseInput } from '../../schemas/response.ts';
import { defineCommand, type Tx } from '../db.ts';
import { deleteDrawsOf } from '../draws/row.ts';
import { deleteReportsOf } from '../reports/reports.ts';
import type { NewRow } from '../table.ts';
import type { Visibility } from '../view.ts';
import { scoreResponse } from './record.ts';
import {
  ANSWERED,
  ANSWERED_QUESTIONS,
  compareSittings,
  encodeChosen,
  GIVEN,
  type Given,
  pack,
  SITTINGS,
  type SittingRow,
  unpack,
} from './sittings.ts';

export interface Recording {
  /** With canonical ids. */
  inputs: ResponseInput[];
  /** Whether the body was an array; determines the JSON pointers of faults. */
  many: boolean;
  /** When they arrived. */
  at: number;
  visibility: Visibility;
}

interface Sitting {
  respondent: string;
  session: string;
  group: string | null;
  given: Given[];
}

export interface Recorded {
  /** The number of new responses; the others replaced earlier ones. */
  created: number;
  /**
   * The result of a single response. Without the respondent, because it is stored under an
   * Idempotency-Key.
   */
  one: { group: string | null; at: number; correct: boolean | null } | undefined;
}

export const recordResponses = defineCommand(
  'recordResponses',
  async (tx: Tx, { inputs, many, at, visibility }: Recording): Promise<Recorded> => {
    const questions = await findQuestions(tx, inputs, { many, visibility });
    const sittings = groupBySitting(inputs, questions, at);
    const unanswered = [...questions.values()].filter(({ answered_slot }) => answered_slot === null);
    if (unanswered.length > 0)
      await tx.insert(
        ANSWERED_QUESTIONS,
        unanswered.sort((a, b) => a.slot - b.slot),
        'ON CONFLICT (slot) DO NOTHING',
      );
    const locked = await lockSittings(tx, sittings);
    let created = 0;
    for (const batch of toBatches(sittings, locked)) created += await addResponses(tx, batch, locked);
    if (many) return { created, one: undefined };
    const [{ given, group, respondent, session }] = sittings as [Sitting];
    const [response] = given as [Given];
    const [question] = questions.values();
    const stored = locked.get(sittingKey({ respondent, session }))!;
    const correct = scoreResponse(response, JSON.parse(`{${question!.answer_json}}`));
    return { created, one: { group: group ?? stored.in_group, at: response.at, correct } };
  },
);

type LockedSitting = Pick<SittingRow, 'id' | 'respondent' | 'session' | 'in_group' | 'n'>;

/** Sittings inserted or locked by one statement. */
const LOCK_BATCH_SIZE = 2000;
/** A respondent may be deleted between the insert of a row and its lock. */
const MAX_LOCK_ATTEMPTS = 5;

/**
 * Locks the rows of these sittings until the transaction ends. Inserts those that are missing, then
 * locks all. Lock order: both by respondent and session, so that two transactions that record for
 * the same respondents cannot deadlock.
 */
async function lockSittings(tx: Tx, sittings: Sitting[]): Promise<Map<string, LockedSitting>> {
  const locked = new Map<string, LockedSitting>();
  for (let attempts = 0; locked.size < sittings.length; attempts++) {
    if (attempts === MAX_LOCK_ATTEMPTS)
      throw errors.unavailable('These respondents are being deleted at the same time. Try again shortly.');
    const missing = sittings.filter((sitting) => !locked.has(sittingKey(sitting)));
    for (let i = 0; i < missing.length; i += LOCK_BATCH_SIZE)
      await tx.insert(
        SITTINGS,
        missing
          .slice(i, i + LOCK_BATCH_SIZE)
          .map(({ respondent, session }) => ({ respondent, session, n: 0, responses: new Uint8Array() })),
        'ON CONFLICT (respondent, session) DO NOTHING',
      );
    for (let i = 0; i < missing.length; i += LOCK_BATCH_SIZE) {
      const names = missing
        .slice(i, i + LOCK_BATCH_SIZE)
        .map(({ respondent, session }) => [respondent, session]);
      const rows = await tx.all<LockedSitting>(
        `SELECT id, respondent, session, in_group, n FROM sittings
         WHERE (respondent, session) IN ${tx.dialect.rows('$1', { respondent: 'text', session: 'text' })}
         ORDER BY respondent, session ${tx.dialect.forUpdate}`,
        JSON.stringify(names),
      );
      for (const row of rows) locked.set(sittingKey(row), row);
    }
  }
  return locked;
}

/**
 * Responses that one statement writes, stored ones included. Packing more would block the event
 * loop.
 */
const WRITE_BATCH_SIZE = 5000;

function* toBatches(sittings: Sitting[], locked: Map<string, LockedSitting>): Generator<Sitting[]> {
  let batch: Sitting[] = [];
  let n = 0;
  for (const sitting of sittings) {
    batch.push(sitting);
    n += sitting.given.length + locked.get(sittingKey(sitting))!.n;
    if (n < WRITE_BATCH_SIZE) continue;
    yield batch;
    batch = [];
    n = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Adds responses to the stored ones of these sittings; returns the number of new responses. */
async function addResponses(
  tx: Tx,
  sittings: Sitting[],
  locked: Map<string, LockedSitting>,
): Promise<number> {
  const stored = new Map<number, Uint8Array>();
  const ids = sittings.map((sitting) => locked.get(sittingKey(sitting))!).filter(({ n }) => n > 0);
  if (ids.length > 0) {
    const rows = await tx.all<Pick<SittingRow, 'id' | 'responses'>>(
      `SELECT id, responses FROM sittings WHERE id IN ${tx.dialect.values('$1', 'bigint')}`,
      JSON.stringify(ids.map(({ id }) => id)),
    );
    for (const { id, responses } of rows) stored.set(id, responses);
  }
  const pairs: NewRow<typeof ANSWERED>[] = [];
  const changed = sittings.map((sitting) => {
    const row = locked.get(sittingKey(sitting))!;
    const before = stored.get(row.id);
    const { all, added } = mergeResponses(before ? unpack(before) : [], sitting.given);
    for (const slot of added) pairs.push({ question: slot, sitting: row.id });
    const in_group = sitting.group ?? row.in_group;
    return { ...row, in_group, n: all.length, responses: pack(all) };
  });
  await tx.insert(
    SITTINGS,
    changed,
    `ON CONFLICT (id)
     DO UPDATE SET in_group = excluded.in_group, n = excluded.n, responses = excluded.responses`,
  );
  await tx.insert(ANSWERED, pairs);
  return pairs.length;
}

interface AnsweredQuestion {
  id: string;
  slot: number;
  /** The slot again if the question has responses. */
  answered_slot: number | null;
  /** Read where a single response is scored. */
  answer_json: string | null;
}

/** Questions looked up by one statement. */
const LOOKUP_BATCH_SIZE = 5000;

/**
 * Finds the questions of the responses, by id. Throws with a fault for each unknown one. A response
 * to a draft is not recorded: it would disclose the draft to callers that read responses.
 */
async function findQuestions(
  tx: Tx,
  inputs: ResponseInput[],
  { many, visibility }: { many: boolean; visibility: Visibility },
): Promise<Map<string, AnsweredQuestion>> {
  const questions = new Map<string, AnsweredQuestion>();
  const ids = [...new Set(inputs.map(({ question_id }) => question_id))];
  for (let i = 0; i < ids.length; i += LOOKUP_BATCH_SIZE) {
    const rows = await tx.all<AnsweredQuestion>(
      `SELECT q.id, q.created_slot AS slot, a.slot AS answered_slot, ${many ? 'NULL' : 'q.answer_json'} AS answer_json
       FROM questions q LEFT JOIN answered_questions a ON a.slot = q.created_slot
       WHERE q.id IN ${tx.dialect.values('$1', 'uuid')}
         AND q.status IN (${visibility === 'all' ? "'approved', 'retired'" : "'approved'"})`,
      JSON.stringify(ids.slice(i, i + LOOKUP_BATCH_SIZE)),
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
            detail: `is ${question_id}, which no ${visibility === 'all' ? 'approved or retired ' : ''}question has`,
          },
        ],
  );
  if (faults.length > 0) throw errors.invalidBody(faults);
  return questions;
}

const sittingKey = ({ respondent, session }: { respondent: string; session: string }) =>
  `${respondent}\0${session}`;

/** Groups responses by respondent and session, in the lock order. */
function groupBySitting(
  inputs: ResponseInput[],
  questions: Map<string, AnsweredQuestion>,
  now: number,
): Sitting[] {
  const sittings = new Map<string, Sitting>();
  for (const input of inputs) {
    const { respondent } = input;
    const session = input.session ?? '';
    const sitting = sittings.getOrInsertComputed(sittingKey({ respondent, session }), () => ({
      respondent,
      session,
      group: null,
      given: [],
    }));
    sitting.group = input.group ?? sitting.group;
    const at = typeof input.answered_at === 'string' ? Date.parse(input.answered_at) : now;
    sitting.given.push({ slot: questions.get(input.question_id)!.slot, at, ...parseResponse(input) });
  }
  return [...sittings.values()].sort(compareSittings);
}

/** The kind and answer of an input. */
export function parseResponse({ answer, correct, missing }: ResponseInput): Pick<Given, 'kind' | 'answer'> {
  if (Array.isArray(answer) && answer.length > 0) return { kind: GIVEN.chosen, answer: encodeChosen(answer) };
  if (typeof answer === 'string' && answer !== '') return { kind: GIVEN.answer, answer };
  if (correct !== undefined) return { kind: correct ? GIVEN.correct : GIVEN.wrong, answer: '' };
  return { kind: missing === 'not_reached' ? GIVEN.notReached : GIVEN.omitted, answer: '' };
}

/**
 * Merges new responses into stored ones, replacing those to the same question; returns the slots
 * that are new.
 */
function mergeResponses(before: Given[], given: Given[]): { all: Given[]; added: number[] } {
  const bySlot = new Map(before.map((response) => [response.slot, response]));
  const added: number[] = [];
  for (const response of given) {
    if (!bySlot.has(response.slot)) added.push(response.slot);
    bySlot.set(response.slot, response);
  }
  const all = [...bySlot.values()];
  return { all: added.length > 0 ? all.sort((a, b) => a.slot - b.slot) : all, added };
}

/** Deletes all responses, reports and draws of a respondent; returns the number of responses. */
export const deleteRespondent = defineCommand(
  'deleteRespondent',
  async (tx: Tx, respondent: string): Promise<number> => {
    const rows = await tx.all<Pick<SittingRow, 'id' | 'n' | 'responses'>>(
      `SELECT id, n, responses FROM sittings WHERE respondent = $1 ORDER BY respondent, session ${tx.dialect.forUpdate}`,
      respondent,
    );
    // Deletes by the locked rows: responses recorded at the same time come after the deletion, and
    // stay complete.
    for (const { id, responses } of rows) {
      const slots = unpack(responses).map(({ slot }) => slot);
      await tx.run(
        `DELETE FROM answered WHERE sitting = $1
       AND question IN ${tx.dialect.values('$2', 'bigint')}`,
        id,
        JSON.stringify(slots),
      );
      await tx.run('DELETE FROM moved_responses WHERE sitting = $1', id);
      await tx.run('DELETE FROM sittings WHERE id = $1', id);
    }
    await deleteReportsOf(tx, respondent);
    await deleteDrawsOf(tx, respondent);
    return rows.reduce((sum, { n }) => sum + n, 0);
  },
);
