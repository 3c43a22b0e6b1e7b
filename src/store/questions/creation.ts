/**
 * Plans the storing of new questions: which are created, which update the question that has their
 * `external_id`, and which are refused. A plan writes nothing.
 */
import { errors, type Fault } from '../../errors.ts';
import { findKindFaults } from '../../schemas/kind-rules.ts';
import { toNameKey } from '../../schemas/names.ts';
import type { QuestionInput } from '../../schemas/question.ts';
import type { Refusal } from '../../schemas/question-creation.ts';
import { findAssignedFaults } from '../../schemas/read-only-rules.ts';
import type { Status } from '../../schemas/status.ts';
import type { Db } from '../db.ts';
import { readRequiredReviews } from '../review-policy.ts';
import { categoriesByKey, unknownCategory } from './categories.ts';
import type { CategoryRow } from './category-row.ts';
import { applyChange } from './change.ts';
import { findExternalIds } from './checks.ts';
import { copyWords } from './facets.ts';
import { type QuestionFields, toFields } from './fields.ts';
import { kindOf } from './kind.ts';
import type { ChangeOrigin } from './origin.ts';
import { findPreparedFields } from './prepared-fields.ts';
import type { LockedQuestion } from './row.ts';

export interface Creation extends ChangeOrigin {
  inputs: QuestionInput[];
  /** Whether the body was an array; determines the JSON pointers of faults. */
  many: boolean;
  /** Stores the valid questions; otherwise one that is not valid refuses all. */
  skipBad?: boolean | undefined;
  /** Updates the question that has the `external_id` of an input; otherwise it is a fault. */
  updateMatches?: boolean | undefined;
  /** Where the inputs are in the body, if others were refused before the bank was read. */
  indices?: number[] | undefined;
  refused?: Refusal[] | undefined;
  /** Whether the caller may approve questions without a review. */
  mayApprove?: boolean | undefined;
}

interface PlannedBase {
  input: QuestionInput;
  category: CategoryRow;
}
export interface PlannedCreate extends PlannedBase {
  outcome: 'created';
}
export interface PlannedUpdate extends PlannedBase {
  outcome: 'updated' | 'unchanged';
  row: LockedQuestion;
  before: QuestionFields;
  fields: QuestionFields;
}
type Planned = PlannedCreate | PlannedUpdate;

export interface Plan {
  planned: Planned[];
  refused: Refusal[];
}

/** Reads the questions with these ids, which may be locked on the way. */
type ReadQuestions = (ids: string[]) => Promise<LockedQuestion[]>;

/**
 * Throws if all questions are refused, or one of a create without `skipBad`. The categories are read
 * after the questions are locked.
 */
export async function planCreation(
  db: Db,
  creation: Creation,
  readCategories: () => Promise<Map<string, CategoryRow>>,
  readQuestions: ReadQuestions,
): Promise<Plan> {
  const { inputs, many, skipBad, indices, refused: before = [] } = creation;
  const owners = await findExternalIds(
    db,
    inputs.flatMap(({ external_id }) => external_id ?? []),
  );
  const matches = await readMatches(creation, owners, readQuestions);
  const planner = new Planner(await readCategories(), owners, matches, creation.updateMatches ?? false);
  const planned: Planned[] = [];
  const refused: Refusal[] = [];
  for (const [i, input] of inputs.entries()) {
    const index = indices?.[i] ?? i;
    const result = planner.plan(input, many ? `/${index}` : '');
    if ('faults' in result) refused.push(toRefusal(index, input, result.faults));
    else planned.push(result);
  }
  const all = [...before, ...refused].sort((a, b) => a.index - b.index);
  if (refused.length > 0 && (!skipBad || planned.length === 0)) throw buildError(all, skipBad);
  return { planned, refused: all };
}

const MAX_TEXT_CHARS = 100;
/** Bounds the response to a batch of questions with many faults each. */
const MAX_FAULTS_PER_QUESTION = 20;

export function toRefusal(index: number, input: unknown, faults: Fault[]): Refusal {
  const text = (input as { question_text?: unknown } | null)?.question_text;
  const shown = typeof text === 'string' ? [...text.slice(0, 2 * MAX_TEXT_CHARS)] : undefined;
  return {
    index,
    question_text: shown
      ? shown.slice(0, MAX_TEXT_CHARS).join('') + (shown.length > MAX_TEXT_CHARS ? '…' : '')
      : null,
    errors: faults.slice(0, MAX_FAULTS_PER_QUESTION),
  };
}

/** A create of all or none is a conflict over an `external_id` if it has no other faults. */
function buildError(refused: Refusal[], skipBad = false): Error {
  const faults = refused.flatMap(({ errors }) => errors);
  if (skipBad) return errors.invalidBody(faults);
  const invalid = faults.filter(({ code }) => code !== 'external_id_taken');
  return invalid.length > 0 ? errors.invalidBody(invalid) : errors.externalIdTaken(faults);
}

