/** Shows what a change would do. */
import { Ticker } from '../../concurrency/ticker.ts';
import type { BulkPreview } from '../../schemas/change.ts';
import { readAllRows } from '../analyses/result-rows.ts';
import { type Db, defineQuery } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks } from '../index/bitmaps.ts';
import { categoriesByKey } from '../questions/categories.ts';
import type { QuestionFields } from '../questions/fields.ts';
import type { QuestionRow } from '../questions/row.ts';
import { type Evaluated, evaluate } from './evaluate.ts';
import { listRemedies, type Remedy, type ResultRow } from './remedies.ts';
import { addReason, presentReasons, type Reasons, type Step } from './row.ts';

/** Questions that a preview examines, and for how long. */
const MAX_EXAMINED = 100_000;
const MAX_EXAMINATION_MS = 3_000;
const BATCH_QUESTIONS = 500;
const MAX_SAMPLE = 10;

export interface PreviewArgs {
  members: BitmapBlock[];
  step: Exclude<Step, { type: 'revert' }>;
}

/** Evaluates a change without writing it. */
export const previewChange = defineQuery(
  'previewChange',
  async (db: Db, { members, step }: PreviewArgs): Promise<BulkPreview> =>
    db.snapshot(async (tx) => {
      const slots = fromBitmapBlocks(members);
      const remedies = step.type === 'apply_remedy' ? await readAllRemedies(tx, step) : undefined;
      const categories = new Map([...(await categoriesByKey(tx)).values()].map((row) => [row.id, row]));
      const counts = { changed: 0, unchanged: 0, refused: 0 };
      const reasons: Reasons = {};
      const sample: BulkPreview['sample'] = [];
      const ticker = new Ticker();
      const end = performance.now() + MAX_EXAMINATION_MS;
      let examined = 0;
      while (examined < Math.min(slots.total, MAX_EXAMINED) && performance.now() < end) {
        const batch = slots.slice(examined, BATCH_QUESTIONS);
        for (const row of await readRows(tx, batch)) {
          const evaluated = evaluate(row, step, { categories, remedies: remedies?.get(row.id) ?? [] });
          count(evaluated, row, { counts, reasons, sample }, categories);
          if (ticker.due()) await ticker.yield();
        }
        examined += batch.length;
      }
      return { question_count: slots.total, examined, ...counts, reasons: presentReasons(reasons), sample };
    }),
);

async function readRows(db: Db, slots: number[]): Promise<QuestionRow[]> {
  return db.all<QuestionRow>(
    `SELECT * FROM questions WHERE created_slot IN ${db.dialect.values('$1', 'bigint')} ORDER BY created_slot`,
    JSON.stringify(slots),
  );
}

async function readAllRemedies(
  db: Db,
  { analysis_id: id, rules }: Extract<Step, { type: 'apply_remedy' }>,
): Promise<Map<string, Remedy[]>> {
  const remedies = new Map<string, Remedy[]>();
  for await (const rows of readAllRows<ResultRow>(db, { id, view: 'with_answers' }))
    for (const row of rows) remedies.set(row.question_id, listRemedies(row, rules));
  return remedies;
}

interface Tally {
  counts: Pick<BulkPreview, 'changed' | 'unchanged' | 'refused'>;
  reasons: Reasons;
  sample: BulkPreview['sample'];
}

function count(
  evaluated: Evaluated,
  row: QuestionRow,
  { counts, reasons, sample }: Tally,
  categories: ReadonlyMap<number, { name: string }>,
): void {
  if (evaluated.outcome === 'unchanged') counts.unchanged++;
  else if (evaluated.outcome === 'refused') {
    counts.refused++;
    addReason(reasons, evaluated.code, row.id);
  } else {
    counts.changed++;
    if (evaluated.outcome === 'revised' && evaluated.note) addReason(reasons, evaluated.note, row.id);
    if (sample.length === MAX_SAMPLE) return;
    if (evaluated.outcome === 'deleted') sample.push({ question_id: row.id, before: null, after: null });
    else {
      const before = { category: categories.get(row.category_id)!.name, ...evaluated.before };
      const after = { category: evaluated.category.name, ...evaluated.fields };
      sample.push({ question_id: row.id, ...pickChanged(before, after) });
    }
  }
}

type Shown = QuestionFields & { category: string };

/** The fields in which two states of a question differ. */
function pickChanged(before: Shown, after: Shown) {
  const names = (Object.keys(after) as (keyof Shown)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (from: Shown) => Object.fromEntries(names.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick(after) };
}
