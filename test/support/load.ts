/**
 * Clients that write all the time, and repeat each write under its key until it is answered, whatever happens meanwhile. When they
 * are done, everything they wrote has been acknowledged, and `compare` checks that it is there once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from './engines.ts';
import type { Follower } from './event-stream.ts';
import {
  type Answer,
  described,
  everything,
  isUnavailable,
  type Json,
  type Sending,
  send,
  type Target,
} from './requests.ts';
import { until } from './until.ts';

/** The longest that a request may take, in milliseconds. */
export const LONGEST_REQUEST = 10_000;
/** Between a client's requests, so that what is measured is not how busy the machine is. */
const PAUSE = 30;
/** Between runs of analyses, which take more of the machine than all else. */
const BETWEEN_RUNS = 800;
/** No outage lasts as long. */
const PATIENCE = 60_000;
const BATCH = 5;

/** How many there are of what, by its name. */
type Tally = Map<string, number>;

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
  slowest = 0;
  readonly #target: Target;
  readonly #expected: Tally = new Map();
  #changed = '';
  #clients: Promise<void>[] = [];
  #going = true;
  #serial = 0;

  /** The bank must have no other writers. */
  constructor(target: Target) {
    this.#target = target;
  }

  async start(): Promise<void> {
    await this.#create(1);
    this.#changed = this.ids[0]!;
    const clients = [
      ...Array.from({ length: 4 }, () => () => this.#create(1)),
      () => this.#create(BATCH),
      ...Array.from({ length: 2 }, () => () => this.#respond()),
      ...Array.from({ length: 2 }, () => () => this.#change()),
      () => this.#run(),
    ];
    this.#clients = clients.map((work) => this.#repeat(work));
  }

  /** Lets everyone finish what they have begun. */
  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#clients);
  }

  /** Compares what was written with the bank, once all runs have ended, and with the events of a follower. */
  async compare(follower: Follower): Promise<Comparison> {
    const failed: string[] = [];
    for (const id of this.runs) {
      const { status, error } = await this.#end(id);
      if (status !== 'succeeded') failed.push(`${id}: ${status} ${error?.code}`);
    }
    // If some are missing, the comparison below names them.
    const all = this.ids.length + this.runs.length - failed.length;
    await until('all events', () => tallyOf(namesOf(follower)).size >= all).catch(() => {});
    const found = tallyOf([...(await this.#names()), ...namesOf(follower)]);
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
  async #names(): Promise<string[]> {
    const questions = await everything(this.#target, '/questions');
    const responses = await everything(this.#target, '/responses');
    const runs = await everything(this.#target, '/analysis');
    return [
      ...questions.map(({ tags }) => tags[0]),
      ...responses.map(({ respondent }) => respondent).filter((name) => !name.startsWith('probe')),
      ...(await this.#sources()),
      ...runs.map(({ id }) => `run ${id}`),
    ];
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    try {
      while (this.#going) {
        await work();
        await sleep(PAUSE);
      }
    } catch (error) {
      this.faults.push((error as Error).message);
    }
  }

  /** A name for what is about to be written so many times. */
  #name(what: string, times: number): string {
    const name = `${what}-${this.#serial++}`;
    this.#expected.set(name, times);
    return name;
  }

  #keyed(body: unknown, headers?: Record<string, string>): Sending {
    return { body, headers: { 'idempotency-key': `key-${this.#serial++}`, ...headers } };
  }

  async #create(n: number): Promise<void> {
    const name = this.#name('question', n);
    const items = Array.from({ length: n }, (_, i) =>
      sample({ question_text: `Is it ${name} or ${i}?`, tags: [name] }),
    );
    const { body } = await this.#insist('POST', '/questions', this.#keyed(n === 1 ? items[0] : items));
    this.ids.push(...(n === 1 ? [body] : body.data).map(({ id }: Json) => id));
  }

  async #respond(): Promise<void> {
    const questions = this.ids.slice(-BATCH);
    const respondent = this.#name('respondent', questions.length);
    const responses = questions.map((question_id) => ({ question_id, respondent, correct: true }));
    const { body } = await this.#insist('POST', '/responses', this.#keyed(responses));
    if (body.created !== responses.length) this.faults.push(`${body.created} responses of ${respondent}`);
  }

  /**
   * Two do this to the same question. A lost answer leaves open whether it has happened. Its history tells; and should it
   * happen after that was looked at, the ETag that was taken before no longer matches.
   */
  async #change(): Promise<void> {
    const source = this.#name('change', 1);
    const path = `/questions/${this.#changed}`;
    for (let first = true; ; first = false) {
      const { headers } = await this.#insist('GET', path);
      if (!first && (await this.#sources()).includes(source)) return;
      const change = { body: { source }, headers: { 'if-match': headers.etag! } };
      if ((await this.#attempt('PUT', path, change))?.status === 200) return;
    }
  }

  /** The sources that the changed question has been given. */
  async #sources(): Promise<string[]> {
    const sources: (string | null)[] = [];
    for (let total = 1; sources.length < total; ) {
      const path = `/questions/${this.#changed}/revisions?limit=1000&offset=${sources.length}`;
      const { body } = await this.#insist('GET', path);
      sources.push(...body.data.map(({ question }: Json) => question.source));
      total = body.pagination.total;
    }
    return sources.filter((source) => source !== null);
  }

  async #run(): Promise<void> {
    const sending = this.#keyed({ analysis_type: 'coverage' }, { prefer: 'respond-async' });
    const { body } = await this.#insist('POST', '/analysis/run', sending);
    this.runs.push(body.id);
    await sleep(BETWEEN_RUNS);
  }

  /** What became of a run. */
  #end(id: string): Promise<Json> {
    const look = async () => {
      const { body } = await this.#insist('GET', `/analysis/${id}`);
      return !['queued', 'running'].includes(body.status) && body;
    };
    return until(`the end of run ${id}`, look, 30_000);
  }

  async #insist(method: string, path: string, sending?: Sending): Promise<Answer> {
    const patience = performance.now() + PATIENCE;
    for (;;) {
      const answer = await this.#attempt(method, path, sending);
      if (answer && answer.status < 300) return answer;
      const hopeless = answer !== undefined && !isUnavailable(answer) && !isExpected(answer);
      if (hopeless || performance.now() > patience)
        throw new Error(`${answer ? described(answer) : 'nothing'} was the last answer to ${method} ${path}`);
      await sleep(PAUSE);
    }
  }

  /** The answer, if there is one. */
  async #attempt(method: string, path: string, sending?: Sending): Promise<Answer | undefined> {
    const began = performance.now();
    const answer = await send(this.#target, method, path, sending).catch(() => undefined);
    const ms = performance.now() - began;
    this.slowest = Math.max(this.slowest, ms);
    if (!answer) this.unanswered++;
    else if (isUnavailable(answer)) this.unavailable++;
    else if (!isExpected(answer)) this.faults.push(`${described(answer)} to ${method} ${path}`);
    if (ms > LONGEST_REQUEST) this.faults.push(`${Math.round(ms)} ms for ${method} ${path}`);
    return answer;
  }
}

/** Success, a lost race of two changes, or a repetition of a request that is still in flight. */
const isExpected = ({ status, body }: Answer) =>
  status < 300 || status === 412 || (status === 409 && body.code === 'idempotency_in_flight');

/** The events of a follower that have to occur once. */
const namesOf = ({ messages }: Follower) =>
  messages
    .filter(({ event }) => event === 'question.created' || event === 'analysis.succeeded')
    .map(({ event, data }) => `${event} ${data.question_id ?? data.analysis_id}`);

function tallyOf(names: string[]): Tally {
  const tally: Tally = new Map();
  for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  return tally;
}
