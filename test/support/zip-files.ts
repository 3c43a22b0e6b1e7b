import { writeZip } from '../../src/formats/zip/write.ts';
import { toAsync } from './format-files.ts';

/** An archive in memory of files by their paths. */
export async function buildZip(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const contents = Object.entries(files).map(([path, content]) => ({
    path,
    content: typeof content === 'string' ? Buffer.from(content) : content,
  }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeZip(toAsync(contents))) chunks.push(chunk);
  return Buffer.concat(chunks);
}
