/**
 * `quaestor migrate`: copies a bank to the other engine and back without differences, also after
 * interruptions.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareAccess } from '../../src/access/first-start.ts';
import { DEFAULT_LIFETIMES } from '../../src/access/sessions.ts';
import { Cursors } from '../../src/api/cursors.ts';
import { buildApp } from '../../src/app.ts';
import { migrateBetween } from '../../src/cli/migrate.ts';
import { readConfig } from '../../src/config.ts';
import { lockBank, openEngine } from '../../src/engines/index.ts';
import type { Db, Engine } from '../../src/store/db.ts';
import { deleteOldEvents } from '../../src/store/events.ts';
import { uuidv7 } from '../../src/store/ids.ts';
import { storeChunk } from '../../src/store/imports/imports.ts';
import { beginMigration, completeMigration, insertCopied } from '../../src/store/migrate/commands.ts';
import { migrateBank } from '../../src/store/migrate/migrate.ts';
import { createOpentdbToken } from '../../src/store/opentdb/tokens.ts';
import { seed } from '../support/crawl.ts';
import { type Answer, type CallOptions, NO_LIMITS, type Service, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { INHERITED, startAndFail, startService } from '../support/process.ts';
import { until } from '../support/until.ts';

const program = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** The address of a bank that may not exist yet. */
interface BankAt {
  address: string;
  where: { dataDir: string; databaseUrl?: string };
  settings: Record<string, string>;
  /** Runs SQL on the database. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  remove(): void | Promise<void>;
}

const banks: BankAt[] = [];
after(async () => {
  for (const bank of banks) await bank.remove();
});

function newFolder(): BankAt {
  const dataDir = tempFolder();
  const bank: BankAt = {
    address: `sqlite:${dataDir}`,
    where: { dataDir },
    settings: { QUAESTOR_DATA_DIR: dataDir },
    query: async (sql) => {
      const database = new DatabaseSync(join(dataDir, 'quaestor.db'), { timeout: 5000 });
      try {
        return database.prepare(sql).all() as Record<string, unknown>[];
      } finally {
        database.close();
      }
    },
    remove: () => removeFolder(dataDir),
  };
  banks.push(bank);
  return bank;
}

async function newDatabase(): Promise<BankAt> {
  const { url, drop } = await freshDatabase();
  const bank: BankAt = {
    address: url,
    where: { dataDir: '', databaseUrl: url },
    settings: { QUAESTOR_DATABASE_URL: url },
    query: async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    remove: drop,
  };
  banks.push(bank);
  return bank;
}

function quaestor(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...INHERITED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const ended = once(child, 'close').then(([code, signal]) => ({ ...output, code, signal }));
  return { child, ended };
}

const migrate = (from: BankAt, to: BankAt, ...more: string[]) =>
  quaestor(['migrate', '--from', from.address, '--to', to.address, ...more]);

/** Runs a migration to its end; returns the tables it reports. */
async function runMigration(
  from: BankAt,
  to: BankAt,
): Promise<{ table: string; rows: number; sha256: string }[]> {
  const { code, stdout, stderr } = await migrate(from, to, '--json').ended;
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).tables;
}

interface Bank {
  db: Db;
  /** The events of a stream that is resumed after the first event. */
  events(): Promise<string>;
  call: Service['call'];
  write: Engine['write'];
  key: string;
  secret: string;
}

