/**
 * Clients that write all the time, and repeat each write under its key until it is answered, whatever happens meanwhile. When they
 * are done, everything they wrote has been acknowledged, and `compare` checks that it is there once.
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

/** The longest that a request may take, in milliseconds. */
export const MAX_REQUEST_MS = 10_000;
/** Between a client's requests, so that what is measured is not how busy the machine is. */
const PAUSE_MS = 30;
/** Between runs of analyses, which take more of the machine than all else. */
const RUN_INTERVAL_MS = 800;
/** No outage lasts as long. */
const MAX_RETRY_MS = 60_000;
const BATCH_QUESTIONS = 5;

/** How many there are of what, by its name. */
type Counts = Map<string, number>;

export interface Comparison {
  lost: string[];
  doubled: string[];
  /** Runs that did not succeed. */
  failed: string[];
}

export class Load {
  /** The questions that were made, and the runs that were asked for. */
  readonly ids: string[] = [];
  readonly runs: string[] = [];
  /** Answers that ought not to be. */
  readonly faults: string[] = [];
  /** Answers that the database was away, and requests without any. */
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

  /** Lets everyone finish what they have begun. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  /** Compares what was written with the bank, once all runs have ended, and with the events of a follower. */
  async compare(follower: Follower): Promise<Comparison> {
    const failed: string[] = [];
    for (const id of this.runs) {
      const { status, error } = await this.#waitForRun(id);
      if (status !== 'succeeded') failed.push(`${id}: ${status} ${error?.code}`);
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
      doubled: names.filter((name) => surplus(name) > 0),
      failed,
    };
  }

  /** The names of all that is there. */
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

  /** A name for what is about to be written so many times. */
  #newName(what: string, times: number): string {
    const name = `${what}-${this.#serial++}`;
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
   * Two do this to the same question. A lost answer leaves open whether it has happened. Its history tells; and should it
   * happen after that was looked at, the ETag that was taken before no longer matches.
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

  /** The sources that the changed question has been given. */
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

  /** What became of a run. */
  #waitForRun(id: string): Promise<Json> {
    const look = async () => {
      const { body } = await this.#retry('GET', `/analysis/${id}`);
      return !['queued', 'running'].includes(body.status) && body;
    };
    return until(`the end of run ${id}`, look, 30_000);
  }

  async #retry(method: string, path: string, sending?: SendOptions): Promise<Answer> {
    const patience = performance.now() + MAX_RETRY_MS;
    for (;;) {
      const answer = await this.#attempt(method, path, sending);
      if (answer && answer.status < 300) return answer;
      const hopeless = answer !== undefined && !isUnavailable(answer) && !isExpected(answer);
      if (hopeless || performance.now() > patience)
        throw new Error(
          `${answer ? formatAnswer(answer) : 'nothing'} was the last answer to ${method} ${path}`,
        );
      await sleep(PAUSE_MS);
    }
  }

  /** The answer, if there is one. */
  async #attempt(method: string, path: string, sending?: SendOptions): Promise<Answer | undefined> {
    const began = performance.now();
    const answer = await send(this.#target, method, path, sending).catch(() => undefined);
    const ms = performance.now() - began;
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (!answer) this.unanswered++;
    else if (isUnavailable(answer)) this.unavailable++;
    else if (!isExpected(answer)) this.faults.push(`${formatAnswer(answer)} to ${method} ${path}`);
    if (ms > MAX_REQUEST_MS) this.faults.push(`${Math.round(ms)} ms for ${method} ${path}`);
    return answer;
  }
}

/** Success, a lost race of two changes, or a repetition of a request that is still in flight. */
const isExpected = ({ status, body }: Answer) =>
  status < 300 || status === 412 || (status === 409 && body.code === 'idempotency_in_flight');

/** The events of a follower that have to occur once. */
const listEventNames = ({ messages }: Follower) =>
  messages
    .filter(({ event }) => event === 'question.created' || event === 'analysis.succeeded')
    .map(({ event, data }) => `${event} ${data.question_id ?? data.analysis_id}`);

function countNames(names: string[]): Counts {
  const tally: Counts = new Map();
  for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  return tally;
}
