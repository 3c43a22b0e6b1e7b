/**
 * Measures the cost of authentication and rate limiting for a reader: with and without limits, for
 * a key that reads answers and for one that does not. With `--logins`, compares the time to refuse
 * an unknown client with that for a wrong secret: a difference would be a timing side channel.
 */
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bodies } from './bare.ts';
import { encodeRequest, type Measured, startLoad, Wire } from './load.ts';
import { seed } from './seed.ts';
import {
  ADMIN,
  basicAuthorization,
  createKey,
  fetchBytes,
  fetchJson,
  type Server,
  startBare,
  startDatabase,
  startService,
  temporaryFolder,
} from './service.ts';
import {
  format,
  LOAD_OPTIONS,
  median,
  quantile,
  runBenchmark,
  waitUntilIdle,
  withTimeout,
  writeResults,
} from './tools.ts';

const { values } = parseArgs({
  options: {
    ...LOAD_OPTIONS,
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

/**
 * Requests a minute. The maximum setting is counted and reported in each response, but never
 * reached.
 */
const LIMITS = { 'limits off': 0, 'limits on': 1_000_000 };
type Limits = keyof typeof LIMITS;

/** Scopes of each key, by the scope that distinguishes them. */
const KEYS = { 'answers:read': ['questions:read', 'answers:read'], 'questions:read': ['questions:read'] };
type Key = keyof typeof KEYS;

/** Bodies without answers are shorter, so each key has its own bare server. */
interface Run {
  variation: 'bare' | Limits;
  key: Key;
  server: Server;
}

/**
 * The responses for one key. All services start with the same data, so they are the same for each.
 */
interface View {
  authorization: string;
  bodies: Bodies;
}

/**
 * Seeds a bank, then starts a service for each variation from copies of it, and a bare server for
 * each key.
 */
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
    const authorization = await createKey(first, { name: key, scopes });
    const bodies: Bodies = {};
    for (const path of Object.values(targets)) {
      bodies[path] = await fetchBytes({ port: first.port, authorization }, path);
    }
    views[key] = { authorization, bodies };
  }
  // The copies below need the data of a stopped service.
  await seeding.disposeAsync();

  const start = (variation: Run['variation'], key: Key): Promise<Server> => {
    if (variation === 'bare') return startBare(stack, views[key].bodies);
    // A SQLite folder serves one process; a PostgreSQL database serves any number.
    const copy = temporaryFolder(stack);
    cpSync(data, copy, { recursive: true });
    return startService(stack, { data: copy, database, limit: LIMITS[variation] });
  };
  // Variations that are compared run close together.
  const variations = ['bare', 'limits off', 'limits on'] as const;
  const order = [
    ...variations.map((variation) => ({ variation, key: 'answers:read' as const })),
    ...variations.toReversed().map((variation) => ({ variation, key: 'questions:read' as const })),
  ];
  const runs: Run[] = [];
  for (const run of order) runs.push({ ...run, server: await start(run.variation, run.key) });
  return { targets, views, runs };
}

async function measureReads(stack: AsyncDisposableStack): Promise<void> {
  const { targets, views, runs } = await prepare(stack);
  const load = startLoad(stack);
  const formatName = (target: string, variation: Run['variation'], key: Key) =>
    `${target}, ${variation}, ${key}`;
  const measured: Record<string, Measured[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [target, path] of Object.entries(targets)) {
      await waitUntilIdle();
      // The order alternates between rounds.
      for (const { variation, key, server } of round % 2 === 0 ? runs : runs.toReversed()) {
        const { authorization, bodies } = views[key];
        const get = [{ path, length: bodies[path]!.length }];
        const result = await load.run(server, { connections, seconds, authorization, get });
        // The first round warms up the JIT compilers.
        if (round === 0) continue;
        const name = formatName(target, variation, key);
        measured[name] ??= [];
        measured[name].push(result);
      }
    }
  }

  const of = (name: string, number: keyof Measured) => measured[name]!.map((each) => each[number]);
  const middle = (name: string, number: keyof Measured) => median(of(name, number));
  /** Ratios of the first to the second, round by round. */
  const shares = (name: string, base: string, number: 'perSecond' | 'cpu') =>
    format.spread(of(name, number).map((each, i) => each / of(base, number)[i]!));
  const rows: string[][] = [];
  const comparisons: string[][] = [];
  const compare = (name: string, one: string, other: string) =>
    comparisons.push([name, ...shares(one, other, 'perSecond'), ...shares(one, other, 'cpu')]);
  const keys = Object.keys(KEYS) as Key[];
  const limits = Object.keys(LIMITS) as Limits[];
  for (const [target, path] of Object.entries(targets)) {
    const named = (variation: Run['variation'], key: Key) => formatName(target, variation, key);
    for (const key of keys) {
      for (const each of limits) {
        const [name, bare] = [named(each, key), named('bare', key)];
        rows.push([
          name,
          format.integer(views[key].bodies[path]!.length),
          format.integer(middle(bare, 'perSecond')),
          format.integer(middle(name, 'perSecond')),
          ...shares(name, bare, 'perSecond'),
          format.integer(middle(bare, 'cpu')),
          format.integer(middle(name, 'cpu')),
          ...shares(name, bare, 'cpu'),
          format.integer(100 * middle(bare, 'busy')),
          format.integer([...of(name, 'errors'), ...of(bare, 'errors')].reduce((a, b) => a + b)),
        ]);
      }
      compare(`${target}, ${key}: limits on / off`, named('limits on', key), named('limits off', key));
    }
    for (const each of limits) {
      const [less, more] = [named(each, 'questions:read'), named(each, 'answers:read')];
      compare(`${target}, ${each}: questions:read / answers:read`, less, more);
    }
  }
  console.log(
    `Reading from ${format.integer(questions)} questions on ${engine}: ${connections} connections,`,
  );
  console.log(`${rounds} interleaved rounds of ${seconds} s; medians\n`);
  const rate = ['ratio', 'min', 'max'];
  const cpu = ['cpu ratio', 'min', 'max'];
  const times = ['bare cpu µs', 'cpu µs'];
  console.log(
    format.table(['', 'bytes', 'bare/s', 'service/s', ...rate, ...times, ...cpu, 'busy %', 'errors'], rows),
  );
  console.log(`\n${format.table(['', ...rate, ...cpu], comparisons)}`);
  writeResults(`access-${engine.toLowerCase()}`, { questions, connections, rounds, seconds, measured });
}

