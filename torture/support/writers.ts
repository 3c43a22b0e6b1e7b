/**
 * Writers of every kind of write. Each owns what it creates, sends one request at a time, and
 * records in the model what it sends and what is acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { Json } from '../../test/support/requests.ts';
import { ABSENT, type Entity, type Model } from './model.ts';
import type { Reply, Service } from './service.ts';

const CATEGORIES = ['Astronomy', 'Mathematics', 'Literature'];
const TOPICS = ['alpha', 'beta', null];
const BATCH_QUESTIONS = 12;
const BATCH_RESPONSES = 8;
/** Runs of analyses cost more CPU than all other requests. */
const MAX_RUNS = 8;
/** A lost response to a refresh is repeated for 10 s; on a busy machine this leaves a margin. */
const REFRESH_REPEAT_MS = 6000;
/** Of the service's log, in the report of a response with 500. */
const MAX_LOG_CHARS = 2000;
/** Writers that change several questions at once: a client may have five such changes. */
const BULK_WRITERS = 4;
const BULK_SHARE = 0.1;
const CHANGE_POLL_MS = 20;
const MAX_CHANGE_MS = 60_000;
const MAX_REPEATS = 200;
const REPEAT_INTERVAL_MS = 50;

/** A request whose response was lost, to be sent again under its Idempotency-Key. */
interface Unanswered {
  path: string;
  body: unknown;
  key: string;
  entities: Entity[];
  /** The question that it names, which must not be deleted until then. */
  question?: Entity;
}

/** The state of a question in the model, by what lists and searches find it. */
export const formatQuestion = ({
  revision,
  question_text,
  difficulty,
  category,
  topic_focus,
}: Json): string => `r${revision} ${category}/${difficulty}/${topic_focus ?? ''}: ${question_text}`;

/** Every text starts with two words that name the question. */
export const readQuestionName = (text: string): string => text.split(' ', 2).join(' ');

export interface Writers {
  model: Model;
  random: Random;
  /** The service at the moment. */
  service: Service;
  /** The time of an acknowledgement, in the units of the model. */
  now(reply: Reply): number;
  violations: string[];
  acknowledged: number;
  /** Some writers make bulk changes. Then what is stored is to be read after `waitForChanges`. */
  bulk?: boolean;
}

/** Waits until no bulk change is queued or running; not for long, nor if the service is gone. */
export async function waitForChanges(service: Service): Promise<void> {
  for (const end = performance.now() + MAX_CHANGE_MS; performance.now() < end; ) {
    const replies = [];
    for (const status of ['queued', 'running'])
      replies.push(await service.call('GET', `/changes?status=${status}&limit=1`));
    if (replies.some((reply) => reply === undefined)) return;
    if (replies.every((reply) => reply?.body?.pagination?.total === 0)) return;
    await sleep(CHANGE_POLL_MS);
  }
}

export class Writer {
  readonly #shared: Writers;
  readonly #index: number;
  readonly #questions: Entity[] = [];
  #categories: Entity[] = [];
  #unanswered: Unanswered[] = [];
  #refreshToken: { token: string; sentAt: number; lost: boolean } | undefined;
  #serial = 0;
  #runs = 0;

  constructor(shared: Writers, index: number) {
    this.#shared = shared;
    this.#index = index;
  }

  /** Those that may be changed. `settle` removes entities from the model. */
  #live(entities: Entity[]): Entity[] {
    const inUse = new Set(this.#unanswered.map(({ question }) => question));
    return entities.filter((entity) => {
      const { name, uncertain, id } = entity;
      return id !== undefined && !uncertain && !inUse.has(entity) && this.#shared.model.entities.has(name);
    });
  }

