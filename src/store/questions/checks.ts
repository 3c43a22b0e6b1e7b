/** Checks of questions against the bank: their categories exist, their external_ids are free. */
import { errors, type Fault } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import type { QuestionInput } from '../../schemas/question.ts';
import type { Db } from '../db.ts';
import { categoriesByKey, unknownCategory } from './categories.ts';
import type { CategoryRow } from './category-row.ts';
import { toFields } from './fields.ts';
import { kindOf } from './kind.ts';
import type { ChangeOrigin } from './origin.ts';

export interface Creation extends ChangeOrigin {
  inputs: QuestionInput[];
  /** Whether the body was an array; determines the JSON pointers of faults. */
  many: boolean;
}

/** Finds the categories of new questions and checks their external_ids. */
export async function checkCreation(
  db: Db,
  categories: Map<string, CategoryRow>,
  { inputs, many }: Creation,
): Promise<CategoryRow[]> {
  const faults: Fault[] = [];
  const found = inputs.map((input, i) => {
    const category = categories.get(toNameKey(input.category));
    if (!category) faults.push(unknownCategory(many ? `/${i}/category` : '/category', categories));
    return category!;
  });
  if (faults.length > 0) throw errors.invalidBody(faults);
  await requireFreeExternalIds(
    db,
    inputs.flatMap(({ external_id }, i) =>
      external_id ? [{ external_id, pointer: many ? `/${i}/external_id` : '/external_id' }] : [],
    ),
  );
  return found;
}

export async function requireFreeExternalIds(
  db: Db,
  wanted: { external_id: string; pointer: string }[],
  by?: string,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await db.all<{ external_id: string; id: string }>(
    `SELECT external_id, id FROM questions
     WHERE external_id IN ${db.dialect.values('$1', 'text')}`,
    JSON.stringify(wanted.map(({ external_id }) => external_id)),
  );
  const owners = new Map(
    rows.filter(({ id }) => id !== by).map(({ external_id, id }) => [external_id, `question ${id}`]),
  );
  const faults: Fault[] = [];
  for (const { external_id, pointer } of wanted) {
    const owner = owners.get(external_id);
    if (owner) faults.push({ pointer, code: 'external_id_taken', detail: `is the external_id of ${owner}` });
    else owners.set(external_id, `the item at ${pointer.replace('/external_id', '') || '/'}`);
  }
  if (faults.length > 0) throw errors.externalIdTaken(faults);
}

/** Makes all checks of a create; returns the questions as they would be stored. */
export async function validateQuestions(db: Db, creation: Creation) {
  const categories = await checkCreation(db, await categoriesByKey(db), creation);
  return creation.inputs.map((input, i) => ({
    category: categories[i]!.name,
    kind: kindOf(input),
    ...toFields(input),
  }));
}
