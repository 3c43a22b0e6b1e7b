/**
 * A history: concurrent clients create, change, delete, restore, read, list and answer a few
 * questions that all have one tag.
 */
import type { Random } from '../../test/support/random.ts';
import type { Json } from '../../test/support/requests.ts';
import {
  type Interval,
  type Listing,
  Observations,
  omitCategory,
  type Repeatable,
  type Seen,
  Unavailable,
  type Write,
} from './observations.ts';
import type { Answer, CallOptions, Client, Session } from './session.ts';

type Operation = (client: Client) => Promise<void>;

export class History {
  readonly tag: string;
  readonly session: Session;
  readonly observations = new Observations();
  readonly repeatables: Repeatable[] = [];
  /** The content of each version of each question, read when all clients are done; null: deleted. */
  readonly versions = new Map<string, (Json | null | undefined)[]>();
  requests = 0;
  readonly #ids: string[] = [];
  readonly #seen = new Map<string, Seen>();
  #serial = 0;

  constructor(tag: string, session: Session) {
    this.tag = tag;
    this.session = session;
  }

  readonly #operations: [weight: number, Operation][] = [
    [8, (client) => this.#create(client)],
    [26, (client) => this.#update(client)],
    [6, (client) => this.#delete(client)],
    [7, (client) => this.#restore(client)],
    [14, (client) => this.#get(client)],
    [5, (client) => this.#getAsReader(client)],
    [10, (client) => this.#list(client)],
    [6, (client) => this.#walk(client)],
    [6, (client) => this.#check(client)],
    [8, (client) => this.#respond(client)],
    [4, (client) => this.#rename(client)],
  ];
  readonly #weighted = this.#operations.flatMap(([weight, operation]) =>
    Array.from({ length: weight }, () => operation),
  );

  /** Runs the clients, each with a number of operations. */
  async run(operations: number): Promise<void> {
    const { clients, category } = this.session;
    category.begin();
    await this.#create(clients[0]!);
    await this.#create(clients[1]!);
    const done = await Promise.allSettled(
      clients.map(async (client) => {
        for (let i = 0; i < operations; i++) await client.random.pick(this.#weighted)(client);
      }),
    );
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  async call(client: Client, method: string, path: string, options?: CallOptions): Promise<Answer> {
    this.requests++;
    const answer = await client.call(method, path, options);
    if (answer.status === 503) throw new Unavailable(answer.body?.detail);
    return answer;
  }

  content(id: string, version: number): Json | null | undefined {
    return this.versions.get(id)?.[version];
  }

  #newName(label: string): string {
    return `${label}x${this.tag}x${this.#serial++}`;
  }

  /** Sends a write once, or twice at the same time or one after the other with the same key. */
  async #writeWithKey(client: Client, path: string, body: unknown): Promise<Answer> {
    if (client.random.maybe(0.5)) return this.call(client, 'POST', path, { body });
    const options = { body, headers: { 'idempotency-key': this.#newName('key') } };
    const other = client.random.pick(this.session.clients);
    const answers = client.random.maybe(0.4)
      ? await Promise.all([client, other].map((each) => this.call(each, 'POST', path, options)))
      : [await this.call(client, 'POST', path, options)];
    const decided = answers.filter(({ body }) => body?.code !== 'idempotency_in_flight');
    const succeeded = decided.filter(({ status }) => status < 300);
    const first = succeeded[0] ?? decided[0];
    if (!first) throw new Error(`${path}: two requests with one key were both in flight`);
    if (succeeded.some(({ text, status }) => text !== first.text || status !== first.status))
      this.#violate(`two requests with one key were answered differently: ${succeeded.map(describe)}`);
    // The write took effect between the start of the first and the end of the last.
    const answer = {
      ...first,
      start: Math.min(...answers.map(({ start }) => start)),
      end: Math.max(...answers.map(({ end }) => end)),
    };
    if (answer.status < 300) this.repeatables.push({ path, options, answer });
    return answer;
  }

  async #create(client: Client): Promise<void> {
    const { random } = client;
    const name = this.session.category.name;
    const change = {
      question_text: `Which ${this.#newName('word')} is it?`,
      correct_answer: this.#newName('answer'),
      incorrect_answers: random.maybe(0.5) ? ['wrong', 'false'] : [],
      difficulty: random.below(3),
      source: this.#newName('source'),
      tags: [this.tag],
    };
    const answer = await this.#writeWithKey(client, '/questions', { ...change, category: name });
    if (answer.status === 422 && answer.text.includes('unknown_category')) {
      this.#sawOtherName(answer, name);
      return;
    }
    if (!this.#expect(answer, 'a creation', 201)) return;
    const { id } = answer.body;
    this.#wrote(answer, { action: 'created', change });
    this.#ids.push(id);
  }

  #sawOtherName({ start, end }: Interval, name: string): void {
    const { category } = this.session;
    const accepts = (version: number) => category.versionOf(name) !== version;
    category.accesses.push({ start, end, writes: false, accepts, label: `a refusal of category ${name}` });
  }

  /** Records an acknowledged write whose response is the question. */
  #wrote(answer: Answer, write: Pick<Write, 'action' | 'change' | 'from' | 'matched'>): void {
    const { body, text, headers, start, end } = answer;
    const label = `${write.action} by ${write.change?.source ?? `restoring ${write.from}`}`;
    this.observations.log(body.id).writes.push({
      ...{ start, end, writes: true, version: body.revision, label, content: omitCategory(text) },
      ...write,
    });
    this.observations.categories.push({ name: body.category, start, end });
    this.observations.checkEtag(body.id, 'with_answers', answer);
    this.#seen.set(body.id, { etag: headers.etag!, revision: body.revision, name: body.category });
  }

  async #update(client: Client): Promise<void> {
    const { random } = client;
    const id = random.pick(this.#ids);
    const change: Json = { source: this.#newName('source') };
    if (random.maybe(0.3)) change.difficulty = random.below(3);
    if (random.maybe(0.3)) change.correct_answer = this.#newName('answer');
    if (random.maybe(0.3)) change.question_text = `Which ${this.#newName('word')} is it?`;
    const [headers, seen] = this.#pickIfMatch(id, random);
    const answer = await this.call(client, 'PUT', `/questions/${id}`, { body: change, headers });
    if (answer.status === 200) this.#wrote(answer, { action: 'updated', change, matched: seen?.revision });
    else this.#refused(id, answer, seen, 'an update');
  }

  async #delete(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const [headers, seen] = this.#pickIfMatch(id, client.random);
    const answer = await this.call(client, 'DELETE', `/questions/${id}`, { headers });
    if (answer.status !== 204) {
      this.#refused(id, answer, seen, 'a deletion');
      return;
    }
    const { start, end } = answer;
    const label = 'a deletion';
    this.observations.log(id).writes.push({
      start,
      end,
      writes: true,
      label,
      action: 'deleted',
      change: {},
      matched: seen?.revision,
    });
  }

  #pickIfMatch(id: string, random: Random): [headers: Record<string, string>, seen: Seen | undefined] {
    const seen = random.maybe(0.6) ? this.#seen.get(id) : undefined;
    return [seen ? { 'if-match': seen.etag } : {}, seen];
  }

  #refused(id: string, answer: Answer, seen: Seen | undefined, label: string): void {
    if (!this.#expect(answer, label, seen ? 412 : 404, 404)) return;
    if (answer.status === 404) this.#sawDeleted(id, answer, label);
    else {
      const { start, end } = answer;
      const { revision, name } = seen!;
      this.observations.log(id).refused.push({ start, end, revision, name, label: `412 to ${label}` });
    }
  }

  #sawDeleted(id: string, answer: Interval, label: string): void {
    const accepts = (version: number) => this.content(id, version) === null;
    this.observations.readSome(id, answer, accepts, `404 to ${label}`);
  }

  async #restore(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const revision = 1 + client.random.below(Math.max(1, (this.#seen.get(id)?.revision ?? 1) - 1));
    const answer = await this.#writeWithKey(client, `/questions/${id}/restore`, { revision });
    if (answer.status === 200) {
      this.#wrote(answer, { action: 'restored', change: {}, from: revision });
      return;
    }
    if (!this.#expect(answer, 'a restoration', 404, 409)) return;
    // 409: the revision is the current one. 404: the revision is a deletion, hence no content.
    const accepts = (version: number) =>
      answer.status === 409 ? version === revision : this.content(id, revision) === null;
    this.observations.readSome(id, answer, accepts, `${answer.status} to restoring revision ${revision}`);
  }

  async #get(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const seen = client.random.maybe(0.3) ? this.#seen.get(id) : undefined;
    const headers: Record<string, string> = seen ? { 'if-none-match': seen.etag } : {};
    const answer = await this.call(client, 'GET', `/questions/${id}`, { headers });
    if (answer.status === 304 && seen) {
      this.observations.read(id, answer, seen.revision, `304 for ${seen.etag}`);
      this.observations.categories.push({ name: seen.name, start: answer.start, end: answer.end });
    } else if (answer.status === 404) {
      this.#sawDeleted(id, answer, 'a read');
    } else if (this.#expect(answer, 'a read', 200)) {
      const { body, text } = answer;
      this.observations.checkEtag(id, 'with_answers', answer);
      this.observations.saw(body, text, answer, 'a read');
      this.observations.read(id, answer, body.revision, 'a read');
      this.#seen.set(id, { etag: answer.headers.etag!, revision: body.revision, name: body.category });
    }
  }

  async #getAsReader(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const answer = await this.call(client, 'GET', `/questions/${id}`, { as: 'reader' });
    if (answer.status === 404) {
      this.#sawDeleted(id, answer, 'a read without answers');
      return;
    }
    if (!this.#expect(answer, 'a read without answers', 200)) return;
    this.observations.checkEtag(id, 'without_answers', answer);
    const { source, difficulty, question_text, correct_answer } = answer.body;
    if (correct_answer !== undefined) this.#violate(`question ${id} was returned with its answer`);
    const accepts = (version: number) => {
      const content = this.content(id, version);
      return (
        content?.source === source &&
        content.difficulty === difficulty &&
        content.question_text === question_text
      );
    };
    this.observations.readSome(id, answer, accepts, 'a read without answers');
  }

  async #list(client: Client): Promise<void> {
    const { random } = client;
    const sort = random.pick(['created_at', '-created_at', 'updated_at', '-updated_at']);
    const { query, matches } = this.#pickFilter(random);
    const url = `/questions?tag=${this.tag}&limit=100&sort=${sort}${query}`;
    const answer = await this.call(client, 'GET', url);
    if (!this.#expect(answer, url, 200)) return;
    const { data, pagination } = answer.body;
    this.#listed({ ...answer, url, matches, found: data, pages: 1, total: pagination.total });
    const key = sort.replace('-', '');
    const times = data.map((question: Json) => question[key]);
    const sorted = times.toSorted();
    if (sort.startsWith('-')) sorted.reverse();
    if (times.join() !== sorted.join()) this.#violate(`${url} is not sorted: ${times}`);
  }

  #pickFilter(random: Random): { query: string; matches(question: Json): boolean } {
    const difficulty = random.below(3);
    const seen = [...this.observations.questions.values()].flatMap(({ seen }) => seen);
    const word = seen.length === 0 ? undefined : /wordx\w+/.exec(random.pick(seen).content)?.[0];
    return random.pick<{ query: string; matches(question: Json): boolean }>([
      { query: '', matches: () => true },
      { query: `&difficulty=${difficulty}`, matches: (question) => question.difficulty === difficulty },
      word
        ? { query: `&q=${word}`, matches: (question) => question.question_text.includes(` ${word} `) }
        : { query: '&q=which', matches: () => true },
    ]);
  }

  #listed(listing: Listing): void {
    this.observations.listings.push(listing);
    for (const question of listing.found)
      this.observations.saw(question, JSON.stringify(question), listing, listing.url);
  }

  /** Reads all pages by cursor. */
  async #walk(client: Client): Promise<void> {
    const { query, matches } = this.#pickFilter(client.random);
    const sort = client.random.pick(['created_at', '-created_at']);
    const url = `/questions?tag=${this.tag}&limit=${1 + client.random.below(2)}&sort=${sort}${query}`;
    const listing: Listing = { url, matches, found: [], pages: 0, total: 0, start: 0, end: 0 };
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await this.call(client, 'GET', cursor ? `${url}&cursor=${cursor}` : url);
      if (!this.#expect(answer, url, 200)) return;
      listing.found.push(...answer.body.data);
      for (const question of answer.body.data)
        this.observations.read(question.id, answer, question.revision, `a page of ${url}`);
      listing.start ||= answer.start;
      listing.end = answer.end;
      listing.total = answer.body.pagination.total;
      listing.pages++;
      cursor = answer.body.pagination.next_cursor;
    }
    this.#listed(listing);
  }

  async #check(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const { seen } = this.observations.log(id);
    const given = /"correct_answer":"(\w+)"/.exec(seen.at(-1)?.content ?? '')?.[1] ?? 'nothing';
    const answer = await this.call(client, 'POST', `/questions/${id}/check`, { body: { answer: given } });
    if (answer.status === 404) {
      this.#sawDeleted(id, answer, 'a check');
      return;
    }
    if (!this.#expect(answer, 'a check', 200)) return;
    const accepts = (version: number) => {
      const content = this.content(id, version);
      return !!content && (content.correct_answer === given) === answer.body.correct;
    };
    this.observations.readSome(id, answer, accepts, `the check of ${given}: ${answer.body.correct}`);
  }

  async #respond(client: Client): Promise<void> {
    const id = client.random.pick(this.#ids);
    const respondent = this.#newName('respondent');
    const body = { question_id: id, respondent, session: this.tag, answer: 'wrong' };
    const answer = await this.#writeWithKey(client, '/responses', body);
    if (answer.status === 422) this.#sawDeleted(id, answer, 'a response');
    else if (this.#expect(answer, 'a response', 201)) this.observations.responses.set(respondent, id);
  }

  async #rename(client: Client): Promise<void> {
    const { category } = this.session;
    const body = { name: this.#newName('Category') };
    const answer = await this.call(client, 'PUT', `/categories/${category.id}`, { body });
    if (this.#expect(answer, 'a renaming', 200)) category.renamed(answer);
  }

  #expect(answer: Answer, label: string, ...statuses: number[]): boolean {
    if (statuses.includes(answer.status)) return true;
    this.#violate(`${label} was answered with ${describe(answer)}, not ${statuses.join(' or ')}`);
    return false;
  }

  #violate(text: string): void {
    this.observations.violations.push(text);
  }
}

const describe = ({ status, text }: Answer) => `${status} ${text.slice(0, 300)}`;
