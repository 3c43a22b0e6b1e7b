/**
 * Concurrent writing clients that retry each write with its Idempotency-Key until it succeeds.
 * After `stop`, every write has been acknowledged, and `compare` checks that each was applied
 * exactly once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from './engines.ts';
import type { Follower } from './event-stream.ts';
import {
  type Answer,
  formatAnswer,
  isUnavailable,
  type Json,
  listAll,
  type SendOptions,
  send,
  type Target,
} from './requests.ts';
import { until } from './until.ts';

/** Responses after this time are late. */
export const MAX_REQUEST_MS = 10_000;
/** Between the requests of a client, so that the load does not saturate the machine. */
const PAUSE_MS = 30;
/** Runs of analyses cost more CPU than all other requests. */
const RUN_INTERVAL_MS = 800;
/** Longer than every simulated outage, also on a busy machine. */
const MAX_RETRY_MS = 120_000;
const BATCH_QUESTIONS = 5;

/** Occurrences by name. */
type Counts = Map<string, number>;

export interface Comparison {
  lost: string[];
  repeated: string[];
  /** Runs that did not succeed. */
  failed: string[];
}

export class Load {
  /** The ids of the created questions, and of the queued runs. */
  readonly ids: string[] = [];
  readonly runs: string[] = [];
  /** Unexpected responses. */
  readonly faults: string[] = [];
  /** Responses after the deadline. */
  readonly late: string[] = [];
  /** Responses with 503, and requests without a response. */
  unavailable = 0;
  unanswered = 0;
  slowestMs = 0;
  readonly #target: Target;
  readonly #expected: Counts = new Map();
  #changedQuestion = '';
  #clients: Promise<void>[] = [];
  #running = true;
  #serial = 0;

  /** The bank must have no other writers. */
  constructor(target: Target) {
    this.#target = target;
  }

