/**
 * Adds the totals of named facets, deleted questions as a list, and how far a start has filled in
 * what questions of earlier releases lack (store/questions/fill-facets.ts).
 */
export const facetTables = (type: {
  id: string;
  integer: string;
  text: string;
  strict: string;
  clustered: string;
}): string => `
  CREATE TABLE facet_totals (
    facet ${type.text} PRIMARY KEY,
    n     ${type.integer} NOT NULL,
    epoch ${type.integer} NOT NULL
  ) ${type.clustered};
  INSERT INTO facet_totals (facet, n, epoch)
    SELECT facet, sum(n), max(epoch) FROM postings
    WHERE (facet LIKE 'g%' OR facet LIKE 't%') AND facet NOT LIKE '%/%' GROUP BY facet;

  CREATE TABLE deleted_questions (
    deleted_slot ${type.integer} PRIMARY KEY,
    id           ${type.id} NOT NULL UNIQUE,
    revision     INTEGER NOT NULL,
    deleted_at   ${type.integer} NOT NULL,
    external_id  TEXT,
    created_by   TEXT
  ) ${type.strict};
  CREATE INDEX deleted_questions_by_time ON deleted_questions (deleted_at, deleted_slot);
  CREATE INDEX deleted_questions_by_external_id ON deleted_questions (external_id) WHERE external_id IS NOT NULL;
  CREATE INDEX revisions_deleted ON revisions (at, question_id) WHERE action = 'deleted';

  -- The last slot, and the time of the last deletion, that are filled in; null once all are.
  ALTER TABLE bank_state ADD COLUMN filled_slot ${type.integer};
  ALTER TABLE bank_state ADD COLUMN filled_deletion ${type.integer};
  UPDATE bank_state SET filled_slot = 0, filled_deletion = 0;
  `;