async function readMatches(
  { updateMatches }: Creation,
  owners: ReadonlyMap<string, string>,
  readQuestions: ReadQuestions,
): Promise<Map<string, LockedQuestion>> {
  if (!updateMatches || owners.size === 0) return new Map();
  const rows = await readQuestions([...owners.values()]);
  // Since its id was read, a question may have been given another external_id.
  return new Map(rows.map((row) => [row.external_id ?? '', row]));
}

class Planner {
  readonly #categories: Map<string, CategoryRow>;
  readonly #owners: ReadonlyMap<string, string>;
  readonly #matches: ReadonlyMap<string, LockedQuestion>;
  readonly #updateMatches: boolean;
  /** The external_ids of planned questions, with their pointers. */
  readonly #planned = new Map<string, string>();

  constructor(
    categories: Map<string, CategoryRow>,
    owners: ReadonlyMap<string, string>,
    matches: ReadonlyMap<string, LockedQuestion>,
    updateMatches: boolean,
  ) {
    this.#categories = categories;
    this.#owners = owners;
    this.#matches = matches;
    this.#updateMatches = updateMatches;
  }

  plan(input: QuestionInput, pointer: string): Planned | { faults: Fault[] } {
    const { external_id } = input;
    const match = external_id ? this.#matches.get(external_id) : undefined;
    const planned = match ? this.#planUpdate(input, match, pointer) : this.#planCreate(input, pointer);
    if ('faults' in planned || !external_id) return planned;
    const owner = this.#findOwner(external_id);
    if (owner) {
      const detail = `is the external_id of ${owner}`;
      return { faults: [{ pointer: `${pointer}/external_id`, code: 'external_id_taken', detail }] };
    }
    this.#planned.set(external_id, pointer);
    return planned;
  }

  #findOwner(external_id: string): string | undefined {
    const earlier = this.#planned.get(external_id);
    if (earlier !== undefined) return `the item at ${earlier || '/'}`;
    const id = this.#updateMatches ? undefined : this.#owners.get(external_id);
    return id && `question ${id}`;
  }

  #planCreate(input: QuestionInput, pointer: string): PlannedCreate | { faults: Fault[] } {
    const category = this.#categories.get(toNameKey(input.category));
    const faults = findAssignedFaults(input, pointer);
    // Other creates were checked before: only here it is not known which questions are new.
    if (this.#updateMatches) faults.push(...findKindFaults(input, pointer));
    if (!category) faults.unshift(unknownCategory(`${pointer}/category`, this.#categories));
    return category && faults.length === 0 ? { outcome: 'created', input, category } : { faults };
  }

  #planUpdate(
    input: QuestionInput,
    row: LockedQuestion,
    pointer: string,
  ): PlannedUpdate | { faults: Fault[] } {
    const { category, before, fields, faults, unchanged } = applyChange(
      row,
      input,
      this.#categories,
      pointer,
    );
    if (!category || faults.length > 0) return { faults };
    const prepared = findPreparedFields(input);
    if (prepared) copyWords(prepared, fields);
    return { outcome: unchanged ? 'unchanged' : 'updated', input, category, row, before, fields };
  }
}

/** The number of questions that a create would add, as far as `external_id`s show it. */
export async function countNew(db: Db, { inputs, updateMatches }: Creation): Promise<number> {
  if (!updateMatches) return inputs.length;
  const given = inputs.flatMap(({ external_id }) => external_id ?? []);
  return inputs.length - (await findExternalIds(db, given)).size;
}

/** The statuses of new questions. While review is on they are drafts, unless a caller says otherwise. */
export function chooseStatuses(
  inputs: readonly QuestionInput[],
  mayApprove: boolean | undefined,
  requiredReviews: number,
): Status[] {
  const born = requiredReviews > 0 ? 'draft' : 'approved';
  const statuses = inputs.map(({ status }) => status ?? born);
  const needsReview = statuses.some((status) => status === 'approved' || status === 'retired');
  if (requiredReviews > 0 && needsReview && !mayApprove)
    throw errors.insufficientScope(['admin'], 'Creating approved or retired questions while review is on');
  return statuses;
}

/** Makes all checks of a create; returns the questions as they would be stored. */
export async function validateQuestions(db: Db, creation: Creation) {
  const readQuestions = async (ids: string[]) =>
    db.all<LockedQuestion>(
      `SELECT q.*, c.name_json AS category, c.name_version AS category_version
       FROM questions q JOIN categories c ON c.id = q.category_id WHERE q.id IN ${db.dialect.values('$1', 'uuid')}`,
      JSON.stringify(ids),
    );
  const { planned, refused } = await planCreation(db, creation, () => categoriesByKey(db), readQuestions);
  const created = planned.filter(({ outcome }) => outcome === 'created').map(({ input }) => input);
  const statuses = chooseStatuses(created, creation.mayApprove, await readRequiredReviews(db)).values();
  return {
    data: planned.map(({ category, ...each }) => {
      const fields =
        'fields' in each ? each.fields : { ...toFields(each.input), status: statuses.next().value! };
      return { category: category.name, kind: kindOf(fields), ...fields };
    }),
    inputs: planned.map(({ input }) => input),
    outcomes: planned.map(({ outcome }) => outcome),
    refused,
  };
}
