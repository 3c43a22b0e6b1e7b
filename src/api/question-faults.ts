/** Finds all faults of the questions in a request that can be found before they are stored. */
import type { FastifyRequest } from 'fastify';
import { Ticker } from '../concurrency/ticker.ts';
import { type ApiError, errors, type Fault } from '../errors.ts';
import { readSchemaFaults, validateItem } from '../http/request-checks.ts';
import { toNameKey } from '../schemas/names.ts';
import { QuestionInput } from '../schemas/question.ts';
import type { Refusal } from '../schemas/question-creation.ts';
import type { Db } from '../store/db.ts';
import { categoriesByKey, unknownCategory } from '../store/questions/categories.ts';
import type { CategoryRow } from '../store/questions/category-row.ts';
import { toRefusal } from '../store/questions/creation.ts';

/** Finds the faults of a question by rules between its fields. */
type FindFaults = (question: unknown, pointer: string) => Fault[];

/** Reports the faults found by the schema together with those found by the rules and the bank. */
export async function refuseFaults(
  request: FastifyRequest,
  db: Db,
  items: unknown[],
  { many, find }: { many: boolean; find: FindFaults },
): Promise<void> {
  const getPointer = (i: number) => (many ? `/${i}` : '');
  const faults: Fault[] = readSchemaFaults(request);
  const ticker = new Ticker();
  for (const [i, item] of items.entries()) {
    faults.push(...find(item, getPointer(i)));
    if (ticker.due()) await ticker.yield();
  }
  if (faults.length === 0) return;
  const categories = await categoriesByKey(db);
  for (const [i, item] of items.entries()) faults.push(...findCategoryFault(item, getPointer(i), categories));
  throw errors.invalidBody(faults);
}

/** Reported with other faults; a question without them is checked when it is stored. */
function findCategoryFault(item: unknown, pointer: string, categories: Map<string, CategoryRow>): Fault[] {
  const category = (item as { category?: unknown } | null)?.category;
  const known = typeof category !== 'string' || category === '' || categories.has(toNameKey(category));
  return known ? [] : [unknownCategory(`${pointer}/category`, categories)];
}

export interface Separated {
  inputs: QuestionInput[];
  /** Where the inputs are in the array. */
  indices: number[];
  refused: Refusal[];
}

/** Separates the questions of an array from those with faults. Throws if all have some. */
export async function separateBad(
  request: FastifyRequest,
  db: Db,
  items: unknown[],
  find: FindFaults,
): Promise<Separated> {
  const error = request.validationError as ApiError | undefined;
  // A fault of the array itself, such as its length.
  if (error?.errors?.some(({ pointer }) => pointer === '')) throw error;
  const bad: { index: number; item: unknown; faults: Fault[] }[] = [];
  const good: Omit<Separated, 'refused'> = { inputs: [], indices: [] };
  const ticker = new Ticker();
  for (const [index, item] of items.entries()) {
    const pointer = `/${index}`;
    // The validator stops early in an array with many faults, so each item is validated on its own.
    const { value, faults } = error
      ? validateItem(QuestionInput, item, pointer)
      : { value: item, faults: [] };
    const all = [...faults, ...find(value, pointer)];
    if (all.length > 0) bad.push({ index, item: value, faults: all });
    else {
      good.inputs.push(value as QuestionInput);
      good.indices.push(index);
    }
    if (ticker.due()) await ticker.yield();
  }
  if (bad.length === 0) return { ...good, refused: [] };
  const categories = await categoriesByKey(db);
  const refused = bad.map(({ index, item, faults }) =>
    toRefusal(index, item, [...faults, ...findCategoryFault(item, `/${index}`, categories)]),
  );
  if (good.inputs.length === 0) throw errors.invalidBody(refused.flatMap(({ errors }) => errors));
  return { ...good, refused };
}
