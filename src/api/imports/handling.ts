/** How files of questions and of responses are accepted, and how their imports are listed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../../http/preconditions.ts';
import { getBasePath } from '../../http/url.ts';
import { createImport, listImports, type NewImport } from '../../store/imports/imports.ts';
import type { ImportRow } from '../../store/imports/row.ts';
import { etagOfBody } from '../../store/questions/row.ts';
import { isCut, renderPage } from '../paging.ts';
import { getChangedBy, writeIdempotently } from '../requests.ts';
import type { ImportDeps } from './options.ts';
import { discardUpload, storeUpload, type Upload } from './upload.ts';

interface Acceptance {
  kind: ImportRow['kind'];
  /** The path of its imports. */
  path: string;
  findFormat(upload: Upload): Promise<string>;
  /** `max_questions` is what the quotas admit. */
  buildOptions(max_questions: number | undefined): NewImport['options'];
}

/** Stores the file and creates its import, once per Idempotency-Key. */
export async function acceptFile(
  request: FastifyRequest<{ Querystring: { file_name?: string } }>,
  reply: FastifyReply,
  { engine, quotas, maxImportBytes }: ImportDeps,
  { kind, path, findFormat, buildOptions }: Acceptance,
) {
  const upload = await storeUpload(engine, request, maxImportBytes);
  let id: string | undefined;
  try {
    // The fingerprint of an Idempotency-Key covers the content of the file.
    request.body = { bytes: upload.bytes, sha256: upload.sha256 };
    const created = await writeIdempotently(engine, request, createImport, async () => {
      const max_questions = await quotas.checkImport(request, upload.bytes);
      return {
        ...{ id: upload.id, kind, by: getChangedBy(request), bytes: upload.bytes },
        format: await findFormat(upload),
        file_name: request.query.file_name ?? null,
        options: buildOptions(max_questions),
      };
    });
    id = created.id;
    const body = JSON.stringify(created);
    reply.code(202).headers({
      location: `${getBasePath(request)}${path}/${id}`,
      'retry-after': '1',
      etag: etagOfBody(body),
    });
    return sendJson(reply, body);
  } finally {
    if (id !== upload.id) await discardUpload(engine, upload.id);
  }
}

interface ListQuery {
  limit?: number;
  offset?: number;
  status?: Parameters<typeof listImports>[1]['status'];
}

export function sendImports(
  request: FastifyRequest<{ Querystring: ListQuery }>,
  reply: FastifyReply,
  { engine, maxPageBytes, largePages }: ImportDeps,
  kind: ImportRow['kind'],
) {
  const { limit = 20, offset = 0, status } = request.query;
  return largePages.send(reply, maxPageBytes, async (maxBytes) => {
    const page = await listImports(engine.db, { kind, status, limit, offset, maxBytes });
    return {
      cut: isCut(limit, page),
      send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
    };
  });
}
