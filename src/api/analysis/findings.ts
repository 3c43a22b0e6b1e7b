/** Findings of single questions, and their dismissals. */
import type { FastifyInstance } from 'fastify';
import { type Definition, listFindings } from '../../analyses/define.ts';
import { analyses, findAnalysis } from '../../analyses/index.ts';
import { errors } from '../../errors.ts';
import { sendJson } from '../../http/preconditions.ts';
import {
  Dismissal,
  DismissalInput,
  DismissalList,
  DismissalQuery,
  DismissalTarget,
  QuestionFindings,
  QuestionFindingsQuery,
} from '../../schemas/finding.ts';
import { Type } from '../../schemas/type.ts';
import { dismissFinding, listDismissals, withdrawDismissal } from '../../store/analyses/dismissals.ts';
import { findLatestRuns, type LatestRun } from '../../store/analyses/question-findings.ts';
import type { DismissalRow } from '../../store/findings/dismissals.ts';
import { formatTime } from '../../store/time.ts';
import { isCut, type ListDeps, renderPage } from '../paging.ts';
import {
  getCaller,
  getCallOptions,
  getReader,
  getVisibility,
  getWriteOptions,
  writeIdempotently,
} from '../requests.ts';
import { listHiddenTypes } from './guesses.ts';
import { readSelectedRows } from './results.ts';

const READ = ['questions:read', 'analysis:read'] as const;
/** That a dismissal has ended reveals that the question, perhaps its answer, has changed. */
const READ_DISMISSALS = [...READ, 'answers:read'] as const;
const DISMISS = ['questions:write', 'analysis:read', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
type ById = { Params: { id: string } };

export function findingRoutes(app: FastifyInstance, { engine, maxPageBytes, largePages }: ListDeps): void {
  app.get<ById & { Querystring: QuestionFindingsQuery }>(
    '/questions/:id/findings',
    {
      config: { scopes: READ, views: true },
      schema: {
        summary: 'List findings of a question',
        description:
          'For each type of analysis, what the latest run that covered the question found, with its rows. A run that found nothing is ' +
          'listed without findings. Dismissed findings are left out unless `dismissed=true`; rows are those of the run. Only runs of the ' +
          'current version of an analysis count.',
        params: IdPath,
        querystring: QuestionFindingsQuery,
        response: { 200: QuestionFindings(analyses) },
      },
    },
    async (request, reply) => {
      const query = { id: request.params.id, ...getReader(request), without: listHiddenTypes(request) };
      const { runs, dismissals } = await engine.search(findLatestRuns, query, getCallOptions(request));
      const now = Date.now();
      const data: string[] = [];
      for (const run of runs)
        data.push(await renderFindings(run, dismissals, { now, showsAll: request.query.dismissed ?? false }));
      return sendJson(reply, `{"data":[${data.join(',')}]}`);
    },
  );

  app.post<ById & { Body: DismissalInput }>(
    '/questions/:id/findings/dismissals',
    {
      config: { scopes: DISMISS },
      schema: {
        operationId: 'dismissFinding',
        summary: 'Dismiss a finding',
        description:
          'Judges a finding to be acceptable, with a reason, for the question at its current revision. The finding leaves ' +
          'the filters, counts and lists of callers with `answers:read`, and returns when the question changes. A repetition replaces the reason. ' +
          'A finding that no run has reported yet can be dismissed, too.',
        params: IdPath,
        body: DismissalInput(analyses),
        response: { 201: Dismissal(analyses) },
      },
    },
    async (request, reply) => {
      const { analysis_type, name, reason, revision } = request.body;
      requireFindingName(analysis_type, name);
      const { client, token } = getCaller(request);
      const by = { client, key: token.kind === 'key' ? token.id : null };
      const finding = { question_id: request.params.id, type: analysis_type, name };
      const stored = await writeIdempotently(engine, request, dismissFinding, {
        ...finding,
        reason,
        revision,
        by,
      });
      return reply.code(201).send(stored);
    },
  );

  app.delete<ById & { Querystring: DismissalTarget }>(
    '/questions/:id/findings/dismissals',
    {
      config: { scopes: DISMISS },
      schema: {
        operationId: 'withdrawDismissal',
        summary: 'Withdraw a dismissal',
        description:
          'Withdraws the dismissal of a finding for the question at its current revision, if there is one.',
        params: IdPath,
        querystring: DismissalTarget(analyses),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { analysis_type, name } = request.query;
      const target = { question_id: request.params.id, type: analysis_type, name };
      await engine.write(withdrawDismissal, target, getWriteOptions(request));
      return reply.code(204).send();
    },
  );

  app.get<{ Querystring: DismissalQuery }>(
    '/dismissals',
    {
      config: { scopes: READ_DISMISSALS },
      schema: {
        summary: 'List dismissals',
        description:
          'Who dismissed which finding, when and why; also those that no longer hold. Newest first.',
        querystring: DismissalQuery,
        response: { 200: DismissalList(analyses) },
      },
    },
    async (request, reply) => {
      const { question_id, active, limit = 20, offset = 0 } = request.query;
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const query = { question_id, active, visibility: getVisibility(request), limit, offset, maxBytes };
        const page = await engine.search(listDismissals, query, getCallOptions(request));
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
        };
      });
    },
  );
}

function requireFindingName(type: string, name: string): void {
  const { findings } = findAnalysis(type) as unknown as Definition;
  if (Object.hasOwn(findings, name)) return;
  const detail = `must be a finding of ${type}: ${Object.keys(findings).join(', ')}`;
  throw errors.invalidBody([{ pointer: '/name', code: 'not_allowed', detail }]);
}

async function renderFindings(
  run: LatestRun,
  dismissals: DismissalRow[],
  { now, showsAll }: { now: number; showsAll: boolean },
): Promise<string> {
  const definition = findAnalysis(run.type) as unknown as Definition;
  const rows = await readSelectedRows(run.rows, run.blocks);
  const names = new Set(rows.flatMap(({ text }) => listFindings(definition, JSON.parse(text))));
  const findings = [...names].map((name) => ({
    name,
    severity: definition.findings[name],
    dismissed: toDismissed(dismissals.find((each) => each.type === run.type && each.name === name)),
  }));
  const record = {
    analysis_type: run.type,
    analysis_id: run.id,
    finished_at: formatTime(run.finished_at),
    age_seconds: Math.max(0, Math.floor((now - run.finished_at) / 1000)),
    stale: run.stale ?? null,
    findings: findings.filter(({ dismissed }) => showsAll || dismissed === null),
  };
  return `${JSON.stringify(record).slice(0, -1)},"items":[${rows.map(({ text }) => text).join(',')}]}`;
}

function toDismissed(row: DismissalRow | undefined) {
  if (!row) return null;
  const { revision, reason, dismissed_by, dismissed_key, dismissed_at } = row;
  return { revision, reason, dismissed_by, dismissed_key, dismissed_at: formatTime(dismissed_at) };
}
