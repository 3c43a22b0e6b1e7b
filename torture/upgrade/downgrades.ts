/**
 * The reverse of every migration, so that a bank of any earlier schema version can be made from one
 * that the service has filled. A new migration needs an entry here; `Bank.downgrade` compares the
 * result with a schema that was made by the migrations themselves.
 */
import { migrations as forPostgres } from '../../src/engines/postgres/migrations.ts';
import type { EngineName } from '../../test/support/engines.ts';

/** The function of PostgreSQL that a later migration replaces, as its migration created it. */
const [CREATE_TICKET] = /CREATE FUNCTION ticket.*?END \$\$;/s.exec(forPostgres[0]!)!;

const rename = (table: string, columns: Record<string, string>) =>
  Object.entries(columns)
    .map(([from, to]) => `ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to};`)
    .join('\n');

const renameFromGlossary = (integer: string, strict: string) => `
  ALTER TABLE bank_state DROP COLUMN migration_id;
  ALTER TABLE bank_state RENAME TO ledger;
  ALTER TABLE rate_counters RENAME TO spent;
  CREATE TABLE moving (name TEXT PRIMARY KEY, origin TEXT NOT NULL, place TEXT NOT NULL, n ${integer} NOT NULL) ${strict};
  UPDATE idempotency SET result =
    replace(replace(result, ',"public_json":"', ',"face":"'), ',"answer_json":"', ',"secret":"');
  ${['analyses', 'analysis_results', 'analysis_items']
    .map(
      (table) => `UPDATE ${table} SET view = CASE view WHEN 'with_answers' THEN 'whole'
        WHEN 'without_answers' THEN 'face' WHEN 'abilities' THEN 'people' ELSE view END;`,
    )
    .join('\n')}
  ${rename('events', { reveals_answers: 'secret' })}
  ${rename('analyses', { reads_answers: 'answers', reveals_answers: 'secret' })}
  ${rename('revisions', { created_slot: 'seq', public_json: 'face', answer_json: 'secret' })}
  ${rename('questions', { created_slot: 'seq', updated_slot: 'touch', public_json: 'face', answer_json: 'secret' })}
  `;

const DROP_RESPONSES = `
  DROP TABLE sittings;
  DROP TABLE answered;
  DROP TABLE answered_questions;
  ALTER TABLE analysis_results DROP COLUMN figures;
  `;
const DROP_ANALYSES = `
  DROP TABLE analysis_questions;
  DROP TABLE analysis_items;
  DROP TABLE analysis_results;
  DROP TABLE analyses;
  DROP TABLE events;
  `;
const DROP_ACCESS = `
  DROP TABLE spent;
  DROP TABLE tokens;
  DROP TABLE clients;
  ALTER TABLE ledger DROP COLUMN cursor_key;
  `;
const JOIN_ANSWERS = `
  UPDATE questions SET face = face || ',' || secret || '}';
  UPDATE revisions SET face = face || ',' || secret || '}' WHERE face IS NOT NULL;
  ALTER TABLE questions DROP COLUMN secret;
  ALTER TABLE revisions DROP COLUMN secret;
  ALTER TABLE questions RENAME COLUMN face TO rest;
  ALTER TABLE revisions RENAME COLUMN face TO rest;
  `;

const DROP_CHECKSUMS = `
  ${[
    'questions_without_checksum',
    'revisions_without_checksum',
    'questions_by_client',
    'postings_without_checksum',
  ]
    .map((index) => `DROP INDEX ${index};`)
    .join('\n')}
  ${['checksum', 'public_checksum', 'created_by', 'content_bytes']
    .map((column) => `ALTER TABLE questions DROP COLUMN ${column};`)
    .join('\n')}
  ${['revisions', 'postings', 'categories'].map((table) => `ALTER TABLE ${table} DROP COLUMN checksum;`).join('\n')}
  `;

const DROP_ORIGINS = ['questions', 'revisions']
  .flatMap((table) =>
    ['changed_by', 'changed_key', 'change_id'].map((column) => `ALTER TABLE ${table} DROP COLUMN ${column};`),
  )
  .join('\n');
const DROP_FINDINGS = `
  DROP TABLE finding_sets;
  DROP TABLE analysis_findings;
  DROP TABLE analysis_revisions;
  ALTER TABLE analyses DROP COLUMN definition_version;
  `;
const DROP_REPORTS = 'DROP TABLE reports; ALTER TABLE events DROP COLUMN audience;';

const dropFacetTables = (slot: string) => `
  DELETE FROM search WHERE ${slot} IN (SELECT deleted_slot FROM deleted_questions);
  DELETE FROM postings WHERE facet LIKE 'k%' OR facet LIKE 'm%' OR facet LIKE 's%' OR facet LIKE '%/deleted';
  DROP TABLE deleted_questions;
  DROP TABLE facet_totals;
  DROP INDEX revisions_deleted;
  ALTER TABLE bank_state DROP COLUMN filled_slot;
  ALTER TABLE bank_state DROP COLUMN filled_deletion;
  `;

