/** Moving house: a bank goes to the other engine and back, whatever happens on the way, and nobody can tell. */
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
import { migrate as moveByCommand } from '../../src/cli/migrate.ts';
import { readConfig } from '../../src/config.ts';
import { lockBank, openEngine } from '../../src/engines/index.ts';
import type { Db } from '../../src/store/db.ts';
import { deleteOldEvents } from '../../src/store/events.ts';
import { beginMove, endMove, removeRows, startOver } from '../../src/store/migrate/commands.ts';
import { movedTables } from '../../src/store/migrate/tables.ts';
import { seed } from '../support/crawl.ts';
import { type Answer, type CallOptions, NO_LIMITS, type Service, sample } from '../support/engines.ts';
import { freshDatabase } from '../support/postgres.ts';
import { failedStart, removeFolder, startService, tempFolder } from '../support/process.ts';

const program = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** Where a bank is, or is to be. */
interface Place {
  address: string;
  where: { dataDir: string; databaseUrl?: string };
  settings: Record<string, string>;
  /** Asks the database itself. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  remove(): void | Promise<void>;
}

const places: Place[] = [];
after(async () => {
  for (const place of places) await place.remove();
});

function newFolder(): Place {
  const dataDir = tempFolder();
  const place: Place = {
    address: `sqlite:${dataDir}`,
    where: { dataDir },
    settings: { QUAESTOR_DATA_DIR: dataDir },
    ask: async (sql) => {
      const database = new DatabaseSync(join(dataDir, 'quaestor.db'), { timeout: 5000 });
      try {
        return database.prepare(sql).all() as Record<string, unknown>[];
      } finally {
        database.close();
      }
    },
    remove: () => removeFolder(dataDir),
  };
  places.push(place);
  return place;
}

async function newDatabase(): Promise<Place> {
  const { url, drop } = await freshDatabase();
  const place: Place = {
    address: url,
    where: { dataDir: '', databaseUrl: url },
    settings: { QUAESTOR_DATABASE_URL: url },
    ask: async (sql) => {
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
  places.push(place);
  return place;
}

function quaestor(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  const ended = once(child, 'close').then(([code, signal]) => ({ ...said, code, signal }));
  return { child, ended };
}

const migrate = (from: Place, to: Place, ...more: string[]) =>
  quaestor(['migrate', '--from', from.address, '--to', to.address, ...more]);

/** Moves all of it, and tells what has arrived. */
async function moved(from: Place, to: Place): Promise<{ table: string; rows: number; sha256: string }[]> {
  const { code, stdout, stderr } = await migrate(from, to, '--json').ended;
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).tables;
}

interface Bank {
  db: Db;
  /** What a stream tells of that is resumed behind the first event there was. */
  events(): Promise<string>;
  call: Service['call'];
  key: string;
  secret: string;
}

/** Opens the bank as the service does, for as long as the work takes. */
async function serving<R>(
  { where }: Place,
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
        ...(body !== undefined && { payload: JSON.stringify(body) }),
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
      const id = new Cursors(bank_state!.cursor_key).writeEvent({ tx: 0, id: 1, sent: 0xffff });
      const headers = { authorization: `Bearer ${admin.key}`, 'last-event-id': id };
      const { raw, stream } = await app.inject({ url: '/events', headers, payloadAsStream: true });
      let text = '';
      stream().on('data', (chunk) => (text += chunk));
      await sleep(500);
      raw.res.destroy();
      assert.match(text, /event: stream\.opened/);
      return text.slice(text.indexOf('\n\n'));
    };
    return await work({ db: engine.db, call, events, ...admin });
  } finally {
    await app.close();
    await engine.close();
  }
}

/** Everything that can be seen of a bank, to the byte but for what is new in every answer. */
async function look({ events, call }: Bank): Promise<object[]> {
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
  const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at'];
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
  seen.push({ events: await events() });
  return seen;
}

