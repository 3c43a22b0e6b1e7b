/** Stores draws, and reads them as they were handed out. */
import { errors } from '../../errors.ts';
import { computeChecksum } from '../checksum.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { buildSeed, isSound } from '../questions/checksums.ts';
import { type QuestionRow, renderHead } from '../questions/row.ts';
import { formatTime } from '../time.ts';
import type { View } from '../view.ts';
import { drawErrors } from './errors.ts';
import type { SelectedItem } from './items.ts';
import { DRAWS, type DrawnItem, type DrawnQuota, type DrawRow, type ShownExplanation } from './row.ts';

export interface NewDraw {
  client: string;
  respondent: string | null;
  seed: string;
  explain: ShownExplanation | null;
  quotas: DrawnQuota[];
  items: SelectedItem[];
  /** The respondent whose questions were left out, and the number of their draws then. */
  excluded: { respondent: string; draws: number } | null;
  at: number;
}

/** Throws if the excluded respondent was handed other questions meanwhile. */
export const storeDraw = defineCommand(
  'storeDraw',
  async (tx: Tx, { client, items, quotas, excluded, at, ...draw }: NewDraw): Promise<{ id: string }> => {
    if (excluded) {
      await tx.lock(`draws ${excluded.respondent}`);
      const counted = await tx.get<{ n: number }>(
        'SELECT count(*) AS n FROM draws WHERE respondent = $1',
        excluded.respondent,
      );
      if (counted!.n !== excluded.draws) throw drawErrors.drawConflict();
    }
    const id = uuidv7(at);
    const stored = items.map(
      ({ id, revision, category, order }): DrawnItem => ({ id, revision, category, order }),
    );
    await tx.insert(DRAWS, [
      {
        ...draw,
        id,
        client_id: client,
        quotas: JSON.stringify(quotas),
        items: JSON.stringify(stored),
        slots: JSON.stringify(items.map(({ slot }) => slot)),
        created_at: at,
      },
    ]);
    return { id };
  },
);

/** Who reads a draw: its client, one that reads all, or a token for some draws. */
export interface DrawReader {
  client: string;
  readsAll: boolean;
  only?: readonly string[] | undefined;
}

export async function getDraw(
  db: Db,
  given: string,
  { client, readsAll, only }: DrawReader,
): Promise<DrawRow> {
  const id = canonicalId(given);
  const row = id && (await db.get<DrawRow>('SELECT * FROM draws WHERE id = $1', id));
  const mayRead = row && (only ? only.includes(row.id) : readsAll || row.client_id === client);
  if (!mayRead) throw drawErrors.noSuchDraw(given);
  return row;
}

export interface DrawListArgs extends DrawReader {
  respondent: string | undefined;
  limit: number;
  offset: number;
}

/** Lists draws without their questions, newest first, as JSON texts separated by commas. */
export function listDraws(db: Db, { client, readsAll, respondent, limit, offset }: DrawListArgs) {
  const params: string[] = [];
  const conditions = [
    ...(readsAll ? [] : [`client_id = $${params.push(client)}`]),
    ...(respondent === undefined ? [] : [`respondent = $${params.push(respondent)}`]),
  ];
  const condition = conditions.join(' AND ') || 'true';
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM draws WHERE ${condition}`,
      ...params,
    );
    const rows = await tx.all<DrawRow>(
      `SELECT id, respondent, seed, quotas, explain, created_at FROM draws WHERE ${condition} ORDER BY id DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = rows.map((row) => JSON.stringify(toSummary(row))).join(',');
    return { items, n: rows.length, total: counted!.n, offset, last: undefined };
  });
}

type SummarizedRow = Pick<DrawRow, 'id' | 'respondent' | 'seed' | 'quotas' | 'explain' | 'created_at'>;

const toSummary = ({ id, seed, respondent, quotas, explain, created_at }: SummarizedRow) => ({
  ...{ id, seed, respondent, quotas: JSON.parse(quotas), ...(explain && { explain }) },
  created_at: formatTime(created_at),
});

/**
 * Renders a draw as JSON. A revision never changes, so the text is the same whenever it is read,
 * also if a question has been changed or deleted.
 */
export async function renderDraw(db: Db, row: DrawRow, view: View): Promise<string> {
  const items: DrawnItem[] = JSON.parse(row.items);
  const texts: string[] = [];
  for (let i = 0; i < items.length; i += READ_BATCH_SIZE) {
    texts.push(...(await renderItems(db, items.slice(i, i + READ_BATCH_SIZE), view)));
    // SQLite reads on the calling thread: other requests are served between two batches.
    await new Promise(setImmediate);
  }
  return `${JSON.stringify(toSummary(row)).slice(0, -1)},"questions":[${texts.join(',')}]}`;
}

/** Questions read by one statement. */
const READ_BATCH_SIZE = 50;

interface RevisionContent extends Pick<QuestionRow, 'category_id' | 'public_checksum' | 'checksum'> {
  n: number;
  public_json: string | null;
  answer_json: string | null;
}

async function renderItems(db: Db, items: DrawnItem[], view: View): Promise<string[]> {
  const rows = db.dialect.rows('$1', { n: 'bigint', id: 'uuid', revision: 'bigint' });
  // Answers are not even read for callers who may not see them.
  const answers = view === 'with_answers' ? 'coalesce(q.answer_json, r.answer_json)' : 'NULL';
  const found = await db.all<RevisionContent>(
    `SELECT v.n, coalesce(q.public_json, r.public_json) AS public_json, ${answers} AS answer_json,
            coalesce(q.category_id, r.category_id) AS category_id, q.public_checksum,
            coalesce(q.checksum, r.checksum) AS checksum
     FROM ${rows} v
     LEFT JOIN questions q ON q.id = v.id AND q.revision = v.revision
     LEFT JOIN revisions r ON q.id IS NULL AND r.question_id = v.id AND r.revision = v.revision
     ORDER BY v.n`,
    JSON.stringify(items.map(({ id, revision }, n) => [n, id, revision])),
  );
  return items.map((item, n) => renderItem(item, found[n]!, view));
}

function renderItem({ id, revision, category, order }: DrawnItem, row: RevisionContent, view: View): string {
  const { public_json, answer_json } = row;
  if (public_json === null || !isUndamaged(id, { ...row, public_json }, view))
    throw errors.damagedData(`Revision ${revision} of question ${id}`);
  const head = renderHead({ id, category: JSON.stringify(category), status: 'approved' }, view);
  const fields = JSON.parse(`${head}${public_json}${view === 'with_answers' ? `,${answer_json}` : ''}}`);
  if (order) fields.choices = order.map((i) => fields.choices[i]);
  return JSON.stringify(fields);
}

/** Superseded revisions have one checksum, of the question with its answers. */
function isUndamaged(id: string, row: RevisionContent & { public_json: string }, view: View): boolean {
  const { public_json, answer_json, category_id } = row;
  if (view === 'with_answers')
    return isSound({ id, category_id, public_json, answer_json: answer_json!, checksum: row.checksum });
  return (
    row.public_checksum === null ||
    computeChecksum(public_json, buildSeed(id, category_id)) === row.public_checksum
  );
}
