/** One of the two services that are compared: the ids it has returned, and the comparable form of its responses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../../src/access/sessions.ts';
import { generateToken } from '../../../src/access/token-text.ts';
import type { Scope } from '../../../src/schemas/scopes.ts';
import { type Answer, type EngineName, openService, type Service } from '../../support/engines.ts';
import type { Random } from '../../support/random.ts';

/**
 * In its texts `{question:3}` stands for the fourth question that a side has returned, `{question:-1}` for the
 * last, `{etag}` and `{cursor}` for the latest.
 */
export interface Request {
  method: string;
  url: string;
  /** Whose token: one of CALLERS, or a token by its place, such as `{access:-1}`. The admin's, if left out. */
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Asked again until the run it is about has ended. */
  untilEnded?: true;
  /** What hangs on how far a run has come is not compared, nor are the events of that run. */
  timingDependent?: true;
}

/** Makers of requests, each with how often it is used. Several requests belong together and are sent as they are. */
export type WeightedGenerators = [weight: number, make: (random: Random) => Request | Request[]][];

/** What is compared. */
export interface ComparableResponse {
  status: number;
  headers: string[];
  text: string;
  hasLength: boolean;
}

const SCOPES_BY_CALLER: Record<string, Scope[]> = {
  reader: ['questions:read', 'analysis:read'],
  player: ['questions:read', 'answers:check'],
  author: ['questions:read', 'questions:write', 'answers:read'],
  writer: ['questions:write'],
  recorder: ['responses:write', 'analysis:read'],
  runner: ['questions:read', 'analysis:read', 'analysis:run'],
  manager: ['clients:manage'],
};
export const CALLERS = [...Object.keys(SCOPES_BY_CALLER), 'nobody', 'stranger', 'garbled'];

// biome-ignore lint/suspicious/noExplicitAny: whatever an answer holds
type Json = any;

/** What a record is, by a field that no other kind has. */
const FIELD_BY_KIND: [kind: string, field: string][] = [
  ['question', 'question_text'],
  ['category', 'fixed'],
  ['analysis', 'analysis_type'],
  ['client', 'role'],
  ['key', 'expires_at'],
];
const TOKEN_FIELDS = ['token', 'access_token', 'refresh_token'] as const;

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
/** Keys are good for a year. What is farther away was given by a request, and has to come back as it was. */
const isGenerated = (moment: string) => Math.abs(Date.parse(moment) - Date.now()) < 400 * DAY_MS;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const REDACTIONS: [RegExp, string][] = [
  [/"(request_id|next_cursor|sha256)":"[^"]+"/g, '"$1":"…"'],
  [/"(iat|exp|expires_in)":\d+/g, '"$1":0'],
  [/(qs[arks])_[0-9A-Za-z]{36}/g, '$1_…'],
  // The shuffled order depends on the id, and so does an option's place.
  [/"choices":\[[^\]]*\]/g, '"choices":[]'],
  [/"choices\/\d+"/g, '"choices/n"'],
  // ETags: of what is seen, times included; and of a run, which counts how often its progress was written down.
  [/^"[\w-]{22}"$|(?<=ETag is )\\"[\w-]{22}\\"/g, 'etag'],
  [/\d+\.(?=with_answers|without_answers)/g, ''],
  [/^id: .+$/gm, 'id'],
];

/** Options of questions, one after the other by their texts. */
const sortOptions = (name: string, value: Json) =>
  name === 'options' && Array.isArray(value)
    ? value.toSorted((a, b) => String(a.text).localeCompare(b.text))
    : value;
const encodeBase64 = (text: string) => Buffer.from(text).toString('base64');
const hasEnded = ({ body }: Answer) => !['queued', 'running'].includes(body?.status);

export class Side {
  readonly service: Service;
  /** What it has logged of faults. */
  readonly log: readonly string[];
  readonly #callers = new Map<string, string | null>();
  readonly #seen = new Map<string, Set<string>>();
  /** The latest of which only the latest matters. */
  readonly #latest = new Map<string, string>();
  readonly #secrets = new Map<string, string>();
  readonly #times = new Map<string, string>();
  readonly #idNumbers = new Map<string, number>();
  readonly #timingDependent = new Set<string>();

  private constructor(service: Service, log: string[]) {
    this.service = service;
    this.log = log;
    this.#callers.set('admin', service.admin.key);
    this.#callers.set('nobody', null);
    this.#callers.set('stranger', generateToken('key'));
    this.#callers.set('garbled', 'qsk_nonsense');
    this.#secrets.set('admin', service.admin.secret);
  }

  static async open(name: EngineName): Promise<Side> {
    const log: string[] = [];
    const stream = { write: (line: string) => log.push(line) };
    const side = new Side(await openService(name, { log: { level: 'error', stream } }), log);
    for (const [caller, scopes] of Object.entries(SCOPES_BY_CALLER)) {
      // Keys of one millisecond are listed in any order.
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
    const given = {
      token: this.#callers.has(as) ? this.#callers.get(as)! : this.#substitute(as),
      body: this.#substituteBody(body),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#substitute(value)]),
      ),
    };
    const path = this.#substitute(url);
    let answer = await this.service.call(method, path, given);
    while (untilEnded && !hasEnded(answer)) {
      await sleep(50);
      answer = await this.service.call(method, path, given);
    }
    if (timingDependent && answer.body?.id) this.#timingDependent.add(answer.body.id);
    return answer;
  }

