/**
 * Keep-alive connections that send requests continuously while a service stops, and the judgement
 * of how each ended.
 *
 * A request is accepted if it was sent in full on a connection that the server had accepted: one
 * that was opened before the signal, or had an answer. It must be answered in full. The server may
 * close a connection after an answer with `Connection: close`, and one without requests after a
 * grace period; a busy connection is never without requests for that long. A connection opened
 * after the signal may be refused or reset before its first answer: the listener is closing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../../test/support/engines.ts';
import type { Random } from '../../test/support/random.ts';
import type { Target } from '../../test/support/requests.ts';
import { type HttpRequest, KeepAliveConnection, type Outcome } from './keep-alive.ts';

const CONNECTIONS = 128;
/** Connections that stay idle after one request. */
const IDLE_CONNECTIONS = 8;
/** Between two requests of a busy connection; far below the grace period for idle ones. */
const MAX_PAUSE_MS = 20;
const MAX_BODY_PAUSE_MS = 50;

export class StopLoad {
  readonly violations: string[] = [];
  readonly counts = { answered: 0, created: 0, announced: 0, refused: 0, cut: 0, answers_503: 0 };
  /** The texts of the questions whose creation was acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly sent = new Set<string>();
  readonly tag: string;
  readonly #target: Target;
  readonly #random: Random;
  #clients: Promise<void>[] = [];
  #signalledAt = Number.POSITIVE_INFINITY;
  #serial = 0;

  constructor(target: Target, random: Random, tag: string) {
    this.#target = target;
    this.#random = random;
    this.tag = tag;
  }

  start(): void {
    this.#clients = Array.from({ length: CONNECTIONS }, (_, i) => this.#run(i < IDLE_CONNECTIONS));
  }

  /** Call it right before the signal. */
  announceStop(): void {
    this.#signalledAt = performance.now();
  }

  /** Resolves when no connection is accepted any more, and all are closed. */
  async finish(): Promise<void> {
    await Promise.all(this.#clients);
  }

  get #stopping(): boolean {
    return this.#signalledAt < Number.POSITIVE_INFINITY;
  }

  async #run(idle: boolean): Promise<void> {
    for (;;) {
      const connection = await KeepAliveConnection.open(this.#target.port);
      if (!connection && this.#stopping) {
        this.counts.refused++;
        return;
      }
      if (!connection) {
        this.violations.push('a connection was refused before the stop');
        return;
      }
      await this.#use(connection, idle);
      connection.close();
    }
  }

  /** Sends requests until the connection closes, or its closing is announced. */
  async #use(connection: KeepAliveConnection, idle: boolean): Promise<void> {
    while (!connection.closed && !connection.announced) {
      const request = this.#buildRequest();
      const { answers, openedAt } = connection;
      const outcome = await connection.send(request);
      this.#judge(request, outcome, { answers, early: openedAt < this.#signalledAt });
      if (outcome.kind !== 'answer') return;
      while (idle && !connection.closed) await sleep(MAX_PAUSE_MS);
      await sleep(this.#random.below(MAX_PAUSE_MS));
    }
    if (connection.announced) this.counts.announced++;
  }

  #judge(
    { method, path, body }: HttpRequest,
    outcome: Outcome,
    { answers, early }: { answers: number; early: boolean },
  ): void {
    if (outcome.kind === 'cut') this.counts.cut++;
    else if (outcome.kind === 'dropped') {
      if (answers > 0 || early || outcome.bytes > 0)
        this.violations.push(
          `${method} ${path} was sent in full after ${answers} answers, and got ${outcome.bytes} bytes of its own`,
        );
      else this.counts.refused++;
    } else {
      this.counts.answered++;
      if (outcome.status === 503) this.counts.answers_503++;
      else if (outcome.status >= 300) this.violations.push(`${outcome.status} to ${method} ${path}`);
      else if (body) {
        this.counts.created++;
        this.acknowledged.add(JSON.parse(body).question_text);
      }
    }
  }

  #buildRequest(): HttpRequest {
    const { token } = this.#target;
    if (this.#random.maybe(0.6)) {
      const path = this.#random.pick([
        '/questions?limit=20',
        '/categories',
        '/auth/me',
        `/questions?tag=${this.tag}`,
      ]);
      return { method: 'GET', path, token };
    }
    const question_text = `Is it ${this.tag} number ${this.#serial++}?`;
    this.sent.add(question_text);
    const body = JSON.stringify(sample({ question_text, tags: [this.tag] }));
    const pauseMs = this.#random.maybe(0.3) ? this.#random.below(MAX_BODY_PAUSE_MS) : 0;
    return { method: 'POST', path: '/questions', token, body, key: crypto.randomUUID(), pauseMs };
  }
}
