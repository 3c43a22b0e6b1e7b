/** Recognises packages by the beginning of an archive. */
import { constants, inflateRawSync } from 'node:zlib';

const SIGNATURE = Buffer.from('PK\x03\x04', 'latin1');
const STORED = 0;
const MAX_PREVIEW_BYTES = 1 << 20;

export const isZip = (head: Uint8Array): boolean => SIGNATURE.equals(head.subarray(0, SIGNATURE.length));

interface LocalFile {
  path: string;
  /** The content as far as it is in the beginning of the archive. */
  preview(): string;
}

/** The files whose headers are in the beginning of an archive. */
export function* listLocalFiles(head: Uint8Array): Generator<LocalFile> {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  for (let at = 0; at >= 0 && at + 30 <= bytes.length; at = bytes.indexOf(SIGNATURE, at + 4)) {
    const nameEnd = at + 30 + bytes.readUInt16LE(at + 26);
    const dataStart = nameEnd + bytes.readUInt16LE(at + 28);
    const method = bytes.readUInt16LE(at + 8);
    yield {
      path: bytes.toString('utf8', at + 30, nameEnd).replaceAll('\\', '/'),
      preview: () => preview(bytes.subarray(dataStart), method),
    };
  }
}

function preview(data: Buffer, method: number): string {
  if (method === STORED) return data.toString('latin1');
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_PREVIEW_BYTES };
    return inflateRawSync(data, options).toString('latin1');
  } catch {
    return '';
  }
}
