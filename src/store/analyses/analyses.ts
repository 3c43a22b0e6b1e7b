/** Creates, lists, reads, cancels and deletes runs of analyses. Their execution is in queue.ts. */
import { errors } from '../../errors.ts';
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import { type Db, defineCommand, defineQuery, type Tx } from '../db.ts';
import { forgetFindings } from '../findings/finding-sets.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { type BitmapBlock, bytePosition, hasBit } from '../index/bitmaps.ts';
import { toBlock } from '../index/slots.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { requireMatch } from '../preconditions.ts';
import type { NewRow } from '../table.ts';
import type { View, Visibility } from '../view.ts';
import {
  ANALYSES,
  ANALYSIS_COLUMNS,
  ANALYSIS_QUESTIONS,
  type AnalysisRow,
  emitAnalysisEvent,
  formatEtag,
  formatRecord,
  getResultView,
  ITEMS_PER_BLOCK,
  LISTED_COLUMNS,
  type ListedRow,
  type Status,
} from './row.ts';

export interface NewAnalysis {
  client: string;
  type: string;
  answers: boolean;
  parameters: object;
  /** The questions: selected by a filter, or given as members. */
  filter: QuestionFilter | undefined;
  members: BitmapBlock[] | undefined;
  question_count: number;
  view: View;
  reveals_answers: boolean;
  /** Whether questions that are not approved may be among them. */
  unapproved: boolean;
}

export interface CreatedAnalysis {
  id: string;
  /** The status of the first response to the request, stored with its Idempotency-Key. */
  status?: 201 | 202;
}

const MAX_QUEUED = 100;
const MAX_QUEUED_PER_CLIENT = 50;
/** A client may queue this many although others have filled the queue. */
const RESERVED_PER_CLIENT = 5;
/** The limit of the queue in all. */
const MAX_QUEUED_WITH_RESERVED = 1000;

export const createAnalysis = defineCommand(
  'createAnalysis',
  async (tx: Tx, run: NewAnalysis): Promise<CreatedAnalysis> => {
    // Locks the client: concurrent requests of one client could otherwise exceed the limit.
    await tx.get(`SELECT id FROM clients WHERE id = $1 ${tx.dialect.forUpdate}`, run.client);
    const queued = await tx.get<{ n: number; own: number }>(
      `SELECT count(*) AS n, count(CASE WHEN client_id = $1 THEN 1 END) AS own FROM analyses WHERE status = 'queued'`,
      run.client,
    );
    if (queued!.own >= MAX_QUEUED_PER_CLIENT) throw errors.tooManyQueued(MAX_QUEUED_PER_CLIENT);
    const max = queued!.own < RESERVED_PER_CLIENT ? MAX_QUEUED_WITH_RESERVED : MAX_QUEUED;
    if (queued!.n >= max) throw errors.queueFull();
    const at = Date.now();
    const id = uuidv7(at);
    const row: NewRow<typeof ANALYSES> = {
      id,
      client_id: run.client,
      type: run.type,
      reads_answers: run.answers ? 1 : 0,
      parameters: JSON.stringify(run.parameters),
      filter: run.filter ? JSON.stringify(run.filter) : null,
      view: run.view,
      reveals_answers: run.reveals_answers ? 1 : 0,
      unapproved: run.unapproved ? 1 : 0,
      status: 'queued',
      version: 1,
      question_count: run.question_count,
      progress: 0,
      attempts: 0,
      created_at: at,
    };
    await tx.insert(ANALYSES, [row]);
    if (run.members)
      await tx.insert(
        ANALYSIS_QUESTIONS,
        run.members.map((members) => ({ analysis_id: id, ...members })),
      );
    await emitAnalysisEvent(tx, 'analysis.queued', at, row);
    return { id };
  },
  {
    replay: {
      shorten: (created) => created,
      // An earlier release stored the id alone.
      rebuild: async (_, stored) => (typeof stored === 'string' ? { id: stored } : stored) as CreatedAnalysis,
    },
  },
);

/** A caller that reads runs. */
interface Reader {
  view: View;
  visibility: Visibility;
}

/**
 * Runs whose selection of questions depends on answers are visible only with answers, and those with
 * unapproved questions only to callers that see such questions.
 */
const visibleSql = ({ view, visibility }: Reader) =>
  `${view === 'with_answers' ? 'true' : 'a.reveals_answers = 0'} AND ${visibility === 'all' ? 'true' : 'a.unapproved = 0'}`;

