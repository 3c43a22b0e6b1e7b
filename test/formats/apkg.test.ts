import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { apkg } from '../../src/formats/apkg/index.ts';
import { toComparable } from '../support/comparable-questions.ts';
import { assertDeclared, assertSurvivesCuts, listCodes, readAll, writeAll } from '../support/format-files.ts';
import { generateQuestions } from '../support/portable-questions.ts';
import { buildZip } from '../support/zip-files.ts';

interface TestNote {
  type?: number;
  fields: string[];
  tags?: string;
  deck?: number;
}

const SHARED =
  'CREATE TABLE notes (id integer PRIMARY KEY, guid text, mid integer, tags text, flds text);' +
  'CREATE TABLE cards (id integer PRIMARY KEY, nid integer, did integer, ord integer, odid integer);';

function addNotes(db: DatabaseSync, notes: TestNote[]): void {
  for (const [index, { type = 1, fields, tags = '', deck = 1 }] of notes.entries()) {
    db.prepare('INSERT INTO notes VALUES (?, ?, ?, ?, ?)').run(
      index,
      `guid${index}`,
      type,
      tags,
      fields.join('\u001f'),
    );
    db.prepare('INSERT INTO cards VALUES (?, ?, ?, 0, 0)').run(index, index, deck);
  }
}

const TYPES = {
  1: { name: 'Basic', type: 0, flds: [{ name: 'Front' }, { name: 'Back' }] },
  2: { name: 'Cloze', type: 1, flds: [{ name: 'Text' }, { name: 'Extra' }] },
  3: {
    name: 'Quiz',
    type: 0,
    flds: ['Question', 'Option A', 'Option B', 'Answer', 'Explanation'].map((name) => ({ name })),
  },
};
const DECKS = { 1: { name: 'Default' }, 2: { name: 'Science::Physics' } };

function buildLegacy(notes: TestNote[]): Buffer {
  const db = new DatabaseSync(':memory:');
  db.exec(`${SHARED} CREATE TABLE col (id integer, models text, decks text)`);
  db.prepare('INSERT INTO col VALUES (1, ?, ?)').run(JSON.stringify(TYPES), JSON.stringify(DECKS));
  addNotes(db, notes);
  return Buffer.from(db.serialize());
}

/** Schema 18, whose indexes have a collation that only Anki knows. */
function buildNew(notes: TestNote[]): Buffer {
  const db = new DatabaseSync(':memory:', { defensive: false });
  db.exec(`${SHARED} CREATE TABLE col (id integer, models text, decks text); INSERT INTO col VALUES (1, '', '');
    CREATE TABLE notetypes (id integer PRIMARY KEY, name text NOT NULL COLLATE NOCASE, config blob);
    CREATE UNIQUE INDEX idx_notetypes_name ON notetypes (name);
    CREATE TABLE fields (ntid integer, ord integer, name text NOT NULL COLLATE NOCASE, config blob, PRIMARY KEY (ntid, ord)) WITHOUT ROWID;
    CREATE UNIQUE INDEX idx_fields_name_ntid ON fields (name, ntid);
    CREATE TABLE decks (id integer PRIMARY KEY, name text NOT NULL COLLATE NOCASE);
    CREATE UNIQUE INDEX idx_decks_name ON decks (name);`);
  for (const [id, { name, type, flds }] of Object.entries(TYPES)) {
    db.prepare('INSERT INTO notetypes VALUES (?, ?, ?)').run(
      Number(id),
      name,
      Buffer.from(type === 1 ? '0801' : '1a00', 'hex'),
    );
    for (const [ord, field] of flds.entries())
      db.prepare('INSERT INTO fields VALUES (?, ?, ?, ?)').run(Number(id), ord, field.name, Buffer.alloc(0));
  }
  for (const [id, { name }] of Object.entries(DECKS))
    db.prepare('INSERT INTO decks VALUES (?, ?)').run(Number(id), name.replace('::', '\u001f'));
  addNotes(db, notes);
  db.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'unicase')");
  return Buffer.from(db.serialize());
}

