/** Imports of files of responses: created by POST, executed in the background. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import { detectResponseFormat, RESPONSE_FORMATS } from '../../formats/responses/index.ts';
import { sendWithEtag } from '../../http/preconditions.ts';
import { findFaults } from '../../http/validation.ts';
import {
  RESPONSE_IMPORT_MAPS,
  ResponseImport,
  ResponseImportList,
  ResponseImportListQuery,
  ResponseImportQuery,
} from '../../schemas/response-import.ts';
import { Type } from '../../schemas/type.ts';
import { getResponseImport } from '../../store/imports/imports.ts';
import type { ResponseImportOptions } from '../../store/imports/row.ts';
import { etagOfBody } from '../../store/questions/row.ts';
import { getVisibility } from '../requests.ts';
import { acceptFile, sendImports } from './handling.ts';
import { type ImportDeps, requireEncoding } from './options.ts';
import type { Upload } from './upload.ts';

/** As reading responses does: a file has the answers of many respondents. */
const SCOPES = ['responses:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The import's id." }) });

export function responseImportRoutes(app: FastifyInstance, deps: ImportDeps): void {
  const { engine } = deps;

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
      return acceptFile(request, reply, deps, {
        ...{ kind: 'responses', path: '/responses/imports' },
        findFormat: (upload) => findFormat(request, upload),
        buildOptions: () => options,
      });
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
    (request, reply) => sendImports(request, reply, deps, 'responses'),
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
