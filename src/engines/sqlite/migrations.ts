/**
 * Schema migrations. Each runs in a transaction. The list is append-only, and its length is the
 * schema version.
 */
import { changeTables } from '../change-migration.ts';
import { drawTables } from '../draw-migration.ts';
import { drawTokenColumns } from '../draw-token-migration.ts';
import { facetTables } from '../facet-migration.ts';
import { findingTables, rowIndexTables } from '../findings-migration.ts';
import { FIRST_SLOT, INSERT_FIXED_CATEGORIES } from '../fixed-categories.ts';
import { importTables } from '../import-migration.ts';
import { kindIndexes } from '../kinds-migration.ts';
import { opentdbTables } from '../opentdb-migration.ts';
import { originColumns } from '../origin-migration.ts';
import { reportTables } from '../reports-migration.ts';
import { reviewTables } from '../review-migration.ts';
import {
  accessTables,
  analysisTables,
  checksumColumns,
  movingTable,
  renameToGlossary,
  responseTables,
  splitAnswers,
} from '../shared-migrations.ts';

export const migrations: string[] = [
  `
  CREATE TABLE ledger (
    only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
    epoch     INTEGER NOT NULL,
    next_slot INTEGER NOT NULL,
    last_at   INTEGER NOT NULL
  ) STRICT;
  INSERT INTO ledger VALUES (1, 0, ${FIRST_SLOT}, 0);

  CREATE TABLE categories (
    id          INTEGER PRIMARY KEY,
    uid         TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL UNIQUE,
    name_json   TEXT NOT NULL,
    description TEXT,
    fixed       INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    name_version INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
  ) STRICT;
  ${INSERT_FIXED_CATEGORIES}

  CREATE TABLE questions (
    seq         INTEGER PRIMARY KEY,
    touch       INTEGER NOT NULL UNIQUE,
    id          TEXT NOT NULL UNIQUE,
    category_id INTEGER NOT NULL REFERENCES categories,
    external_id TEXT UNIQUE,
    revision    INTEGER NOT NULL,
    action      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    rest        TEXT NOT NULL
  ) STRICT;
  CREATE INDEX questions_by_update ON questions (updated_at, touch);

  CREATE TABLE revisions (
    question_id TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    action      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    category_id INTEGER NOT NULL,
    category    TEXT NOT NULL,
    rest        TEXT,
    PRIMARY KEY (question_id, revision)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE postings (
    facet   TEXT NOT NULL,
    block   INTEGER NOT NULL,
    epoch   INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    members BLOB NOT NULL,
    PRIMARY KEY (facet, block)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE postings_log (
    id      INTEGER PRIMARY KEY,
    facet   TEXT NOT NULL,
    block   INTEGER NOT NULL,
    added   BLOB NOT NULL,
    removed BLOB NOT NULL
  ) STRICT;

  CREATE TABLE idempotency (
    scope       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at          INTEGER NOT NULL,
    result      TEXT NOT NULL,
    PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_age ON idempotency (at);

  -- Terms are built by store/questions/facets.ts. Neither positions nor the text are stored: search needs only
  -- the questions that contain a term.
  CREATE VIRTUAL TABLE search USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
  `,
  splitAnswers((name) => `(('{' || face) -> '${name}')`),
  accessTables({ id: 'TEXT', integer: 'INTEGER', strict: 'STRICT', random: 'lower(hex(randomblob(16)))' }),
  analysisTables({
    id: 'TEXT',
    integer: 'INTEGER',
    bytes: 'BLOB',
    strict: 'STRICT',
    // AUTOINCREMENT: an id is never allocated twice, so that a reader's position stays valid.
    eventId: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    // With one writer, the order of ids is the order of commits.
    transaction: 'INTEGER NOT NULL DEFAULT 0',
  }),
  responseTables({
    id: 'TEXT',
    integer: 'INTEGER',
    bytes: 'BLOB',
    text: 'TEXT',
    strict: 'STRICT',
    clustered: 'STRICT, WITHOUT ROWID',
    // AUTOINCREMENT: results refer to sittings by id, and the id of a deleted one must not be
    // reused.
    sittingId: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  }),
  movingTable({ integer: 'INTEGER', strict: 'STRICT' }),
  renameToGlossary,
  checksumColumns,
  originColumns,
  findingTables({ id: 'TEXT', integer: 'INTEGER', bytes: 'BLOB', text: 'TEXT', strict: 'STRICT' }),
  rowIndexTables({ id: 'TEXT', integer: 'INTEGER', bytes: 'BLOB', text: 'TEXT', strict: 'STRICT' }),
  facetTables({
    id: 'TEXT',
    integer: 'INTEGER',
    text: 'TEXT',
    strict: 'STRICT',
    clustered: 'STRICT, WITHOUT ROWID',
  }),
  changeTables({
    id: 'TEXT',
    integer: 'INTEGER',
    bytes: 'BLOB',
    strict: 'STRICT',
    clustered: 'STRICT, WITHOUT ROWID',
  }),
  kindIndexes,
  reportTables({ id: 'TEXT', integer: 'INTEGER', text: 'TEXT', strict: 'STRICT' }),
  reviewTables({ id: 'TEXT', integer: 'INTEGER', strict: 'STRICT' }),
  drawTables({ id: 'TEXT', integer: 'INTEGER', text: 'TEXT', strict: 'STRICT' }),
  importTables({ id: 'TEXT', integer: 'INTEGER', bytes: 'BLOB', strict: 'STRICT' }),
  opentdbTables({ integer: 'INTEGER', text: 'TEXT NOT NULL', strict: 'STRICT' }),
  drawTokenColumns({ text: 'TEXT' }),
];
