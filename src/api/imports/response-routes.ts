/** Imports of files of responses: created by POST, executed in the background. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import { detectResponseFormat, RESPONSE_FORMATS } from '../../formats/responses/index.ts';
import { sendJson, sendWithEtag } from '../../http/preconditions.ts';
import { getBasePath } from '../../http/url.ts';
import { findFaults } from '../../http/validation.ts';
import {
  RESPONSE_IMPORT_MAPS,
  ResponseImport,
  ResponseImportList,
  ResponseImportListQuery,
  ResponseImportQuery,
} from '../../schemas/response-import.ts';
import { Type } from '../../schemas/type.ts';
import { createImport, getResponseImport, listImports } from '../../store/imports/imports.ts';
import type { ResponseImportOptions } from '../../store/imports/row.ts';
import { etagOfBody } from '../../store/questions/row.ts';
import { isCut, renderPage } from '../paging.ts';
import { getChangedBy, getVisibility, writeIdempotently } from '../requests.ts';
import { type ImportDeps, requireEncoding } from './options.ts';
import { discardUpload, storeUpload, type Upload } from './upload.ts';

/** As reading responses does: a file has the answers of many respondents. */
const SCOPES = ['responses:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The import's id." }) });

export function responseImportRoutes(app: FastifyInstance, deps: ImportDeps): void {
  const { engine, quotas, maxPageBytes, largePages, maxImportBytes } = deps;

  app.post<{ Querystring: ResponseImportQuery }>(
    '/responses/import',
    {
      config: { scopes: SCOPES, streamsBody: true },
      schema: {
        operationId: 'importResponses',
        summary: 'Import a file of responses',
        description:
          'The body is the file, in a format of responses of docs/formats.md. It is imported in the background: poll `Location` for the ' +
          'progress and the report, which counts what was rejected and skipped by reason, and lists which question of the bank each question ' +
          'of the file is. One bad row never rejects the file. A file that is imported again changes nothing. `dry_run` makes the same report ' +
          'of the same file and stores nothing. An import of responses can be cancelled as a bulk change with the same id, and cannot be undone.',
        querystring: ResponseImportQuery,
        file: { example: 'respondent,question,answer\nr-4711,astronomy-01,Mars' },
        creates: '/responses/imports/:id',
        response: { 202: ResponseImport },
      },
    },
    async (request, reply) => {
      const options = parseOptions(request);
      const upload = await storeUpload(engine, request, maxImportBytes);
      let id: string | undefined;
      try {
        // The fingerprint of an Idempotency-Key covers the content of the file.
        request.body = { bytes: upload.bytes, sha256: upload.sha256 };
        const created = await writeIdempotently(engine, request, createImport, async () => {
          await quotas.checkImport(request, upload.bytes);
          return {
            ...({ id: upload.id, kind: 'responses', by: getChangedBy(request) } as const),
            bytes: upload.bytes,
            format: await findFormat(request, upload),
            file_name: request.query.file_name ?? null,
            options,
          };
        });
        id = created.id;
        const body = JSON.stringify(created);
        reply.code(202).headers({
          location: `${getBasePath(request)}/responses/imports/${id}`,
          'retry-after': '1',
          etag: etagOfBody(body),
        });
        return sendJson(reply, body);
      } finally {
        if (id !== upload.id) await discardUpload(engine, upload.id);
      }
    },
  );

  app.get<{ Querystring: ResponseImportListQuery }>(
    '/responses/imports',
    {
      config: { scopes: SCOPES },
      schema: {
        operationId: 'listResponseImports',
        summary: 'List imports of responses',
        description: 'Newest first.',
        querystring: ResponseImportListQuery,
        response: { 200: ResponseImportList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, status } = request.query;
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const query = { kind: 'responses', status, limit, offset, maxBytes } as const;
        const page = await listImports(engine.db, query);
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
        };
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/responses/imports/:id',
    {
      config: { scopes: SCOPES },
      schema: {
        operationId: 'getResponseImport',
        summary: 'Get an import of responses',
        params: IdPath,
        response: { 200: ResponseImport },
      },
    },
    async (request, reply) => {
      const body = JSON.stringify(await getResponseImport(engine.db, request.params.id));
      return sendWithEtag(request, reply, etagOfBody(body), body);
    },
  );
}

function parseOptions(request: FastifyRequest<{ Querystring: ResponseImportQuery }>): ResponseImportOptions {
  const { format: _, file_name: __, questions, columns, missing, ...given } = request.query;
  const { dry_run = false, mode = 'skip_bad' } = given;
  requireEncoding(given.encoding);
  return {
    ...given,
    ...{ dry_run, mode, visibility: getVisibility(request) },
    ...parseMaps({ questions, columns, missing }),
  };
}

const EXAMPLES = {
  questions: '["id-1","id-2"] or {"Q1":"id-1"}',
  columns: '{"respondent":"Kandidat"}',
  missing: '{"9":"not_reached"}',
};

type Maps = Pick<ResponseImportOptions, 'questions' | 'columns' | 'missing'>;

/** Parses the parameters that are JSON. */
function parseMaps(given: Record<keyof Maps, string | undefined>): Maps {
  const entries = Object.entries(given).filter(([, text]) => text !== undefined) as [keyof Maps, string][];
  return Object.fromEntries(
    entries.map(([name, text]) => {
      try {
        const value: unknown = JSON.parse(text);
        if (findFaults(RESPONSE_IMPORT_MAPS[name], value).length === 0) return [name, value];
      } catch {
        // Refused below.
      }
      const detail = `must be JSON such as ${EXAMPLES[name]}`;
      throw errors.invalidQuery([{ pointer: `?${name}`, code: 'invalid_format', detail }]);
    }),
  );
}

/** By the parameter, else by the content. */
async function findFormat(
  { query }: FastifyRequest<{ Querystring: ResponseImportQuery }>,
  { bytes, head }: Upload,
): Promise<string> {
  if (bytes === 0) throw errors.unreadableFile('The body is empty. Send the file as the body.');
  if (query.format !== undefined) return query.format;
  if (query.layout !== undefined) return 'responses-fixed-width';
  const format = await detectResponseFormat(head, query.file_name);
  if (format) return format.name;
  throw errors.unreadableFile(
    `The format of the file is not recognised. Name it with \`format\`: ${Object.keys(RESPONSE_FORMATS).join(', ')}.`,
  );
}
