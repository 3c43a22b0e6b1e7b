/** Migrations that both engines share, apart from the names of types. */

/**
 * Moves the members of a question's JSON that reveal the answer to a column of their own. `member`
 * is an expression for a member of the JSON in the column `face`, as JSON text.
 */
export function splitAnswers(member: (name: string) => string): string {
  const members = (names: string[]) =>
    names.map((name) => `'"${name}":' || ${member(name)}`).join(` || ',' || `);
  const face = `${members(['difficulty', 'topic_focus', 'question_text', 'tags', 'source', 'external_id'])}
      || coalesce(',"choices":' || ${member('choices')}, '') || ',' || ${members(['created_at'])}`;
  const secret = members(['correct_answer', 'incorrect_answers', 'explanation', 'revision', 'updated_at']);
  return `
  ALTER TABLE questions RENAME COLUMN rest TO face;
  ALTER TABLE questions ADD COLUMN secret TEXT NOT NULL DEFAULT '';
  UPDATE questions SET face = ${face}, secret = ${secret};
  ALTER TABLE revisions RENAME COLUMN rest TO face;
  ALTER TABLE revisions ADD COLUMN secret TEXT;
  UPDATE revisions SET face = ${face}, secret = ${secret} WHERE face IS NOT NULL;
  `;
}

/** Adds clients, tokens, rate counters, and the key that encrypts cursors. */
export function accessTables(type: { id: string; integer: string; strict: string; random: string }): string {
  return `
  ALTER TABLE ledger ADD COLUMN cursor_key TEXT NOT NULL DEFAULT '';
  UPDATE ledger SET cursor_key = ${type.random};

  CREATE TABLE clients (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    secret     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    created_at ${type.integer} NOT NULL,
    updated_at ${type.integer} NOT NULL
  ) ${type.strict};

  CREATE TABLE tokens (
    hash       TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    id         ${type.id} NOT NULL UNIQUE,
    client_id  TEXT NOT NULL REFERENCES clients ON DELETE CASCADE,
    family     ${type.id},
    name       TEXT,
    scope      TEXT NOT NULL,
    created_at ${type.integer} NOT NULL,
    expires_at ${type.integer} NOT NULL,
    ends_at    ${type.integer} NOT NULL,
    used_at    ${type.integer},
    salt       TEXT,
    next_access  TEXT,
    next_refresh TEXT
  ) ${type.strict};
  CREATE INDEX tokens_by_client ON tokens (client_id);
  CREATE INDEX tokens_by_family ON tokens (family);
  CREATE INDEX tokens_by_expiry ON tokens (expires_at);

  CREATE TABLE spent (
    key      TEXT NOT NULL,
    minute   ${type.integer} NOT NULL,
    n        ${type.integer} NOT NULL,
    PRIMARY KEY (key, minute)
  ) ${type.strict};
  `;
}

/** Adds analyses with their results, and events. */
export function analysisTables(type: {
  id: string;
  integer: string;
  bytes: string;
  strict: string;
  eventId: string;
  transaction: string;
}): string {
  return `
  CREATE TABLE analyses (
    id             ${type.id} PRIMARY KEY,
    client_id      TEXT NOT NULL,
    type           TEXT NOT NULL,
    answers        INTEGER NOT NULL,
    parameters     TEXT NOT NULL,
    filter         TEXT,
    view           TEXT NOT NULL,
    secret         INTEGER NOT NULL,
    status         TEXT NOT NULL,
    version        INTEGER NOT NULL,
    question_count ${type.integer} NOT NULL,
    progress       INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    lease          TEXT,
    lease_until    ${type.integer},
    error          TEXT,
    created_at     ${type.integer} NOT NULL,
    started_at     ${type.integer},
    finished_at    ${type.integer}
  ) ${type.strict};
  CREATE INDEX analyses_by_status ON analyses (status, id);
  CREATE INDEX analyses_by_type ON analyses (type, id);
  CREATE INDEX analyses_by_client ON analyses (client_id, started_at);

  CREATE TABLE analysis_results (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    view        TEXT NOT NULL,
    head        TEXT NOT NULL,
    summary     TEXT NOT NULL,
    items       ${type.integer} NOT NULL,
    figure      TEXT NOT NULL,
    PRIMARY KEY (analysis_id, view)
  ) ${type.strict};

  CREATE TABLE analysis_items (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    view        TEXT NOT NULL,
    block       INTEGER NOT NULL,
    lines       ${type.bytes} NOT NULL,
    PRIMARY KEY (analysis_id, view, block)
  ) ${type.strict};

  CREATE TABLE analysis_questions (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    block       ${type.integer} NOT NULL,
    members     ${type.bytes} NOT NULL,
    PRIMARY KEY (analysis_id, block)
  ) ${type.strict};
  CREATE INDEX analyses_by_question ON analysis_questions (block);

  CREATE TABLE events (
    id       ${type.eventId},
    tx       ${type.transaction},
    at       ${type.integer} NOT NULL,
    kind     TEXT NOT NULL,
    secret   INTEGER NOT NULL,
    subjects TEXT NOT NULL
  ) ${type.strict};
  CREATE INDEX events_in_order ON events (tx, id);
  CREATE INDEX events_by_age ON events (at);
  `;
}

