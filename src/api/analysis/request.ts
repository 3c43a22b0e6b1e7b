/** What a request for a run asks for: checked in full before anything is queued. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { type Analysis, findAnalysis, withDefaults } from '../../analyses/index.ts';
import { errors, type Fault, MOST_FAULTS } from '../../errors.ts';
import { schemaFaults } from '../../http/request-checks.ts';
import { faultsIn } from '../../http/validation.ts';
import type { AnalysisRequest } from '../../schemas/analysis.ts';
import type { NewAnalysis } from '../../store/analyses/analyses.ts';
import type { Engine } from '../../store/db.ts';
import { canonicalId } from '../../store/ids.ts';
import { countSelected, resolveIds } from '../../store/questions/selection.ts';
import { hasTwoGroups } from '../../store/responses/sittings.ts';
import { filterFaults } from '../paging.ts';
import { callerOf, viewOf } from '../requests.ts';
import { refuseGuess } from './guesses.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The run that is asked for, or every fault the request has. */
export async function acceptedRun(request: FastifyRequest, engine: Engine): Promise<NewAnalysis> {
  const faults = schemaFaults(request);
  const body = (isObject(request.body) ? request.body : {}) as Partial<AnalysisRequest>;
  const analysis = findAnalysis(String(body.analysis_type));
  if (analysis && (body.parameters === undefined || isObject(body.parameters)))
    faults.push(...prefixed('/parameters', parameterFaults(analysis, body.parameters ?? {})));
  if (body.question_ids && body.filter)
    faults.push({
      pointer: '/filter',
      code: 'conflict',
      detail: 'names questions, and so does question_ids: leave one of them out',
    });
  const view = viewOf(request);
  if (analysis?.readsResponses) refuseGuess(request, analysis.type);
  if (analysis?.comparesGroups && !(await hasTwoGroups(engine.db)))
    faults.push({
      pointer: '/analysis_type',
      code: 'one_group',
      detail:
        'compares groups, and the responses are not of two groups at least: record them with their group',
    });
  if (faults.length === 0 && body.filter)
    for (const { name, ...fault } of filterFaults(body.filter, view))
      faults.push({ pointer: `/filter/${name}`, ...fault });
  const named = await namedQuestions(engine, body.question_ids);
  faults.push(...(named?.faults ?? []));
  if (!analysis || faults.length > 0) throw errors.invalidBody(faults, faults.length + (named?.untold ?? 0));
  const filter = named ? undefined : (body.filter ?? {});
  return {
    client: callerOf(request).client,
    type: analysis.type,
    answers: analysis.readsAnswers,
    parameters: withDefaults(analysis, body.parameters ?? {}),
    filter,
    members: named?.members,
    question_count: named?.count ?? (await engine.search(countSelected, { filter: filter!, view })),
    view,
    // Words are looked for in answers, too, and times tell when one was changed: so does what is found by them.
    reveals_answers:
      view === 'with_answers' && (filter?.q !== undefined || filter?.updated_since !== undefined),
  };
}

function parameterFaults(analysis: Analysis, given: object): Fault[] {
  const parameters = withDefaults(analysis, given);
  const faults = faultsIn(analysis.parameters, parameters);
  const check = analysis.check as ((parameters: object) => Fault[]) | undefined;
  return faults.length > 0 || !check ? faults : check(parameters);
}

const prefixed = (prefix: string, faults: Fault[]) =>
  faults.map((fault) => ({ ...fault, pointer: prefix + fault.pointer }));

/** The questions that are named, and what is wrong with their ids; nothing where none are. */
async function namedQuestions(engine: Engine, given: unknown) {
  if (!Array.isArray(given)) return undefined;
  const { ids, faults } = await idsIn(given);
  const known = ids.filter((id) => id !== undefined);
  const { members, unknown } = await engine.search(resolveIds, known);
  const missing = new Set(unknown.slice(0, MOST_FAULTS));
  for (const [i, id] of missing.size > 0 ? ids.entries() : [])
    if (id !== undefined && missing.has(id))
      faults.push(faultOfId(i, 'unknown_question', `is ${id}, which no question has`));
  return { members, count: known.length, faults, untold: unknown.length - missing.size };
}

const faultOfId = (i: number, code: string, detail: string): Fault => ({
  pointer: `/question_ids/${i}`,
  code,
  detail,
});

/** Ids looked at in one turn of the loop. */
const AT_ONCE = 5_000;

/** The ids in the form they are stored in, nothing for what is none; and which of them stand there twice. */
async function idsIn(given: unknown[]): Promise<{ ids: (string | undefined)[]; faults: Fault[] }> {
  const first = new Map<string, number>();
  const ids: (string | undefined)[] = [];
  const faults: Fault[] = [];
  for (const [i, value] of given.entries()) {
    const id = canonicalId(String(value));
    ids.push(id);
    const before = id === undefined ? i : first.getOrInsert(id, i);
    if (before !== i) faults.push(faultOfId(i, 'repeated', `is at /question_ids/${before} already`));
    if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return { ids, faults };
}
