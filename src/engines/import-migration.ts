/**
 * Adds imports (store/imports/), the files they read, what they rejected, and the hash by which
 * questions with the same text are found. The next start computes the hashes of existing questions
 * (store/questions/fill-content-hashes.ts); from then on, the partial index is empty.
 */
export const importTables = (type: { id: string; integer: string; bytes: string; strict: string }) => `
  CREATE TABLE imports (
    id          ${type.id} PRIMARY KEY REFERENCES changes ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    format      TEXT NOT NULL,
    file_name   TEXT,
    bytes       ${type.integer} NOT NULL,
    options     TEXT NOT NULL,
    report      TEXT NOT NULL,
    reject_head ${type.bytes}
  ) ${type.strict};

  -- A file is stored before the import that reads it.
  CREATE TABLE import_chunks (
    import_id ${type.id} NOT NULL,
    n         INTEGER NOT NULL,
    stored_at ${type.integer} NOT NULL,
    data      ${type.bytes} NOT NULL,
    PRIMARY KEY (import_id, n)
  ) ${type.strict};

  CREATE TABLE import_rejects (
    import_id ${type.id} NOT NULL REFERENCES imports ON DELETE CASCADE,
    n         ${type.integer} NOT NULL,
    data      ${type.bytes} NOT NULL,
    PRIMARY KEY (import_id, n)
  ) ${type.strict};

  ALTER TABLE questions ADD COLUMN content_hash ${type.integer};
  CREATE INDEX questions_by_content ON questions (content_hash);
  CREATE INDEX questions_without_content_hash ON questions (created_slot) WHERE content_hash IS NULL;
  `;
