/** Adds session tokens of the Open Trivia DB's API (store/opentdb/). */
export const opentdbTables = (type: { integer: string; text: string; strict: string }) => `
  CREATE TABLE opentdb_tokens (
    hash    ${type.text} PRIMARY KEY,
    seed    TEXT NOT NULL,
    bound   ${type.integer} NOT NULL,
    walks   TEXT NOT NULL,
    version INTEGER NOT NULL,
    used_at ${type.integer} NOT NULL
  ) ${type.strict};
  CREATE INDEX opentdb_tokens_by_use ON opentdb_tokens (used_at);
  `;
