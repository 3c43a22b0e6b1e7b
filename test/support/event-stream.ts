/** Somebody who follows the events and means to miss none: where the stream breaks off, it is resumed behind the last one seen. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Target } from './requests.ts';

export interface Message {
  id: string;
  event: string;
  data: Json;
}

export class Follower {
  /** Without what is said of the stream itself. */
  readonly messages: Message[] = [];
  /** How often it was said that some may be missing. */
  resets = 0;
  /** How often a stream was opened. */
  streams = 0;
  /** Where the first stream began. */
  start = '';
  /** Whether a stream is open at the moment. */
  open = false;
  readonly #target: Target;
  readonly #closing = new AbortController();
  readonly #going: Promise<void>;
  #lastId: string | undefined;

  /** Begins now, or behind an event. */
  constructor(target: Target, lastId?: string) {
    this.#target = target;
    this.#lastId = lastId;
    this.#going = this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#going;
  }

  async #follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#stream().catch(() => {});
      this.open = false;
      await sleep(100, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** One stream, to its end. */
  async #stream(): Promise<void> {
    const { port, token } = this.#target;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    };
    const where = { port, host: '127.0.0.1', path: '/events', headers, agent: false };
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get({ ...where, signal: this.#closing.signal }, resolve).once('error', reject);
    });
    if (response.statusCode !== 200) return void response.resume();
    this.open = true;
    let text = '';
    for await (const piece of response.setEncoding('utf8')) {
      const parts = (text + piece).split('\n\n');
      text = parts.pop()!;
      for (const part of parts) this.#take(part);
    }
  }

  #take(part: string): void {
    const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    if (!fields.event) return;
    this.#lastId = fields.id;
    if (fields.event === 'stream.opened') this.streams++;
    else if (fields.event === 'stream.reset') this.resets++;
    else this.messages.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
    if (this.start === '') this.start = fields.id;
  }
}
