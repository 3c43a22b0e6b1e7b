/**
 * A mixed load on one service: reads, writes, searches, analyses, event streams and sign-ins, on
 * new connections and on kept ones, and requests that the client aborts. The number of live
 * questions, runs and respondents stays bounded, so that the memory of the service should too.
 */
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../../test/support/engines.ts';
import { EventStream } from '../../test/support/event-stream.ts';
import { ADMIN_SECRET } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import {
  formatAnswer,
  isUnavailable,
  type Json,
  type SendOptions,
  send,
} from '../../test/support/requests.ts';

const MAX_LIVE_QUESTIONS = 400;
const MAX_LIVE_RUNS = 20;
const PAUSE_MS = 5;
const RUN_INTERVAL_MS = 1_500;
/** A fraction of the lifetime of an access token. */
const SIGN_IN_INTERVAL_MS = 2_000;
const STREAM_MS = 1_000;
const MAX_FAULTS = 20;

const WORDS = 'planet river engine novel theorem enzyme treaty sonata isotope glacier'.split(' ');

export class MixedLoad {
  readonly faults: string[] = [];
  answered = 0;
  unavailable = 0;
  /** An access token that is renewed during the load. */
  token: string;
  readonly #port: number;
  readonly #random: Random;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  readonly #questions: string[] = [];
  readonly #runs: string[] = [];
  #clients: Promise<void>[] = [];
  #running = true;
  #serial = 0;

  constructor({ port, token }: { port: number; token: string }, random: Random) {
    this.#port = port;
    this.token = token;
    this.#random = random;
  }

  start(): void {
    const read = () => this.#read();
    const write = () => this.#write();
    this.#clients = [
      ...[read, read, read, write, write].map((work) => this.#repeat(work, PAUSE_MS)),
      this.#repeat(() => this.#respond(), PAUSE_MS),
      this.#repeat(() => this.#abort(), 50),
      this.#repeat(() => this.#follow(), PAUSE_MS),
      this.#repeat(() => this.#analyse(), RUN_INTERVAL_MS),
      this.#repeat(() => this.#signIn(), SIGN_IN_INTERVAL_MS),
    ];
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #repeat(work: () => Promise<unknown>, pauseMs: number): Promise<void> {
    while (this.#running) {
      try {
        await work();
      } catch (error) {
        this.#report((error as Error).message);
      }
      await sleep(pauseMs);
    }
  }

  #report(fault: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(fault);
  }

  /** Returns the body of a success; undefined after 503 or one of the other expected statuses. */
  async #call(
    method: string,
    path: string,
    sending: SendOptions = {},
    ...expected: number[]
  ): Promise<Json | undefined> {
    const kept = this.#random.maybe(0.5) && { agent: this.#agent };
    const answer = await send({ port: this.#port, token: this.token }, method, path, { ...sending, ...kept });
    this.answered++;
    if (isUnavailable(answer)) this.unavailable++;
    else if (answer.status >= 300 && !expected.includes(answer.status))
      this.#report(`${formatAnswer(answer)} to ${method} ${path}`);
    return answer.status < 300 ? answer.body : undefined;
  }

  #pickQuestion(): string {
    return this.#questions.length === 0 ? crypto.randomUUID() : this.#random.pick(this.#questions);
  }

  #buildQuestion(): object {
    const n = this.#serial++;
    const words = [0, 1, 2].map(() => this.#random.pick(WORDS)).join(' ');
    return sample({
      question_text: `Which ${words} is number ${n}?`,
      difficulty: this.#random.below(3),
      tags: [`tag-${n % 50}`],
    });
  }

  async #read(): Promise<void> {
    const word = this.#random.pick(WORDS);
    const id = this.#pickQuestion();
    const path = this.#random.pick([
      `/questions?q=${word}&limit=20`,
      `/questions?tag=tag-${this.#random.below(50)}&sort=-updated_at`,
      `/questions?difficulty=${this.#random.below(3)}&offset=${this.#random.below(200)}`,
      `/questions/${id}`,
      `/questions/${id}/revisions`,
      '/categories',
      '/responses?limit=50',
      '/analysis?limit=20',
      '/auth/me',
    ]);
    await this.#call('GET', path, {}, 404);
  }

  async #write(): Promise<void> {
    if (this.#questions.length < MAX_LIVE_QUESTIONS || this.#random.maybe(0.3)) {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const created = await this.#call('POST', '/questions', { body: this.#buildQuestion(), headers });
      if (created) this.#questions.push(created.id);
    } else if (this.#random.maybe(0.4)) {
      const id = this.#questions.splice(this.#random.below(this.#questions.length), 1)[0]!;
      await this.#call('DELETE', `/questions/${id}`, {}, 404);
    } else {
      const path = `/questions/${this.#pickQuestion()}`;
      if (this.#random.maybe(0.5))
        await this.#call('PUT', path, { body: this.#buildQuestion() }, 404, 412, 428);
      else await this.#call('POST', `${path}/check`, { body: { answer: 'Jupiter' } }, 404);
    }
  }

  async #respond(): Promise<void> {
    const respondent = `r-${this.#random.below(200)}`;
    const session = `s-${this.#random.below(5)}`;
    const ids = new Set([0, 1, 2].map(() => this.#pickQuestion()));
    const body = [...ids].map((question_id) => ({ question_id, respondent, session, correct: true }));
    // 409 and 422: the question has been deleted, or the response was recorded before.
    await this.#call('POST', '/responses', { body }, 404, 409, 422);
    if (this.#random.maybe(0.02)) await this.#call('DELETE', `/responses?respondent=${respondent}`, {}, 404);
  }

  async #analyse(): Promise<void> {
    const analysis_type = this.#random.pick(['coverage', 'quality', 'duplicates', 'item_statistics']);
    const run = await this.#call('POST', '/analysis/run', { body: { analysis_type } }, 429);
    if (!run) return;
    this.#runs.push(run.id);
    if (this.#runs.length > MAX_LIVE_RUNS)
      await this.#call('DELETE', `/analysis/${this.#runs.shift()}`, {}, 404, 409);
  }

  async #follow(): Promise<void> {
    const stream = new EventStream({ port: this.#port, token: this.token });
    await stream.opened;
    await sleep(this.#random.below(STREAM_MS));
    stream.close();
    await stream.closed;
  }

  /** Disconnects within a request, or within its response. */
  async #abort(): Promise<void> {
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('error', () => {});
    const body = JSON.stringify(this.#buildQuestion());
    const head = `POST /questions?validate_only=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const request = head + body;
    socket.write(request.slice(0, this.#random.below(request.length + 1)));
    await sleep(this.#random.below(20));
    socket.destroy();
  }

  async #signIn(): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: ADMIN_SECRET,
      }),
    });
    this.answered++;
    const { access_token } = (await response.json()) as { access_token?: string };
    if (response.status === 503) this.unavailable++;
    else if (!access_token) this.#report(`${response.status} to a sign-in`);
    else this.token = access_token;
  }
}
