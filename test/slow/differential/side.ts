/**
 * One of the two compared services: remembers the ids it returned, and normalizes its responses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../../src/access/sessions.ts';
import { generateToken } from '../../../src/access/token-text.ts';
import type { Scope } from '../../../src/schemas/scopes.ts';
import { type Answer, type EngineName, openService, type Service } from '../../support/engines.ts';
import type { Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';

/**
 * A request with placeholders: `{question:3}` is the id of the fourth question that a side has
 * returned, `{question:-1}` that of the last, `{etag}` and `{cursor}` are the latest values.
 */
export interface Request {
  method: string;
  url: string;
  /** The caller: one of CALLERS, or a token placeholder such as `{access:-1}`. Default: admin. */
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Repeated until the run has ended. */
  untilEnded?: true;
  /**
   * The response depends on the progress of a run: neither it nor the events of the run are
   * compared.
   */
  timingDependent?: true;
}

/**
 * Generators of requests with their relative frequencies. A list of requests is sent as one
 * sequence.
 */
export type WeightedGenerators = [weight: number, generate: (random: Random) => Request | Request[]][];

export interface ComparableResponse {
  status: number;
  headers: string[];
  text: string;
  hasLength: boolean;
}

const SCOPES_BY_CALLER: Record<string, Scope[]> = {
  reader: ['questions:read', 'analysis:read'],
  player: ['questions:read', 'answers:check', 'questions:report'],
  author: ['questions:read', 'questions:write', 'answers:read'],
  writer: ['questions:write'],
  reviewer: ['questions:read', 'questions:review', 'answers:read'],
  recorder: ['responses:write', 'analysis:read'],
  runner: ['questions:read', 'analysis:read', 'analysis:run'],
  manager: ['clients:manage'],
};
export const CALLERS = [...Object.keys(SCOPES_BY_CALLER), 'anonymous', 'unknown_key', 'malformed_key'];

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

/** The kinds of objects, each recognized by a field that no other kind has. */
const FIELD_BY_KIND: [kind: string, field: string][] = [
  ['question', 'question_text'],
  ['category', 'fixed'],
  ['analysis', 'analysis_type'],
  ['change', 'responses_moved'],
  ['import', 'new_categories'],
  ['recording', 'matches'],
  ['client', 'role'],
  ['key', 'expires_at'],
  ['report', 'outcome'],
  ['comment', 'resolved'],
  ['draw', 'quotas'],
];
const TOKEN_FIELDS = ['token', 'access_token', 'refresh_token'] as const;

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
/**
 * Timestamps near the present are generated (keys expire within a year). Others come from requests
 * and are compared.
 */
const isGenerated = (timestamp: string) => Math.abs(Date.parse(timestamp) - Date.now()) < 400 * DAY_MS;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const REDACTIONS: [RegExp, string][] = [
  [/"(request_id|next_cursor|sha256)":"[^"]+"/g, '"$1":"…"'],
  [/"(iat|exp|expires_in|age_seconds)":\d+/g, '"$1":0'],
  [/(qs[arkscld])_[0-9A-Za-z]{36}/g, '$1_…'],
  // The order of options depends on the id of the question.
  [/"choices":\[[^\]]*\]/g, '"choices":[]'],
  [/"choices\/\d+"/g, '"choices/n"'],
  // ETags include timestamps; those of runs also count updates of the progress.
  [/^"[\w-]{22}"$|(?<=ETag is )\\"[\w-]{22}\\"/g, 'etag'],
  [/\d+\.(?=with_answers|without_answers)/g, ''],
  [/^id: .+$/gm, 'id'],
];

/** A JSON reviver that sorts options by their text. */
const sortOptions = (name: string, value: Json) =>
  name === 'options' && Array.isArray(value)
    ? value.toSorted((a, b) => String(a.text).localeCompare(b.text))
    : value;
const encodeBase64 = (text: string) => Buffer.from(text).toString('base64');
const hasEnded = ({ body }: Answer) => !['queued', 'running'].includes(body?.status);

export class Side {
  readonly service: Service;
  /** The error log. */
  readonly log: readonly string[];
  readonly #callers = new Map<string, string | null>();
  readonly #seen = new Map<string, Set<string>>();
  /** Latest values of `etag` and `cursor`. */
  readonly #latest = new Map<string, string>();
  readonly #secrets = new Map<string, string>();
  readonly #times = new Map<string, string>();
  readonly #idNumbers = new Map<string, number>();
  readonly #timingDependent = new Set<string>();

  private constructor(service: Service, log: string[]) {
    this.service = service;
    this.log = log;
    this.#callers.set('admin', service.admin.key);
    this.#callers.set('anonymous', null);
    this.#callers.set('unknown_key', generateToken('key'));
    this.#callers.set('malformed_key', 'qsk_nonsense');
    this.#secrets.set('admin', service.admin.secret);
  }

  static async open(name: EngineName): Promise<Side> {
    const log: string[] = [];
    const stream = { write: (line: string) => log.push(line) };
    const side = new Side(await openService(name, { log: { level: 'error', stream } }), log);
    for (const [caller, scopes] of Object.entries(SCOPES_BY_CALLER)) {
      // The order of keys created in the same millisecond is undefined.
      await sleep(2);
      side.#callers.set(caller, await side.service.keyFor(...scopes));
    }
    return side;
  }