/** Adds responses, and further figures of results. */
export function responseTables(type: {
  id: string;
  integer: string;
  bytes: string;
  text: string;
  strict: string;
  clustered: string;
  sittingId: string;
}): string {
  return `
  -- All responses of a respondent in a session, packed (store/responses/sittings.ts).
  CREATE TABLE sittings (
    id         ${type.sittingId},
    respondent ${type.text} NOT NULL,
    session    ${type.text} NOT NULL,
    in_group   ${type.text},
    n          ${type.integer} NOT NULL,
    responses  ${type.bytes} NOT NULL,
    UNIQUE (respondent, session)
  ) ${type.strict};
  -- Covering indexes with the number of responses, so that counting reads no rows.
  CREATE INDEX sittings_in_order ON sittings (id, n);
  CREATE INDEX sittings_by_session ON sittings (session, id, n);
  CREATE INDEX sittings_by_group ON sittings (in_group, id, n);

  CREATE TABLE answered (
    question ${type.integer} NOT NULL,
    sitting  ${type.integer} NOT NULL,
    PRIMARY KEY (question, sitting)
  ) ${type.clustered};

  -- The ids of questions by slot, deleted ones included.
  CREATE TABLE answered_questions (
    slot ${type.integer} PRIMARY KEY,
    id   ${type.id} NOT NULL UNIQUE
  ) ${type.strict};

  ALTER TABLE analysis_results ADD COLUMN figures TEXT NOT NULL DEFAULT '{}';
  `;
}

/** Adds the progress of a copy into this bank. Removed by a later migration. */
export const movingTable = (type: { integer: string; strict: string }) => `
  CREATE TABLE moving (
    name   TEXT PRIMARY KEY,
    origin TEXT NOT NULL,
    place  TEXT NOT NULL,
    n      ${type.integer} NOT NULL
  ) ${type.strict};
  `;

/** Renames tables and columns to the vocabulary of docs/glossary.md. */
export const renameToGlossary = `
  ALTER TABLE questions RENAME COLUMN seq TO created_slot;
  ALTER TABLE questions RENAME COLUMN touch TO updated_slot;
  ALTER TABLE questions RENAME COLUMN face TO public_json;
  ALTER TABLE questions RENAME COLUMN secret TO answer_json;
  ALTER TABLE revisions RENAME COLUMN seq TO created_slot;
  ALTER TABLE revisions RENAME COLUMN face TO public_json;
  ALTER TABLE revisions RENAME COLUMN secret TO answer_json;

  ALTER TABLE analyses RENAME COLUMN answers TO reads_answers;
  ALTER TABLE analyses RENAME COLUMN secret TO reveals_answers;
  ALTER TABLE events RENAME COLUMN secret TO reveals_answers;
  ${['analyses', 'analysis_results', 'analysis_items']
    .map(
      (table) => `UPDATE ${table} SET view = CASE view WHEN 'whole' THEN 'with_answers'
    WHEN 'face' THEN 'without_answers' WHEN 'people' THEN 'abilities' ELSE view END;`,
    )
    .join('\n  ')}

  -- Runs that are not finished have parameters under their former names.
  UPDATE analyses SET status = 'failed', version = version + 1, lease = NULL, lease_until = NULL,
    finished_at = coalesce(started_at, created_at),
    error = '{"code":"interrupted","detail":"The service was upgraded before the run finished. Start it again."}'
  WHERE status IN ('queued', 'running');

  -- Stored results of creating questions, which repetitions under their Idempotency-Key return. Quotes within the
  -- values are escaped, so that only the keys match.
  UPDATE idempotency SET result =
    replace(replace(result, ',"face":"', ',"public_json":"'), ',"secret":"', ',"answer_json":"');

  ALTER TABLE spent RENAME TO rate_counters;

  -- migration_id is set while quaestor migrate copies a bank into this one. The service refuses to open it then.
  ALTER TABLE ledger RENAME TO bank_state;
  ALTER TABLE bank_state ADD COLUMN migration_id TEXT;
  UPDATE bank_state SET migration_id = 'interrupted' WHERE EXISTS (SELECT 1 FROM moving);
  DROP TABLE moving;
  `;

/** Adds checksums, which the next start fills in (store/questions/fill-checksums.ts), and who created a question. */
export const checksumColumns = `
  ALTER TABLE questions ADD COLUMN checksum INTEGER;
  ALTER TABLE questions ADD COLUMN public_checksum INTEGER;
  ALTER TABLE questions ADD COLUMN created_by TEXT;
  ALTER TABLE questions ADD COLUMN content_bytes INTEGER;
  ALTER TABLE revisions ADD COLUMN checksum INTEGER;
  ALTER TABLE postings ADD COLUMN checksum INTEGER;
  ALTER TABLE categories ADD COLUMN checksum INTEGER;
  CREATE INDEX questions_without_checksum ON questions (created_slot) WHERE checksum IS NULL;
  CREATE INDEX revisions_without_checksum ON revisions (question_id, revision)
    WHERE checksum IS NULL AND public_json IS NOT NULL;
  CREATE INDEX questions_by_client ON questions (created_by, content_bytes) WHERE created_by IS NOT NULL;
  CREATE INDEX postings_without_checksum ON postings (facet, block) WHERE checksum IS NULL;
  `;
