/** Imports of files: created by POST, executed in the background, undone as a bulk change. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import { detectFormat, FORMATS } from '../../formats/index.ts';
import { sendWithEtag } from '../../http/preconditions.ts';
import { streamFile } from '../../http/streamed-file.ts';
import { findFaults } from '../../http/validation.ts';
import { CategoryMap, Import, ImportList, ImportListQuery, ImportQuery } from '../../schemas/import.ts';
import { EXPORT_TYPES, ExportedFile } from '../../schemas/transfer.ts';
import { Type } from '../../schemas/type.ts';
import { getImport, readRejects } from '../../store/imports/imports.ts';
import type { ImportOptions } from '../../store/imports/row.ts';
import { etagOfBody } from '../../store/questions/row.ts';
import { writeRejects } from '../../transfer/rejects.ts';
import { getCaller } from '../requests.ts';
import { acceptFile, sendImports } from './handling.ts';
import { type ImportDeps, requireEncoding } from './options.ts';
import { responseImportRoutes } from './response-routes.ts';
import type { Upload } from './upload.ts';

/** The report compares the file with drafts and answers of the bank. */
const WRITE = ['questions:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The import's id." }) });
type ById = { Params: { id: string } };

export function importRoutes(app: FastifyInstance, deps: ImportDeps): void {
  const { engine } = deps;
  // The body is a file of any type, which is read as it arrives.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  responseImportRoutes(app, deps);

  app.post<{ Querystring: ImportQuery }>(
    '/imports',
    {
      config: { scopes: WRITE, streamsBody: true },
      schema: {
        summary: 'Import a file of questions',
        description:
          'The body is the file, in any format of docs/formats.md. It is imported in the background: poll `Location` for the progress and the ' +
          'report, which counts what was rejected, skipped and lost by reason. One bad item never rejects the file. An import can be ' +
          'cancelled and undone as a bulk change with the same id. `dry_run` makes the same report of the same file and stores nothing.',
        querystring: ImportQuery,
        file: { example: 'Who wrote Emma? {=Jane Austen}' },
        creates: '/imports/:id',
        response: { 202: Import },
      },
    },
    async (request, reply) => {
      const options = parseOptions(request);
      return acceptFile(request, reply, deps, {
        ...{ kind: 'questions', path: '/imports' },
        findFormat: (upload) => findFormat(request, upload),
        buildOptions: (max_questions) => ({
          ...options,
          ...(max_questions !== undefined && { max_questions }),
        }),
      });
    },
  );

  app.get<{ Querystring: ImportListQuery }>(
    '/imports',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'List imports',
        description: 'Newest first.',
        querystring: ImportListQuery,
        response: { 200: ImportList },
      },
    },
    (request, reply) => sendImports(request, reply, deps, 'questions'),
  );

  app.get<ById>(
    '/imports/:id',
    {
      config: { scopes: WRITE },
      schema: { summary: 'Get an import', params: IdPath, response: { 200: Import } },
    },
    async (request, reply) => {
      const body = JSON.stringify(await getImport(engine.db, request.params.id));
      return sendWithEtag(request, reply, etagOfBody(body), body);
    },
  );

  app.get<ById>(
    '/imports/:id/rejects',
    {
      config: { scopes: WRITE },
      schema: {
        operationId: 'getImportRejects',
        summary: 'Get rejected items',
        description:
          'The rejected items as a file in their own format, byte for byte, so that they can be corrected and imported again. Formats in ' +
          'which items have no bytes of their own (`xlsx`, `apkg`) give nothing back. Without rejects, the file has no items.',
        params: IdPath,
        response: { 200: { ...ExportedFile, description: 'The rejected items.' } },
      },
    },
    async (request, reply) => {
      const { format, head, items } = await readRejects(engine.db, request.params.id);
      const type = (EXPORT_TYPES as Record<string, string>)[format] ?? 'application/zip';
      reply.type(type.startsWith('text/') ? `${type}; charset=utf-8` : type);
      reply.header('content-disposition', 'attachment; filename="rejects"');
      if (request.method === 'HEAD') return reply.send();
      return streamFile(reply, writeRejects(format, head, items));
    },
  );
}

function parseOptions(request: FastifyRequest<{ Querystring: ImportQuery }>): ImportOptions {
  const { format: _, file_name: __, category_map, ...given } = request.query;
  const { dry_run = false, mode = 'skip_bad', on_match = 'skip', create_categories = false } = given;
  if (create_categories && !getCaller(request).scopes.has('categories:write'))
    throw errors.insufficientScope(['categories:write'], 'create_categories');
  requireEncoding(given.encoding);
  return {
    ...given,
    ...{ dry_run, mode, on_match, create_categories },
    ...(category_map !== undefined && { category_map: parseCategoryMap(category_map) }),
  };
}

function parseCategoryMap(text: string): Record<string, string> {
  try {
    const value = JSON.parse(text) as Record<string, string>;
    if (findFaults(CategoryMap, value).length === 0) return value;
  } catch {
    // Refused below.
  }
  const detail = 'must be a JSON object with names of categories, such as {"Geo/Europe":"Geography"}';
  throw errors.invalidQuery([{ pointer: '?category_map', code: 'invalid_format', detail }]);
}

/** By the parameter, else by Content-Type where it names one format, else by the content. */
async function findFormat(
  { query, headers }: FastifyRequest<{ Querystring: ImportQuery }>,
  { bytes, head }: Upload,
): Promise<string> {
  if (bytes === 0) throw errors.unreadableFile('The body is empty. Send the file as the body.');
  if (query.format !== undefined) return query.format;
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const named: string[] = [];
  for (const [name, load] of Object.entries(FORMATS))
    if ((await load()).mediaTypes.includes(type.trim())) named.push(name);
  if (named.length === 1) return named[0]!;
  const format = await detectFormat(head, query.file_name);
  if (format) return format.name;
  throw errors.unreadableFile(
    `The format of the file is not recognised. Name it with \`format\`: ${Object.keys(FORMATS).join(', ')}.`,
  );
}
