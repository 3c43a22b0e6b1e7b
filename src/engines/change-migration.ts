/** Adds bulk changes (store/changes/), merged questions and the responses that a merge has moved. */
export const changeTables = (type: {
  id: string;
  integer: string;
  bytes: string;
  strict: string;
  clustered: string;
}) => `
  CREATE TABLE changes (
    id             ${type.id} PRIMARY KEY,
    client_id      TEXT NOT NULL,
    key_id         TEXT,
    kind           TEXT NOT NULL,
    request        TEXT NOT NULL,
    plan           TEXT NOT NULL,
    status         TEXT NOT NULL,
    phase          TEXT NOT NULL,
    next_position  ${type.integer} NOT NULL,
    question_count ${type.integer} NOT NULL,
    processed      ${type.integer} NOT NULL,
    changed        ${type.integer} NOT NULL,
    unchanged      ${type.integer} NOT NULL,
    refused        ${type.integer} NOT NULL,
    responses      ${type.integer} NOT NULL,
    reasons        TEXT NOT NULL,
    result_blocks  INTEGER NOT NULL,
    lease          TEXT,
    lease_until    ${type.integer},
    error          TEXT,
    created_at     ${type.integer} NOT NULL,
    claimed_at     ${type.integer},
    started_at     ${type.integer},
    finished_at    ${type.integer}
  ) ${type.strict};
  CREATE INDEX changes_by_status ON changes (status, id);

  CREATE TABLE change_questions (
    change_id ${type.id} NOT NULL REFERENCES changes ON DELETE CASCADE,
    block     ${type.integer} NOT NULL,
    members   ${type.bytes} NOT NULL,
    PRIMARY KEY (change_id, block)
  ) ${type.strict};

  CREATE TABLE change_results (
    change_id ${type.id} NOT NULL REFERENCES changes ON DELETE CASCADE,
    block     INTEGER NOT NULL,
    revisions ${type.bytes} NOT NULL,
    PRIMARY KEY (change_id, block)
  ) ${type.strict};

  -- Finds the questions that keep a category from being deleted.
  CREATE INDEX questions_by_category ON questions (category_id);

  CREATE TABLE merged_questions (
    id          ${type.id} PRIMARY KEY,
    survivor_id ${type.id} NOT NULL
  ) ${type.strict};

  CREATE TABLE moved_responses (
    change_id ${type.id} NOT NULL,
    sitting   ${type.integer} NOT NULL,
    original  ${type.bytes} NOT NULL,
    moved     ${type.bytes} NOT NULL,
    PRIMARY KEY (change_id, sitting)
  ) ${type.clustered};
  CREATE INDEX moved_responses_by_sitting ON moved_responses (sitting);
  `;