/** Opens the bank as the service does while the work runs. */
async function withService<R>(
  { where }: BankAt,
  key: string | undefined,
  work: (bank: Bank) => Promise<R>,
): Promise<R> {
  const engine = await openEngine(where);
  const app = await buildApp({ engine, limits: NO_LIMITS });
  try {
    const first = await prepareAccess(engine, DEFAULT_LIFETIMES, undefined);
    const admin = 'key' in first ? first : { key: key!, secret: '' };
    const call = async (method: string, url: string, options: CallOptions = {}): Promise<Answer> => {
      const { token = admin.key, body, headers = {} } = options;
      const answer = await app.inject({
        method: method as 'GET',
        url,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const json = String(answer.headers['content-type']).includes('json') && answer.body !== '';
      return {
        status: answer.statusCode,
        headers: answer.headers as Answer['headers'],
        text: answer.body,
        body: json ? answer.json() : undefined,
      };
    };
    const events = async () => {
      const bank_state = await engine.db.get<{ cursor_key: string }>('SELECT cursor_key FROM bank_state');
      const id = new Cursors(bank_state!.cursor_key).encodeEvent({ tx: 0, id: 1, sent: 0xffff });
      const headers = { authorization: `Bearer ${admin.key}`, 'last-event-id': id };
      const { raw, stream } = await app.inject({ url: '/events', headers, payloadAsStream: true });
      let text = '';
      stream().on('data', (chunk) => (text += chunk));
      await until('the stream', () => text.includes('event: stream.opened'));
      await sleep(500);
      raw.res.destroy();
      return text.slice(text.indexOf('\n\n'));
    };
    return await work({ db: engine.db, write: engine.write, call, events, ...admin });
  } finally {
    await app.close();
    await engine.close();
  }
}

/** Reads everything the API shows of a bank, without the parts that differ in every response. */
async function readAll({ events, call, db }: Bank): Promise<object[]> {
  const seen: object[] = [];
  const see = async (url: string, token?: string) => {
    const answer = await call('GET', url, token === undefined ? {} : { token });
    const { date, 'x-request-id': id, 'ratelimit-policy': policy, ratelimit, ...headers } = answer.headers;
    const text = answer.text.replace(/"request_id":"[^"]+"/, '');
    seen.push({ url, status: answer.status, headers, text });
    return answer.body;
  };
  const pages = async (list: string) => {
    const data: { id: string; question_id: string }[] = [];
    for (let cursor = ''; ; ) {
      const body = await see(`${list}${list.includes('?') ? '&' : '?'}limit=5${cursor}`);
      data.push(...body.data);
      if (!body.pagination?.next_cursor) return data;
      cursor = `&cursor=${body.pagination.next_cursor}`;
    }
  };
  const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at', 'random&seed=moving'];
  const filters = [
    '',
    'q=lantern',
    'q=right',
    'category=harbours',
    'tag=harbour',
    'topic_focus=lamps',
    'difficulty=2',
  ];
  for (const filter of filters) for (const sort of sorts) await pages(`/questions?sort=${sort}&${filter}`);
  const questions = await pages('/questions?q=lant*&sort=relevance');
  for (const { id } of questions) for (const path of ['', '/revisions']) await see(`/questions/${id}${path}`);
  for (const { id } of (await see('/categories')).data) await see(`/categories/${id}`);
  for (const { id } of (await see('/auth/clients')).data) await see(`/auth/clients/${id}`);
  for (const url of ['/auth/tokens', '/auth/me', '/difficulties', '/analysis/types']) await see(url);
  for (const filter of [
    '',
    `?question_id=${questions[0]!.id}`,
    '?respondent=ada',
    '?group=north',
    '?session=x',
  ])
    await pages(`/responses${filter}`);
  for (const { id } of (await see('/analysis?limit=1000')).data) {
    const { result } = await see(`/analysis/${id}`);
    for (const path of [
      '?limit=2&offset=1',
      '/plot.svg',
      '/respondents',
      `/plot.svg?question_id=${questions[0]!.id}`,
    ])
      await see(`/analysis/${id}${path}`);
    for (const figure of result?.figures ?? [])
      await see(`/analysis/${id}/plot.svg?figure=${figure.name ?? figure}`);
  }
  for (const { id } of await db.all('SELECT id FROM draws ORDER BY id')) await see(`/draws/${id}`);
  seen.push({ events: await events() });
  return seen;
}

/** Fills every table of a bank. */
async function fill(at: BankAt) {
  return withService(at, undefined, async (bank) => {
    const { call } = bank;
    await seed({ call } as Service);
    // Of a file that is being uploaded.
    await bank.write(storeChunk, { import_id: uuidv7(Date.now()), n: 0, data: Buffer.from('question') });
    await bank.write(createOpentdbToken, { hash: 'a'.repeat(64), seed: 'b', at: Date.now() });
    const harbours = (await call('POST', '/categories', { body: { name: 'Harbors' } })).body;
    await call('PUT', `/categories/${harbours.id}`, { body: { name: 'Harbours', description: 'Ships.' } });
    const deleted = (await call('POST', '/categories', { body: { name: 'Deleted' } })).body;
    const headers = { 'idempotency-key': 'moving' };
    const body = [
      sample({ category: 'Harbours', question_text: 'Où est la 東京 lantern 🪔?', external_id: 'taken' }),
      sample({ category: 'Deleted', tags: ['harbour'] }),
    ];
    const made = (await call('POST', '/questions', { body, headers })).body.data;
    await call('PUT', `/questions/${made[1].id}`, { body: { category: 'Harbours' } });
    await call('DELETE', `/categories/${deleted.id}`);
    const deletedQuestion = (
      await call('POST', '/questions', { body: sample({ question_text: 'Buried lantern?' }) })
    ).body;
    await call('DELETE', `/questions/${deletedQuestion.id}`);
    const draft = (await call('POST', '/questions', { body: sample({ status: 'draft' }) })).body;
    const submitted = await call('POST', `/questions/${draft.id}/status`, { body: { status: 'in_review' } });
    const review = { revision: submitted.body.revision, decision: 'request_changes', comment: 'Which one?' };
    const reviewed = await call('POST', `/questions/${draft.id}/reviews`, { body: review });
    assert.ok(reviewed.status < 300, reviewed.text);
    const answers = ['ada', 'eve', 'fay'].map((respondent) => ({
      ...{ question_id: made[0].id, respondent, session: 'x', answer: 'Jupiter' },
    }));
    await call('POST', '/responses', { body: answers });
    // The id of the last sitting is deleted; it must not be allocated again.
    assert.equal((await call('DELETE', '/responses?respondent=fay')).status, 200);
    const token = await call('POST', '/auth/token', {
      headers: { 'content-type': 'application/json' },
      body: { grant_type: 'client_credentials', client_id: 'admin', client_secret: bank.secret },
    });
    assert.equal(token.status, 200);
    return {
      key: bank.key,
      refresh: token.body.refresh_token,
      repeat: { body, headers },
      deletedQuestion,
      made,
    };
  });
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Tokens, cursors and keys of clients stay valid, and new rows follow the old ones. */
async function continueUsing(bank: Bank, { refresh, repeat, deletedQuestion, made }: Filled): Promise<void> {
  const { call, db } = bank;
  const again = await call('POST', '/questions', repeat);
  assert.deepEqual(again.body.data, made);
  const restored = await call('POST', `/questions/${deletedQuestion.id}/restore`, { body: { revision: 1 } });
  assert.equal(restored.status, 200, restored.text);
  assert.equal((await call('GET', '/questions?q=buried')).body.pagination.total, 1);
  const created = (await call('POST', '/questions', { body: sample({ question_text: 'New lantern?' }) }))
    .body;
  const newest = await call('GET', '/questions?limit=1&sort=-created_at');
  assert.equal(newest.body.data[0].id, created.id);
  const updated = await call('GET', '/questions?sort=-updated_at&limit=2');
  assert.deepEqual(
    updated.body.data.map(({ id }: { id: string }) => id),
    [created.id, deletedQuestion.id],
  );
  const refreshed = await call('POST', '/auth/token', {
    body: { grant_type: 'refresh_token', refresh_token: refresh },
  });
  assert.equal(refreshed.status, 200, refreshed.text);
  const before = await db.get<{ id: number }>('SELECT max(id) AS id FROM sittings');
  const body = [{ question_id: created.id, respondent: 'gus', answer: 'Jupiter' }];
  assert.equal((await call('POST', '/responses', { body })).status, 201);
  const after = await db.get<{ id: number }>('SELECT max(id) AS id FROM sittings');
  assert.equal(after!.id, before!.id + 2, 'the id of the deleted sitting is not allocated again');
}

describe('a migrated bank', () => {
  let folder: BankAt;
  let database: BankAt;
  let second: BankAt;
  let contents: Filled;
  let seen: object[];
  before(async () => {
    [folder, database, second] = [newFolder(), await newDatabase(), newFolder()];
    contents = await fill(folder);
    seen = await withService(folder, contents.key, readAll);
  });

  it('is identical on PostgreSQL, and again on SQLite', async () => {
    assert.ok(seen.length > 100, `${seen.length} answers`);
    assert.match(JSON.stringify(seen.at(-1)), /event: question\.created/);
    const there = await runMigration(folder, database);
    for (const { table, rows } of there) assert.ok(rows > 0, `${table} is empty`);
    assert.deepEqual(await withService(database, contents.key, readAll), seen);
    assert.deepEqual(await runMigration(database, second), there);
    assert.deepEqual(await withService(second, contents.key, readAll), seen);
    assert.deepEqual(await runMigration(database, await newDatabase()), there);
    // The source is unchanged.
    assert.deepEqual(await withService(folder, contents.key, readAll), seen);
  });

  it('can be used like the source, on either engine', async () => {
    await withService(database, contents.key, (bank) => continueUsing(bank, contents));
    await withService(second, contents.key, (bank) => continueUsing(bank, contents));
  });
});

/** Fills a bank with enough rows to interrupt a migration. */
async function fillLarge(at: BankAt): Promise<string> {
  return withService(at, undefined, async ({ call, key }) => {
    for (let batch = 0; batch < 4; batch++) {
      const body = Array.from({ length: 1000 }, (_, i) =>
        sample({ question_text: `Which lantern is number ${batch}-${i}?`, external_id: `${batch}-${i}` }),
      );
      const { data } = (await call('POST', '/questions', { body })).body;
      const answers = Array.from({ length: 2000 }, (_, i) => ({
        ...{ question_id: data[i % 1000].id, respondent: `r-${i}`, session: `${batch}`, answer: 'Jupiter' },
      }));
      assert.equal((await call('POST', '/responses', { body: answers })).status, 201);
      await call('PUT', `/questions/${data[7].id}`, { body: { tags: ['harbour'] } });
    }
    return key;
  });
}

/** Waits until the target has this many questions; false if the migration ends before. */
async function hasQuestions(to: BankAt, n: number, ended: Promise<unknown>): Promise<boolean> {
  let over = false;
  void ended.then(() => (over = true));
  while (!over) {
    const [row] = await to
      .query('SELECT (SELECT count(*) FROM questions) AS n FROM bank_state WHERE migration_id IS NOT NULL')
      .catch(() => []);
    if (row && Number(row.n) >= n) return true;
    await sleep(10);
  }
  return false;
}

/** Kills a migration when the target has this many questions. */
async function killMigration(from: BankAt, to: BankAt, questions: number): Promise<void> {
  const { child, ended } = migrate(from, to);
  assert.ok(await hasQuestions(to, questions, ended), 'the migration ended before it was killed');
  child.kill('SIGKILL');
  assert.equal((await ended).signal, 'SIGKILL');
}

describe('an interrupted migration', () => {
  let key: string;
  let from: Record<'sqlite' | 'postgres', BankAt>;
  let expected: Awaited<ReturnType<typeof runMigration>>;
  before(async () => {
    from = { sqlite: newFolder(), postgres: await newDatabase() };
    key = await fillLarge(from.sqlite);
    expected = await runMigration(from.sqlite, from.postgres);
  });

  const startOver = async (source: BankAt, to: BankAt) => {
    for (const questions of [0, 2000]) await killMigration(source, to, questions);
    assert.deepEqual(await runMigration(source, to), expected);
    assert.deepEqual((await to.query('SELECT migration_id FROM bank_state'))[0]?.migration_id, null);
    await withService(to, key, async ({ call }) => {
      assert.equal((await call('GET', '/questions?q=lantern')).body.pagination.total, 4000);
    });
  };
  it('starts over, to PostgreSQL', async () => startOver(from.sqlite, await newDatabase()));
  it('starts over, to SQLite', () => startOver(from.postgres, newFolder()));

  it('leaves a bank that the service, the command line and migrate refuse to open', async () => {
    const [folder, database] = [newFolder(), await newDatabase()];
    for (const to of [folder, database]) {
      await killMigration(from.sqlite, to, 0);
      const { code, output } = await startAndFail(to.settings);
      assert.equal(code, 1);
      assert.match(output, /This bank is incomplete.+quaestor migrate/);
    }
    const readStderr = async ({ ended }: ReturnType<typeof quaestor>) => (await ended).stderr;
    assert.match(await readStderr(quaestor(['client', 'list'], folder.settings)), /^This bank is incomplete/);
    assert.match(await readStderr(migrate(database, newFolder())), /^This bank is incomplete/);
  });

  it('copies changes of the source when it starts over', async () => {
    const [changing, to] = [newFolder(), await newDatabase()];
    await runMigration(from.sqlite, changing);
    await killMigration(changing, to, 2000);
    const url = '/questions?external_id=0-3';
    const seen = await withService(changing, key, async ({ call }) => {
      const { data } = (await call('GET', url)).body;
      await call('DELETE', `/questions/${data[0].id}`);
      await call('POST', '/categories', { body: { name: 'Harbours' } });
      const body = sample({ external_id: '0-3', category: 'Harbours' });
      assert.equal((await call('POST', '/questions', { body })).status, 201);
      await call('DELETE', '/responses?respondent=r-5');
      return call('GET', url);
    });
    const tables = await runMigration(changing, to);
    assert.notDeepEqual(tables, expected);
    assert.deepEqual(await runMigration(changing, newFolder()), tables);
    assert.equal((await withService(to, key, ({ call }) => call('GET', url))).text, seen.text);
  });

  it('explains how to start over when it receives SIGINT', async () => {
    const to = newFolder();
    const { child, ended } = migrate(from.sqlite, to);
    assert.ok(await hasQuestions(to, 1, ended));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /^copying \w+: [\d,]+ of [\d,]+ rows/);
    assert.match(stderr, /Interrupted\. .+ it starts over/);
    assert.deepEqual(await runMigration(from.sqlite, to), expected);
  });
});

describe('the comparison', () => {
  it('finds a copy that differs from the source', async () => {
    const [source, target] = [newFolder(), newFolder()];
    await fill(source);
    const to = await openEngine({ ...target.where, mode: 'migrate-target' });
    const corrupting = {
      ...to,
      write: async (command: unknown, args: { table?: string; rows?: Record<string, unknown>[] }) => {
        if (args.table === 'revisions') args.rows!.pop();
        return to.write(command as never, args as never);
      },
    };
    const { signal } = new AbortController();
    await lockBank(source.where, async (db) => {
      await assert.rejects(
        migrateBank({ source: db, target: corrupting as typeof to, signal, report: () => {} }),
        /copy of the table revisions differs/,
      );
    });
    await to.close();
    await assert.rejects(openEngine(target.where), /This bank is incomplete/);
  });
});

describe('a migration is refused', () => {
  let used: BankAt;
  before(async () => {
    used = newFolder();
    await withService(used, undefined, async () => {});
  });
  const assertRefused = async (args: string[], code: number, message: RegExp, env = {}) => {
    const outcome = await quaestor(['migrate', ...args], env).ended;
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, message);
    assert.equal(outcome.stdout, '');
    assert.ok(!outcome.stderr.includes('    at '), outcome.stderr);
  };

  it('for invalid arguments', async () => {
    const { address, settings, where } = used;
    await assertRefused(
      ['now', '--from', address, '--to', 'sqlite:x'],
      2,
      /^quaestor migrate --from ADDRESS --to/,
    );
    const wrong = (from: string | undefined, to: string | undefined, message: RegExp, env = {}) =>
      assert.rejects(migrateBetween({ from, to }, readConfig(env)), { name: 'Error', message });
    await wrong(address, undefined, /quaestor migrate --from ADDRESS --to ADDRESS/);
    await wrong(undefined, address, /quaestor migrate --from ADDRESS --to ADDRESS/);
    await wrong(where.dataDir, address, /--from must be sqlite:FOLDER/);
    await wrong(address, 'mysql://x', /--to must be sqlite:FOLDER, postgres:/);
    await wrong(address, `${address}/quaestor.db`, /the same bank/);
    await wrong(address, 'postgres', /--to postgres needs QUAESTOR_DATABASE_URL/);
    await wrong('sqlite', address, /the same bank/, settings);
  });

  it('from an address without a bank', async () => {
    const nowhere = join(used.where.dataDir, 'nowhere');
    await assertRefused(
      ['--from', `sqlite:${nowhere}`, '--to', used.address],
      1,
      /There is no bank in .+nowhere/,
    );
    assert.ok(!existsSync(nowhere));
    const { address } = await newDatabase();
    await assertRefused(['--from', address, '--to', used.address], 1, /There is no bank in this database/);
    const unreachable = 'postgres://127.0.0.1:1/x';
    await assertRefused(['--from', unreachable, '--to', used.address], 1, /PostgreSQL cannot be used/);
    await assertRefused(['--from', used.address, '--to', unreachable], 1, /PostgreSQL cannot be used/);
  });

  it('to a bank that is in use', async () => {
    const source = newFolder();
    await withService(source, undefined, async () => {});
    const database = await newDatabase();
    await withService(database, undefined, async () => {});
    for (const to of [used, database])
      await assertRefused(['--from', source.address, '--to', to.address], 1, /The target bank is in use/);
  });

  it('while a service has the folder open', async () => {
    const service = await startService(used.settings);
    const to = join(used.where.dataDir, 'new');
    const message = new RegExp(`in use by another Quaestor \\(process ${service.child.pid}\\)`);
    await assertRefused(['--from', used.address, '--to', `sqlite:${to}`], 1, message);
    assert.ok(!existsSync(to));
    await service.end('SIGTERM');
  });
});

describe('a locked bank', () => {
  it('is readable, but not writable', async (t) => {
    const check = async (bank: BankAt) => {
      await withService(bank, undefined, async () => {});
      const engine = await openEngine({ ...bank.where, mode: 'admin' });
      t.after(() => engine.close());
      const write = () => engine.write(deleteOldEvents, 0);
      const read = () => engine.db.get('SELECT epoch FROM bank_state');
      await lockBank(bank.where, async () => {
        await assert.rejects(write, (error: { status?: number }) => error.status === 503);
        assert.ok(await read());
      });
      await write();
    };
    await Promise.all([check(newFolder()), check(await newDatabase())]);
  });

  it('has its index folded first', async () => {
    const bank = await newDatabase();
    await (await openEngine(bank.where)).close();
    const facet = 't0123456789abcdef';
    // Slot 1 of a facet whose total is stored.
    await bank.query(
      `INSERT INTO postings_log (facet, block, added, removed) VALUES ('${facet}', 0, '\\x0100', '')`,
    );
    const total = await lockBank(bank.where, async (db) =>
      db.get<{ n: number }>('SELECT n FROM facet_totals WHERE facet = $1', facet),
    );
    assert.equal(total?.n, 1);
  });
});

describe('concurrent use of the target', () => {
  it('is refused to a migration that another one has superseded', async (t) => {
    const check = async (bank: BankAt) => {
      const engine = await openEngine({ ...bank.where, mode: 'migrate-target' });
      t.after(() => engine.close());
      assert.equal(await engine.write(beginMigration, 'first'), true);
      assert.equal(await engine.write(beginMigration, 'second'), true);
      const counters = { next_slot: 1, last_at: 1, last_event: 1, last_sitting: 1 };
      const superseded = /Another quaestor migrate/;
      await assert.rejects(
        engine.write(insertCopied, { id: 'first', table: 'categories', rows: [] }),
        superseded,
      );
      const filled = { filledSlot: null, filledDeletion: null };
      const state = { id: 'first', counters, epoch: 0, cursorKey: 'another', ...filled };
      await assert.rejects(engine.write(completeMigration, state), superseded);
    };
    await Promise.all([check(newFolder()), check(await newDatabase())]);
  });

  it('is refused to the service or to the migration, whichever comes second', async (t) => {
    const check = async (bank: BankAt) => {
      const engine = await openEngine({ ...bank.where, mode: 'migrate-target' });
      t.after(() => engine.close());
      const [migration, service] = await Promise.allSettled([
        engine.write(beginMigration, 'some migration'),
        prepareAccess(engine, DEFAULT_LIFETIMES, undefined),
      ]);
      const migrationRefused = migration.status === 'fulfilled' && !migration.value;
      assert.equal(migrationRefused, service.status === 'fulfilled');
    };
    await Promise.all([check(newFolder()), check(await newDatabase()), check(await newDatabase())]);
  });
});
