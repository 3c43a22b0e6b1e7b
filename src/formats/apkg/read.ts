/** Reads notes of Anki: fields by their names as in a table, else the first two. */
import type { FileSource, ReadItem, ReadOptions } from '../format.ts';
import { htmlToText } from '../html/html-to-text.ts';
import { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { MARKER } from '../table/fields.ts';
import { findHeader } from '../table/header.ts';
import { type RowFault, TableReader } from '../table/rows.ts';
import { unsupported } from '../unsupported.ts';
import { openZip } from '../zip/read.ts';
import { type Note, type NoteType, openCollection } from './collection.ts';
import { decodeField } from './fields.ts';

const CLOZE = /\{\{c\d+::/;
const SOUND = /\[(?:sound:|anki:(?:play|tts))[^\]]*\]/g;
/** Columns behind the fields of a note. */
const LABELS = ['category', 'tags', 'external_id'];

interface TypeReader {
  table: TableReader;
  isOwn: boolean;
}

export async function* readApkg(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem> {
  const archive = await openZip(source);
  try {
    const collection = await openCollection(archive);
    try {
      yield* readNotes(collection.notes(), options);
    } finally {
      collection.close();
    }
  } finally {
    archive.close();
  }
}

function* readNotes(notes: Iterable<Note>, options: ReadOptions): Generator<ReadItem> {
  const readers = new Map<NoteType | undefined, TypeReader>();
  const { columns: _, ...others } = options;
  let line = 0;
  for (const note of notes) {
    line++;
    const reader = readers.getOrInsertComputed(note.type, (type) => startReader(type, others));
    addNote(reader, note, line, options);
    yield* takeItems(reader);
  }
  for (const reader of readers.values()) {
    reader.table.end();
    yield* takeItems(reader);
  }
  if (line === 0)
    yield {
      kind: 'notice',
      value: { code: 'no_questions', detail: 'The package has no notes.', position: { line: 1 } },
    };
}

/** Notes are rows of a table whose header is the names of their fields. */
function startReader(type: NoteType | undefined, options: ReadOptions): TypeReader {
  const names = type?.fields ?? [];
  const isOwn = names.includes(MARKER);
  const isKnown = findHeader([{ cells: [...names] }]) !== undefined;
  const header = isKnown ? names : ['question_text', 'correct_answer', ...names.slice(2)];
  const table = new TableReader(options);
  table.add({ cells: isOwn ? [...header] : [...header, ...LABELS], line: 0 }, undefined);
  return { table, isOwn };
}

function* takeItems({ table, isOwn }: TypeReader): Generator<ReadItem> {
  const { items } = table;
  table.items = [];
  for (const item of items) {
    // The order of options is written for display alone.
    if (isOwn && item.kind === 'question' && item.value.question.choices_order !== 'as_given')
      delete item.value.question.choices;
    if (item.kind === 'notice') item.value.position = { line: 1 };
    yield item;
  }
}

function addNote({ table, isOwn }: TypeReader, note: Note, line: number, options: ReadOptions): void {
  const report = new ItemReport({ line }, options);
  const width = note.type?.fields.length ?? 2;
  const fields = Array.from({ length: Math.max(width, 2) }, (_, index) => note.fields[index] ?? '');
  let fault: RowFault | undefined;
  let cells: string[] = [];
  try {
    if (!isOwn && (note.type?.isCloze || note.fields.some((field) => CLOZE.test(field))))
      throw unsupported('cloze');
    cells = isOwn
      ? fields.map((field) => decodeField(field, report.markup))
      : fields.map((field) => readField(field, report));
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    fault = { code: error.code, detail: error.detail, column: 1 };
  }
  if (!isOwn && !fault) {
    const category = note.deck === 'Default' ? '' : note.deck.replaceAll('::', '/');
    cells = [...cells, category, JSON.stringify(note.tags), note.guid];
    if (note.tags.length === 0) cells[cells.length - 2] = '';
  }
  const remarks = report.notices.map(({ code, detail }) => ({ code, detail }));
  table.add({ cells, line }, undefined, remarks, fault);
}

function readField(html: string, report: ItemReport): string {
  const text = html.replace(SOUND, '<audio src="sound"></audio>');
  return htmlToText(text, report.markup);
}
