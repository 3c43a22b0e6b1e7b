/** Stores the body of a request as the file of an import, in chunks, while it arrives. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import { HEAD_BYTES } from '../../formats/index.ts';
import type { Engine } from '../../store/db.ts';
import { uuidv7 } from '../../store/ids.ts';
import { discardChunks, storeChunk } from '../../store/imports/imports.ts';
import { CHUNK_BYTES } from '../../store/imports/row.ts';
import { getCallOptions } from '../requests.ts';

export interface Upload {
  /** The id of the import that reads the file. */
  id: string;
  bytes: number;
  sha256: string;
  /** The beginning of the file, by which its format is recognised. */
  head: Uint8Array;
}

/** Stores the file; nothing stays stored if it is refused or breaks off. */
export async function storeUpload(
  engine: Engine,
  request: FastifyRequest,
  maxBytes: number,
): Promise<Upload> {
  const tooLarge = () =>
    errors.bodyTooLarge(
      `The file exceeds the limit of ${maxBytes} bytes. Divide it, or raise QUAESTOR_MAX_IMPORT_BYTES.`,
    );
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity')
    throw errors.unsupportedMediaType('Send the file without Content-Encoding.');
  const id = uuidv7(Date.now());
  const digest = createHash('sha256');
  let bytes = 0;
  let n = 0;
  let head: Uint8Array = new Uint8Array();
  const store = async (data: Uint8Array) => {
    if (n === 0) head = data.subarray(0, HEAD_BYTES);
    const chunk = { import_id: id, n: n++, data };
    // Once the file has begun, it is stored to its end, whatever the deadline of the request.
    const { caller } = getCallOptions(request);
    await engine.write(storeChunk, chunk, { caller, bytes: data.length });
  };
  try {
    for await (const data of toChunks(request.body as Readable)) {
      bytes += data.length;
      if (bytes > maxBytes) throw tooLarge();
      digest.update(data);
      await store(data);
    }
  } catch (error) {
    await discardUpload(engine, id);
    throw error;
  }
  return { id, bytes, sha256: digest.digest('hex'), head };
}

export async function discardUpload(engine: Engine, id: string): Promise<void> {
  while ((await engine.write(discardChunks, { id })) > 0);
}

/** Joins what arrives to chunks of one size. */
async function* toChunks(body: Readable | undefined): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part);
    length += part.length;
    while (length >= CHUNK_BYTES) {
      const joined = Buffer.concat(parts);
      yield joined.subarray(0, CHUNK_BYTES);
      parts = [joined.subarray(CHUNK_BYTES)];
      length = joined.length - CHUNK_BYTES;
    }
  }
  if (length > 0) yield Buffer.concat(parts);
}
