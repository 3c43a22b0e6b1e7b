/**
 * Indexes the questions and revisions that were stored before they had a kind. The next start gives
 * them one (store/questions/fill-kinds.ts); from then on, the indexes are empty.
 */
export const kindIndexes = `
  CREATE INDEX questions_without_kind ON questions (created_slot)
    WHERE substr(public_json, 1, 8) <> '"kind":"';
  CREATE INDEX revisions_without_kind ON revisions (question_id, revision)
    WHERE substr(public_json, 1, 8) <> '"kind":"';
  `;
