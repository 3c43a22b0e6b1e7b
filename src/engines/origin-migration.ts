/** Adds the origin of revisions: the client, its key and the bulk change (store/questions/origin.ts). */
export const originColumns = ['questions', 'revisions']
  .flatMap((table) =>
    ['changed_by', 'changed_key', 'change_id'].map(
      (column) => `ALTER TABLE ${table} ADD COLUMN ${column} TEXT;`,
    ),
  )
  .join('\n');