/** Uncounted attempts that warm up the JIT compilers. */
const WARMUP_ATTEMPTS = 40;

async function measureLogins(stack: AsyncDisposableStack): Promise<void> {
  const { port } = await startService(stack, values);
  let answered = (_status: number): void => {};
  const wire = new Wire(port, (_, status) => answered(status));
  stack.defer(() => void wire.socket.destroy());
  await once(wire.socket, 'connect');
  const failed = once(wire.socket, 'error').then(([error]) => Promise.reject(error));
  /** Returns the time to the refusal, in ms. */
  const refusal = (bytes: Buffer) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    answered = (status) => {
      if (status === 401) resolve(performance.now() - wire.sentAt);
      else reject(new Error(`A wrong login returned ${status}.`));
    };
    wire.send({ bytes });
    return withTimeout(30_000, 'A login', Promise.race([promise, failed]));
  };

  const body = { type: 'application/x-www-form-urlencoded', text: 'grant_type=client_credentials' };
  const wrong = (client: string) =>
    encodeRequest('POST /auth/token', basicAuthorization(client, 'not-the-secret'), body);
  // Client ids of the same length.
  const unknown = { bytes: wrong([...ADMIN].toReversed().join('')), times: [] as number[] };
  const known = { bytes: wrong(ADMIN), times: [] as number[] };
  await waitUntilIdle();
  for (let n = -WARMUP_ATTEMPTS; n < attempts; n++) {
    const { bytes, times } = n % 2 === 0 ? unknown : known;
    const took = await refusal(bytes);
    if (n >= 0) times.push(took);
  }

  const summary = (list: number[]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return [median(sorted), quantile(sorted, 0.95)];
  };
  const [one, other] = [summary(unknown.times), summary(known.times)];
  console.log(
    `Wrong logins on ${engine}: ${format.integer(attempts)} alternating on one connection, limits off\n`,
  );
  console.log(
    format.table(
      ['', 'median ms', 'p95 ms'],
      [
        ['unknown client', ...one.map(format.ms)],
        ['wrong secret', ...other.map(format.ms)],
        ['ratio', ...one.map((each, i) => format.ratio(each / other[i]!))],
      ],
    ),
  );
  writeResults(`logins-${engine.toLowerCase()}`, { attempts, unknown: unknown.times, known: known.times });
}

await runBenchmark(values.logins ? measureLogins : measureReads);
