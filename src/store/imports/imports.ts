/** Stores the files of imports, and creates, lists and reads imports. Execution is in advance.ts. */
import { errors } from '../../errors.ts';
import { insertChange } from '../changes/changes.ts';
import { CHANGES, type ChangeRow } from '../changes/row.ts';
import { CLEANUP_BATCH_SIZE, type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import type { ChangedBy } from '../questions/origin.ts';
import type { Page } from '../questions/pages.ts';
import { columnNames } from '../table.ts';
import {
  type AnyImportOptions,
  EMPTY_REPORT,
  IMPORT_CHUNKS,
  IMPORT_COLUMNS,
  IMPORTS,
  type ImportKind,
  type ImportRow,
  type PresentedImport,
  type PresentedResponseImport,
  presentImport,
  presentResponseImport,
} from './row.ts';

export const storeChunk = defineCommand(
  'storeChunk',
  async (tx: Tx, chunk: { import_id: string; n: number; data: Uint8Array }): Promise<null> => {
    await tx.insert(IMPORT_CHUNKS, [{ ...chunk, stored_at: Date.now() }]);
    return null;
  },
);

/** Chunks that one write deletes: some 10 MB. */
const DISCARD_BATCH = 40;

/** Deletes chunks of a file; returns how many. Repeat it until there are none. */
export const discardChunks = defineCommand(
  'discardChunks',
  async (tx: Tx, { id }: { id: string }): Promise<number> =>
    tx.run(
      `DELETE FROM import_chunks WHERE import_id = $1 AND n IN
         (SELECT n FROM import_chunks WHERE import_id = $1 ORDER BY n LIMIT ${DISCARD_BATCH})`,
      id,
    ),
);

const STALE_MS = 60 * 60 * 1000;

/** Deletes chunks of files that no import reads: of interrupted uploads, and of imports that ended. */
export const deleteStaleChunks = defineCommand(
  'deleteStaleChunks',
  async (tx: Tx, now: number): Promise<number> => {
    const deleted = await tx.run(
      `DELETE FROM import_chunks WHERE (import_id, n) IN
         (SELECT c.import_id, c.n FROM import_chunks c
          WHERE c.stored_at < $1 AND NOT EXISTS
            (SELECT 1 FROM changes h WHERE h.id = c.import_id AND h.status IN ('queued', 'running'))
          LIMIT ${DISCARD_BATCH})`,
      now - STALE_MS,
    );
    // A cleanup repeats until it finds fewer.
    return deleted === DISCARD_BATCH ? CLEANUP_BATCH_SIZE : deleted;
  },
);

export interface NewImport {
  id: string;
  kind: ImportKind;
  by: ChangedBy;
  format: string;
  file_name: string | null;
  bytes: number;
  options: AnyImportOptions;
}

const PRESENT = { questions: presentImport, responses: presentResponseImport };

/** Creates an import of a file whose chunks are stored under its id. */
export const createImport = defineCommand(
  'createImport',
  async (
    tx: Tx,
    { id, by, kind, format, file_name, bytes, options }: NewImport,
  ): Promise<PresentedImport | PresentedResponseImport> => {
    const { dry_run, mode } = options;
    const change = await insertChange(
      tx,
      {
        by,
        kind: 'import',
        request: { format, file_name, dry_run },
        plan: { step: null, effect: null },
        phase: dry_run || mode === 'all_or_nothing' ? 'check' : 'questions',
        question_count: 0,
      },
      { id },
    );
    const report = JSON.stringify(EMPTY_REPORT);
    const row: ImportRow = {
      ...{ id, kind, format, file_name, bytes, report, reject_head: null },
      options: JSON.stringify(options),
    };
    await tx.insert(IMPORTS, [row]);
    return PRESENT[kind](row, change);
  },
);

type Joined = ImportRow & { [K in keyof ChangeRow as `change_${K}`]: ChangeRow[K] };

/** The columns of an import `i` and, with a prefix, of its change `h`. */
const JOINED = [
  ...columnNames(IMPORTS).map((name) => `i.${name}`),
  ...columnNames(CHANGES).map((name) => `h.${name} AS change_${name}`),
].join(', ');
const FROM = 'imports i JOIN changes h ON h.id = i.id';

const toChange = (row: Joined): ChangeRow =>
  Object.fromEntries(
    columnNames(CHANGES).map((name) => [name, row[`change_${name}` as keyof Joined]]),
  ) as never;

async function find(db: Db, kind: ImportKind, id: string): Promise<Joined> {
  const canonical = canonicalId(id);
  const row =
    canonical &&
    (await db.get<Joined>(`SELECT ${JOINED} FROM ${FROM} WHERE i.id = $1 AND i.kind = $2`, canonical, kind));
  if (!row) throw errors.noSuchImport(id);
  return row;
}

export async function getImport(db: Db, id: string): Promise<PresentedImport> {
  const row = await find(db, 'questions', id);
  return presentImport(row, toChange(row));
}

export async function getResponseImport(db: Db, id: string): Promise<PresentedResponseImport> {
  const row = await find(db, 'responses', id);
  return presentResponseImport(row, toChange(row));
}

export interface ImportQuery {
  kind: ImportKind;
  status?: ChangeRow['status'] | undefined;
  limit: number;
  offset: number;
  maxBytes: number;
}

/** Lists a page of the imports, newest first. */
export async function listImports(
  db: Db,
  { kind, status, limit, offset, maxBytes }: ImportQuery,
): Promise<Page & { items: string }> {
  const where = `i.kind = $1${status === undefined ? '' : ' AND h.status = $2'}`;
  const params = status === undefined ? [kind] : [kind, status];
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM ${FROM} WHERE ${where}`,
      ...params,
    );
    const rows = await tx.all<Joined>(
      `SELECT ${JOINED} FROM ${FROM} WHERE ${where} ORDER BY i.id DESC
       LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(PRESENT[kind](row, toChange(row))))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}

/** What a process that executes an import has to know. */
export async function readImport(
  db: Db,
  id: string,
): Promise<{ kind: ImportKind; format: string; options: AnyImportOptions }> {
  const row = await db.get<ImportRow>(`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1`, id);
  return { kind: row!.kind, format: row!.format, options: JSON.parse(row!.options) };
}

/** Reads the file of an import. */
export async function* readChunks(db: Db, id: string): AsyncGenerator<Uint8Array> {
  for (let n = 0; ; n++) {
    const row = await db.get<{ data: Uint8Array }>(
      'SELECT data FROM import_chunks WHERE import_id = $1 AND n = $2',
      id,
      n,
    );
    if (!row) return;
    yield row.data;
  }
}

const REJECT_BATCH = 50;

export interface Rejects {
  format: string;
  head: Uint8Array | null;
  /** The bytes of the items, in the order of the file. */
  items: AsyncGenerator<Uint8Array>;
}

/** The rejected items of an import whose bytes are known, so far if it has not ended. */
export async function readRejects(db: Db, id: string): Promise<Rejects> {
  const row = await find(db, 'questions', id);
  return { format: row.format, head: row.reject_head, items: iterateRejects(db, row.id) };
}

async function* iterateRejects(db: Db, id: string): AsyncGenerator<Uint8Array> {
  for (let after = -1; ; ) {
    const rows = await db.all<{ n: number; data: Uint8Array }>(
      `SELECT n, data FROM import_rejects WHERE import_id = $1 AND n > $2 ORDER BY n LIMIT ${REJECT_BATCH}`,
      id,
      after,
    );
    for (const { data } of rows) yield data;
    if (rows.length < REJECT_BATCH) return;
    after = rows.at(-1)!.n;
  }
}
