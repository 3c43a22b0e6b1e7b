/** Writes a package of Anki in the schema that every version reads, with the columns of a table as fields. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PortableQuestion } from '../format.ts';
import { TABLE_HEADER, toCells } from '../table/writer.ts';
import { writeZip, type ZipContent } from '../zip/write.ts';
import { encodeField, SEPARATOR } from './fields.ts';
import { collectionRow, MODEL_ID, SCHEMA } from './legacy-schema.ts';

/** Ids are times in milliseconds; fixed ones make the same bytes of the same questions. */
const FIRST_ID = 1_600_000_000_000;
const DEFAULT_DECK = 'Quaestor';

export const writeApkg = (questions: AsyncIterable<PortableQuestion>): AsyncGenerator<Uint8Array> =>
  writeZip(listFiles(questions));

/** The database is built in a file, so that memory does not grow with the number of questions. */
async function* listFiles(questions: AsyncIterable<PortableQuestion>): AsyncGenerator<ZipContent> {
  const folder = await mkdtemp(join(tmpdir(), 'quaestor-apkg-'));
  try {
    const path = join(folder, 'collection.anki2');
    await buildDatabase(path, questions);
    yield { path: 'collection.anki2', content: createReadStream(path) };
    yield { path: 'media', content: Buffer.from('{}') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildDatabase(path: string, questions: AsyncIterable<PortableQuestion>): Promise<void> {
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${SCHEMA} BEGIN`);
    const addNote = db.prepare("INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, ?, 0, '')");
    const addCard = db.prepare(
      "INSERT INTO cards VALUES (?, ?, ?, 0, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')",
    );
    const decks = new Map<string, number>();
    let index = 0;
    for await (const question of questions) {
      const id = FIRST_ID + index;
      const deck = decks.getOrInsertComputed(toDeckName(question.category), () => FIRST_ID + decks.size + 1);
      const fields = toCells(withChoices(question)).map(encodeField);
      const text = fields[SORT_FIELD]!;
      const seconds = FIRST_ID / 1000;
      const guid = hash(question.external_id ?? `${index} ${question.question_text}`)
        .toString('base64url')
        .slice(0, 10);
      const checksum = hash(text).readUInt32BE(0);
      addNote.run(
        id,
        guid,
        MODEL_ID,
        seconds,
        toTags(question.tags ?? []),
        fields.join(SEPARATOR),
        text,
        checksum,
      );
      addCard.run(id, id, deck, seconds, index + 1);
      index++;
    }
    const row = collectionRow(TABLE_HEADER, decks, FIRST_ID);
    db.prepare(`INSERT INTO col VALUES (${row.map(() => '?').join(', ')})`).run(...row);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

const SORT_FIELD = TABLE_HEADER.indexOf('question_text');
const hash = (text: string) => createHash('sha1').update(text).digest();
const toDeckName = (category: string | undefined) => category?.replace(/[\s"]+/g, ' ').trim() || DEFAULT_DECK;

/** Tags of Anki have no spaces. */
const toTags = (tags: readonly string[]) =>
  tags.length === 0 ? '' : ` ${tags.map((tag) => tag.trim().replace(/[\s\u3000]+/g, '_')).join(' ')} `;

/** Options are shown on the card in the order of their texts, unless their order is given. */
function withChoices(question: PortableQuestion): PortableQuestion {
  const { correct_answer, incorrect_answers = [], choices_order } = question;
  if (choices_order === 'as_given' || incorrect_answers.length === 0) return question;
  return { ...question, choices: [correct_answer, incorrect_answers].flat().toSorted() };
}
