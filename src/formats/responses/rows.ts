/** Reads the rows of delimited texts for responses, whatever their columns are. */
import { findDialect } from '../csv/dialect.ts';
import { type CsvRecord, CsvRecords } from '../csv/records.ts';
import { DEFAULT_MAX_ITEM_BYTES, type FileSource } from '../format.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import type { ResponseItem, ResponseReadOptions } from './format.ts';

const HEAD_CHARS = 64 * 1024;

/** Takes rows one by one, and collects what they are in `items`. */
export interface RowReader {
  items: ResponseItem[];
  add(row: CsvRecord): void;
  end(): void;
}

/** Batches of what a reader makes of the rows. Empty rows are skipped. */
export async function* readRows(
  source: FileSource,
  options: ResponseReadOptions,
  reader: RowReader,
): AsyncGenerator<ResponseItem[]> {
  const file = decodeFile(source, options);
  let records: CsvRecords | undefined;
  let head = '';
  const take = (text: string, isLast: boolean): ResponseItem[] => {
    for (const record of records!.push(text, isLast)) {
      if (record.fault) reader.items.push(rejectRow(record, file.encode(record.source)));
      else if (record.cells.some((cell) => cell.trim() !== '')) reader.add(record);
    }
    if (isLast) reader.end();
    const notices = file.notices.splice(0).map((value) => ({ kind: 'notice', value }) as const);
    return [...notices, ...reader.items.splice(0)];
  };
  const start = () => {
    const dialect = findDialect(head, { delimiter: options.delimiter });
    records = new CsvRecords(dialect, options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
    return take(head.slice(dialect.skippedChars), false);
  };
  for await (const chunk of file.chunks()) {
    if (records) {
      yield take(chunk, false);
      continue;
    }
    head += chunk;
    if (head.length >= HEAD_CHARS) yield start();
  }
  if (!records) yield start();
  yield take('', true);
}

function rejectRow({ fault, line }: CsvRecord, raw: Uint8Array): ResponseItem {
  const { code, column } = fault!;
  const detail =
    code === 'unclosed_quote'
      ? 'A quotation mark opens a value here and does not close it. Close it, or double it.'
      : 'The row is too large.';
  return { kind: 'reject', value: { code, detail, position: { line, column }, raw } };
}

/** The cells of the first row of a file. */
export function readFirstRow(head: Uint8Array): string[] {
  const text = decodeHead(head);
  const dialect = findDialect(text, {});
  const records = new CsvRecords(dialect, text.length + 1).push(text.slice(dialect.skippedChars), true);
  return records[0]?.cells ?? [];
}

/** The field of a column by its name, in several languages. */
export type ResponseField =
  | 'respondent'
  | 'question'
  | 'answer'
  | 'correct'
  | 'session'
  | 'group'
  | 'answered_at'
  | 'ignored';

const NAMES: Record<ResponseField, string> = {
  respondent:
    'respondent, respondent id, student, student id, person, person id, participant, participant id, candidate, candidate id, ' +
    'examinee, subject id, user, user id, userid, id, name, email, email address, teilnehmer, schuler, alumno, eleve',
  question:
    'question, question id, item, item id, question external id, external id, problem, frage, aufgabe, pregunta',
  answer: 'answer, response, choice, selected, given answer, antwort, respuesta, reponse',
  correct: 'correct, score, is correct, scored, right, richtig, correcto',
  session: 'session, attempt, test, exam, sitting, form, quiz',
  group: 'group, class, course, section, gender, sex, language, gruppe, klasse, grupo, groupe',
  answered_at: 'answered at, time, timestamp, date, submitted, submitted at, completed, zeit, fecha',
  ignored: 'total, total score, sum, sumscore, grade, points, percent, n correct, n incorrect',
};
const FIELD_BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.split(', ').map((name) => [name, field as ResponseField]),
  ),
);

export function recogniseField(header: string): ResponseField | undefined {
  const name = header
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return FIELD_BY_NAME.get(name);
}
