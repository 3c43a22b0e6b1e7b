/** Banks of earlier schema versions are migrated without loss when the service opens them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import pg from 'pg';
import { migrations as forPostgres } from '../src/engines/postgres/migrations.ts';
import { migrations as forSqlite } from '../src/engines/sqlite/migrations.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { freshDatabase } from './support/postgres.ts';
import { startAndFail, startService } from './support/process.ts';
import type { Json } from './support/requests.ts';

const id = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';
const deletedId = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31';
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
/** The JSON of a question in the first version, without its opening brace. */
const rest = (changes: object) => JSON.stringify({ ...fields, ...changes, ...times }).slice(1);
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

const { choices, ...plain } = fields;
const OLD_ROWS = `
  INSERT INTO questions (seq, touch, id, category_id, external_id, revision, action, created_at, updated_at, rest)
  VALUES (101, 103, '${id}', 1, 'x-1', 2, 'updated', 1, 2, ${quote(rest({ revision: 2 }))});
  INSERT INTO revisions (question_id, revision, action, at, seq, created_at, category_id, category, rest)
  VALUES ('${id}', 1, 'created', 1, 101, 1, 1, '"Astronomy"',
          ${quote(JSON.stringify({ ...plain, incorrect_answers: [], revision: 1, ...times }).slice(1))});
  INSERT INTO revisions (question_id, revision, action, at, seq, created_at, category_id, category, rest)
  VALUES ('${deletedId}', 1, 'created', 1, 102, 1, 1, '"Astronomy"', ${quote(rest({ revision: 1 }))}),
         ('${deletedId}', 2, 'deleted', 1772000000000, 102, 1, 1, '"Astronomy"', NULL);
`;

function newFolder(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => removeFolder(folder));
  return folder;
}

async function connectToNewDatabase(t: TestContext): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  return { url, client };
}

