/** What the clients of one history have seen, by question. */
import type { Json } from '../../test/support/requests.ts';
import type { Access } from './register.ts';
import type { Answer, CallOptions } from './session.ts';

/** A write that was acknowledged, with what it must have done. */
export interface Write extends Access {
  writes: true;
  action: 'created' | 'updated' | 'deleted' | 'restored';
  /** The fields that the request gave. */
  change: Json;
  /** The restored revision. */
  from?: number;
  /** The revision of the ETag in If-Match. */
  matched?: number | undefined;
  /** The response, without the category's name. */
  content?: string;
}

/** The bounds of a request that two versions of the bank may have answered. */
export interface Interval {
  start: number;
  end: number;
}

/** A list or a walk through all pages of one. */
export interface Listing extends Interval {
  url: string;
  matches(question: Json): boolean;
  /** Questions in the order of the pages. */
  found: Json[];
  pages: number;
  total: number;
}

/** What a client has last seen of a question. */
export interface Seen {
  etag: string;
  revision: number;
  name: string;
}

/** A request with an Idempotency-Key that was answered, to be repeated. */
export interface Repeatable {
  path: string;
  options: CallOptions;
  answer: Answer;
}

/** Answered with 503: whether a write was applied is unknown, so that the history proves nothing. */
export class Unavailable extends Error {}

/** A text without the category's name, which changes without a revision. */
export const omitCategory = (text: string) => text.replace(/"category":"[^"]*",/, '');

export class QuestionLog {
  readonly id: string;
  readonly writes: Write[] = [];
  readonly reads: Access[] = [];
  /** Contents by revision, as each read returned them. */
  readonly seen: { revision: number; content: string; label: string }[] = [];
  /** Refused because of If-Match. */
  readonly refused: (Interval & { revision: number; name: string; label: string })[] = [];

  constructor(id: string) {
    this.id = id;
  }
}

export class Observations {
  readonly questions = new Map<string, QuestionLog>();
  readonly listings: Listing[] = [];
  readonly categories: (Interval & { name: string })[] = [];
  readonly violations: string[] = [];
  /** Acknowledged responses: the question by respondent. */
  readonly responses = new Map<string, string>();
  readonly #bodies = new Map<string, string>();
  readonly #etags = new Map<string, string>();

  log(id: string): QuestionLog {
    return this.questions.getOrInsertComputed(id, () => new QuestionLog(id));
  }

  /** Records a question with answers as it was returned. */
  saw(question: Json, text: string, { start, end }: Interval, label: string): void {
    const { id, revision, category } = question;
    const log = this.log(id);
    log.seen.push({ revision, content: omitCategory(text), label });
    this.categories.push({ name: category, start, end });
  }

  read(id: string, { start, end }: Interval, version: number, label: string): void {
    this.log(id).reads.push({ start, end, writes: false, version, label });
  }

  /** Records an answer that names no version. */
  readSome(id: string, { start, end }: Interval, accepts: (version: number) => boolean, label: string): void {
    this.log(id).reads.push({ start, end, writes: false, accepts, label });
  }

  /** Equal ETags have equal bodies, and equal bodies equal ETags. */
  checkEtag(id: string, view: string, { headers, text }: Answer): void {
    const { etag } = headers;
    if (etag === undefined) {
      this.violations.push(`question ${id} was returned without an ETag`);
      return;
    }
    const keys = { etag: `${id} ${view} ${etag}`, body: `${id} ${view} ${text}` };
    const [body, other] = [this.#bodies.get(keys.etag), this.#etags.get(keys.body)];
    if (body !== undefined && body !== text)
      this.violations.push(`the ETag ${etag} of question ${id} has two bodies: ${body} and ${text}`);
    if (other !== undefined && other !== etag)
      this.violations.push(`one body of question ${id} has the ETags ${other} and ${etag}: ${text}`);
    this.#bodies.set(keys.etag, text);
    this.#etags.set(keys.body, etag);
  }
}
