/** Parses and validates a request for a bulk change, and selects its questions. */
import type { FastifyRequest } from 'fastify';
import { errors, type Fault } from '../../errors.ts';
import { readSchemaFaults } from '../../http/request-checks.ts';
import type { BulkRequest } from '../../schemas/change.ts';
import { findBulkFaults } from '../../schemas/change-rules.ts';
import { toNameKey } from '../../schemas/names.ts';
import { findQuestionFaults } from '../../schemas/question-rules.ts';
import { requireResult } from '../../store/analyses/result-rows.ts';
import type { NewChange } from '../../store/changes/changes.ts';
import type { Step } from '../../store/changes/row.ts';
import { intersectMembers, listRemedied, selectFound } from '../../store/changes/selection.ts';
import type { CallOptions, Engine } from '../../store/db.ts';
import { categoriesByKey, unknownCategory } from '../../store/questions/categories.ts';
import { resolveIds, type Selection, selectMembers } from '../../store/questions/selection.ts';
import { checkFilter } from '../paging.ts';
import { findUnknownFaults, parseIds } from '../question-ids.ts';
import { getCaller, getCallOptions, getChangedBy } from '../requests.ts';

/** The type of analysis whose findings have remedies. */
const REMEDIED_TYPE = 'quality';

export type BulkChange = NewChange & { plan: { step: BulkStep; effect: null } };
type BulkStep = Exclude<Step, { type: 'revert' }>;

/** Throws an error with all faults of the request, or if the number of questions is not as expected. */
export async function parseBulkRequest(request: FastifyRequest, engine: Engine): Promise<BulkChange> {
  const faults = readSchemaFaults(request);
  const body = toObject(request.body) as BulkRequest;
  faults.push(...findBulkFaults(body as Record<string, unknown>));
  faults.push(...findQuestionFaults(body.change, '/change'));
  const category = await findCategory(engine, body.change?.category, faults);
  if (faults.length === 0 && body.filter)
    faults.push(...toPointers(checkFilter(body.filter, getCaller(request).scopes)));
  const listed = Array.isArray(body.question_ids) ? await parseIds(body.question_ids) : undefined;
  faults.push(...(listed?.faults ?? []));
  if (faults.length > 0) throw errors.invalidBody(faults);
  const step = await toStep(engine, body, category);
  const { members, count } = await select(engine, body, { step, listed, options: getCallOptions(request) });
  if (body.expected !== undefined && body.expected !== count)
    throw errors.countMismatch(body.expected, count);
  const { question_ids, expected, dry_run, ...shown } = body;
  return {
    by: getChangedBy(request),
    kind: step.type,
    request: shown,
    plan: { step, effect: null },
    members,
    question_count: count,
  };
}

const toObject = (body: unknown) => (typeof body === 'object' && body !== null ? body : {});
const toPointers = (faults: Fault[]) =>
  faults.map((fault) => ({ ...fault, pointer: `/filter${fault.pointer}` }));

/** The id of a category that is not renamed or deleted meanwhile; null without one. */
async function findCategory(engine: Engine, name: unknown, faults: Fault[]): Promise<number | null> {
  if (typeof name !== 'string') return null;
  const categories = await categoriesByKey(engine.db);
  const category = categories.get(toNameKey(name));
  if (!category) faults.push(unknownCategory('/change/category', categories));
  return category?.id ?? null;
}

async function toStep(
  { db }: Engine,
  { change, apply_remedy }: BulkRequest,
  category_id: number | null,
): Promise<BulkStep> {
  if (change) return { type: 'update', change, category_id };
  if (!apply_remedy) return { type: 'delete' };
  const { id, type } = await requireResult(db, apply_remedy.analysis_id);
  if (type === REMEDIED_TYPE)
    return { type: 'apply_remedy', analysis_id: id, rules: apply_remedy.rules ?? null };
  throw errors.invalidBody([
    {
      pointer: '/apply_remedy/analysis_id',
      code: 'no_remedies',
      detail: `must be a run of ${REMEDIED_TYPE}; a run of ${type} has no remedies`,
    },
  ]);
}

interface SelectOptions {
  step: BulkStep;
  listed: Awaited<ReturnType<typeof parseIds>> | undefined;
  options: CallOptions;
}

/** Selects the questions; for remedies, only those that have one. */
async function select(
  engine: Engine,
  { filter = {}, finding }: BulkRequest,
  { step, listed, options }: SelectOptions,
): Promise<Selection> {
  const resolve = (ids: string[]) => engine.search(resolveIds, { ids, visibility: 'all' }, options);
  const view = 'with_answers';
  let chosen: Selection;
  if (listed) {
    const { members, unknown } = await resolve(listed.known);
    const { faults, unreported } = findUnknownFaults(listed.ids, unknown);
    if (faults.length > 0) throw errors.invalidBody(faults, faults.length + unreported);
    chosen = { members, count: listed.known.length };
  } else chosen = await engine.search(selectMembers, { filter, unapproved: true, view }, options);
  if (finding) {
    const run = await requireResult(engine.db, finding.analysis_id);
    const found = await selectFound(engine.db, { ...run, name: finding.name });
    chosen = intersectMembers(chosen.members, found);
  }
  if (step.type !== 'apply_remedy') return chosen;
  const { analysis_id: id, rules } = step;
  const remedied = await resolve(await engine.search(listRemedied, { id, view, rules }, options));
  return intersectMembers(chosen.members, remedied.members);
}