/** A bank with something of everything in it. */
async function filled(place: Place) {
  return serving(place, undefined, async (bank) => {
    const { call } = bank;
    await seed({ call } as Service);
    const harbours = (await call('POST', '/categories', { body: { name: 'Harbors' } })).body;
    await call('PUT', `/categories/${harbours.id}`, { body: { name: 'Harbours', description: 'Ships.' } });
    const gone = (await call('POST', '/categories', { body: { name: 'Gone' } })).body;
    const headers = { 'idempotency-key': 'moving' };
    const body = [
      sample({ category: 'Harbours', question_text: 'Où est la 東京 lantern 🪔?', external_id: 'taken' }),
      sample({ category: 'Gone', tags: ['harbour'] }),
    ];
    const made = (await call('POST', '/questions', { body, headers })).body.data;
    await call('PUT', `/questions/${made[1].id}`, { body: { category: 'Harbours' } });
    await call('DELETE', `/categories/${gone.id}`);
    const buried = (await call('POST', '/questions', { body: sample({ question_text: 'Buried lantern?' }) }))
      .body;
    await call('DELETE', `/questions/${buried.id}`);
    const answers = ['ada', 'eve', 'fay'].map((respondent) => ({
      ...{ question_id: made[0].id, respondent, session: 'x', answer: 'Jupiter' },
    }));
    await call('POST', '/responses', { body: answers });
    // The last person to come is forgotten: whoever comes next must not have their number.
    assert.equal((await call('DELETE', '/responses?respondent=fay')).status, 200);
    const token = await call('POST', '/auth/token', {
      headers: { 'content-type': 'application/json' },
      body: { grant_type: 'client_credentials', client_id: 'admin', client_secret: bank.secret },
    });
    assert.equal(token.status, 200);
    return { key: bank.key, refresh: token.body.refresh_token, repeat: { body, headers }, buried, made };
  });
}

type Filled = Awaited<ReturnType<typeof filled>>;

/** What a client holds is still good, and what is new comes behind what was there. */
async function goesOn(bank: Bank, { refresh, repeat, buried, made }: Filled): Promise<void> {
  const { call, db } = bank;
  const again = await call('POST', '/questions', repeat);
  assert.deepEqual(again.body.data, made);
  const restored = await call('POST', `/questions/${buried.id}/restore`, { body: { revision: 1 } });
  assert.equal(restored.status, 200, restored.text);
  assert.equal((await call('GET', '/questions?q=buried')).body.pagination.total, 1);
  const created = (await call('POST', '/questions', { body: sample({ question_text: 'New lantern?' }) }))
    .body;
  const newest = await call('GET', '/questions?limit=1&sort=-created_at');
  assert.equal(newest.body.data[0].id, created.id);
  const updated = await call('GET', '/questions?sort=-updated_at&limit=2');
  assert.deepEqual(
    updated.body.data.map(({ id }: { id: string }) => id),
    [created.id, buried.id],
  );
  const refreshed = await call('POST', '/auth/token', {
    body: { grant_type: 'refresh_token', refresh_token: refresh },
  });
  assert.equal(refreshed.status, 200, refreshed.text);
  const before = await db.get<{ id: number }>('SELECT max(id) AS id FROM sittings');
  const body = [{ question_id: created.id, respondent: 'gus', answer: 'Jupiter' }];
  assert.equal((await call('POST', '/responses', { body })).status, 201);
  const after = await db.get<{ id: number }>('SELECT max(id) AS id FROM sittings');
  assert.equal(after!.id, before!.id + 2, 'the number of whoever was forgotten is passed over');
}

describe('a bank that is moved', () => {
  let folder: Place;
  let database: Place;
  let second: Place;
  let contents: Filled;
  let seen: object[];
  before(async () => {
    [folder, database, second] = [newFolder(), await newDatabase(), newFolder()];
    contents = await filled(folder);
    seen = await serving(folder, contents.key, look);
  });

  it('is the same on PostgreSQL, and the same again on SQLite', async () => {
    assert.ok(seen.length > 100, `${seen.length} answers`);
    assert.match(JSON.stringify(seen.at(-1)), /event: question\.created/);
    const there = await moved(folder, database);
    for (const { table, rows } of there) assert.ok(rows > 0, `there is something in ${table}`);
    assert.deepEqual(await serving(database, contents.key, look), seen);
    assert.deepEqual(await moved(database, second), there);
    assert.deepEqual(await serving(second, contents.key, look), seen);
    assert.deepEqual(await moved(database, await newDatabase()), there);
    // The one it came from is untouched.
    assert.deepEqual(await serving(folder, contents.key, look), seen);
  });

  it('goes on where it was, on either', async () => {
    await serving(database, contents.key, (bank) => goesOn(bank, contents));
    await serving(second, contents.key, (bank) => goesOn(bank, contents));
  });
});