const DROP_CHANGES = `
  DROP INDEX questions_by_category;
  ${['moved_responses', 'merged_questions', 'change_results', 'change_questions', 'changes']
    .map((table) => `DROP TABLE ${table};`)
    .join('\n')}
  `;
const DROP_REVIEW = `
  DROP TABLE pending_revisions;
  DROP TABLE reviews;
  DROP TABLE comments;
  ALTER TABLE bank_state DROP COLUMN required_reviews;
  ALTER TABLE analyses DROP COLUMN unapproved;
  ${['questions', 'revisions']
    .map((table) => `ALTER TABLE ${table} DROP COLUMN status; ALTER TABLE ${table} DROP COLUMN reason;`)
    .join('\n')}
  `;

const DROP_IMPORTS = `
  DROP INDEX questions_by_content;
  DROP INDEX questions_without_content_hash;
  ALTER TABLE questions DROP COLUMN content_hash;
  ${['import_rejects', 'import_chunks', 'imports'].map((table) => `DROP TABLE ${table};`).join('\n')}
  `;

/** The kind is the first member. Without it, checksums are computed again. */
const removeKinds = (find: string) => `
  DROP INDEX questions_without_kind;
  DROP INDEX revisions_without_kind;
  UPDATE questions SET public_json = substr(public_json, ${find}(public_json, ',') + 1), checksum = NULL,
    public_checksum = NULL;
  UPDATE revisions SET public_json = substr(public_json, ${find}(public_json, ',') + 1), checksum = NULL
    WHERE public_json IS NOT NULL;
  `;

/** Removes content that earlier versions do not store, and that no upgrade can restore. */
export const CLEAR_NEW_CONTENT = `
  UPDATE questions SET created_by = NULL, content_bytes = NULL, changed_by = NULL, changed_key = NULL, change_id = NULL;
  UPDATE revisions SET changed_by = NULL, changed_key = NULL, change_id = NULL;
  `;

const DROP_DRAW_TOKENS = `
  DROP INDEX tokens_by_respondent;
  DELETE FROM tokens WHERE kind = 'draw';
  ALTER TABLE tokens DROP COLUMN respondent;
  ALTER TABLE tokens DROP COLUMN draws;
  ALTER TABLE draws DROP COLUMN explain;
  `;

/** Entry n leads from schema version n + 2 to n + 1: the first version has no reverse. */
export const DOWNGRADES: Record<EngineName, string[]> = {
  sqlite: [
    JOIN_ANSWERS,
    DROP_ACCESS,
    DROP_ANALYSES,
    DROP_RESPONSES,
    'DROP TABLE moving',
    renameFromGlossary('INTEGER', 'STRICT'),
    DROP_CHECKSUMS,
    DROP_ORIGINS,
    DROP_FINDINGS,
    'DROP TABLE dismissals; DROP TABLE analysis_row_index',
    dropFacetTables('rowid'),
    DROP_CHANGES,
    removeKinds('instr'),
    DROP_REPORTS,
    DROP_REVIEW,
    'DROP TABLE draws',
    DROP_IMPORTS,
    'DROP TABLE opentdb_tokens',
    DROP_DRAW_TOKENS,
  ],
  postgres: [
    JOIN_ANSWERS,
    DROP_ACCESS,
    DROP_ANALYSES,
    DROP_RESPONSES,
    'DROP TABLE moving; ALTER TABLE events ALTER COLUMN id SET GENERATED ALWAYS;',
    `${renameFromGlossary('bigint', '')} DROP FUNCTION allocate_slots; ${CREATE_TICKET}`,
    DROP_CHECKSUMS,
    DROP_ORIGINS,
    DROP_FINDINGS,
    'DROP TABLE dismissals; DROP TABLE analysis_row_index',
    dropFacetTables('slot'),
    DROP_CHANGES,
    removeKinds('strpos'),
    DROP_REPORTS,
    DROP_REVIEW,
    'DROP TABLE draws',
    DROP_IMPORTS,
    'DROP TABLE opentdb_tokens',
    DROP_DRAW_TOKENS,
  ],
};

/** The schema version that adds a table; the others are in the first. */
export const ADDED_IN: Record<string, number> = {
  clients: 3,
  tokens: 3,
  analyses: 4,
  analysis_results: 4,
  analysis_items: 4,
  analysis_questions: 4,
  events: 4,
  sittings: 5,
  answered: 5,
  answered_questions: 5,
  analysis_revisions: 10,
  analysis_findings: 10,
  finding_sets: 10,
  analysis_row_index: 11,
  dismissals: 11,
  deleted_questions: 12,
  facet_totals: 12,
  changes: 13,
  change_questions: 13,
  change_results: 13,
  merged_questions: 13,
  moved_responses: 13,
  reports: 15,
  pending_revisions: 16,
  reviews: 16,
  comments: 16,
  draws: 17,
  imports: 18,
  import_chunks: 18,
  import_rejects: 18,
  opentdb_tokens: 19,
};
