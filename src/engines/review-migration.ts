/**
 * Adds the status of questions, changes that wait for approval, reviews and comments, and what
 * runs of analyses disclose.
 * A default fills the columns without rewriting the tables: questions so far are approved.
 */
export const reviewTables = (type: { id: string; integer: string; strict: string }) => `
  ALTER TABLE questions ADD COLUMN status TEXT NOT NULL DEFAULT 'approved';
  ALTER TABLE questions ADD COLUMN reason TEXT;
  ALTER TABLE revisions ADD COLUMN status TEXT NOT NULL DEFAULT 'approved';
  ALTER TABLE revisions ADD COLUMN reason TEXT;
  ALTER TABLE analyses ADD COLUMN unapproved INTEGER NOT NULL DEFAULT 0;

  -- The number of reviews that a question requires; 0 while review is off.
  ALTER TABLE bank_state ADD COLUMN required_reviews INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE pending_revisions (
    question_id   ${type.id} PRIMARY KEY,
    revision      INTEGER NOT NULL,
    base_revision INTEGER NOT NULL,
    state         TEXT NOT NULL,
    category_id   ${type.integer} NOT NULL,
    category      TEXT NOT NULL,
    public_json   TEXT,
    answer_json   TEXT,
    checksum      INTEGER,
    authors       TEXT NOT NULL,
    changed_by    TEXT,
    changed_key   TEXT,
    change_id     TEXT,
    created_at    ${type.integer} NOT NULL,
    updated_at    ${type.integer} NOT NULL
  ) ${type.strict};
  CREATE INDEX pending_revisions_by_update ON pending_revisions (updated_at, question_id)
    WHERE public_json IS NOT NULL;

  CREATE TABLE reviews (
    id          ${type.id} PRIMARY KEY,
    question_id ${type.id} NOT NULL,
    revision    INTEGER NOT NULL,
    reviewer    TEXT NOT NULL,
    decision    TEXT NOT NULL,
    comment     TEXT,
    created_at  ${type.integer} NOT NULL,
    UNIQUE (question_id, revision, reviewer)
  ) ${type.strict};

  CREATE TABLE comments (
    id          ${type.id} PRIMARY KEY,
    question_id ${type.id} NOT NULL,
    revision    INTEGER NOT NULL,
    author      TEXT NOT NULL,
    text        TEXT NOT NULL,
    resolved_by TEXT,
    resolved_at ${type.integer},
    created_at  ${type.integer} NOT NULL,
    updated_at  ${type.integer} NOT NULL
  ) ${type.strict};
  CREATE INDEX comments_by_question ON comments (question_id, id);
  `;