  /** The answer with ids numbered, and times and secrets hidden. */
  normalize({ status, headers, text }: Answer): ComparableResponse {
    const { 'x-request-id': _, date, 'content-length': length, ...kept } = headers;
    const shown = Object.entries(kept).map(([name, value]) => `${name}: ${this.#redact(String(value))}`);
    const type = String(headers['content-type'] ?? '').split(';')[0];
    return { status, headers: shown, text: this.#normalizeBody(type, text), hasLength: length !== undefined };
  }

  #normalizeBody(type: string | undefined, text: string): string {
    if (type === 'text/event-stream') return this.#redact(this.#dropTimingDependent(text));
    // Figures of a process are its own, and the lines of options are drawn in their shuffled order.
    if (type === 'text/plain') return '';
    if (type === 'image/svg+xml' && text.includes('Share of each option')) return '';
    if (text.includes('"options":[')) return this.#redact(JSON.stringify(JSON.parse(text, sortOptions)));
    return this.#redact(text);
  }

  #redact(text: string): string {
    let shown = text;
    for (const [what, instead] of REDACTIONS) shown = shown.replace(what, instead);
    shown = shown.replace(TIMESTAMP, (moment) => (isGenerated(moment) ? 'T' : moment));
    return shown.replace(
      UUID,
      (id) => `id-${this.#idNumbers.getOrInsertComputed(id, () => this.#idNumbers.size)}`,
    );
  }

  /** Events without those that hang on how fast a run was. */
  #dropTimingDependent(text: string): string {
    return text
      .split('\n\n')
      .filter((each) => !/^event: analysis\.progress$/m.test(each))
      .filter((each) => !each.match(UUID)?.some((id) => this.#timingDependent.has(id)))
      .join('\n\n');
  }

  #add(kind: string, text: unknown): void {
    if (typeof text === 'string') this.#seen.getOrInsertComputed(kind, () => new Set()).add(text);
  }

  #setLatest(what: string, text: string | null | undefined): void {
    if (text) this.#latest.set(what, text);
  }

  /** Remembers ids, tokens and ETags of a response for later requests. */
  record({ body, headers, text }: Answer): void {
    for (const record of Array.isArray(body?.data) ? body.data : [body ?? {}]) this.#recordObject(record);
    for (const name of TOKEN_FIELDS) this.#add(name.split('_')[0]!, body?.[name]);
    this.#setLatest('etag', headers.etag);
    this.#setLatest('cursor', body?.pagination?.next_cursor);
    if (headers['content-type']?.startsWith('text/event-stream')) this.#recordEvents(text);
  }

  /** Where a stream began is known to be the same place on both sides only before anything has happened. */
  #recordEvents(text: string): void {
    const first = !this.#seen.has('event');
    for (const [, id, kind] of this.#dropTimingDependent(text).matchAll(/^id: (.+)\nevent: (\w+)/gm))
      if (first || kind !== 'stream') this.#add('event', id);
  }

  #recordObject(record: Json): void {
    const [kind] = FIELD_BY_KIND.find(([, field]) => record?.[field] !== undefined) ?? [];
    if (!kind) return;
    // The first client and the keys that were there are left alone: all depends on them.
    if (record.id !== 'admin' && (kind !== 'key' || 'token' in record)) this.#add(kind, record.id);
    if (kind === 'question' && record.updated_at) this.#times.set(record.id, record.updated_at);
    if (typeof record.secret === 'string') this.#secrets.set(record.id, record.secret);
  }

  #substitute(text: string): string {
    return text.replace(/\{([a-z]+)(?::(-?\d+|admin))?\}/g, (whole, kind: string, n?: string) =>
      n === undefined ? (this.#latest.get(kind) ?? whole) : this.#resolve(kind, n),
    );
  }

  #substituteBody(body: unknown): unknown {
    if (typeof body === 'string') return this.#substitute(body);
    if (body === undefined || Buffer.isBuffer(body)) return body;
    return JSON.parse(this.#substitute(JSON.stringify(body)));
  }

  /** Where there are not so many, the last one of them, or the first. */
  #resolve(kind: string, n: string): string {
    if (kind === 'time') return this.#times.get(this.#resolve('question', n)) ?? 'none';
    if (kind === 'secret') return this.#secrets.get(this.#resolve('client', n)) ?? 'none';
    if (kind === 'basic') return encodeBase64(`${this.#resolve('client', n)}:${this.#resolve('secret', n)}`);
    if (n === 'admin') return n;
    const all = [...(this.#seen.get(kind) ?? [])];
    const place = Math.max(-all.length, Math.min(Number(n), all.length - 1));
    return all.at(place) ?? 'none';
  }
}
