/**
 * A hundred readers ask for the largest pages of a bank of maximal questions at once, on each
 * engine. Some read slowly. Meanwhile a healthy client sends small requests.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase, startOwnPostgres } from '../../test/support/postgres.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import type { TortureCase } from '../case.ts';
import { Bystander, quantileMs } from '../support/bystander.ts';

const READERS = { short: 20, long: 100 };
const SLOW_SHARE = 0.4;
const MAX_RSS_MIB = 600;
const MAX_PAGE_BYTES = 8_000_000;
/** No question is larger. */
const MAX_QUESTION_BYTES = 500_000;
const QUESTIONS = { short: 40, long: 400 };
const SMALL_QUESTIONS = 100;
const SMALL_REQUESTS = 200;
const SMALL = {
  requests: [{ method: 'GET', path: '/questions?limit=20&category=Astronomy' }],
  pauseMs: 5,
};
/** A slow reader takes one chunk per pause, and gives up when all others are done. */
const SLOW_PAUSE_MS = 50;

const LISTS = [
  '/questions?limit=1000',
  '/questions?limit=1000&sort=-created_at',
  '/questions?limit=1000&sort=-updated_at',
  '/questions?limit=1000&q=boulder',
  '/questions?limit=1000&q=boulder&sort=relevance',
  '/questions?limit=1000&q=boulder&sort=-created_at&category=Science',
];

export const greedyPages: TortureCase = {
  name: 'greedy-pages',
  promise: 'the memory of a node stays below 600 MiB while 100 clients read its largest pages',
  rounds: { short: 1, long: 10 },
  async run({ form, seed, random, rounds, expired, progress }) {
    if (!existsSync('/proc/self/status'))
      return {
        rounds: 0,
        figures: {},
        violations: [],
        skipped: 'The memory of a process is read from /proc.',
      };
    const folder = tempFolder();
    const server = await startOwnPostgres();
    const { url } = await freshDatabase(server);
    const banks = {
      sqlite: new GreedyBank({ QUAESTOR_DATA_DIR: folder }, random),
      postgres: new GreedyBank({ QUAESTOR_DATABASE_URL: url }, random),
    };
    const violations: string[] = [];
    let done = 0;
    try {
      for (const bank of Object.values(banks)) await bank.open(QUESTIONS[form]);
      while (done < rounds && !expired()) {
        for (const [engine, bank] of Object.entries(banks)) {
          const found = await bank.attack(READERS[form]);
          violations.push(...found.map((line) => `seed ${seed}, round ${done + 1}, ${engine}: ${line}`));
        }
        progress(++done);
      }
      for (const [engine, bank] of Object.entries(banks))
        violations.push(...(await bank.walk()).map((line) => `seed ${seed}, ${engine}: ${line}`));
    } finally {
      for (const bank of Object.values(banks)) await bank.close();
      await server.stop();
      removeFolder(folder);
    }
    const figures = Object.entries(banks).flatMap(([engine, { figures }]) =>
      Object.entries(figures).map(([name, value]) => [`${engine}_${name}`, Math.round(value)]),
    );
    return { rounds: done, figures: Object.fromEntries(figures), violations };
  },
};

/** A text of this many characters. */
const fill = (start: string, chars: number) => start + '𝕢'.repeat(chars - start.length);

/** A question with every field as long as it may be, in characters of four bytes. */
const maximalQuestion = (serial: number) =>
  sample({
    question_text: fill(`boulder ${serial} `, 10_000),
    correct_answer: fill('answer ', 2_000),
    incorrect_answers: Array.from({ length: 20 }, (_, i) => fill(`${i} `, 2_000)),
    explanation: fill('', 10_000),
    tags: Array.from({ length: 50 }, (_, i) => fill(`${i} `, 100)),
    category: 'Science',
  });

const QUESTIONS_PER_REQUEST = 10;

class GreedyBank {
  readonly figures: Record<string, number> = {
    rss_mib_max: 0,
    pages: 0,
    refused: 0,
    small_ms_p99_alone: 0,
    small_ms_p99: 0,
  };
  readonly #env: Record<string, string>;
  readonly #random: Random;
  readonly #agent = new Agent({ keepAlive: false, maxSockets: READERS.long });
  #service: ServiceProcess | undefined;
  #questions = 0;

  constructor(env: Record<string, string>, random: Random) {
    this.#env = env;
    this.#random = random;
  }

