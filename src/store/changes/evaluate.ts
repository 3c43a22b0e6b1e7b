/** Decides what a change does to a question, without writing anything. */
import type { BulkFields } from '../../schemas/change.ts';
import { toNameKey } from '../../schemas/names.ts';
import { MAX_TAGS, type QuestionInput } from '../../schemas/question.ts';
import { findCompleteFaults } from '../../schemas/question-rules.ts';
import type { CategoryRow } from '../questions/category-row.ts';
import { isSound } from '../questions/checksums.ts';
import { mergeChange, type QuestionFields, toFields } from '../questions/fields.ts';
import { parseFields, type QuestionRow } from '../questions/row.ts';
import { composeRemedies, isCurrent, type Remedy } from './remedies.ts';
import type { Step } from './row.ts';

export type Evaluated =
  | {
      outcome: 'revised';
      before: QuestionFields;
      fields: QuestionFields;
      category: CategoryRow;
      note?: string;
    }
  | { outcome: 'deleted' }
  | { outcome: 'unchanged' }
  | { outcome: 'refused'; code: string };

const refuse = (code: string): Evaluated => ({ outcome: 'refused', code });

export function evaluate(
  row: QuestionRow,
  step: Exclude<Step, { type: 'revert' }>,
  { categories, remedies = [] }: { categories: ReadonlyMap<number, CategoryRow>; remedies?: Remedy[] },
): Evaluated {
  if (step.type === 'delete') return { outcome: 'deleted' };
  if (!isSound(row)) return refuse('damaged_data');
  const before = parseFields(row);
  if (step.type === 'update') {
    const category = categories.get(step.category_id ?? row.category_id);
    if (!category) return refuse('category_deleted');
    return revise(row, before, changeFields(before, step.change), category);
  }
  const current = remedies.filter((remedy) => isCurrent(remedy, row.revision, before));
  if (current.length === 0) return refuse('changed_since');
  const { change, overlapping } = composeRemedies(before, current);
  const revised = revise(
    row,
    before,
    changeFields(before, change as BulkFields),
    categories.get(row.category_id)!,
  );
  const isPartial = overlapping > 0 && revised.outcome === 'revised';
  return isPartial ? { ...revised, note: 'remedies_overlap' } : revised;
}

function revise(
  row: QuestionRow,
  before: QuestionFields,
  fields: QuestionFields,
  category: CategoryRow,
): Evaluated {
  const [fault] = findCompleteFaults(fields, '');
  if (fault) return refuse(fault.code);
  if (fields.tags.length > MAX_TAGS) return refuse('too_many');
  const isSame = category.id === row.category_id && JSON.stringify(fields) === JSON.stringify(before);
  return isSame ? { outcome: 'unchanged' } : { outcome: 'revised', before, fields, category };
}

function changeFields(before: QuestionFields, change: BulkFields): QuestionFields {
  const { category, add_tags = [], remove_tags = [], ...given } = change;
  const fields = toFields(mergeChange(before, { ...given, category: '' }) as QuestionInput);
  const removed = new Set(remove_tags.map(toNameKey));
  const tags = fields.tags.filter((tag) => !removed.has(toNameKey(tag)));
  const present = new Set(tags.map(toNameKey));
  for (const tag of add_tags) {
    if (!present.has(toNameKey(tag))) tags.push(tag);
    present.add(toNameKey(tag));
  }
  return { ...fields, tags };
}
