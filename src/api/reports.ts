/** Reports of faults in questions, by players and for the people who maintain the bank. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/preconditions.ts';
import {
  QuestionReportQuery,
  Report,
  ReportAccepted,
  ReportInput,
  ReportList,
  ReportQuery,
  ReportResolution,
} from '../schemas/report.ts';
import { Type } from '../schemas/type.ts';
import { canonicalId } from '../store/ids.ts';
import { listReports, type ReportListArgs, reportQuestion, resolveReport } from '../store/reports/reports.ts';
import { type ListDeps, renderPage } from './paging.ts';
import { getCaller, getVisibility, writeIdempotently } from './requests.ts';

const REPORT = ['questions:report'] as const;
/** Comments and answers may disclose the key. */
const MAINTAIN = ['questions:write', 'answers:read'] as const;

const QuestionPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
const ReportPath = Type.Object({ id: Type.String({ description: "The report's id." }) });
type ById = { Params: { id: string } };

export function reportRoutes(app: FastifyInstance, { engine, quotas, maxPageBytes }: ListDeps): void {
  const sendReports = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { limit = 20, offset = 0, ...filter }: ReportQuery,
    ofKnownQuestion: boolean,
  ) => {
    const args: ReportListArgs = { filter, ofKnownQuestion, limit, offset, maxBytes: maxPageBytes };
    return sendJson(reply, renderPage(request, reply, { limit }, await listReports(engine.db, args)));
  };

  app.post<ById & { Body: ReportInput }>(
    '/questions/:id/reports',
    {
      config: { scopes: REPORT },
      schema: {
        summary: 'Report a question',
        description:
          'Reports a fault, before or after answering. There is one report per respondent (without one, per client), question and revision; a ' +
          'repeated one replaces it and is open again. The response is the same for any answer and does not show whether a report was replaced. ' +
          'Reports do not hide a question; when the third respondent reports a revision, `question.reported` is emitted.',
        params: QuestionPath,
        body: ReportInput,
        response: { 202: ReportAccepted },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await writeIdempotently(engine, request, reportQuestion, async () => {
        await quotas.check(request, 0);
        const { client } = getCaller(request);
        const visibility = getVisibility(request);
        return { question_id: id, client, report: request.body, at: Date.now(), visibility };
      });
      return reply.code(202).send({ question_id: canonicalId(id), reason: request.body.reason });
    },
  );

  app.get<ById & { Querystring: QuestionReportQuery }>(
    '/questions/:id/reports',
    {
      config: { scopes: MAINTAIN },
      schema: {
        operationId: 'listQuestionReports',
        summary: 'List reports of a question',
        description: 'Newest first. Reports of a deleted question are kept.',
        params: QuestionPath,
        querystring: QuestionReportQuery,
        response: { 200: ReportList },
      },
    },
    (request, reply) =>
      sendReports(request, reply, { ...request.query, question_id: request.params.id }, true),
  );

  app.get<{ Querystring: ReportQuery }>(
    '/reports',
    {
      config: { scopes: MAINTAIN },
      schema: {
        summary: 'List reports',
        description: 'Newest first. `status=open` lists those that wait for a decision.',
        querystring: ReportQuery,
        response: { 200: ReportList },
      },
    },
    (request, reply) => sendReports(request, reply, request.query, false),
  );

  app.post<ById & { Body: ReportResolution }>(
    '/reports/:id/resolve',
    {
      config: { scopes: MAINTAIN },
      schema: {
        summary: 'Resolve a report',
        description: 'Closes a report with an outcome. Resolving it again replaces the outcome.',
        params: ReportPath,
        body: ReportResolution,
        response: { 200: Report },
      },
    },
    (request) =>
      writeIdempotently(engine, request, resolveReport, {
        ...request.body,
        id: request.params.id,
        client: getCaller(request).client,
        at: Date.now(),
      }),
  );
}
