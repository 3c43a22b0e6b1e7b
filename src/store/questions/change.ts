/** What a partial change makes of a question. */
import type { Fault } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import { type QuestionChange, READ_ONLY_FIELDS } from '../../schemas/question.ts';
import { findCompleteFaults } from '../../schemas/question-rules.ts';
import { findReadOnlyFaults } from '../../schemas/read-only-rules.ts';
import { unknownCategory } from './categories.ts';
import type { CategoryRow } from './category-row.ts';
import { requireSound } from './checksums.ts';
import { mergeChange, type QuestionFields, toFields } from './fields.ts';
import { type LockedQuestion, parseFields, renderQuestion } from './row.ts';

/** Fields of a change that are compared with the question as it is shown. */
const COMPARED_FIELDS = ['kind', 'choices', ...READ_ONLY_FIELDS] as const;

export interface Changed {
  /** Undefined if there is no such category, which is one of the faults. */
  category: CategoryRow | undefined;
  before: QuestionFields;
  fields: QuestionFields;
  faults: Fault[];
  /** Whether the change has no effect. */
  unchanged: boolean;
}

/**
 * Applies a change to a question: fields that are left out keep their value. Its faults disclose
 * answers. `pointer` is where the change is in the body.
 */
export function applyChange(
  row: LockedQuestion,
  change: QuestionChange,
  categories: Map<string, CategoryRow>,
  pointer = '',
): Changed {
  requireSound(row, row.id);
  const category = change.category
    ? categories.get(toNameKey(change.category))
    : categories.values().find(({ id }) => id === row.category_id);
  const before = parseFields(row);
  const current = COMPARED_FIELDS.some((name) => change[name] !== undefined)
    ? JSON.parse(renderQuestion(row, 'with_answers'))
    : {};
  const merged = mergeChange(before, { ...omitRepeated(change, current), category: change.category ?? '' });
  const fields = toFields(merged);
  return {
    category,
    before,
    fields,
    faults: [
      ...(category ? [] : [unknownCategory(`${pointer}/category`, categories)]),
      ...findCompleteFaults(merged, pointer),
      ...findReadOnlyFaults(change, current, pointer),
      ...findStatusFaults(row, fields, pointer),
    ],
    unchanged: category?.id === row.category_id && JSON.stringify(fields) === JSON.stringify(before),
  };
}

/**
 * Leaves out what follows from other fields, where it is sent back as it was read: the kind, and the
 * choices unless their order is given.
 */
function omitRepeated(change: QuestionChange, current: Record<string, unknown>): QuestionChange {
  const { kind, choices, ...others } = change;
  const order = change.choices_order ?? current.choices_order;
  const repeatsChoices = order !== 'as_given' && JSON.stringify(choices) === JSON.stringify(current.choices);
  return {
    ...others,
    ...(kind !== undefined && kind !== current.kind && { kind }),
    ...(choices !== undefined && !repeatsChoices && { choices }),
  };
}

/** A change repeats the status at most. */
const findStatusFaults = (row: LockedQuestion, fields: QuestionFields, pointer: string): Fault[] =>
  fields.status === row.status
    ? []
    : [
        {
          pointer: `${pointer}/status`,
          code: 'read_only',
          detail: `is ${row.status}; POST /questions/{id}/status changes it`,
        },
      ];