  /** Fills the bank, and starts the service again: its memory is measured from here. */
  async open(questions: number): Promise<void> {
    this.#service = await startService(this.#env);
    for (let i = 0; i < questions; i += QUESTIONS_PER_REQUEST)
      await this.#create(Array.from({ length: QUESTIONS_PER_REQUEST }, (_, n) => maximalQuestion(i + n)));
    await this.#create(
      Array.from({ length: SMALL_QUESTIONS }, (_, i) => sample({ question_text: `pebble ${i}` })),
    );
    await this.#service.end('SIGTERM');
    this.#service = await startService(this.#env);
    const alone = await new Bystander(this.#service, { ...SMALL, maxRequests: SMALL_REQUESTS }).finish();
    this.figures.small_ms_p99_alone = quantileMs(alone, 0.99);
  }

  async #create(questions: object[]): Promise<void> {
    const response = await this.#service!.fetch('/questions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(questions),
    });
    if (response.status !== 201) throw new Error(`creating questions: ${await response.text()}`);
    await response.arrayBuffer();
    this.#questions += questions.length;
  }

  /** Sends the readers, and returns what was wrong. */
  async attack(readers: number): Promise<string[]> {
    const faults: string[] = [];
    const fastDone = new AbortController();
    const slow: Promise<void>[] = [];
    const fast: Promise<void>[] = [];
    for (let i = 0; i < readers; i++) {
      const path = this.#random.pick(LISTS);
      if (this.#random.maybe(SLOW_SHARE)) slow.push(this.#read(path, faults, fastDone.signal));
      else fast.push(this.#read(path, faults));
    }
    const reading = Promise.all(fast);
    const bystander = new Bystander(this.#service!, SMALL);
    await reading;
    const beside = await bystander.stop();
    faults.push(...beside.failures.map((failure) => `a client beside them got ${failure}`));
    fastDone.abort();
    await Promise.all(slow);
    const rss = readPeakMib(this.#service!.child.pid!);
    if (rss > MAX_RSS_MIB) faults.push(`the service used ${Math.round(rss)} MiB`);
    this.figures.rss_mib_max = rss;
    this.figures.small_ms_p99 = Math.max(this.figures.small_ms_p99!, quantileMs(beside, 0.99));
    return faults;
  }

  /** Reads a page, slowly until a signal if there is one. */
  async #read(path: string, faults: string[], slowUntil?: AbortSignal): Promise<void> {
    try {
      const response = await this.#request(path);
      let bytes = 0;
      for await (const chunk of response) {
        bytes += chunk.length;
        if (slowUntil && !slowUntil.aborted) await sleep(SLOW_PAUSE_MS);
        if (slowUntil?.aborted) return;
      }
      const { statusCode = 0, headers } = response;
      if (statusCode === 503 && headers['retry-after']) this.figures.refused!++;
      else if (statusCode !== 200) faults.push(`${path}: status ${statusCode}`);
      else if (bytes > MAX_PAGE_BYTES + MAX_QUESTION_BYTES) faults.push(`${path}: ${bytes} bytes`);
      else this.figures.pages!++;
    } catch (error) {
      if (!slowUntil) faults.push(`${path}: ${error}`);
    }
  }

  #request(path: string): Promise<IncomingMessage> {
    const { url, token } = this.#service!;
    return new Promise((resolve, reject) => {
      get(`${url}${path}`, { agent: this.#agent, headers: { authorization: `Bearer ${token}` } }, resolve)
        .on('error', reject)
        .setTimeout(60_000, () => reject(new Error('no response within 60 s')));
    });
  }

  /** Reads every list to its end, and returns what was wrong. */
  async walk(): Promise<string[]> {
    const faults: string[] = [];
    for (const path of LISTS) {
      const seen = new Set<string>();
      let n = 0;
      let total = 0;
      for (let next: string | null = ''; next !== null; ) {
        const response = await this.#service!.fetch(`${path}${next && `&cursor=${next}`}`);
        const { data, pagination } = (await response.json()) as Listed;
        n += data.length;
        for (const { id } of data) seen.add(id);
        total = pagination.total;
        next = pagination.next_cursor;
      }
      if (n !== total || seen.size !== total)
        faults.push(`${path}: expected ${total} questions, saw ${n}, of which ${seen.size} distinct`);
      if (path === LISTS[0] && total !== this.#questions)
        faults.push(`${path}: the total is ${total}, but ${this.#questions} questions were created`);
    }
    return faults;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#service?.end('SIGKILL');
  }
}

interface Listed {
  data: { id: string }[];
  pagination: { total: number; next_cursor: string | null };
}

/** The peak of a process's resident memory. */
function readPeakMib(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
