/** Responses in lists and one by one, each with whether it is right by the key as it is now. */

import type { Db, Value } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { time } from '../questions/row.ts';
import { isCorrect, type Key } from '../questions/scoring.ts';
import { GIVEN, type Given, SITTING_COLUMNS, type SittingRow, Unpacking } from './sittings.ts';

/** A response by the row it is in and the slot of its question. */
export interface SittingPlace {
  sitting: number;
  slot: number;
}

/** Where a page begins: behind so many, or behind a response. */
type Start = { offset: number } | SittingPlace;

export interface ResponseListArgs {
  filter: {
    question_id?: string | undefined;
    respondent?: string | undefined;
    session?: string | undefined;
    group?: string | undefined;
  };
  start: Start;
  limit: number;
}

/** A response with where it stands. */
interface Found extends Given {
  sitting: SittingRow;
}

/** Responses in the order in which sittings began, and within one in the order of their questions, as JSON texts. */
export async function listResponses(db: Db, { filter, start, limit }: ResponseListArgs) {
  return db.snapshot(async (tx) => {
    const conditions: string[] = [];
    const params: Value[] = [];
    const where = (column: string, value: string | undefined) => {
      if (value !== undefined) conditions.push(`s.${column} = $${params.push(value)}`);
    };
    where('respondent', filter.respondent);
    where('session', filter.session);
    where('in_group', filter.group);
    const sittings = { conditions: conditions.join(' AND ') || 'true', params };
    const { found, total, offset } =
      filter.question_id === undefined
        ? await inSittings(tx, sittings, start, limit)
        : await toQuestion(tx, sittings, await slotOf(tx, filter.question_id), start, limit);
    const last = found.at(-1);
    return {
      items: (await recordsOf(tx, found)).join(','),
      n: found.length,
      total,
      offset,
      last: undefined,
      place: last && { sitting: last.sitting.id, slot: last.slot },
    };
  });
}

interface Sittings {
  conditions: string;
  params: Value[];
}

interface FoundPage {
  found: Found[];
  total: number;
  offset: number;
}

async function slotOf(db: Db, questionId: string): Promise<number | undefined> {
  const id = canonicalId(questionId);
  const row = id && (await db.get<{ slot: number }>('SELECT slot FROM answered_questions WHERE id = $1', id));
  return row ? row.slot : undefined;
}

/** Responses to one question: one in each sitting that has any. */
async function toQuestion(
  db: Db,
  { conditions, params }: Sittings,
  slot: number | undefined,
  start: Start,
  limit: number,
): Promise<FoundPage> {
  if (slot === undefined) return { found: [], total: 0, offset: 'offset' in start ? start.offset : 0 };
  const next = params.length + 1;
  const behind = 'offset' in start ? 0 : start.sitting;
  const joined = conditions === 'true' ? '' : 'JOIN sittings s ON s.id = a.sitting';
  const counted = await db.get<{ n: number; before: number }>(
    `SELECT count(*) AS n, count(CASE WHEN a.sitting <= $${next + 1} THEN 1 END) AS before
     FROM answered a ${joined} WHERE ${conditions} AND a.question = $${next}`,
    ...params,
    slot,
    behind,
  );
  const places = await db.all<{ id: number }>(
    `SELECT a.sitting AS id FROM answered a ${joined}
     WHERE ${conditions} AND a.question = $${next} AND a.sitting > $${next + 1}
     ORDER BY a.sitting LIMIT $${next + 2} OFFSET $${next + 3}`,
    ...params,
    slot,
    behind,
    limit,
    'offset' in start ? start.offset : 0,
  );
  const found: Found[] = [];
  for (let i = 0; i < places.length; i += AT_ONCE) {
    const rows = await db.all<SittingRow>(
      `SELECT ${SITTING_COLUMNS} FROM sittings
       WHERE id IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')}) ORDER BY id`,
      JSON.stringify(places.slice(i, i + AT_ONCE).map(({ id }) => id)),
    );
    for (const sitting of rows) {
      const each = new Unpacking(sitting.responses);
      while (each.next() && each.slot < slot);
      const { kind, answer, at } = each;
      found.push({ sitting, slot, kind, answer, at });
    }
  }
  return { found, total: counted!.n, offset: 'offset' in start ? start.offset : counted!.before };
}

const ITS_COLUMNS = SITTING_COLUMNS.split(', ')
  .map((name) => `s.${name}`)
  .join(', ');

/** Sittings read by one statement: each has one response at least, and mostly many. */
const AT_ONCE = 50;

