/** Adds reports of faults in questions, and which callers an event is for (store/events.ts). */
export const reportTables = (type: { id: string; integer: string; text: string; strict: string }) => `
  CREATE TABLE reports (
    id          ${type.id} PRIMARY KEY,
    question_id ${type.id} NOT NULL,
    revision    INTEGER NOT NULL,
    reporter    ${type.text} NOT NULL,
    client_id   TEXT NOT NULL,
    respondent  ${type.text},
    reason      TEXT NOT NULL,
    comment     TEXT,
    answer      TEXT,
    status      TEXT NOT NULL,
    outcome     TEXT,
    note        TEXT,
    resolved_by TEXT,
    resolved_at ${type.integer},
    created_at  ${type.integer} NOT NULL,
    updated_at  ${type.integer} NOT NULL,
    UNIQUE (question_id, revision, reporter)
  ) ${type.strict};
  CREATE INDEX reports_by_status ON reports (status, id);
  CREATE INDEX reports_by_respondent ON reports (respondent) WHERE respondent IS NOT NULL;

  ALTER TABLE events ADD COLUMN audience TEXT NOT NULL DEFAULT 'all';
  `;
