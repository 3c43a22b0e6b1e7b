/** Lets a command read standard input as a file, which readers may read more than once. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** `-` becomes a temporary file, which the current user alone can read. */
export async function withInput<R>(
  input: string,
  signal: AbortSignal,
  work: (path: string) => Promise<R>,
  stdin: Readable = process.stdin,
): Promise<R> {
  if (input !== '-') return work(input);
  const folder = await mkdtemp(join(tmpdir(), 'quaestor-'));
  try {
    const path = join(folder, 'standard-input');
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 }), { signal });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
