/** `GET /questions/export`: the questions of a filter as a file. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Semaphore } from '../concurrency/semaphore.ts';
import { errors } from '../errors.ts';
import { sendJson } from '../http/preconditions.ts';
import { streamFile } from '../http/streamed-file.ts';
import {
  EXPORT_TYPES,
  ExportedFile,
  type ExportFormat,
  ExportQuery,
  type ExportReport,
} from '../schemas/transfer.ts';
import type { Engine } from '../store/db.ts';
import { type ExportSelection, selectExport } from '../store/questions/export.ts';
import { REVISION_BYTES } from '../store/questions/packed-revisions.ts';
import { writeExport } from '../transfer/export.ts';
import type { Tally } from '../transfer/tally.ts';
import { checkFilter, refuseQuery } from './paging.ts';
import { getCaller, getCallOptions, getVisibility } from './requests.ts';

/** Exports that are written at once: writing takes the time of other requests. */
const MAX_EXPORTS = 4;
const MAX_WAITING = 32;

const EXTENSIONS: Partial<Record<ExportFormat, string>> = {
  'moodle-xml': 'xml',
  'qti-2.1': 'zip',
  'qti-2.2': 'zip',
  'qti-3.0': 'zip',
  anki: 'txt',
  opentdb: 'json',
};

export function exportRoutes(app: FastifyInstance, engine: Engine): void {
  const permits = new Semaphore({
    permits: MAX_EXPORTS,
    maxWaiting: MAX_WAITING,
    refusal: errors.overloaded,
  });
  app.get<{ Querystring: ExportQuery }>(
    '/questions/export',
    {
      config: { scopes: ['questions:read', 'answers:read'] },
      schema: {
        operationId: 'exportQuestions',
        summary: 'Export questions',
        description:
          'Writes the questions that match the filters of GET /questions as a file, streamed, all as they were at the time of the request. ' +
          'A file has answers: there is no export without `answers:read`. It has no ids, revisions, times and statuses. What the format ' +
          'loses is counted by code in the trailer `Export-Losses` (`fields_not_written=12, kind_not_written=3`), which is empty if nothing ' +
          'is lost; `dry_run` responds with the same as JSON. A file that cannot be completed ends with a closed connection.',
        querystring: ExportQuery,
        response: { 200: ExportedFile },
      },
    },
    async (request, reply) => {
      const { format = 'jsonl', sort = 'created_at', dry_run = false, ...filter } = request.query;
      refuseQuery(checkFilter(filter, getCaller(request).scopes));
      const args = {
        filter: { ...filter, visibility: getVisibility(request) },
        order: sort.endsWith('updated_at') ? 'updated' : 'created',
        descending: sort.startsWith('-'),
      } as const;
      await permits.run(async () => {
        const selection = await engine.search(selectExport, args, getCallOptions(request));
        if (dry_run) sendJson(reply, JSON.stringify(await report(engine, request, selection, format)));
        else await send(engine, request, reply, selection, format);
      });
      return reply;
    },
  );
}

/** Resolves when the file has been written, or the client has closed the connection. */
async function send(
  engine: Engine,
  { method }: FastifyRequest,
  reply: FastifyReply,
  selection: ExportSelection,
  format: ExportFormat,
): Promise<void> {
  const type = EXPORT_TYPES[format];
  reply.type(type.startsWith('text/') ? `${type}; charset=utf-8` : type);
  reply.header('content-disposition', `attachment; filename="questions.${EXTENSIONS[format] ?? format}"`);
  if (method === 'HEAD') {
    reply.send(Readable.from([]));
    return;
  }
  const { chunks, losses } = await writeExport(engine.db, selection, format);
  reply.trailer('export-losses', async () => formatLosses(losses));
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  await streamFile(reply, reportEnd(chunks, resolve));
  await ended;
}

async function* reportEnd<T>(chunks: AsyncGenerator<T>, onEnd: () => void): AsyncGenerator<T> {
  try {
    yield* chunks;
  } finally {
    onEnd();
  }
}

/** A dictionary of RFC 9651. */
const formatLosses = (losses: Tally<number>) =>
  losses
    .list()
    .map(({ code, count }) => `${code}=${count}`)
    .join(', ');

async function report(
  engine: Engine,
  request: FastifyRequest,
  selection: ExportSelection,
  format: ExportFormat,
): Promise<ExportReport> {
  const { chunks, losses } = await writeExport(engine.db, selection, format);
  for await (const _ of chunks) if (performance.now() > request.deadlineAt) throw errors.tooSlow();
  return {
    format,
    question_count: selection.revisions.length / REVISION_BYTES,
    losses: losses.list().map(({ examples, ...entry }) => ({ ...entry, questions: examples })),
  };
}
