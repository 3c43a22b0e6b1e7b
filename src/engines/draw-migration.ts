/** Adds draws: questions that were handed out together (store/draws/). */
export const drawTables = (type: { id: string; integer: string; text: string; strict: string }) => `
  CREATE TABLE draws (
    id         ${type.id} PRIMARY KEY,
    client_id  TEXT NOT NULL,
    respondent ${type.text},
    seed       TEXT NOT NULL,
    quotas     TEXT NOT NULL,
    items      TEXT NOT NULL,
    slots      TEXT NOT NULL,
    created_at ${type.integer} NOT NULL
  ) ${type.strict};
  CREATE INDEX draws_by_respondent ON draws (respondent) WHERE respondent IS NOT NULL;
  CREATE INDEX draws_by_age ON draws (created_at);
  `;
