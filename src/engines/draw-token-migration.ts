/** Adds tokens for the draws of a respondent, and what draws show after an answer. */
export const drawTokenColumns = (type: { text: string }) => `
  ALTER TABLE tokens ADD COLUMN respondent ${type.text};
  ALTER TABLE tokens ADD COLUMN draws TEXT;
  ALTER TABLE draws ADD COLUMN explain TEXT;
  CREATE INDEX tokens_by_respondent ON tokens (respondent) WHERE respondent IS NOT NULL;
  `;