  /** Repeats the requests whose response was lost; each must be answered as if it were the first. */
  async repeat(): Promise<void> {
    for (let i = 0; this.#unanswered.length > 0; i++) {
      const repeated = this.#unanswered;
      this.#unanswered = [];
      for (const request of repeated) await this.#sendKeyed(request);
      if (this.#unanswered.length > 0 && i >= MAX_REPEATS) {
        const paths = this.#unanswered.map(({ path }) => path);
        this.#shared.violations.push(`not answered after ${i} repetitions: ${paths}`);
        return;
      }
      if (this.#unanswered.length > 0) await sleep(REPEAT_INTERVAL_MS);
    }
    if (this.#refreshToken?.lost) await this.#refresh();
  }

  /** Sends one request of a random kind. */
  async step(): Promise<void> {
    const { random } = this.#shared;
    const live = this.#live(this.#questions).slice(-20);
    const { bulk = false } = this.#shared;
    if (bulk && this.#index < BULK_WRITERS && random.maybe(BULK_SHARE)) {
      const stored = live.filter(({ latest }) => latest !== ABSENT);
      if (stored.length > 0) return this.#changeMany(stored);
    }
    const kind = random.below(100);
    if (kind < 30 || live.length === 0) return this.#create(1, random.maybe(0.6));
    if (kind < 42) return this.#create(BATCH_QUESTIONS, random.maybe(0.6));
    const stored = live.filter(({ latest }) => latest !== ABSENT);
    const deleted = live.filter(({ latest }) => latest === ABSENT);
    if (kind < 60 && stored.length > 0) return this.#update(random.pick(stored));
    if (kind < 70 && stored.length > 0) return this.#delete(random.pick(stored));
    if (kind < 76 && deleted.length > 0) return this.#restore(random.pick(deleted));
    if (kind < 90 && stored.length > 0) return this.#record(random.pick(stored), random.maybe(0.5));
    if (kind < 94) return this.#createCategory();
    const categories = this.#live(this.#categories);
    if (kind < 96 && categories.length > 0) return this.#renameCategory(random.pick(categories));
    if (kind < 97 && this.#index === 0) return this.#analyse();
    if (kind < 99 && this.#index < 4) return this.#refresh();
    return this.#create(1, true);
  }

  /** Reads lists in the ways that use different connections of the service. */
  async read(): Promise<void> {
    const { random } = this.#shared;
    const word = `b${this.#index}x${random.below(this.#serial + 1)}`;
    const paths = [
      `/questions?limit=5`,
      `/questions?tag=${word}`,
      `/questions?q=${word}`,
      '/responses?limit=5',
    ];
    await this.#get(random.pick([...paths, '/categories', '/analysis?limit=5']));
  }

  /** Undefined if the response was lost or is a 503; other failures are violations. */
  async #get(path: string): Promise<Reply | undefined> {
    const reply = await this.#shared.service.call('GET', path);
    if (reply?.status === 200) return reply;
    if (reply && reply.status !== 503) this.#refuse('GET', path, reply);
    return undefined;
  }

  #refuse(method: string, path: string, { status, body }: Reply): void {
    const { service, violations } = this.#shared;
    const detail = JSON.stringify(body?.errors ?? body?.detail);
    const log = status === 500 ? `\n${service.output().slice(-MAX_LOG_CHARS)}` : '';
    violations.push(`${method} ${path}: ${status} ${body?.code}: ${detail}${log}`);
  }

  #buildQuestion(name: string, revision: number) {
    const { random } = this.#shared;
    const tag = name.split(' ', 1)[0]!;
    return {
      question_text: `${name} v${revision}`,
      correct_answer: 'yes',
      category: random.pick(CATEGORIES),
      difficulty: random.below(3),
      topic_focus: random.pick(TOPICS),
      tags: [tag],
      explanation: 'text '.repeat(random.below(200)) || null,
    };
  }

  #nextName(prefix: string): string {
    return `${prefix}${this.#index}x${this.#serial++}`;
  }

  async #create(size: number, keyed: boolean): Promise<void> {
    const { model } = this.#shared;
    const tag = this.#nextName('b');
    const questions = Array.from({ length: size }, (_, i) => this.#buildQuestion(`${tag} n${i}`, 1));
    const entities = questions.map((question) => {
      const entity = model.add(readQuestionName(question.question_text), tag);
      entity.send(formatQuestion({ ...question, revision: 1 }));
      return entity;
    });
    this.#questions.push(...entities);
    const body = size === 1 ? questions[0] : questions;
    if (keyed) return this.#sendKeyed({ path: '/questions', body, key: tag, entities });
    await this.#send('POST', '/questions', { body, entities });
  }

