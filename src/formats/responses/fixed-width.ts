/** Fixed width, as Winsteps and ConQuest read it: an id, then one character per question. */
import { DEFAULT_MAX_ITEM_BYTES, type FileSource, UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { flatten } from '../text/batches.ts';
import { decodeFile } from '../text/encoding.ts';
import { readLines, type TextLine } from '../text/lines.ts';
import { ENCODING_LOSSES } from '../text/losses.ts';
import type { PortableResponse, ResponseFormat, ResponseItem, ResponseReadOptions } from './format.ts';
import { findMissing, readAnswer, readScore } from './values.ts';

export const fixedWidth: ResponseFormat = {
  name: 'responses-fixed-width',
  title: 'Responses in fixed width',
  extensions: ['.dat', '.txt', '.prn'],
  losses: { ...ENCODING_LOSSES, respondents_numbered: 'Rows without an id are respondents row-1, row-2 …' },
  detect: () => 0,
  read: (source, options) => flatten(readBatches(source, options)),
};

type FieldName = 'respondent' | 'group' | 'session' | 'items';
interface Span {
  name: FieldName;
  start: number;
  end: number;
}

/** `1-8=respondent,9-48=items`, with columns from 1. */
function parseLayout(layout: string | undefined): Span[] {
  const invalid = () =>
    new UnreadableFile(
      'invalid_layout',
      'Fixed width needs a layout such as 1-8=respondent,9-48=items. The fields are respondent, group, session and items.',
    );
  const spans = (layout ?? '').split(',').map((part): Span => {
    const match = /^\s*(\d{1,6})(?:-(\d{1,6}))?\s*=\s*(respondent|id|group|session|items)\s*$/.exec(part);
    if (!match) throw invalid();
    const start = Number(match[1]) - 1;
    const end = Number(match[2] ?? match[1]);
    if (start < 0 || end <= start) throw invalid();
    return { name: (match[3] === 'id' ? 'respondent' : match[3]) as FieldName, start, end };
  });
  if (!spans.some(({ name }) => name === 'items')) throw invalid();
  return spans;
}

async function* readBatches(
  source: FileSource,
  options: ResponseReadOptions,
): AsyncGenerator<ResponseItem[]> {
  const spans = parseLayout(options.layout);
  const file = decodeFile(source, options);
  let rows = 0;
  for await (const lines of readLines(file, options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES)) {
    const items: ResponseItem[] = file.notices.splice(0).map((value) => ({ kind: 'notice', value }));
    for (const line of lines) {
      if (line.text.trim() === '' && !line.isTooLarge) continue;
      rows++;
      if (rows === 1 && !spans.some(({ name }) => name === 'respondent'))
        items.push({
          kind: 'notice',
          value: {
            code: 'respondents_numbered',
            detail: 'Respondents are row-1, row-2 …',
            position: { line: line.line },
          },
        });
      items.push(...readLine(line, spans, rows, options));
    }
    yield items;
  }
}

function readLine(
  { text, source, line, isTooLarge }: TextLine,
  spans: Span[],
  row: number,
  options: ResponseReadOptions,
): ResponseItem[] {
  const field = (wanted: FieldName) =>
    spans
      .filter(({ name }) => name === wanted)
      .map(({ start, end }) => text.slice(start, end))
      .join('')
      .trim();
  const hasIds = spans.some(({ name }) => name === 'respondent');
  const respondent = hasIds ? field('respondent') : `row-${row}`;
  const reject = (code: string, detail: string, column?: number): ResponseItem => ({
    kind: 'reject',
    value: {
      ...{ code, detail },
      position: column === undefined ? { line } : { line, column },
      raw: column === undefined && !isTooLarge ? Buffer.from(source) : undefined,
    },
  });
  if (isTooLarge) return [reject('item_too_large', 'The line is too long.')];
  if (respondent === '')
    return [reject('no_respondent', 'The line has no respondent in the columns of the layout.')];
  const [group, session] = [field('group'), field('session')];
  const items: ResponseItem[] = [];
  let index = 0;
  for (const { start, end } of spans.filter(({ name }) => name === 'items'))
    for (let at = start; at < end; at++, index++) {
      const value = (text[at] ?? '').trim();
      const missing = findMissing(value, options);
      try {
        const read = options.values === 'answers' ? readAnswer : readScore;
        const response: PortableResponse = {
          respondent,
          question: { index },
          ...(missing ? { missing } : read(value, options)),
          ...(group !== '' && { group }),
          ...(session !== '' && { session }),
        };
        items.push({ kind: 'response', value: { response, position: { line, column: at + 1 } } });
      } catch (error) {
        if (!(error instanceof RejectItem)) throw error;
        items.push(reject(error.code, error.detail, at + 1));
      }
    }
  return items;
}