async function assertMigratedFromFirst(env: Record<string, string>): Promise<void> {
  const service = await startService(env);
  const question = await (await service.fetch(`/questions/${id}`)).json();
  const kind = 'multiple_choice';
  const status = 'approved';
  assert.deepEqual(question, { id, category: 'Astronomy', status, kind, ...fields, revision: 2, ...times });
  const { data } = (await (await service.fetch(`/questions/${id}/revisions`)).json()) as {
    data: { question: object }[];
  };
  assert.deepEqual(data[1]!.question, {
    id,
    category: 'Astronomy',
    kind: 'short_answer',
    status: 'approved',
    ...plain,
    incorrect_answers: [],
    revision: 1,
    ...times,
  });
  // Facets and the list of deleted questions, which the first version did not have, are filled in.
  const list = async (query: string) =>
    ((await (await service.fetch(`/questions?${query}`)).json()) as { data: { id: string }[] }).data;
  for (const query of ['missing=explanation', 'kind=multiple_choice', 'missing=source&sort=updated_at'])
    assert.deepEqual(
      (await list(query)).map((each) => each.id),
      [id],
      query,
    );
  assert.deepEqual(await list('missing=tags'), []);
  for (const query of ['deleted=true', 'deleted=true&q=planet&missing=source&updated_since=2026-02-25'])
    assert.deepEqual(await list(query), [
      {
        ...{ id: deletedId, category: 'Astronomy', status, kind, ...fields, revision: 1, ...times },
        deleted_at: '2026-02-25T06:13:20.000Z',
      },
    ]);
  const changed = await service.fetch(`/questions/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ explanation: 'new' }),
  });
  assert.equal(((await changed.json()) as { revision: number }).revision, 3);
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
}

/** The schema version before the columns were renamed. */
const BEFORE_RENAMING = 6;
const runId = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f40';
const queuedId = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f41';
const compress = (row: object) => deflateRawSync(JSON.stringify(row));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const formatMembers = (object: object) => JSON.stringify(object).slice(1, -1);
const { correct_answer, incorrect_answers, explanation, ...visible } = fields;
const face = formatMembers({ ...visible, created_at: times.created_at });
const secret = formatMembers({
  ...{ correct_answer, incorrect_answers, explanation, revision: 2, updated_at: times.updated_at },
});

/** A question, a run with its three results, an event and a rate counter. `blob` quotes bytes. */
const rowsBeforeRenaming = (blob: (bytes: Uint8Array) => string) => `
  INSERT INTO questions (seq, touch, id, category_id, external_id, revision, action, created_at, updated_at, face, secret)
  VALUES (101, 103, '${id}', 1, 'x-1', 2, 'updated', 1, 2, ${quote(face)}, ${quote(secret)});
  INSERT INTO revisions (question_id, revision, action, at, seq, created_at, category_id, category, face, secret)
  VALUES ('${id}', 1, 'created', 1, 101, 1, 1, '"Astronomy"', ${quote(face)},
          ${quote(secret.replace('"revision":2', '"revision":1'))});
  INSERT INTO sittings (id, respondent, session, n, responses) VALUES (7, 'ada', '', 0, ${blob(new Uint8Array())});
  INSERT INTO analyses (id, client_id, type, answers, parameters, filter, view, secret, status, version, question_count,
                        progress, attempts, created_at, started_at, finished_at)
  VALUES ('${runId}', 'admin', 'quality', 1, '{}', '{}', 'whole', 0, 'succeeded', 3, 1, 1000, 1, 1, 1, 2),
         ('${queuedId}', 'admin', 'duplicates', 1, '{"similarity":0.7,"variants":true}', '{}', 'whole', 0, 'queued', 1, 1, 0, 0, 1, NULL, NULL);
  ${['whole', 'face', 'people']
    .map(
      (view) => `
  INSERT INTO analysis_results (analysis_id, view, head, summary, items, figure, figures)
  VALUES ('${runId}', '${view}', '{"view":"${view}"}', '{"of":"${view}"}', 1, 'null', '{}');
  INSERT INTO analysis_items (analysis_id, view, block, lines)
  VALUES ('${runId}', '${view}', 0, ${blob(compress(view === 'people' ? [7, 1, 1, 0.5, 0.25] : { of: view }))});`,
    )
    .join('')}
  INSERT INTO events (at, kind, secret, subjects) VALUES (1, 'question.updated', 1, '["${id}"]');
  INSERT INTO idempotency (scope, key, fingerprint, at, result)
  VALUES ('s', 'k', 'f', ${Date.now()}, ${quote(JSON.stringify([{ id, face, secret }]))});
  INSERT INTO spent (key, minute, n) VALUES ('read x', 1, 1);
`;

const STORED_RESULT = "SELECT result FROM idempotency WHERE key = 'k'";
const MIGRATED_RESULT = { id, public_json: face, answer_json: secret };

async function assertMigrated(env: Record<string, string>): Promise<void> {
  const service = await startService(env);
  const json = async (path: string, init?: RequestInit) =>
    (await (await service.fetch(path, init)).json()) as Json;
  const readSummary = async (init?: RequestInit) => (await json(`/analysis/${runId}`, init)).result.summary;
  assert.deepEqual(await json(`/questions/${id}`), {
    ...{ id, category: 'Astronomy', status: 'approved', kind: 'multiple_choice', ...fields, revision: 2 },
    ...times,
  });
  assert.deepEqual(await readSummary(), { of: 'whole' });
  // A queued run fails, since the names of its parameters have changed.
  const queued = await json(`/analysis/${queuedId}`);
  assert.deepEqual(
    [queued.status, (queued.error as unknown as { code: string }).code],
    ['failed', 'interrupted'],
  );
  const post = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { token: key } = await json(
    '/auth/tokens',
    post({ name: 'reader', scopes: ['questions:read', 'analysis:read'] }),
  );
  const asReader = { headers: { authorization: `Bearer ${key}` } };
  assert.deepEqual(await readSummary(asReader), { of: 'face' });
  assert.deepEqual((await json(`/analysis/${runId}/respondents`)).data, [
    {
      respondent: 'ada',
      session: null,
      group: null,
      answered: 1,
      correct: 1,
      ability: 0.5,
      standard_error: 0.25,
    },
  ]);
  // Slots are allocated after those of the migrated bank.
  const created = post({ question_text: 'New?', correct_answer: 'Yes', category: 'Science', difficulty: 0 });
  const { id: newId } = await json('/questions', created);
  const { data } = await json('/questions?sort=-created_at');
  assert.equal((data as unknown as { id: string }[])[0]!.id, newId);
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
}

describe('a bank of the version before the columns were renamed', () => {
  const makeFolder = (t: TestContext, sql: string) => {
    const folder = newFolder(t);
    const database = new DatabaseSync(join(folder, 'quaestor.db'));
    for (const migration of forSqlite.slice(0, BEFORE_RENAMING)) database.exec(migration);
    database.exec(sql);
    database.exec(`PRAGMA user_version = ${BEFORE_RENAMING}; UPDATE ledger SET next_slot = 200`);
    database.close();
    return folder;
  };

  it('is migrated on SQLite', async (t) => {
    const folder = makeFolder(
      t,
      rowsBeforeRenaming((bytes) => `x'${hex(bytes)}'`),
    );
    await assertMigrated({ QUAESTOR_DATA_DIR: folder });
    using migrated = new DatabaseSync(join(folder, 'quaestor.db'));
    assert.deepEqual(JSON.parse(String(migrated.prepare(STORED_RESULT).get()!.result)), [MIGRATED_RESULT]);
  });

  it('is migrated on PostgreSQL', async (t) => {
    const { url, client } = await connectToNewDatabase(t);
    for (const migration of forPostgres.slice(0, BEFORE_RENAMING)) await client.query(migration);
    await client.query(`CREATE TABLE schema_version AS SELECT ${BEFORE_RENAMING} AS version`);
    await client.query(`${rowsBeforeRenaming((bytes) => `'\\x${hex(bytes)}'`)} SELECT setval('slots', 200);`);
    await assertMigrated({ QUAESTOR_DATABASE_URL: url });
    assert.deepEqual(JSON.parse((await client.query(STORED_RESULT)).rows[0].result), [MIGRATED_RESULT]);
  });

  it('is refused if quaestor migrate did not finish copying into it', async (t) => {
    const folder = makeFolder(
      t,
      "INSERT INTO moving (name, origin, place, n) VALUES ('questions', 'x', '', 0)",
    );
    const { code, output } = await startAndFail({ QUAESTOR_DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(output, /This bank is incomplete/);
  });
});

describe('a bank of the first version', () => {
  it('is migrated on SQLite', async (t) => {
    const folder = newFolder(t);
    const database = new DatabaseSync(join(folder, 'quaestor.db'));
    database.exec(forSqlite[0]!);
    database.exec(OLD_ROWS);
    database.exec('PRAGMA user_version = 1; UPDATE ledger SET next_slot = 200');
    database.close();
    await assertMigratedFromFirst({ QUAESTOR_DATA_DIR: folder });
  });

  it('is migrated on PostgreSQL', async (t) => {
    const { url, client } = await connectToNewDatabase(t);
    await client.query('CREATE TABLE schema_version AS SELECT 1 AS version');
    await client.query(forPostgres[0]!);
    await client.query(`${OLD_ROWS} SELECT setval('slots', 200);`);
    await assertMigratedFromFirst({ QUAESTOR_DATABASE_URL: url });
  });
});