  async #update(entity: Entity): Promise<void> {
    const current = await this.#get(`/questions/${entity.id}`);
    if (!current) return;
    const revision = current.body.revision + 1;
    const body = this.#buildQuestion(entity.name, revision);
    entity.send(formatQuestion({ ...body, revision }));
    const headers = { 'if-match': String(current.headers.etag) };
    await this.#send('PUT', `/questions/${entity.id}`, { body, headers, entities: [entity] });
  }

  /** Changes several questions at once, and waits for the end of the change. */
  async #changeMany(questions: Entity[]): Promise<void> {
    const { random, service } = this.#shared;
    const difficulty = random.below(3);
    const changes: { entity: Entity; state: string }[] = [];
    for (const entity of questions) {
      const current = (await this.#get(`/questions/${entity.id}`))?.body;
      if (!current) return;
      // A question that stays as it is gets no revision.
      if (current.difficulty !== difficulty)
        changes.push({
          entity,
          state: formatQuestion({ ...current, difficulty, revision: current.revision + 1 }),
        });
    }
    if (changes.length === 0) return;
    for (const { entity, state } of changes) entity.send(state);
    const entities = changes.map(({ entity }) => entity);
    const body = { question_ids: entities.map(({ id }) => id), change: { difficulty } };
    await this.#sendKeyed({ path: '/questions/bulk', body, key: this.#nextName('m'), entities });
    await waitForChanges(service);
  }

  async #delete(entity: Entity): Promise<void> {
    entity.send(ABSENT);
    await this.#send('DELETE', `/questions/${entity.id}`, { entities: [entity] });
  }

  async #restore(entity: Entity): Promise<void> {
    const reply = await this.#get(`/questions/${entity.id}/revisions?limit=2`);
    if (!reply) return;
    const [deletion, before] = reply.body.data;
    entity.send(formatQuestion({ ...before.question, revision: deletion.revision + 1 }));
    const key = this.#nextName('k');
    const body = { revision: before.revision };
    await this.#sendKeyed({ path: `/questions/${entity.id}/restore`, body, key, entities: [entity] });
  }

  async #record(question: Entity, keyed: boolean): Promise<void> {
    const session = this.#nextName('s');
    const entity = this.#shared.model.add(`session ${session}`);
    entity.send(String(BATCH_RESPONSES));
    const body = Array.from({ length: BATCH_RESPONSES }, (_, i) => {
      return { question_id: question.id, respondent: `p${i}`, session, answer: i % 2 ? 'yes' : 'no' };
    });
    const request = { path: '/responses', body, key: session, entities: [entity], question };
    if (keyed) return this.#sendKeyed(request);
    await this.#send('POST', '/responses', { body, entities: [entity] });
  }

  async #createCategory(): Promise<void> {
    const name = this.#nextName('c');
    const entity = this.#shared.model.add(`category ${name}`);
    this.#categories.push(entity);
    entity.send(name);
    const body = { name, description: name };
    await this.#sendKeyed({ path: '/categories', body, key: name, entities: [entity] });
  }

  async #renameCategory(entity: Entity): Promise<void> {
    const body = { name: `${entity.name.split(' ')[1]} ${this.#serial++}` };
    entity.send(body.name);
    await this.#send('PUT', `/categories/${entity.id}`, { body, entities: [entity] });
  }

  async #analyse(): Promise<void> {
    const { model } = this.#shared;
    if (this.#runs++ >= MAX_RUNS) return;
    const key = this.#nextName('a');
    const entity = model.add(`run ${key}`);
    entity.send('queued');
    const body = { analysis_type: 'coverage', filter: { tag: [key] } };
    await this.#sendKeyed({ path: '/analysis/run', body, key, entities: [entity] });
  }

  /** Signs in, or renews the tokens. A lost response is repeated; later the family is revoked. */
  async #refresh(): Promise<void> {
    const { service, violations } = this.#shared;
    const known = this.#refreshToken;
    if (!known) {
      const { refresh_token: token } = await service.signIn().catch(() => ({ refresh_token: '' }));
      if (token) this.#refreshToken = { token, sentAt: 0, lost: false };
      return;
    }
    if (!known.lost) known.sentAt = performance.now();
    const form = { grant_type: 'refresh_token', refresh_token: known.token };
    const reply = await service.call('POST', '/auth/token', { form, headers: { authorization: '' } });
    if (!reply || reply.status === 503 || reply.status === 507) known.lost = true;
    else if (reply.status === 200)
      this.#refreshToken = { token: reply.body.refresh_token, sentAt: 0, lost: false };
    else {
      if (!known.lost || performance.now() - known.sentAt < REFRESH_REPEAT_MS)
        violations.push(`refresh token: ${reply.status} ${JSON.stringify(reply.body)}`);
      this.#refreshToken = undefined;
    }
  }

  async #sendKeyed(request: Unanswered): Promise<void> {
    const { path, body, key, entities } = request;
    for (const entity of entities) if (entity.id === undefined) entity.key = key;
    const headers = {
      'idempotency-key': key,
      ...(path === '/analysis/run' && { prefer: 'respond-async' }),
    };
    const answered = await this.#send('POST', path, { body, headers, entities, keyed: true });
    if (!answered) this.#unanswered.push(request);
  }

  /** Returns false if the response was lost, or says that the write may have been applied. */
  async #send(
    method: string,
    path: string,
    request: { body?: unknown; headers?: Record<string, string>; entities: Entity[]; keyed?: boolean },
  ): Promise<boolean> {
    const { entities, body, headers, keyed } = request;
    const shared = this.#shared;
    const reply = await shared.service.call(method, path, { body, ...(headers && { headers }) });
    if (!reply || reply.status === 503) return false;
    if (reply.status === 507) {
      // Nothing was written. A keyed request is repeated, and stays outstanding until then.
      if (keyed) return false;
      for (const entity of entities) {
        entity.retract();
        if (entity.id === undefined) shared.model.entities.delete(entity.name);
      }
      return true;
    }
    if (reply.status >= 300) {
      // The repetition arrived while the first request was still running.
      if (reply.body?.code === 'idempotency_in_flight') return false;
      this.#refuse(method, path, reply);
      return true;
    }
    const stored: Json[] = reply.body?.data ?? [reply.body];
    for (const [i, entity] of entities.entries()) {
      entity.id ??= stored[i]?.id ?? encodeURIComponent(entity.name);
      entity.acknowledge(shared.now(reply));
    }
    shared.acknowledged++;
    return true;
  }
}
