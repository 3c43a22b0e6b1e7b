/** The collection in a package of Anki: a SQLite database in one of three schemas. */
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import type { ZipArchive } from '../zip/read.ts';
import { SEPARATOR } from './fields.ts';

const MAX_COLLECTION_BYTES = 512_000_000;
/** The newest first: packages carry an empty older one that asks for an update. */
const FILES = ['collection.anki21b', 'collection.anki21', 'collection.anki2'];

export interface NoteType {
  name: string;
  isCloze: boolean;
  fields: string[];
}
export interface Note {
  guid: string;
  type: NoteType | undefined;
  deck: string;
  tags: string[];
  /** HTML. */
  fields: string[];
}

export class Collection {
  readonly #db: DatabaseSync;
  readonly #types: Map<string, NoteType>;
  readonly #decks: Map<string, string>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const isNew = hasTable(db, 'notetypes');
    this.#types = isNew ? readTypes(db) : readLegacyTypes(db);
    this.#decks = isNew ? readDecks(db) : readLegacyDecks(db);
  }

  *notes(): Generator<Note> {
    const statement = this.#db.prepare(
      `SELECT guid, CAST(mid AS TEXT) AS type, tags, flds,
        (SELECT CAST(CASE WHEN odid <> 0 THEN odid ELSE did END AS TEXT) FROM cards
          WHERE cards.nid = notes.id ORDER BY cards.ord LIMIT 1) AS deck
        FROM notes ORDER BY notes.id`,
    );
    for (const { guid, type, tags, flds, deck } of statement.iterate())
      yield {
        guid: String(guid ?? ''),
        type: this.#types.get(String(type)),
        deck: this.#decks.get(String(deck)) ?? '',
        tags: String(tags ?? '')
          .split(/[\s\u3000]+/)
          .filter((tag) => tag !== ''),
        fields: String(flds ?? '').split(SEPARATOR),
      };
  }

  close(): void {
    this.#db.close();
  }
}

/** @throws UnreadableFile */
export async function openCollection(archive: ZipArchive): Promise<Collection> {
  const path = FILES.find((name) => archive.has(name));
  if (path === undefined)
    throw new UnreadableFile('not_apkg', 'The archive is not a package of Anki: it has no collection.');
  const db = new DatabaseSync(':memory:', { allowExtension: false, defensive: false });
  try {
    const packed = await archive.read(path, MAX_COLLECTION_BYTES);
    const bytes = path.endsWith('b')
      ? zstdDecompressSync(packed, { maxOutputLength: MAX_COLLECTION_BYTES })
      : packed;
    // A database with a write-ahead log cannot be opened in memory; its log is not in the package.
    if (bytes.length > 20) bytes.fill(1, 18, 20);
    db.deserialize(bytes);
    // The newer schema has a collation that only Anki knows. This is a copy in memory.
    db.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE unicase', 'COLLATE BINARY') WHERE sql LIKE '%unicase%';
      PRAGMA writable_schema = RESET`);
    db.enableDefensive(true);
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON');
    for (const table of ['notes', 'cards', 'col'])
      if (!hasTable(db, table)) throw new UnreadableFile('not_apkg', `The collection has no table ${table}.`);
    return new Collection(db);
  } catch (error) {
    db.close();
    if (error instanceof UnreadableFile) throw error;
    const reason = error instanceof RejectItem ? error.detail : (error as Error).message;
    throw new UnreadableFile('apkg_damaged', `The collection cannot be read: ${reason}. Export it again.`);
  }
}

/** A table, not a view, which could run without end. */
const hasTable = (db: DatabaseSync, name: string) =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;

// Indexes are in the order of the collation of Anki, so they are not used.
function readTypes(db: DatabaseSync): Map<string, NoteType> {
  const types = new Map<string, NoteType>();
  const rows = db.prepare('SELECT CAST(id AS TEXT) AS id, name, config FROM notetypes NOT INDEXED').iterate();
  for (const { id, name, config } of rows) {
    // A protocol buffer whose first field is the kind: 1 for cloze.
    const isCloze = config instanceof Uint8Array && config[0] === 0x08 && config[1] === 1;
    types.set(String(id), { name: String(name), isCloze, fields: [] });
  }
  for (const { type, ord, name } of db
    .prepare('SELECT CAST(ntid AS TEXT) AS type, ord, name, config FROM fields ORDER BY ntid, ord')
    .iterate()) {
    const fields = types.get(String(type))?.fields;
    if (fields && Number(ord) < 1_000) fields[Number(ord)] = String(name);
  }
  return types;
}

function readDecks(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare('SELECT CAST(id AS TEXT) AS id, name FROM decks NOT INDEXED').all();
  return new Map(rows.map(({ id, name }) => [String(id), String(name).replaceAll(SEPARATOR, '::')]));
}

interface LegacyModel {
  name?: unknown;
  type?: unknown;
  flds?: { name?: unknown }[];
}

function readLegacyTypes(db: DatabaseSync): Map<string, NoteType> {
  const models = readJson<LegacyModel>(db, 'models');
  return new Map(
    Object.entries(models).map(([id, { name, type, flds }]) => [
      id,
      {
        name: String(name),
        isCloze: type === 1,
        fields: Array.isArray(flds) ? flds.map((field) => String(field?.name)) : [],
      },
    ]),
  );
}

const readLegacyDecks = (db: DatabaseSync): Map<string, string> =>
  new Map(
    Object.entries(readJson<{ name?: unknown }>(db, 'decks')).map(([id, { name }]) => [id, String(name)]),
  );

function readJson<T>(db: DatabaseSync, column: 'models' | 'decks'): Record<string, T> {
  const row = db.prepare(`SELECT ${column} AS json FROM col`).get();
  const value: unknown = JSON.parse(String(row?.json ?? '{}') || '{}');
  const entries = Object.entries((value ?? {}) as Record<string, T>);
  return Object.fromEntries(entries.filter(([, entry]) => typeof entry === 'object' && entry !== null));
}
