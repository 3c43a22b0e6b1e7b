/**
 * Decides what becomes of the questions of a batch: which are created, which update a question of the
 * bank, and which are skipped or rejected. A plan writes nothing, so that a dry run makes the same.
 */
import type { Fault } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import type { QuestionInput } from '../../schemas/question.ts';
import type { Tx } from '../db.ts';
import { categoriesIn, unknownCategory } from '../questions/categories.ts';
import type { CategoryRow } from '../questions/category-row.ts';
import { applyChange } from '../questions/change.ts';
import { findExternalIds } from '../questions/checks.ts';
import { isSound } from '../questions/checksums.ts';
import { computeContentKey } from '../questions/content-hash.ts';
import type { NextRevision } from '../questions/revise.ts';
import { type LockedQuestion, lockQuestions, parseFields, type QuestionRow } from '../questions/row.ts';
import type { ImportedInput, QuestionItem } from './items.ts';
import type { ImportOptions, ImportReport, ReasonOutcome } from './row.ts';

export type Planned =
  | { outcome: 'created'; input: QuestionInput; sameText: string | undefined }
  | { outcome: 'updated'; revision: NextRevision }
  | { outcome: 'unchanged' }
  | { outcome: Exclude<ReasonOutcome, 'noticed'>; code: string; detail: string; question_id?: string };

const reject = (code: string, detail: string): Planned => ({ outcome: 'rejected', code, detail });

const completed = new WeakMap<ImportedInput, QuestionInput>();

/** The question with the defaults for new ones. The same object for the same input. */
export const completeInput = (input: ImportedInput, { category, difficulty }: ImportOptions): QuestionInput =>
  completed.getOrInsertComputed(input, () => ({
    ...input,
    category: input.category ?? category ?? '',
    difficulty: input.difficulty ?? difficulty ?? -1,
  }));

/** Categories that one import creates. */
const MAX_NEW_CATEGORIES = 1000;
/** Questions with the text of a batch that are compared with it. */
const MAX_SAME_TEXT = 2000;

interface SameText {
  id: string;
  external_id: string | null;
  key: string;
}

export interface PlanContext {
  change_id: string;
  options: ImportOptions;
  report: ImportReport;
}

/** Plans the questions in their order. Names of new categories are added to the report. */
export async function planQuestions(
  tx: Tx,
  items: readonly QuestionItem[],
  context: PlanContext,
): Promise<Planned[]> {
  const owners = await findExternalIds(
    tx,
    items.flatMap(({ input }) => input.external_id ?? []),
  );
  const same = await findSameText(tx, items, context.change_id);
  const matches = items.map((item) => findMatch(item, owners, same.get(item.hash) ?? []));
  const rows =
    context.options.on_match === 'update'
      ? await lockQuestions(tx, [...new Set(matches.flatMap((m) => m?.id ?? []))])
      : [];
  const planner = new Planner(context, await categoriesIn(tx), new Map(rows.map((row) => [row.id, row])));
  return items.map((item, i) => planner.plan(item, matches[i], same.get(item.hash)?.[0]?.id));
}

/** The questions of the bank, other than those of this import, with the texts of the items. */
async function findSameText(
  tx: Tx,
  items: readonly QuestionItem[],
  change_id: string,
): Promise<Map<number, SameText[]>> {
  const rows = await tx.all<QuestionRow & { content_hash: number }>(
    `SELECT * FROM questions WHERE content_hash IN ${tx.dialect.values('$1', 'bigint')}
       AND (change_id IS NULL OR change_id <> $2) ORDER BY created_slot LIMIT ${MAX_SAME_TEXT}`,
    JSON.stringify([...new Set(items.map(({ hash }) => hash))]),
    change_id,
  );
  const found = rows.filter(isSound).map((row) => {
    const { id, external_id, content_hash } = row;
    return { id, external_id, content_hash, key: computeContentKey(parseFields(row)) };
  });
  return Map.groupBy(found, ({ content_hash }) => content_hash);
}

interface Match {
  id: string;
  by: 'external_id' | 'content';
}

/** Two questions with different `external_id`s are different, whatever their content. */
function findMatch(
  { input, key }: QuestionItem,
  owners: ReadonlyMap<string, string>,
  same: readonly SameText[],
): Match | undefined {
  const owner = input.external_id ? owners.get(input.external_id) : undefined;
  if (owner !== undefined) return { id: owner, by: 'external_id' };
  const equal = same.find((each) => each.key === key && (each.external_id === null || !input.external_id));
  return equal && { id: equal.id, by: 'content' };
}

