/** Parses and validates a request to run an analysis, before anything is queued. */
import type { FastifyRequest } from 'fastify';
import { type Analysis, findAnalysis, withDefaults } from '../../analyses/index.ts';
import { errors, type Fault } from '../../errors.ts';
import { readSchemaFaults } from '../../http/request-checks.ts';
import type { AnalysisRequest } from '../../schemas/analysis.ts';
import { findSelectionFaults } from '../../schemas/analysis-rules.ts';
import { namesUnapproved, type QuestionFilter, toList } from '../../schemas/question-filter.ts';
import type { NewAnalysis } from '../../store/analyses/analyses.ts';
import type { CallOptions, Engine } from '../../store/db.ts';
import { countSelected, resolveIds } from '../../store/questions/selection.ts';
import { hasTwoGroups } from '../../store/responses/sittings.ts';
import type { Visibility } from '../../store/view.ts';
import { checkFilter } from '../paging.ts';
import { findUnknownFaults, parseIds } from '../question-ids.ts';
import { getCaller, getCallOptions, getView, getVisibility } from '../requests.ts';
import { refuseHiddenType } from './guesses.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws an error with all faults of the request. */
export async function parseRunRequest(request: FastifyRequest, engine: Engine): Promise<NewAnalysis> {
  const faults = readSchemaFaults(request);
  const body = (isObject(request.body) ? request.body : {}) as Partial<AnalysisRequest>;
  const analysis = findAnalysis(String(body.analysis_type));
  if (analysis && !faults.some(({ pointer }) => pointer.startsWith('/parameters')))
    faults.push(...withPrefix('/parameters', checkParameters(analysis, body.parameters ?? {})));
  faults.push(...findSelectionFaults(body));
  const view = getView(request);
  const options = getCallOptions(request);
  if (analysis?.readsResponses) refuseHiddenType(request, analysis.type);
  if (analysis?.comparesGroups && !(await hasTwoGroups(engine.db)))
    faults.push({
      pointer: '/analysis_type',
      code: 'too_few_groups',
      detail: 'compares groups: record responses of at least two groups first',
    });
  if (faults.length === 0 && body.filter)
    faults.push(...withPrefix('/filter', checkFilter(body.filter, getCaller(request).scopes)));
  const visibility = getVisibility(request);
  const listed = await resolveQuestions(engine, body.question_ids, visibility, options);
  faults.push(...(listed?.faults ?? []));
  if (!analysis || faults.length > 0)
    throw errors.invalidBody(faults, faults.length + (listed?.unreported ?? 0));
  // A run is over approved questions, unless it names others.
  const filter = listed ? undefined : (body.filter ?? {});
  const namesOthers = filter !== undefined && namesUnapproved(filter);
  const unapproved = listed?.unapproved ?? (visibility === 'all' && namesOthers);
  return {
    client: getCaller(request).client,
    type: analysis.type,
    answers: analysis.readsAnswers,
    parameters: withDefaults(analysis, body.parameters ?? {}),
    filter,
    members: listed?.members,
    question_count:
      listed?.count ?? (await engine.search(countSelected, { filter: filter!, unapproved, view }, options)),
    view,
    unapproved,
    reveals_answers: view === 'with_answers' && filter !== undefined && readsAnswers(filter),
  };
}

/** Whether a filter of a caller with answers selects questions by what the answers contain. */
const readsAnswers = ({ q, updated_since, missing, finding }: QuestionFilter) =>
  q !== undefined ||
  updated_since !== undefined ||
  toList(missing).includes('explanation') ||
  toList(finding).length > 0;

/** The faults that a schema cannot express. */
function checkParameters(analysis: Analysis, given: object): Fault[] {
  const check = analysis.check as ((parameters: object) => Fault[]) | undefined;
  return check?.(withDefaults(analysis, given)) ?? [];
}

const withPrefix = (prefix: string, faults: Fault[]) =>
  faults.map((fault) => ({ ...fault, pointer: prefix + fault.pointer }));

/** Resolves the listed ids, if any, to slots. */
async function resolveQuestions(
  engine: Engine,
  given: unknown,
  visibility: Visibility,
  options: CallOptions,
) {
  if (!Array.isArray(given)) return undefined;
  const { ids, known, faults } = await parseIds(given);
  const { members, unknown, unapproved } = await engine.search(
    resolveIds,
    { ids: known, visibility },
    options,
  );
  const missing = findUnknownFaults(ids, unknown);
  return {
    members,
    unapproved,
    count: known.length,
    faults: [...faults, ...missing.faults],
    unreported: missing.unreported,
  };
}