const NOTES: TestNote[] = [
  { fields: ['Capital of <b>France</b>?<br>One word.', 'Paris'], tags: ' geo europe ', deck: 2 },
  { type: 2, fields: ['{{c1::Berlin}} is in Germany', ''] },
  { fields: ['What is this? <img src="x.jpg">', 'a cat'] },
  { fields: ['Listen: [sound:x.mp3]', 'a dog'] },
  { type: 3, fields: ['2 + 2?', '3', '4', 'B', 'Count.'] },
  { fields: ['Only a front', ''] },
];

describe('reading packages of Anki', () => {
  const UPDATE = buildLegacy([{ fields: ['Please update Anki', 'to read this package'] }]);
  const packages = {
    'collection.anki2': () => ({ 'collection.anki2': buildLegacy(NOTES), media: '{}' }),
    'collection.anki21': () => ({ 'collection.anki2': UPDATE, 'collection.anki21': buildLegacy(NOTES) }),
    'collection.anki21b': () => ({
      'collection.anki2': UPDATE,
      'collection.anki21b': zstdCompressSync(buildNew(NOTES)),
      meta: '\x08\x03',
    }),
  };
  for (const [name, build] of Object.entries(packages))
    it(`reads ${name}`, async () => {
      const zip = await buildZip(build());
      const file = await readAll(apkg, zip);
      assert.deepEqual(file.questions, [
        {
          question_text: 'Capital of France?\nOne word.',
          correct_answer: 'Paris',
          category: 'Science/Physics',
          tags: ['geo', 'europe'],
          external_id: 'guid0',
        },
        {
          question_text: '2 + 2?',
          correct_answer: '4',
          incorrect_answers: ['3'],
          explanation: 'Count.',
          external_id: 'guid4',
        },
      ]);
      assert.deepEqual(
        file.rejects.map(({ code, position }) => [code, position.line]),
        [
          ['needs_media', 3],
          ['needs_media', 4],
          ['no_correct_answer', 6],
          ['unsupported_cloze', 2],
        ],
      );
      assertDeclared(apkg, file.notices);
      assert.ok(apkg.detect(zip, undefined) > 0.9);
    });

  it('refuses other archives and damaged collections', async () => {
    await assert.rejects(readAll(apkg, await buildZip({ 'a.txt': 'x' })), {
      name: 'UnreadableFile',
      code: 'not_apkg',
    });
    await assert.rejects(readAll(apkg, await buildZip({ 'collection.anki2': 'not a database' })), {
      code: 'apkg_damaged',
    });
    await assert.rejects(readAll(apkg, await buildZip({ 'collection.anki21b': 'not zstd' })), {
      code: 'apkg_damaged',
    });
    const empty = new DatabaseSync(':memory:');
    empty.exec(
      'CREATE VIEW notes AS WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n AS id FROM x',
    );
    await assert.rejects(readAll(apkg, await buildZip({ 'collection.anki2': empty.serialize() })), {
      code: 'not_apkg',
    });
  });

  it('opens a collection with a write-ahead log', async () => {
    const bytes = buildLegacy(NOTES);
    bytes.fill(2, 18, 20);
    assert.equal((await readAll(apkg, await buildZip({ 'collection.anki2': bytes }))).questions.length, 2);
  });

  it('reports a package without notes', async () => {
    const file = await readAll(apkg, await buildZip({ 'collection.anki2': buildLegacy([]) }));
    assert.deepEqual(listCodes(file.notices), ['no_questions']);
  });
});

describe('writing packages of Anki', () => {
  it('gives back what was written', async () => {
    const questions = generateQuestions(8, 300);
    const written = await writeAll(apkg, questions);
    const file = await readAll(apkg, written.bytes);
    assert.deepEqual(file.rejects, []);
    assert.deepEqual(file.questions.map(toComparable), questions.map(toComparable));
    assertDeclared(apkg, file.notices);
  });

  it('writes the same bytes each time', async () => {
    const questions = generateQuestions(9, 5);
    assert.deepEqual((await writeAll(apkg, questions)).bytes, (await writeAll(apkg, questions)).bytes);
  });

  it('survives cuts', async () => {
    const { bytes } = await writeAll(apkg, generateQuestions(10, 3));
    await assertSurvivesCuts(apkg, bytes, 211);
  });
});