class Planner {
  readonly #context: PlanContext;
  readonly #categories: Map<string, CategoryRow>;
  readonly #rows: Map<string, LockedQuestion>;
  readonly #updated = new Set<string>();
  #created: number;

  constructor(context: PlanContext, categories: Map<string, CategoryRow>, rows: Map<string, LockedQuestion>) {
    this.#context = context;
    this.#categories = categories;
    this.#rows = rows;
    this.#created = context.report.created;
  }

  plan({ input }: QuestionItem, match: Match | undefined, sameText: string | undefined): Planned {
    const { on_match } = this.#context.options;
    if (!match) return this.#planCreate(input, sameText);
    const { id, by } = match;
    const code = by === 'content' ? 'duplicate_in_bank' : 'external_id_in_bank';
    const subject = by === 'content' ? 'An equal question' : 'A question with this `external_id`';
    if (on_match === 'skip')
      return { outcome: 'skipped', code, detail: `${subject} is in the bank.`, question_id: id };
    if (on_match === 'error')
      return {
        ...{ outcome: 'rejected', code, question_id: id },
        detail: `${subject} is in the bank. Import with \`on_match\` skip or update.`,
      };
    const row = this.#rows.get(id);
    // Deleted since it was found.
    if (!row) return this.#planCreate(input, sameText);
    if (this.#updated.has(id))
      return {
        ...{ outcome: 'skipped', code: 'duplicate_in_file', question_id: id },
        detail: 'An earlier item updates the same question.',
      };
    this.#updated.add(id);
    return this.#planUpdate(input, row);
  }

  #planCreate(given: ImportedInput, sameText: string | undefined): Planned {
    const { options } = this.#context;
    const input = completeInput(given, options);
    if (input.category === '')
      return reject('category_missing', 'The question has no category. Give a default with `category`.');
    if (input.difficulty < 0)
      return reject(
        'difficulty_missing',
        'The question has no difficulty. Give a default with `difficulty`.',
      );
    if (options.max_questions !== undefined && this.#created >= options.max_questions)
      return reject('quota_exceeded', 'The client may not store more questions.');
    const refusal = this.#findCategoryRefusal(input.category);
    if (refusal) return refusal;
    this.#created++;
    return { outcome: 'created', input, sameText };
  }

  /** Notes a category that is to be created. */
  #findCategoryRefusal(name: string): Planned | undefined {
    const key = toNameKey(name);
    const { options, report } = this.#context;
    if (this.#categories.has(key) || report.new_categories.some((each) => toNameKey(each) === key))
      return undefined;
    if (!options.create_categories) {
      const { code, detail } = unknownCategory('', this.#categories);
      return reject(
        code,
        `The category ${detail}. Map others with \`category_map\`, or create them with \`create_categories\`.`,
      );
    }
    if (report.new_categories.length >= MAX_NEW_CATEGORIES)
      return reject('too_many_categories', `An import creates at most ${MAX_NEW_CATEGORIES} categories.`);
    report.new_categories.push(name);
    return undefined;
  }

  #planUpdate(input: ImportedInput, row: LockedQuestion): Planned {
    if (!isSound(row)) return reject('damaged_data', `Question ${row.id} of the bank is damaged.`);
    const refusal = input.category === undefined ? undefined : this.#findCategoryRefusal(input.category);
    if (refusal) return refusal;
    // A category that is yet to be created.
    const isNew = input.category !== undefined && !this.#categories.has(toNameKey(input.category));
    const change = isNew ? { ...input, category: undefined } : input;
    const { category, fields, faults, unchanged } = applyChange(
      row,
      change as QuestionInput,
      this.#categories,
    );
    if (!category || faults.length > 0) return reject(faults[0]!.code, describeFault(faults[0]!));
    if (unchanged && !isNew) return { outcome: 'unchanged' };
    return { outcome: 'updated', revision: { row, category, fields } };
  }
}

/** A fault of a question as a sentence. */
export const describeFault = ({ pointer, detail }: Fault) =>
  `${pointer === '' ? 'The question' : `\`${pointer.slice(1)}\``} ${detail}.`;
