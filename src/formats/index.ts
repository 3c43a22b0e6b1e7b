/**
 * The formats of files, loaded when they are named, so that a program that reads none of them
 * starts as fast as before.
 */
import type { Format } from './format.ts';

/** By name, in the order in which a file is tried. */
export const FORMATS: Readonly<Record<string, () => Promise<Format>>> = {
  csv: async () => (await import('./csv/csv.ts')).csv,
  tsv: async () => (await import('./csv/csv.ts')).tsv,
  jsonl: async () => (await import('./json/jsonl.ts')).jsonl,
  json: async () => (await import('./json/json.ts')).json,
  opentdb: async () => (await import('./json/opentdb.ts')).opentdb,
  gift: async () => (await import('./gift/gift.ts')).gift,
  aiken: async () => (await import('./aiken/aiken.ts')).aiken,
  anki: async () => (await import('./anki/anki.ts')).anki,
  'moodle-xml': async () => (await import('./moodle-xml/index.ts')).moodleXml,
  'qti-2.1': async () => (await import('./qti/index.ts')).qti21,
  'qti-2.2': async () => (await import('./qti/index.ts')).qti22,
  'qti-3.0': async () => (await import('./qti/index.ts')).qti30,
  'qti-1.2': async () => (await import('./qti/index.ts')).qti12,
  apkg: async () => (await import('./apkg/index.ts')).apkg,
  xlsx: async () => (await import('./xlsx/index.ts')).xlsx,
};

/** How much of a file `detectFormat` looks at. */
export const HEAD_BYTES = 64 * 1024;
const MIN_CERTAINTY = 0.2;

/** The most certain format for a file with this beginning and name; undefined if none fits. */
export async function detectFormat(head: Uint8Array, fileName?: string): Promise<Format | undefined> {
  const start = head.subarray(0, HEAD_BYTES);
  let best: Format | undefined;
  let certainty = MIN_CERTAINTY;
  for (const load of Object.values(FORMATS)) {
    const format = await load();
    const found = format.detect(start, fileName);
    if (found > certainty) [best, certainty] = [format, found];
  }
  return best;
}