export interface AnalysisQuery extends Reader {
  analysis_type?: string | undefined;
  status?: Status | undefined;
  question_id?: string | undefined;
  /** Types that are hidden from the caller. */
  without: string[];
  limit: number;
  offset: number;
  /** The maximum length of the items in UTF-8. A page has at least one item. */
  maxBytes: number;
}

/** Finds the runs on a question, deleted or not. */
async function findRunsOn(db: Db, questionId: string): Promise<string[]> {
  const id = canonicalId(questionId);
  const row =
    id &&
    (await db.get<{ created_slot: number }>(
      `SELECT created_slot FROM questions WHERE id = $1
       UNION ALL SELECT created_slot FROM revisions WHERE question_id = $1 LIMIT 1`,
      id,
    ));
  if (!row) return [];
  const slot = row.created_slot;
  const rows = await db.all<{ analysis_id: string; byte: Uint8Array }>(
    'SELECT analysis_id, substr(members, $2, 1) AS byte FROM analysis_questions WHERE block = $1',
    toBlock(slot),
    bytePosition(slot),
  );
  return rows.filter(({ byte }) => hasBit(byte, slot)).map(({ analysis_id }) => analysis_id);
}

/** The newest first. `items` are JSON objects separated by commas. */
export const listAnalyses = defineQuery('listAnalyses', async (db: Db, query: AnalysisQuery) => {
  const { analysis_type, status, question_id, without, limit, offset, maxBytes } = query;
  return db.snapshot(async (tx) => {
    const params: string[] = [];
    const addParam = (value: string) => `$${params.push(value)}`;
    const conditions = [visibleSql(query)];
    if (analysis_type !== undefined) conditions.push(`a.type = ${addParam(analysis_type)}`);
    if (status !== undefined) conditions.push(`a.status = ${addParam(status)}`);
    if (question_id !== undefined) {
      const list = addParam(JSON.stringify(await findRunsOn(tx, question_id)));
      conditions.push(`a.id IN ${tx.dialect.values(list, 'uuid')}`);
    }
    for (const type of without) conditions.push(`a.type <> ${addParam(type)}`);
    const where = conditions.join(' AND ');
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM analyses a WHERE ${where}`,
      ...params,
    );
    const rows = await tx.all<ListedRow>(
      `SELECT ${LISTED_COLUMNS} FROM analyses a
       WHERE ${where} ORDER BY a.id DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => toSized(`{${formatRecord(row)}}`)),
      maxBytes,
    );
    return {
      items: joinTexts(items),
      n: items.length,
      total: counted!.n,
      offset,
      last: undefined,
    };
  });
});

async function findRow(db: Db, id: string, reader: Reader, lock = ''): Promise<AnalysisRow> {
  const canonical = canonicalId(id);
  const row =
    canonical &&
    (await db.get<AnalysisRow>(
      `SELECT ${ANALYSIS_COLUMNS} FROM analyses a WHERE a.id = $1 AND ${visibleSql(reader)} ${lock}`,
      canonical,
    ));
  if (!row) throw errors.noSuchAnalysis(id);
  return row;
}

interface ResultRow {
  head: string;
  summary: string;
  items: number;
}

/**
 * A run with a page of its result. The caller decompresses the blocks, after the snapshot is
 * closed.
 */
export async function getAnalysis(
  db: Db,
  { id, limit, offset, ...reader }: Reader & { id: string; limit: number; offset: number },
) {
  return db.snapshot(async (tx) => {
    const row = await findRow(tx, id, reader);
    const resultView = getResultView(row, reader.view);
    const result = await tx.get<ResultRow>(
      'SELECT head, summary, items FROM analysis_results WHERE analysis_id = $1 AND view = $2',
      row.id,
      resultView,
    );
    const blocks = await readPageBlocks(tx, { id: row.id, view: resultView, limit, offset });
    return {
      etag: formatEtag(row, reader.view),
      status: row.status,
      type: row.type,
      record: `${formatRecord(row)},"parameters":${row.parameters}`,
      result: result && {
        ...result,
        id: row.id,
        view: resultView,
        blocks,
        skip: offset % ITEMS_PER_BLOCK,
      },
    };
  });
}

/** The column `block` is a 32-bit integer; an offset may be larger. */
const MAX_BLOCK = 2_147_483_647;

