/** Inserts new questions: their rows, index entries and events. */
import type { QuestionInput } from '../../schemas/question.ts';
import type { Status } from '../../schemas/status.ts';
import type { Tx } from '../db.ts';
import { uuidv7 } from '../ids.ts';
import { sets } from '../index/postings.ts';
import type { CategoryRow } from './category-row.ts';
import { emitChange } from './change-events.ts';
import { listFacets } from './facets.ts';
import { toFields } from './fields.ts';
import { putTerms } from './index-entries.ts';
import { type ChangeOrigin, toOriginColumns } from './origin.ts';
import { findPreparedFields } from './prepared-fields.ts';
import { renderContent, toStored } from './revise.ts';
import { QUESTIONS, type QuestionRow, type StoredQuestion } from './row.ts';

export interface NewQuestion {
  input: QuestionInput;
  category: CategoryRow;
}

export async function insertQuestions(
  tx: Tx,
  list: readonly NewQuestion[],
  statuses: Status[],
  origin: ChangeOrigin,
): Promise<StoredQuestion[]> {
  if (list.length === 0) return [];
  const { first, at } = await tx.allocateSlots(list.length);
  const rows: QuestionRow[] = [];
  const created = list.map(({ input, category }, i): StoredQuestion => {
    const fields = findPreparedFields(input) ?? toFields(input);
    fields.status = statuses[i]!;
    const id = uuidv7(at, i);
    const slot = first + i;
    const version = { revision: 1, created_at: at, updated_at: at };
    const row: QuestionRow = {
      created_slot: slot,
      updated_slot: slot,
      id,
      action: 'created',
      ...version,
      ...renderContent({ id, created_at: at }, category, fields, version),
      created_by: origin.by?.client ?? null,
      ...toOriginColumns(origin),
      status: fields.status,
      reason: null,
    };
    rows.push(row);
    const facets = listFacets(category.id, fields);
    putTerms(tx, row, facets, fields);
    for (const name of facets) tx.index.add(sets.created(name), slot);
    return toStored(row, category);
  });
  await tx.insert(QUESTIONS, rows);
  for (const [to, some] of Map.groupBy(created, ({ status }) => status))
    await emitChange(tx, { at, subjects: some.map(({ id }) => id), from: undefined, to });
  return created;
}
