/** Lists of revisions of questions in 20 bytes each: 16 of the question's id, 4 of the revision. */

export interface QuestionRevision {
  id: string;
  revision: number;
}

export const REVISION_BYTES = 20;

export function packRevisions(made: readonly QuestionRevision[]): Uint8Array {
  const bytes = Buffer.alloc(made.length * REVISION_BYTES);
  for (const [i, { id, revision }] of made.entries()) {
    bytes.write(id.replaceAll('-', ''), i * REVISION_BYTES, 'hex');
    bytes.writeUInt32BE(revision, i * REVISION_BYTES + 16);
  }
  return bytes;
}

export function unpackRevisions(packed: Uint8Array): QuestionRevision[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: bytes.length / REVISION_BYTES }, (_, i) => ({
    id: bytes
      .toString('hex', i * REVISION_BYTES, i * REVISION_BYTES + 16)
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    revision: bytes.readUInt32BE(i * REVISION_BYTES + 16),
  }));
}