/** All responses of the sittings. */
async function inSittings(db: Db, sittings: Sittings, start: Start, limit: number): Promise<FoundPage> {
  const { conditions, params } = sittings;
  const next = params.length + 1;
  const { total, id, before } = await firstSitting(db, sittings, start);
  const found: Found[] = [];
  let skip = 'offset' in start ? start.offset - before : 0;
  let offset = 'offset' in start ? start.offset : before;
  let from = id;
  while (from !== undefined && found.length < limit) {
    const rows = await db.all<SittingRow>(
      `SELECT ${ITS_COLUMNS} FROM sittings s WHERE ${conditions} AND s.id >= $${next} ORDER BY s.id LIMIT ${AT_ONCE}`,
      ...params,
      from,
    );
    for (const sitting of rows) {
      for (const each = new Unpacking(sitting.responses); found.length < limit && each.next(); ) {
        const passed = 'slot' in start && sitting.id === start.sitting && each.slot <= start.slot;
        if (passed) offset++;
        else if (skip > 0) skip--;
        else found.push({ sitting, slot: each.slot, kind: each.kind, answer: each.answer, at: each.at });
      }
    }
    from = rows.length < AT_ONCE ? undefined : rows.at(-1)!.id + 1;
  }
  return { found, total, offset };
}

/** The sitting in which a page begins, how many responses come before that sitting, and how many there are in all. */
async function firstSitting(db: Db, { conditions, params }: Sittings, start: Start) {
  const next = params.length + 1;
  const sums = await db.get<{ total: number | null; before: number | null }>(
    `SELECT sum(CAST(s.n AS integer)) AS total, sum(CASE WHEN s.id < $${next} THEN CAST(s.n AS integer) END) AS before
     FROM sittings s WHERE ${conditions}`,
    ...params,
    'offset' in start ? 0 : start.sitting,
  );
  const total = sums!.total ?? 0;
  if ('sitting' in start) return { total, id: start.sitting, before: sums!.before ?? 0 };
  if (start.offset === 0) return { total, id: 0, before: 0 };
  const row = await db.get<{ id: number; before: number }>(
    `SELECT id, before FROM
       (SELECT s.id, s.n, sum(CAST(s.n AS integer)) OVER (ORDER BY s.id) - s.n AS before FROM sittings s WHERE ${conditions}) t
     WHERE before + n > $${next} ORDER BY id LIMIT 1`,
    ...params,
    start.offset,
  );
  return { total, id: row?.id, before: row?.before ?? 0 };
}

interface QuestionOfSlot {
  slot: number;
  id: string;
  /** What tells the answer; null when the question has been deleted. */
  answer_json: string | null;
}

/** The responses as JSON texts; whether one is right by the key as it is. */
async function recordsOf(db: Db, found: Found[]): Promise<string[]> {
  const rows = await db.all<QuestionOfSlot>(
    `SELECT a.slot, a.id, q.answer_json FROM answered_questions a LEFT JOIN questions q ON q.created_slot = a.slot
     WHERE a.slot IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')})`,
    JSON.stringify([...new Set(found.map(({ slot }) => slot))]),
  );
  const questions = new Map(
    rows.map(({ slot, id, answer_json }) => [
      slot,
      { id, key: answer_json === null ? undefined : (JSON.parse(`{${answer_json}}`) as Key) },
    ]),
  );
  return found.map((each) => {
    const { id, key } = questions.get(each.slot)!;
    const { respondent, session, in_group: group } = each.sitting;
    return JSON.stringify({
      ...responseRecord({ question_id: id, respondent, session, group }, each),
      correct: rightness(each, key),
    });
  });
}

interface Whose {
  question_id: string;
  respondent: string;
  session: string;
  group: string | null;
}

/** A response as it is shown, but for whether it is right. */
export const responseRecord = ({ session, ...whose }: Whose, { kind, answer, at }: Omit<Given, 'slot'>) => ({
  ...whose,
  session: session === '' ? null : session,
  answer: kind === GIVEN.answer ? answer : null,
  missing: kind === GIVEN.omitted ? 'omitted' : kind === GIVEN.notReached ? 'not_reached' : null,
  answered_at: time(at),
});

/** Whether it is right by the key; nobody knows where an answer is missing, or has no key. */
export function rightness({ kind, answer }: Omit<Given, 'slot'>, key: Key | undefined): boolean | null {
  if (kind === GIVEN.answer) return key ? isCorrect(key, answer) : null;
  return kind === GIVEN.correct ? true : kind === GIVEN.wrong ? false : null;
}

/** Who sat where, by the ids of the rows; those who were forgotten are missing. */
export async function namesOf(db: Db, sittings: number[]) {
  const rows = await db.all<Pick<SittingRow, 'id' | 'respondent' | 'session' | 'in_group'>>(
    `SELECT id, respondent, session, in_group FROM sittings
     WHERE id IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')})`,
    JSON.stringify(sittings),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