/** A bank with enough in it to be killed on the way. */
async function large(place: Place): Promise<string> {
  return serving(place, undefined, async ({ call, key }) => {
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

/** Waits until so many rows are there; false if that is never. */
async function arrived(to: Place, rows: number, ended: Promise<unknown>): Promise<boolean> {
  let over = false;
  void ended.then(() => (over = true));
  while (!over) {
    const [row] = await to.ask('SELECT sum(n) AS n FROM moving').catch(() => []);
    if (row?.n != null && Number(row.n) >= rows) return true;
    await sleep(10);
  }
  return false;
}

/** Kills the move when so many rows are there. */
async function killed(from: Place, to: Place, rows: number): Promise<void> {
  const { child, ended } = migrate(from, to);
  assert.ok(await arrived(to, rows, ended), 'it has ended before');
  child.kill('SIGKILL');
  assert.equal((await ended).signal, 'SIGKILL', 'it was killed in the middle');
}

describe('a move that is interrupted', () => {
  let key: string;
  let from: Record<'sqlite' | 'postgres', Place>;
  let whole: Awaited<ReturnType<typeof moved>>;
  before(async () => {
    from = { sqlite: newFolder(), postgres: await newDatabase() };
    key = await large(from.sqlite);
    whole = await moved(from.sqlite, from.postgres);
  });

  const goesOnFrom = async (source: Place, to: Place) => {
    for (const rows of [0, 6000, 17_000]) await killed(source, to, rows);
    const { code, stdout, stderr } = await migrate(source, to, '--json').ended;
    assert.equal(code, 0, stderr);
    const [, first] = /^copying \w+: ([\d,]+) of/.exec(stderr)!;
    assert.ok(Number(first!.replaceAll(',', '')) > 17_000, `not from the beginning: ${stderr}`);
    assert.deepEqual(JSON.parse(stdout).tables, whole);
    assert.deepEqual(await to.ask('SELECT * FROM moving'), []);
    await serving(to, key, async ({ call }) => {
      assert.equal((await call('GET', '/questions?q=lantern')).body.pagination.total, 4000);
    });
  };
  it('goes on from where it was killed, to PostgreSQL', async () =>
    goesOnFrom(from.sqlite, await newDatabase()));
  it('goes on from where it was killed, to SQLite', () => goesOnFrom(from.postgres, newFolder()));

  it('leaves a bank that nobody else can use', async () => {
    const stranger = newFolder();
    await serving(stranger, undefined, async () => {});
    const [folder, database] = [newFolder(), await newDatabase()];
    for (const to of [folder, database]) {
      await killed(from.sqlite, to, 0);
      const { code, output } = await failedStart(to.settings);
      assert.equal(code, 1);
      assert.match(output, /^Quaestor cannot start: This bank is half moved.+`quaestor migrate`/);
    }
    const said = async ({ ended }: ReturnType<typeof quaestor>) => (await ended).stderr;
    assert.match(await said(quaestor(['client', 'list'], folder.settings)), /^This bank is half moved/);
    assert.match(await said(migrate(database, newFolder())), /^This bank is half moved/);
    assert.match(await said(migrate(stranger, folder)), /half moved from another one/);
  });

  it('finds what is not as it was sent, and sends it again', async () => {
    const to = await newDatabase();
    await killed(from.sqlite, to, 17_000);
    const [corrupted] = await to.ask(
      `UPDATE questions SET public_json = replace(public_json, 'lantern', 'lamtern') WHERE created_slot = (SELECT min(created_slot) FROM questions) RETURNING seq`,
    );
    assert.ok(corrupted);
    await to.ask('DELETE FROM revisions');
    assert.deepEqual(await moved(from.sqlite, to), whole);
  });

  it('takes what has changed between two attempts', async () => {
    const [changing, to] = [newFolder(), await newDatabase()];
    await moved(from.sqlite, changing);
    await killed(changing, to, 17_000);
    const asked = '/questions?external_id=0-3';
    const seen = await serving(changing, key, async ({ call }) => {
      const { data } = (await call('GET', asked)).body;
      await call('DELETE', `/questions/${data[0].id}`);
      await call('POST', '/categories', { body: { name: 'Harbours' } });
      const body = sample({ external_id: '0-3', category: 'Harbours' });
      assert.equal((await call('POST', '/questions', { body })).status, 201);
      await call('POST', '/auth/clients', { body: { name: 'Late', role: 'reader' } });
      await call('POST', '/auth/tokens', { body: { name: 'Late' } });
      await call('DELETE', '/responses?respondent=r-5');
      return call('GET', asked);
    });
    const there = await moved(changing, to);
    assert.notDeepEqual(there, whole);
    assert.deepEqual(await moved(changing, newFolder()), there);
    assert.equal((await serving(to, key, ({ call }) => call('GET', asked))).text, seen.text);
  });

  it('stops when it is told to, and says how to go on', async () => {
    const to = newFolder();
    const { child, ended } = migrate(from.sqlite, to);
    assert.ok(await arrived(to, 1, ended));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /^copying \w+: [\d,]+ of [\d,]+ rows/);
    assert.match(stderr, /Stopped\. The same command goes on from here/);
    assert.deepEqual(await moved(from.sqlite, to), whole);
  });
});

describe('a bank is not moved', () => {
  let used: Place;
  before(async () => {
    used = newFolder();
    await serving(used, undefined, async () => {});
  });
  const refused = async (args: string[], code: number, said: RegExp, env = {}) => {
    const outcome = await quaestor(['migrate', ...args], env).ended;
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, said);
    assert.equal(outcome.stdout, '');
    assert.ok(!outcome.stderr.includes('    at '), outcome.stderr);
  };

  it('where the command makes no sense', async () => {
    const { address, settings, where } = used;
    await refused(['now', '--from', address, '--to', 'sqlite:x'], 2, /^quaestor migrate --from ADDRESS --to/);
    const wrong = (from: string | undefined, to: string | undefined, said: RegExp, env = {}) =>
      assert.rejects(moveByCommand({ from, to }, readConfig(env)), { name: 'Error', message: said });
    await wrong(address, undefined, /quaestor migrate --from ADDRESS --to ADDRESS/);
    await wrong(undefined, address, /quaestor migrate --from ADDRESS --to ADDRESS/);
    await wrong(where.dataDir, address, /--from has to be sqlite:FOLDER or/);
    await wrong(address, 'mysql://x', /--to has to be sqlite:FOLDER or postgres:/);
    await wrong(address, `${address}/quaestor.db`, /the same bank/);
    await wrong(address, 'postgres', /--to postgres needs QUAESTOR_DATABASE_URL/);
    await wrong('sqlite', address, /the same bank/, settings);
  });

  it('from where there is none', async () => {
    const nowhere = join(used.where.dataDir, 'nowhere');
    await refused(['--from', `sqlite:${nowhere}`, '--to', used.address], 1, /There is no bank in .+nowhere/);
    assert.ok(!existsSync(nowhere));
    const { address } = await newDatabase();
    await refused(['--from', address, '--to', used.address], 1, /There is no bank in this database/);
    const away = 'postgres://127.0.0.1:1/x';
    await refused(['--from', away, '--to', used.address], 1, /PostgreSQL cannot be used/);
    await refused(['--from', used.address, '--to', away], 1, /PostgreSQL cannot be used/);
  });

  it('to one that is in use', async () => {
    const source = newFolder();
    await serving(source, undefined, async () => {});
    const database = await newDatabase();
    await serving(database, undefined, async () => {});
    for (const to of [used, database])
      await refused(['--from', source.address, '--to', to.address], 1, /The bank to move to is in use/);
  });

  it('while a service uses its folder', async () => {
    const service = await startService(used.settings);
    const to = join(used.where.dataDir, 'new');
    const said = new RegExp(`in use by another Quaestor \\(process ${service.child.pid}\\)`);
    await refused(['--from', used.address, '--to', `sqlite:${to}`], 1, said);
    assert.ok(!existsSync(to));
    await service.end('SIGTERM');
  });
});

describe('a bank that is being moved', () => {
  it('is read, but not written to', async () => {
    const held = async (place: Place) => {
      await serving(place, undefined, async () => {});
      const beside = await openEngine({ ...place.where, beside: true });
      const write = () => beside.write(deleteOldEvents, 0);
      const read = () => beside.db.get('SELECT epoch FROM bank_state');
      await lockBank(place.where, async () => {
        await assert.rejects(write, (error: { status?: number }) => error.status === 503);
        assert.ok(await read());
      });
      await write();
      await beside.close();
    };
    await Promise.all([held(newFolder()), held(await newDatabase())]);
  });
});

/** What is not carried along, and why. */
const STAYS = new Set([
  ...['bank_state', 'moving', 'schema_version', 'sqlite_sequence'],
  // Made anew, and folded in before.
  ...['search', 'postings_log'],
  // What a minute's requests were.
  'rate_counters',
]);

describe('a schema', () => {
  const known = Object.fromEntries(
    movedTables.map(({ name, columns }) => [name, Object.keys(columns).sort()]),
  );
  const check = async (place: Place, catalogue: string, bank_state: string[]) => {
    await serving(place, undefined, async () => {});
    const columns = (await place.ask(catalogue)) as { name: string; column: string }[];
    const tables = Map.groupBy(columns, ({ name }) => name);
    const found = [...tables].map(([name, all]) => [name, all.map(({ column }) => column).sort()] as const);
    assert.deepEqual(Object.fromEntries(found.filter(([name]) => !STAYS.has(name))), known);
    assert.deepEqual(Object.fromEntries(found).bank_state, bank_state);
  };

  it('has nothing that is left behind, on SQLite', () =>
    check(
      newFolder(),
      `SELECT t.name, c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'search_%'`,
      ['cursor_key', 'epoch', 'last_at', 'next_slot', 'only_row'],
    ));

  it('has nothing that is left behind, on PostgreSQL', async () => {
    const place = await newDatabase();
    await check(
      place,
      `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns WHERE table_schema = 'public'`,
      ['cursor_key', 'epoch', 'only_row'],
    );
    const sequences = await place.ask('SELECT sequencename AS name FROM pg_sequences ORDER BY 1');
    assert.deepEqual(
      sequences.map(({ name }) => name),
      ['events_id_seq', 'moments', 'postings_log_id_seq', 'sittings_id_seq', 'slots'],
    );
  });
});

describe('a bank that nobody moves to any more', () => {
  it('is not touched by a move that has not noticed', async () => {
    const late = async (place: Place) => {
      const engine = await openEngine(place.where);
      const stored = async () => ({
        counters: await engine.db.get(engine.db.dialect.counters),
        bank_state: await engine.db.get('SELECT epoch, cursor_key FROM bank_state'),
        categories: await engine.db.all('SELECT id FROM categories ORDER BY id'),
      });
      const before = await stored();
      const counters = { next_slot: 1, last_at: 1, last_event: 1, last_sitting: 1 };
      await engine.write(endMove, { counters, epoch: 0, cursorKey: 'another' });
      await engine.write(startOver, ['categories']);
      assert.equal(await engine.write(removeRows, 'categories'), false);
      assert.deepEqual(await stored(), before);
      await engine.close();
    };
    await Promise.all([late(newFolder()), late(await newDatabase())]);
  });

  it('or that is served at the very moment a move begins: one of them is refused', async () => {
    const meet = async (place: Place) => {
      const engine = await openEngine({ ...place.where, half: true });
      const [moved, served] = await Promise.allSettled([
        engine.write(beginMove, 'some bank'),
        prepareAccess(engine, DEFAULT_LIFETIMES, undefined),
      ]);
      const wasRefused = moved.status === 'fulfilled' && 'refused' in moved.value;
      assert.equal(wasRefused, served.status === 'fulfilled');
      await engine.close();
    };
    await Promise.all([meet(newFolder()), meet(await newDatabase()), meet(await newDatabase())]);
  });
});