  async start(): Promise<void> {
    await this.#create(1);
    this.#changedQuestion = this.ids[0]!;
    const clients = [
      ...Array.from({ length: 4 }, () => () => this.#create(1)),
      () => this.#create(BATCH_QUESTIONS),
      ...Array.from({ length: 2 }, () => () => this.#respond()),
      ...Array.from({ length: 2 }, () => () => this.#change()),
      () => this.#run(),
    ];
    this.#clients = clients.map((work) => this.#repeat(work));
  }

  /** Resolves when all requests in flight have succeeded. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  /**
   * Waits for all runs to end, then compares the acknowledged writes with the bank and with the
   * events of a follower.
   */
  async compare(follower: Follower): Promise<Comparison> {
    const failed: string[] = [];
    for (const id of this.runs) {
      const outcome = await this.#waitForRun(id).then(
        ({ status, error }) => status + (error ? ` ${error.code}` : ''),
        ({ message }) => message,
      );
      if (outcome !== 'succeeded') failed.push(`${id}: ${outcome}`);
    }
    // If some are missing, the comparison below names them.
    const all = this.ids.length + this.runs.length - failed.length;
    await until('all events', () => countNames(listEventNames(follower)).size >= all).catch(() => {});
    const found = countNames([...(await this.#listNames()), ...listEventNames(follower)]);
    for (const id of this.ids) this.#expected.set(`question.created ${id}`, 1);
    for (const id of this.runs) this.#expected.set(`analysis.succeeded ${id}`, 1).set(`run ${id}`, 1);
    const names = [...new Set([...found.keys(), ...this.#expected.keys()])];
    const surplus = (name: string) => (found.get(name) ?? 0) - (this.#expected.get(name) ?? 0);
    return {
      lost: names.filter((name) => surplus(name) < 0),
      repeated: names.filter((name) => surplus(name) > 0),
      failed,
    };
  }

  /** The names of everything in the bank. */
  async #listNames(): Promise<string[]> {
    const questions = await listAll(this.#target, '/questions');
    const responses = await listAll(this.#target, '/responses');
    const runs = await listAll(this.#target, '/analysis');
    return [
      ...questions.map(({ tags }) => tags[0]),
      ...responses.map(({ respondent }) => respondent).filter((name) => !name.startsWith('probe')),
      ...(await this.#listSources()),
      ...runs.map(({ id }) => `run ${id}`),
    ];
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    try {
      while (this.#running) {
        await work();
        await sleep(PAUSE_MS);
      }
    } catch (error) {
      this.faults.push((error as Error).message);
    }
  }

  /** Creates a unique name, which is expected to occur this many times. */
  #newName(prefix: string, times: number): string {
    const name = `${prefix}-${this.#serial++}`;
    this.#expected.set(name, times);
    return name;
  }

  #withKey(body: unknown, headers?: Record<string, string>): SendOptions {
    return { body, headers: { 'idempotency-key': `key-${this.#serial++}`, ...headers } };
  }

  async #create(n: number): Promise<void> {
    const name = this.#newName('question', n);
    const items = Array.from({ length: n }, (_, i) =>
      sample({ question_text: `Is it ${name} or ${i}?`, tags: [name] }),
    );
    const { body } = await this.#retry('POST', '/questions', this.#withKey(n === 1 ? items[0] : items));
    this.ids.push(...(n === 1 ? [body] : body.data).map(({ id }: Json) => id));
  }

  async #respond(): Promise<void> {
    const questions = this.ids.slice(-BATCH_QUESTIONS);
    const respondent = this.#newName('respondent', questions.length);
    const responses = questions.map((question_id) => ({ question_id, respondent, correct: true }));
    const { body } = await this.#retry('POST', '/responses', this.#withKey(responses));
    if (body.created !== responses.length) this.faults.push(`${body.created} responses of ${respondent}`);
  }

  /**
   * Two clients change the same question. After a lost response, the revisions show whether the
   * change was applied. If it is applied only after they were read, the ETag read before no longer
   * matches.
   */
  async #change(): Promise<void> {
    const source = this.#newName('change', 1);
    const path = `/questions/${this.#changedQuestion}`;
    for (let first = true; ; first = false) {
      const { headers } = await this.#retry('GET', path);
      if (!first && (await this.#listSources()).includes(source)) return;
      const change = { body: { source }, headers: { 'if-match': headers.etag! } };
      if ((await this.#attempt('PUT', path, change))?.status === 200) return;
    }
  }

  /** The values of `source` in all revisions of the changed question. */
  async #listSources(): Promise<string[]> {
    const sources: (string | null)[] = [];
    for (let total = 1; sources.length < total; ) {
      const path = `/questions/${this.#changedQuestion}/revisions?limit=1000&offset=${sources.length}`;
      const { body } = await this.#retry('GET', path);
      sources.push(...body.data.map(({ question }: Json) => question.source));
      total = body.pagination.total;
    }
    return sources.filter((source) => source !== null);
  }

  async #run(): Promise<void> {
    const sending = this.#withKey({ analysis_type: 'coverage' }, { prefer: 'respond-async' });
    const { body } = await this.#retry('POST', '/analysis/run', sending);
    this.runs.push(body.id);
    await sleep(RUN_INTERVAL_MS);
  }

  /** Waits for a run to end, and returns it. */
  #waitForRun(id: string): Promise<Json> {
    const readEnded = async () => {
      const { body } = await this.#retry('GET', `/analysis/${id}`);
      return !['queued', 'running'].includes(body.status) && body;
    };
    return until(`the end of run ${id}`, readEnded);
  }

  async #retry(method: string, path: string, sending?: SendOptions): Promise<Answer> {
    const deadline = performance.now() + MAX_RETRY_MS;
    for (;;) {
      const answer = await this.#attempt(method, path, sending);
      if (answer && answer.status < 300) return answer;
      const permanent = answer !== undefined && !isUnavailable(answer) && !isExpected(answer);
      if (permanent || performance.now() > deadline)
        throw new Error(
          `${answer ? formatAnswer(answer) : 'no response'} to the last attempt of ${method} ${path}`,
        );
      await sleep(PAUSE_MS);
    }
  }

  /** Returns undefined if no response comes. */
  async #attempt(method: string, path: string, sending?: SendOptions): Promise<Answer | undefined> {
    const began = performance.now();
    const answer = await send(this.#target, method, path, sending).catch(() => undefined);
    const ms = performance.now() - began;
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (!answer) this.unanswered++;
    else if (isUnavailable(answer)) this.unavailable++;
    else if (!isExpected(answer)) this.faults.push(`${formatAnswer(answer)} to ${method} ${path}`);
    if (ms > MAX_REQUEST_MS) this.late.push(`${Math.round(ms)} ms for ${method} ${path}`);
    return answer;
  }
}

/** Success, a lost race of two changes, or a repetition of a request that is still in flight. */
const isExpected = ({ status, body }: Answer) =>
  status < 300 || status === 412 || (status === 409 && body.code === 'idempotency_in_flight');

/** The names of the events that must occur exactly once. */
const listEventNames = ({ messages }: Follower) =>
  messages
    .filter(({ event }) => event === 'question.created' || event === 'analysis.succeeded')
    .map(({ event, data }) => `${event} ${data.question_id ?? data.analysis_id}`);

function countNames(names: string[]): Counts {
  const tally: Counts = new Map();
  for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  return tally;
}
