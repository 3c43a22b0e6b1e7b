/** The categories that every bank has from the start, with the same ids. */
const at = Date.UTC(2026, 0, 1);

const names: [name: string, description: string][] = [
  ['Astronomy', 'Stars, planets, and what else is out there.'],
  ['Geography', 'Countries, cities, mountains, rivers, and maps.'],
  ['Literature', 'Books, poems, plays, and those who wrote them.'],
  ['Mathematics', 'Numbers, shapes, proofs, and puzzles.'],
  ['Science', 'Physics, chemistry, biology, and how we know.'],
  ['General Knowledge', 'Whatever fits nowhere else.'],
];

/** Later categories take their ids from slots, which begin after these. */
export const FIRST_SLOT = 101;

const categories = names.map(([name, description], i) => ({
  id: i + 1,
  uid: `019b76da-a800-700${i + 1}-8000-00000000000${i + 1}`,
  name,
  description,
}));

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Part of the first migration, in SQL for both engines. */
export const INSERT_FIXED_CATEGORIES = categories
  .map(
    ({ id, uid, name, description }) =>
      `INSERT INTO categories (id, uid, name, name_key, name_json, description, fixed, version, name_version, created_at, updated_at)
       VALUES (${id}, '${uid}', ${quoted(name)}, ${quoted(name.toLowerCase())}, ${quoted(JSON.stringify(name))},
               ${quoted(description)}, 1, 1, 1, ${at}, ${at});`,
  )
  .join('\n');
