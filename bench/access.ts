/**
 * What it costs that the service asks who is reading and counts how often: with limits and without, for a key that sees
 * answers and for one that does not. With `--logins` instead, whether a client that does not exist can be told by the time
 * its refusal takes.
 */
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bodies } from './bare.ts';
import { type Measured, requestBytes, startLoad, Wire } from './load.ts';
import { seed } from './seed.ts';
import {
  ADMIN,
  basicAuthorization,
  fetchBytes,
  fetchJson,
  newKey,
  type Server,
  startBare,
  startDatabase,
  startService,
  temporaryFolder,
} from './service.ts';
import { bench, keep, median, ms, quantile, quiet, ratio, spread, table, whole, within } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    postgres: { type: 'boolean', default: false },
    logins: { type: 'boolean', default: false },
    attempts: { type: 'string', default: '2000' },
  },
});
const [questions, rounds, seconds, connections, attempts] = [
  Number(values.questions),
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
  Number(values.attempts),
];
const engine = values.postgres ? 'PostgreSQL' : 'SQLite';

/** Requests a minute, as many as can be set: counted and told in each answer, and never reached. */
const LIMITS = { 'limits off': 0, 'limits on': 1_000_000 };
type Limits = keyof typeof LIMITS;

/** What keys may do, by what sets them apart. */
const KEYS = { 'answers:read': ['questions:read', 'answers:read'], 'questions:read': ['questions:read'] };
type Key = keyof typeof KEYS;

/** Without answers a body is shorter, so each key has a bare server that sends its bytes. */
interface Run {
  what: 'bare' | Limits;
  key: Key;
  server: Server;
}

/** What a key is shown; the same everywhere, since all services start with the same data. */
interface View {
  authorization: string;
  bodies: Bodies;
}

/** Seeds a bank and starts a service for each variation, all from this one state, with a bare server for each key. */
async function prepare(stack: AsyncDisposableStack) {
  const data = temporaryFolder(stack);
  const database = values.postgres ? await startDatabase(stack) : undefined;
  const seeding = stack.use(new AsyncDisposableStack());
  const first = await startService(seeding, { data, database });
  await seed(first, questions);
  const [some] = (await fetchJson(first, `/questions?offset=${questions >> 1}&limit=1`)).data;
  const targets = { 'first page': '/questions?limit=20', 'one by its id': `/questions/${some.id}` };
  const views = {} as Record<Key, View>;
  for (const [key, scopes] of Object.entries(KEYS) as [Key, string[]][]) {
    const authorization = await newKey(first, { name: key, scopes });
    const bodies: Bodies = {};
    for (const path of Object.values(targets)) {
      bodies[path] = await fetchBytes({ port: first.port, authorization }, path);
    }
    views[key] = { authorization, bodies };
  }
  // Its data is whole once it has ended.
  await seeding.disposeAsync();

  const start = (what: Run['what'], key: Key): Promise<Server> => {
    if (what === 'bare') return startBare(stack, views[key].bodies);
    // A folder serves one process, a database any number.
    const copy = temporaryFolder(stack);
    cpSync(data, copy, { recursive: true });
    return startService(stack, { data: copy, database, limit: LIMITS[what] });
  };
  // In an order in which what will be compared lies close together.
  const whats = ['bare', 'limits off', 'limits on'] as const;
  const order = [
    ...whats.map((what) => ({ what, key: 'answers:read' as const })),
    ...whats.toReversed().map((what) => ({ what, key: 'questions:read' as const })),
  ];
  const runs: Run[] = [];
  for (const each of order) runs.push({ ...each, server: await start(each.what, each.key) });
  return { targets, views, runs };
}

