/** Banks of earlier versions open as they are: nothing is lost on the way, and nothing changes but where it lies. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import pg from 'pg';
import { migrations as forPostgres } from '../src/engines/postgres/migrations.ts';
import { migrations as forSqlite } from '../src/engines/sqlite/migrations.ts';
import { freshDatabase } from './support/postgres.ts';
import { removeFolder, startService, tempFolder } from './support/process.ts';

const id = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';
const fields = {
  difficulty: 1,
  topic_focus: 'Quotes " and \\ slashes',
  question_text: "Which “planet”\nhas the 'shortest' day? 🪐",
  correct_answer: 'Jupiter "the big one"',
  incorrect_answers: ['Mars', 'naïve'],
  explanation: null,
  tags: ['a', 'ü'],
  source: null,
  external_id: 'x-1',
  choices: ['Mars', 'Jupiter "the big one"', 'naïve'],
};
const times = { created_at: '2026-03-01T09:30:00.000Z', updated_at: '2026-03-02T09:30:00.000Z' };
/** A question's JSON as the first version kept it: in one piece, without its opening brace. */
const rest = (changes: object) => JSON.stringify({ ...fields, ...changes, ...times }).slice(1);
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const { choices, ...plain } = fields;
const OLD_ROWS = `
  INSERT INTO questions (seq, touch, id, category_id, external_id, revision, action, created_at, updated_at, rest)
  VALUES (101, 103, '${id}', 1, 'x-1', 2, 'updated', 1, 2, ${quoted(rest({ revision: 2 }))});
  INSERT INTO revisions (question_id, revision, action, at, seq, created_at, category_id, category, rest)
  VALUES ('${id}', 1, 'created', 1, 101, 1, 1, '"Astronomy"',
          ${quoted(JSON.stringify({ ...plain, incorrect_answers: [], revision: 1, ...times }).slice(1))});
  INSERT INTO revisions (question_id, revision, action, at, seq, created_at, category_id, category, rest)
  VALUES ('01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31', 2, 'deleted', 1, 102, 1, 1, '"Astronomy"', NULL);
`;

async function opened(env: Record<string, string>): Promise<void> {
  const service = await startService(env);
  const question = await (await service.fetch(`/questions/${id}`)).json();
  assert.deepEqual(question, { id, category: 'Astronomy', ...fields, revision: 2, ...times });
  const { data } = (await (await service.fetch(`/questions/${id}/revisions`)).json()) as {
    data: { question: object }[];
  };
  assert.deepEqual(data[1]!.question, {
    id,
    category: 'Astronomy',
    ...plain,
    incorrect_answers: [],
    revision: 1,
    ...times,
  });
  // And it can be changed like any other.
  const changed = await service.fetch(`/questions/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ explanation: 'new' }),
  });
  assert.equal(((await changed.json()) as { revision: number }).revision, 3);
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
}

describe('a bank of the first version', () => {
  it('opens on SQLite', async () => {
    const folder = tempFolder();
    const database = new DatabaseSync(join(folder, 'quaestor.db'));
    database.exec(forSqlite[0]!);
    database.exec(OLD_ROWS);
    database.exec('PRAGMA user_version = 1; UPDATE ledger SET next_slot = 200');
    database.close();
    await opened({ QUAESTOR_DATA_DIR: folder });
    removeFolder(folder);
  });

  it('opens on PostgreSQL', async () => {
    const { url, drop } = await freshDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('CREATE TABLE schema_version AS SELECT 1 AS version');
    await client.query(forPostgres[0]!);
    await client.query(`${OLD_ROWS} SELECT setval('slots', 200);`);
    await client.end();
    await opened({ QUAESTOR_DATABASE_URL: url });
    await drop();
  });
});
