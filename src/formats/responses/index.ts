/** The formats of responses, loaded when they are named. */
import type { ResponseFormat } from './format.ts';

const HEAD_BYTES = 64 * 1024;

/** By name, in the order in which a file is tried. */
export const RESPONSE_FORMATS: Readonly<Record<string, () => Promise<ResponseFormat>>> = {
  'responses-long': async () => (await import('./long.ts')).long,
  'responses-moodle': async () => (await import('./reports.ts')).moodleResponses,
  'responses-canvas': async () => (await import('./reports.ts')).canvasAnalysis,
  'responses-matrix': async () => (await import('./wide.ts')).matrix,
  'responses-wide': async () => (await import('./wide.ts')).wide,
  'responses-fixed-width': async () => (await import('./fixed-width.ts')).fixedWidth,
};

/** The most certain format for a file with this beginning and name; undefined if none fits. */
export async function detectResponseFormat(
  head: Uint8Array,
  fileName?: string,
): Promise<ResponseFormat | undefined> {
  let best: ResponseFormat | undefined;
  let certainty = 0;
  for (const load of Object.values(RESPONSE_FORMATS)) {
    const format = await load();
    const found = format.detect(head.subarray(0, HEAD_BYTES), fileName);
    if (found > certainty) [best, certainty] = [format, found];
  }
  return best;
}
