import { type Db, defineQuery } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { joinTexts, limitBytes, type Sized, toSized } from '../page-bytes.ts';
import type { Key } from '../questions/scoring.ts';
import { isVisibleSql } from '../questions/status.ts';
import { columnList } from '../table.ts';
import type { Visibility } from '../view.ts';
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
  /** The maximum length of the items in UTF-8. A page has at least one item. */
  maxBytes: number;
  visibility: Visibility;
}

/** A response with its sitting. */
interface FoundResponse extends Given {
  sitting: SittingRow;
}

/** Lists responses as JSON texts, ordered by sitting and, within a sitting, by question. */
export const listResponses = defineQuery(
  'listResponses',
  async (db: Db, { filter, start, limit, maxBytes, visibility }: ResponseListArgs) => {
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
      const items = limitBytes(await renderRecords(tx, found, visibility), maxBytes);
      const last = found[items.length - 1];
      return {
        items: joinTexts(items),
        n: items.length,
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
  const ids = await db.all<{ id: number; bytes: number }>(
    `SELECT i.id, octet_length(s.responses) AS bytes
     FROM (SELECT a.sitting AS id FROM answered a ${joined}
           WHERE ${conditions} AND a.question = $${next} AND a.sitting > $${next + 1}
           ORDER BY a.sitting LIMIT $${next + 2} OFFSET $${next + 3}) i
     JOIN sittings s ON s.id = i.id ORDER BY i.id`,
    ...params,
    slot,
    after,
    limit,
    'offset' in start ? start.offset : 0,
  );
  const found: FoundResponse[] = [];
  for (let rest = ids; rest.length > 0; ) {
    const batch = limitBytes(rest.slice(0, BATCH_ROWS), BATCH_BYTES);
    rest = rest.slice(batch.length);
    const rows = await db.all<SittingRow>(
      `SELECT ${SITTING_COLUMNS} FROM sittings
       WHERE id IN ${db.dialect.values('$1', 'bigint')} ORDER BY id`,
      JSON.stringify(batch.map(({ id }) => id)),
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
const BATCH_BYTES = 4 * 1024 * 1024;

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
    const source = `FROM sittings s WHERE ${conditions} AND s.id >= $${next} ORDER BY s.id`;
    const sizes = await db.all<{ bytes: number }>(
      `SELECT octet_length(s.responses) AS bytes ${source} LIMIT ${BATCH_ROWS}`,
      ...params,
      from,
    );
    const rows = await db.all<SittingRow>(
      `SELECT ${columnList(SITTINGS, 's')} ${source} LIMIT $${next + 1}`,
      ...params,
      from,
      limitBytes(sizes, BATCH_BYTES).length,
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
    const isLast = sizes.length < BATCH_ROWS && rows.length === sizes.length;
    from = isLast ? undefined : rows.at(-1)!.id + 1;
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
  /** Null if the question has been deleted, or the caller does not see it. */
  answer_json: string | null;
}

/** Questions whose answers one statement reads. They may be large. */
const QUESTIONS_PER_BATCH = 50;

/** Renders responses as JSON texts. */
async function renderRecords(db: Db, found: FoundResponse[], visibility: Visibility): Promise<Sized[]> {
  const bySlot = Map.groupBy(found, ({ slot }) => slot);
  const slots = [...bySlot.keys()];
  const texts = new Map<FoundResponse, Sized>();
  for (let i = 0; i < slots.length; i += QUESTIONS_PER_BATCH) {
    const rows = await db.all<QuestionOfSlot>(
      `SELECT a.slot, a.id, q.answer_json FROM answered_questions a LEFT JOIN questions q ON q.created_slot = a.slot AND ${isVisibleSql('q', visibility)}
       WHERE a.slot IN ${db.dialect.values('$1', 'bigint')}`,
      JSON.stringify(slots.slice(i, i + QUESTIONS_PER_BATCH)),
    );
    for (const { slot, id, answer_json } of rows) {
      const key = answer_json === null ? undefined : (JSON.parse(`{${answer_json}}`) as Key);
      for (const response of bySlot.get(slot)!) texts.set(response, toSized(renderRecord(response, id, key)));
    }
  }
  return found.map((response) => texts.get(response)!);
}

function renderRecord(response: FoundResponse, question_id: string, key: Key | undefined): string {
  const { respondent, session, in_group: group } = response.sitting;
  return JSON.stringify({
    ...toRecord({ question_id, respondent, session, group }, response),
    correct: scoreResponse(response, key),
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