async function reading(stack: AsyncDisposableStack): Promise<void> {
  const { targets, views, runs } = await prepare(stack);
  const load = startLoad(stack);
  const nameOf = (target: string, what: Run['what'], key: Key) => `${target}, ${what}, ${key}`;
  const measured: Record<string, Measured[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [target, path] of Object.entries(targets)) {
      await quiet();
      // Who goes first changes from round to round.
      for (const { what, key, server } of round % 2 === 0 ? runs : runs.toReversed()) {
        const { authorization, bodies } = views[key];
        const get = [{ path, length: bodies[path]!.length }];
        const result = await load.run(server, { connections, seconds, authorization, get });
        // The first round is for the compilers.
        if (round === 0) continue;
        const name = nameOf(target, what, key);
        measured[name] ??= [];
        measured[name].push(result);
      }
    }
  }

  const of = (name: string, number: keyof Measured) => measured[name]!.map((each) => each[number]);
  const middle = (name: string, number: keyof Measured) => median(of(name, number));
  /** The first as a share of the second, round by round. */
  const shares = (name: string, base: string, number: 'perSecond' | 'cpu') =>
    spread(of(name, number).map((each, i) => each / of(base, number)[i]!));
  const rows: string[][] = [];
  const comparisons: string[][] = [];
  const compare = (name: string, one: string, other: string) =>
    comparisons.push([name, ...shares(one, other, 'perSecond'), ...shares(one, other, 'cpu')]);
  const keys = Object.keys(KEYS) as Key[];
  const limits = Object.keys(LIMITS) as Limits[];
  for (const [target, path] of Object.entries(targets)) {
    const named = (what: Run['what'], key: Key) => nameOf(target, what, key);
    for (const key of keys) {
      for (const each of limits) {
        const [name, bare] = [named(each, key), named('bare', key)];
        rows.push([
          name,
          whole(views[key].bodies[path]!.length),
          whole(middle(bare, 'perSecond')),
          whole(middle(name, 'perSecond')),
          ...shares(name, bare, 'perSecond'),
          whole(middle(bare, 'cpu')),
          whole(middle(name, 'cpu')),
          ...shares(name, bare, 'cpu'),
          whole(100 * middle(bare, 'busy')),
          whole([...of(name, 'errors'), ...of(bare, 'errors')].reduce((a, b) => a + b)),
        ]);
      }
      compare(`${target}, ${key}: limits on / off`, named('limits on', key), named('limits off', key));
    }
    for (const each of limits) {
      const [less, more] = [named(each, 'questions:read'), named(each, 'answers:read')];
      compare(`${target}, ${each}: questions:read / answers:read`, less, more);
    }
  }
  console.log(`Reading from ${whole(questions)} questions on ${engine}: ${connections} connections,`);
  console.log(`${rounds} interleaved rounds of ${seconds} s; medians\n`);
  const rate = ['ratio', 'min', 'max'];
  const cpu = ['cpu ratio', 'min', 'max'];
  const times = ['bare cpu µs', 'cpu µs'];
  console.log(
    table(['', 'bytes', 'bare/s', 'service/s', ...rate, ...times, ...cpu, 'busy %', 'errors'], rows),
  );
  console.log(`\n${table(['', ...rate, ...cpu], comparisons)}`);
  keep(`access-${engine.toLowerCase()}`, { questions, connections, rounds, seconds, measured });
}

/** Not counted: they are for the compilers. */
const WARMUP = 40;

async function logins(stack: AsyncDisposableStack): Promise<void> {
  const { port } = await startService(stack, values);
  let answered = (_status: number): void => {};
  const wire = new Wire(port, (_, status) => answered(status));
  stack.defer(() => void wire.socket.destroy());
  await once(wire.socket, 'connect');
  const failed = once(wire.socket, 'error').then(([error]) => Promise.reject(error));
  /** How long the refusal took. */
  const refusal = (bytes: Buffer) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    answered = (status) => {
      if (status === 401) resolve(performance.now() - wire.sentAt);
      else reject(new Error(`A wrong login was answered with ${status}.`));
    };
    wire.send({ bytes });
    return within(30_000, 'A login', Promise.race([promise, failed]));
  };

  const body = { type: 'application/x-www-form-urlencoded', text: 'grant_type=client_credentials' };
  const wrong = (client: string) =>
    requestBytes('POST /auth/token', basicAuthorization(client, 'not-the-secret'), body);
  // Of the same length, so that they differ in nothing but who they are.
  const unknown = { bytes: wrong([...ADMIN].toReversed().join('')), times: [] as number[] };
  const known = { bytes: wrong(ADMIN), times: [] as number[] };
  await quiet();
  for (let n = -WARMUP; n < attempts; n++) {
    const { bytes, times } = n % 2 === 0 ? unknown : known;
    const took = await refusal(bytes);
    if (n >= 0) times.push(took);
  }

  const summary = (list: number[]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return [median(sorted), quantile(sorted, 0.95)];
  };
  const [one, other] = [summary(unknown.times), summary(known.times)];
  console.log(`Wrong logins on ${engine}: ${whole(attempts)} in turns on one connection, limits off\n`);
  console.log(
    table(
      ['', 'median ms', 'p95 ms'],
      [
        ['unknown client', ...one.map(ms)],
        ['wrong secret', ...other.map(ms)],
        ['ratio', ...one.map((each, i) => ratio(each / other[i]!))],
      ],
    ),
  );
  keep(`logins-${engine.toLowerCase()}`, { attempts, unknown: unknown.times, known: known.times });
}

await bench(values.logins ? logins : reading);
