import { type Db, defineQuery } from '../db.ts';
import { canonicalId } from '../ids.ts';
import type { Key } from '../questions/scoring.ts';
import { columnList } from '../table.ts';
import { scoreResponse, toRecord } from './record.ts';
import { type Given, ResponseReader, SITTING_COLUMNS, SITTINGS, type SittingRow } from './sittings.ts';

/** A position in the list: a sitting and the slot of a question. */
export interface ResponsePosition {
  sitting: number;
  slot: number;
}

/** The start of a page: an offset, or the position of the response before it. */
type Start = { offset: number } | ResponsePosition;

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

/** A response with its sitting. */
interface FoundResponse extends Given {
  sitting: SittingRow;
}

/** Lists responses as JSON texts, ordered by sitting and, within a sitting, by question. */
export const listResponses = defineQuery(
  'listResponses',
  async (db: Db, { filter, start, limit }: ResponseListArgs) => {
    return db.snapshot(async (tx) => {
      const conditions: string[] = [];
      const params: string[] = [];
      const where = (column: string, value: string | undefined) => {
        if (value !== undefined) conditions.push(`s.${column} = $${params.push(value)}`);
      };
      where('respondent', filter.respondent);
      where('session', filter.session);
      where('in_group', filter.group);
      const sittings = { conditions: conditions.join(' AND ') || 'true', params };
      const { found, total, offset } =
        filter.question_id === undefined
          ? await listInSittings(tx, sittings, start, limit)
          : await listToQuestion(tx, sittings, await findSlot(tx, filter.question_id), start, limit);
      const last = found.at(-1);
      return {
        items: (await renderRecords(tx, found)).join(','),
        n: found.length,
        total,
        offset,
        last: undefined,
        position: last && { sitting: last.sitting.id, slot: last.slot },
      };
    });
  },
);

interface Sittings {
  conditions: string;
  params: string[];
}

interface FoundPage {
  found: FoundResponse[];
  total: number;
  offset: number;
}

async function findSlot(db: Db, questionId: string): Promise<number | undefined> {
  const id = canonicalId(questionId);
  const row = id && (await db.get<{ slot: number }>('SELECT slot FROM answered_questions WHERE id = $1', id));
  return row ? row.slot : undefined;
}

/** Lists the responses to one question: one per sitting that answered it. */
async function listToQuestion(
  db: Db,
  { conditions, params }: Sittings,
  slot: number | undefined,
  start: Start,
  limit: number,
): Promise<FoundPage> {
  if (slot === undefined) return { found: [], total: 0, offset: 'offset' in start ? start.offset : 0 };
  const next = params.length + 1;
  const after = 'offset' in start ? 0 : start.sitting;
  const joined = conditions === 'true' ? '' : 'JOIN sittings s ON s.id = a.sitting';
  const counted = await db.get<{ n: number; before: number }>(
    `SELECT count(*) AS n, count(CASE WHEN a.sitting <= $${next + 1} THEN 1 END) AS before
     FROM answered a ${joined} WHERE ${conditions} AND a.question = $${next}`,
    ...params,
    slot,
    after,
  );
  const ids = await db.all<{ id: number }>(
    `SELECT a.sitting AS id FROM answered a ${joined}
     WHERE ${conditions} AND a.question = $${next} AND a.sitting > $${next + 1}
     ORDER BY a.sitting LIMIT $${next + 2} OFFSET $${next + 3}`,
    ...params,
    slot,
    after,
    limit,
    'offset' in start ? start.offset : 0,
  );
  const found: FoundResponse[] = [];
  for (let i = 0; i < ids.length; i += BATCH_ROWS) {
    const rows = await db.all<SittingRow>(
      `SELECT ${SITTING_COLUMNS} FROM sittings
       WHERE id IN ${db.dialect.values('$1', 'bigint')} ORDER BY id`,
      JSON.stringify(ids.slice(i, i + BATCH_ROWS).map(({ id }) => id)),
    );
    for (const sitting of rows) {
      const reader = new ResponseReader(sitting.responses);
      while (reader.next() && reader.slot < slot);
      const { kind, answer, at } = reader;
      found.push({ sitting, slot, kind, answer, at });
    }
  }
  return { found, total: counted!.n, offset: 'offset' in start ? start.offset : counted!.before };
}

/** Sittings read by one statement. Most hold many responses. */
const BATCH_ROWS = 50;

/** Lists all responses of the sittings. */
async function listInSittings(db: Db, sittings: Sittings, start: Start, limit: number): Promise<FoundPage> {
  const { conditions, params } = sittings;
  const next = params.length + 1;
  const { total, id, before } = await findFirstSitting(db, sittings, start);
  const found: FoundResponse[] = [];
  let skip = 'offset' in start ? start.offset - before : 0;
  let offset = 'offset' in start ? start.offset : before;
  let from = id;
  while (from !== undefined && found.length < limit) {
    const rows = await db.all<SittingRow>(
      `SELECT ${columnList(SITTINGS, 's')} FROM sittings s WHERE ${conditions} AND s.id >= $${next} ORDER BY s.id LIMIT ${BATCH_ROWS}`,
      ...params,
      from,
    );
    for (const sitting of rows) {
      for (const reader = new ResponseReader(sitting.responses); found.length < limit && reader.next(); ) {
        const { slot, kind, answer, at } = reader;
        const passed = 'slot' in start && sitting.id === start.sitting && slot <= start.slot;
        if (passed) offset++;
        else if (skip > 0) skip--;
        else found.push({ sitting, slot, kind, answer, at });
      }
    }
    from = rows.length < BATCH_ROWS ? undefined : rows.at(-1)!.id + 1;
  }
  return { found, total, offset };
}

/** The sitting in which a page begins, the number of responses before it, and the total. */
async function findFirstSitting(db: Db, { conditions, params }: Sittings, start: Start) {
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
  /** Null if the question has been deleted. */
  answer_json: string | null;
}

async function renderRecords(db: Db, found: FoundResponse[]): Promise<string[]> {
  const rows = await db.all<QuestionOfSlot>(
    `SELECT a.slot, a.id, q.answer_json FROM answered_questions a LEFT JOIN questions q ON q.created_slot = a.slot
     WHERE a.slot IN ${db.dialect.values('$1', 'bigint')}`,
    JSON.stringify([...new Set(found.map(({ slot }) => slot))]),
  );
  const questions = new Map(
    rows.map(({ slot, id, answer_json }) => [
      slot,
      { id, key: answer_json === null ? undefined : (JSON.parse(`{${answer_json}}`) as Key) },
    ]),
  );
  return found.map((response) => {
    const { id, key } = questions.get(response.slot)!;
    const { respondent, session, in_group: group } = response.sitting;
    return JSON.stringify({
      ...toRecord({ question_id: id, respondent, session, group }, response),
      correct: scoreResponse(response, key),
    });
  });
}

/** The respondents of sittings, by id. Deleted ones are missing. */
export async function findRespondents(db: Db, sittings: number[]) {
  const rows = await db.all<Pick<SittingRow, 'id' | 'respondent' | 'session' | 'in_group'>>(
    `SELECT id, respondent, session, in_group FROM sittings
     WHERE id IN ${db.dialect.values('$1', 'bigint')}`,
    JSON.stringify(sittings),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
