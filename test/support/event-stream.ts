/** Readers of server-sent events: one stream to its end, or a follower that reconnects. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Target } from './requests.ts';

const RECONNECT_MS = 100;

export interface Message {
  id: string;
  event: string;
  data: Json;
}

interface StreamOptions {
  /** Sent as Last-Event-ID. */
  lastId?: string | undefined;
  onMessage?(message: Message): void;
}

/** One stream, from its request until it ends. */
export class EventStream {
  readonly messages: Message[] = [];
  comments = 0;
  status = 0;
  ended = false;
  /** The first message has arrived, or the stream has ended without one. */
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  readonly #request: http.ClientRequest;
  readonly #onMessage: ((message: Message) => void) | undefined;
  #text = '';

  constructor({ port, token }: Target, { lastId, onMessage }: StreamOptions = {}) {
    this.#onMessage = onMessage;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    this.opened = opened.promise;
    this.closed = closed.promise;
    this.#request = http.get({ port, host: '127.0.0.1', path: '/events', headers, agent: false });
    this.#request.on('error', () => {});
    this.#request.on('response', (response) => {
      this.status = response.statusCode!;
      response.on('error', () => {});
      response.setEncoding('utf8').on('data', (text: string) => {
        this.#take(text);
        if (this.messages.length > 0) opened.resolve();
      });
    });
    this.#request.on('close', () => {
      this.ended = true;
      opened.resolve();
      closed.resolve();
    });
  }

  /** The names of the events so far. */
  get events(): string[] {
    return this.messages.map(({ event }) => event);
  }

  close(): void {
    this.#request.destroy();
  }

  #take(text: string): void {
    const parts = (this.#text + text).split('\n\n');
    this.#text = parts.pop()!;
    for (const part of parts) {
      const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (!fields.event) {
        this.comments++;
        continue;
      }
      const message = { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
      this.messages.push(message);
      this.#onMessage?.(message);
    }
  }
}

/**
 * Follows events across broken connections: each stream resumes after the last event of the one
 * before.
 */
export class Follower {
  /** Without the messages about the stream itself. */
  readonly messages: Message[] = [];
  /** The number of `stream.reset` messages: events may be missing. */
  resets = 0;
  /** The number of streams opened. */
  streams = 0;
  /** The event id at the beginning of the first stream. */
  start = '';
  open = false;
  readonly #target: Target;
  readonly #closing = new AbortController();
  readonly #following: Promise<void>;
  #lastId: string | undefined;

  constructor(target: Target, lastId?: string) {
    this.#target = target;
    this.#lastId = lastId;
    this.#following = this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const onMessage = (message: Message) => this.#take(message);
      const stream = new EventStream(this.#target, { lastId: this.#lastId, onMessage });
      const close = () => stream.close();
      signal.addEventListener('abort', close);
      await stream.opened;
      this.open = stream.status === 200 && !stream.ended;
      await stream.closed;
      this.open = false;
      signal.removeEventListener('abort', close);
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }

  #take(message: Message): void {
    const { id, event } = message;
    this.#lastId = id;
    if (event === 'stream.opened') this.streams++;
    else if (event === 'stream.reset') this.resets++;
    else this.messages.push(message);
    if (this.start === '') this.start = id;
  }
}
