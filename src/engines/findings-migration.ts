/**
 * Adds what runs find: per run, and of the latest runs. A run that finished before has no version
 * of its definition, and its findings do not count.
 */
export const findingTables = (type: {
  id: string;
  integer: string;
  bytes: string;
  text: string;
  strict: string;
}) => `
  ALTER TABLE analyses ADD COLUMN definition_version INTEGER;

  -- The slots at which the questions of a run were last updated, where that is not their first slot.
  CREATE TABLE analysis_revisions (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    block       ${type.integer} NOT NULL,
    members     ${type.bytes} NOT NULL,
    PRIMARY KEY (analysis_id, block)
  ) ${type.strict};

  CREATE TABLE analysis_findings (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    view        ${type.text} NOT NULL,
    name        ${type.text} NOT NULL,
    block       ${type.integer} NOT NULL,
    n           INTEGER NOT NULL,
    members     ${type.bytes} NOT NULL,
    PRIMARY KEY (analysis_id, view, name, block)
  ) ${type.strict};

  CREATE TABLE finding_sets (
    type    ${type.text} NOT NULL,
    view    ${type.text} NOT NULL,
    name    ${type.text} NOT NULL,
    block   ${type.integer} NOT NULL,
    version INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    members ${type.bytes} NOT NULL,
    PRIMARY KEY (type, view, name, block)
  ) ${type.strict};
  `;

/** Adds the index of the rows of results, and dismissals of findings. */
export const rowIndexTables = (type: {
  id: string;
  integer: string;
  bytes: string;
  text: string;
  strict: string;
}) => `
  CREATE TABLE analysis_row_index (
    analysis_id ${type.id} NOT NULL REFERENCES analyses ON DELETE CASCADE,
    view        ${type.text} NOT NULL,
    kind        ${type.text} NOT NULL,
    name        ${type.text} NOT NULL,
    block       ${type.integer} NOT NULL,
    n           ${type.integer} NOT NULL,
    data        ${type.bytes} NOT NULL,
    PRIMARY KEY (analysis_id, view, kind, name, block)
  ) ${type.strict};

  CREATE TABLE dismissals (
    question_id   ${type.id} NOT NULL,
    type          ${type.text} NOT NULL,
    name          ${type.text} NOT NULL,
    revision      INTEGER NOT NULL,
    reason        ${type.text} NOT NULL,
    dismissed_by  ${type.text} NOT NULL,
    dismissed_key ${type.text},
    dismissed_at  ${type.integer} NOT NULL,
    PRIMARY KEY (question_id, type, name, revision)
  ) ${type.strict};
  CREATE INDEX dismissals_by_finding ON dismissals (type, name, question_id, revision);
  CREATE INDEX dismissals_by_time ON dismissals (dismissed_at, question_id, type, name);
  `;
