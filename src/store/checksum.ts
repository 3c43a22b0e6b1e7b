/**
 * Checksums of stored values: CRC-32, which detects every error of up to 32 consecutive bits. The
 * seed binds a value to its row, so that a value in the wrong row is detected too.
 */
import { crc32 } from 'node:zlib';

/** As a signed integer, which both engines store in four bytes. */
export const computeChecksum = (data: string | Uint8Array, seed: number): number => crc32(data, seed) | 0;

/** Continues a checksum: the result is that of the concatenated data. */
export const continueChecksum = (data: string | Uint8Array, checksum: number): number =>
  crc32(data, checksum >>> 0) | 0;