  async send({
    method,
    url,
    as = 'admin',
    body,
    headers = {},
    untilEnded,
    timingDependent,
  }: Request): Promise<Answer> {
    const options = {
      token: this.#callers.has(as) ? this.#callers.get(as)! : this.#substitute(as),
      body: this.#substituteBody(body),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#substitute(value)]),
      ),
    };
    const path = this.#substitute(url);
    const call = () => this.service.call(method, path, options);
    const answer = untilEnded
      ? await until(`the end of ${path}`, async () => {
          const answer = await call();
          return hasEnded(answer) && answer;
        })
      : await call();
    if (timingDependent && answer.body?.id) this.#timingDependent.add(answer.body.id);
    return answer;
  }

  /** Numbers the ids, and redacts timestamps and secrets. */
  normalize({ status, headers, text }: Answer): ComparableResponse {
    const { 'x-request-id': _, date, 'content-length': length, ...kept } = headers;
    const shown = Object.entries(kept).map(([name, value]) => `${name}: ${this.#redact(String(value))}`);
    const type = String(headers['content-type'] ?? '').split(';')[0];
    return { status, headers: shown, text: this.#normalizeBody(type, text), hasLength: length !== undefined };
  }

  #normalizeBody(type: string | undefined, text: string): string {
    if (type === 'text/event-stream') return this.#redact(this.#dropTimingDependent(text));
    // Metrics differ between processes, and lines of options are drawn in their shuffled order.
    if (type === 'text/plain') return '';
    if (text.includes('Share of each option')) return '';
    if (text.includes('"options":[')) return this.#redact(JSON.stringify(JSON.parse(text, sortOptions)));
    if (/^\{"data":.*\},"seed":"[^"]*"\}$/s.test(text)) return this.#normalizeRandom(text);
    return this.#redact(text);
  }

  /** The random order depends on the key of the bank: items are compared in another one. */
  #normalizeRandom(text: string): string {
    const { data, ...others } = JSON.parse(text);
    const items: string[] = data.map((item: Json) => this.#redact(JSON.stringify(item)));
    return `${items.sort().join('\n')} ${this.#redact(JSON.stringify(others))}`;
  }

  #redact(text: string): string {
    let shown = text;
    for (const [pattern, replacement] of REDACTIONS) shown = shown.replace(pattern, replacement);
    shown = shown.replace(TIMESTAMP, (timestamp) => (isGenerated(timestamp) ? 'T' : timestamp));
    return shown.replace(
      UUID,
      (id) => `id-${this.#idNumbers.getOrInsertComputed(id, () => this.#idNumbers.size)}`,
    );
  }

  /** Removes events that depend on the speed of a run. */
  #dropTimingDependent(text: string): string {
    return text
      .split('\n\n')
      .filter((event) => !/^event: analysis\.progress$/m.test(event))
      .filter((event) => !event.match(UUID)?.some((id) => this.#timingDependent.has(id)))
      .join('\n\n');
  }

  #add(kind: string, text: unknown): void {
    if (typeof text === 'string') this.#seen.getOrInsertComputed(kind, () => new Set()).add(text);
  }

  #setLatest(name: string, text: string | null | undefined): void {
    if (text) this.#latest.set(name, text);
  }

  /** Remembers ids, tokens and ETags of a response for later requests. */
  record({ body, headers, text }: Answer): void {
    for (const record of Array.isArray(body?.data) ? body.data : [body ?? {}]) this.#recordObject(record);
    for (const name of TOKEN_FIELDS) this.#add(name.split('_')[0]!, body?.[name]);
    this.#setLatest('etag', headers.etag);
    this.#setLatest('cursor', body?.pagination?.next_cursor);
    if (headers['content-type']?.startsWith('text/event-stream')) this.#recordEvents(text);
  }

  /** The start of a stream is comparable only while there are no events. */
  #recordEvents(text: string): void {
    const first = !this.#seen.has('event');
    for (const [, id, kind] of this.#dropTimingDependent(text).matchAll(/^id: (.+)\nevent: (\w+)/gm))
      if (first || kind !== 'stream') this.#add('event', id);
  }

  #recordObject(record: Json): void {
    const [kind] = FIELD_BY_KIND.find(([, field]) => record?.[field] !== undefined) ?? [];
    if (!kind) return;
    // The client admin and the initial keys must not be changed by random requests.
    if (record.id !== 'admin' && (kind !== 'key' || 'token' in record)) this.#add(kind, record.id);
    if (kind === 'question' && record.updated_at) this.#times.set(record.id, record.updated_at);
    if (typeof record.secret === 'string') this.#secrets.set(record.id, record.secret);
  }

  #substitute(text: string): string {
    return text.replace(/\{([a-z]+)(?::(-?\d+|admin))?\}/g, (placeholder, kind: string, n?: string) =>
      n === undefined ? (this.#latest.get(kind) ?? placeholder) : this.#resolve(kind, n),
    );
  }

  #substituteBody(body: unknown): unknown {
    if (typeof body === 'string') return this.#substitute(body);
    if (body === undefined || Buffer.isBuffer(body)) return body;
    return JSON.parse(this.#substitute(JSON.stringify(body)));
  }

  /** An index out of range is clamped. */
  #resolve(kind: string, n: string): string {
    if (kind === 'time') return this.#times.get(this.#resolve('question', n)) ?? 'none';
    if (kind === 'secret') return this.#secrets.get(this.#resolve('client', n)) ?? 'none';
    if (kind === 'basic') return encodeBase64(`${this.#resolve('client', n)}:${this.#resolve('secret', n)}`);
    if (n === 'admin') return n;
    const all = [...(this.#seen.get(kind) ?? [])];
    const index = Math.max(-all.length, Math.min(Number(n), all.length - 1));
    return all.at(index) ?? 'none';
  }
}