export async function getStatus(db: Db, { id, ...reader }: Reader & { id: string }): Promise<Status> {
  return (await findRow(db, id, reader)).status;
}

/**
 * The main figure of a run that succeeded, and an object with the additional ones by name, both as
 * JSON; and the version of the analysis that computed them.
 */
export async function getFigures(
  db: Db,
  { id, ...reader }: Reader & { id: string },
): Promise<{ type: string; version: number; figure: string; figures: string }> {
  const row = await findRow(db, id, reader);
  const result = await db.get<{ head: string; figure: string; figures: string }>(
    'SELECT head, figure, figures FROM analysis_results WHERE analysis_id = $1 AND view = $2',
    row.id,
    getResultView(row, reader.view),
  );
  if (!result) throw errors.noResult(id, row.status);
  const { figure, figures } = result;
  return { type: row.type, version: JSON.parse(result.head).version, figure, figures };
}

/** All blocks of a result, in order. */
export async function* readBlocks(
  db: Db,
  { id, ...reader }: Reader & { id: string },
): AsyncGenerator<Uint8Array> {
  const row = await findRow(db, id, reader);
  for (let block = 0; ; block++) {
    const found = await db.get<{ lines: Uint8Array }>(
      'SELECT lines FROM analysis_items WHERE analysis_id = $1 AND view = $2 AND block = $3',
      row.id,
      getResultView(row, reader.view),
      block,
    );
    if (!found) return;
    yield found.lines;
  }
}

/** A page of the abilities of respondents: compressed rows, and the total. */
export async function getAbilities(
  db: Db,
  { id, limit, offset, ...reader }: Reader & { id: string; limit: number; offset: number },
) {
  return db.snapshot(async (tx) => {
    const row = await findRow(tx, id, reader);
    if (row.status !== 'succeeded') throw errors.noResult(id, row.status);
    const result = await tx.get<{ items: number }>(
      `SELECT items FROM analysis_results WHERE analysis_id = $1 AND view = 'abilities'`,
      row.id,
    );
    const blocks = await readPageBlocks(tx, { id: row.id, view: 'abilities', limit, offset });
    const { cases } = JSON.parse(row.parameters) as { cases?: string };
    return {
      total: result?.items ?? 0,
      blocks,
      skip: offset % ITEMS_PER_BLOCK,
      bySession: cases === 'session',
    };
  });
}

async function readPageBlocks(
  db: Db,
  { id, view, limit, offset }: { id: string; view: View | 'abilities'; limit: number; offset: number },
): Promise<Uint8Array[]> {
  const first = Math.floor(offset / ITEMS_PER_BLOCK);
  const rows = await db.all<{ lines: Uint8Array }>(
    `SELECT lines FROM analysis_items WHERE analysis_id = $1 AND view = $2 AND block >= $3 AND block <= $4 ORDER BY block`,
    id,
    view,
    Math.min(first, MAX_BLOCK),
    Math.min(Math.floor((offset + limit - 1) / ITEMS_PER_BLOCK), MAX_BLOCK),
  );
  return rows.map(({ lines }) => lines);
}

export interface EndAnalysis extends Reader {
  id: string;
  ifMatch: string[] | undefined;
}

/**
 * Cancels a run that is queued or running, deletes one that has ended. A running worker is stopped
 * by the runner's heartbeat.
 */
export const endAnalysis = defineCommand(
  'endAnalysis',
  async (tx: Tx, { id, ifMatch, ...reader }: EndAnalysis): Promise<null> => {
    const row = await findRow(tx, id, reader, tx.dialect.forUpdate);
    requireMatch(formatEtag(row, reader.view), ifMatch);
    const at = Date.now();
    if (row.status === 'queued' || row.status === 'running') {
      await tx.run(
        `UPDATE analyses SET status = 'cancelled', version = version + 1, lease = NULL, lease_until = NULL, finished_at = $2
       WHERE id = $1`,
        row.id,
        at,
      );
      await emitAnalysisEvent(tx, 'analysis.cancelled', at, { ...row, status: 'cancelled' });
    } else {
      const { definition_version: version } = row;
      if (version !== null) await forgetFindings(tx, { ...row, version });
      await tx.run('DELETE FROM analyses WHERE id = $1', row.id);
      await emitAnalysisEvent(tx, 'analysis.deleted', at, row);
    }
    return null;
  },
);
