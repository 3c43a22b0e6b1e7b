/**
 * Limits of the bank's size and of what each client stores. Usage is read at most once per interval,
 * and again before a request is refused; requests in between are added to it. So a client can exceed
 * a limit by what other processes store for it within an interval.
 */
import type { FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Engine } from '../store/db.ts';
import { readUsage, type Usage } from '../store/usage.ts';

/** 0 means no limit. */
export interface QuotaLimits {
  bankBytes: number;
  questionsPerClient: number;
  bytesPerClient: number;
}

const NO_QUOTAS: QuotaLimits = { bankBytes: 0, questionsPerClient: 0, bytesPerClient: 0 };

const USAGE_TTL_MS = 5000;
const MAX_CACHED_CLIENTS = 10_000;

export class Quotas {
  readonly #engine: Engine;
  readonly #limits: QuotaLimits;
  readonly #usage = new Map<string, { usage: Usage; until: number }>();
  #bank = { bytes: 0, until: 0 };

  constructor(engine: Engine, limits: QuotaLimits = NO_QUOTAS) {
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Refuses a request that stores its body if it exceeds a limit, or the free space. */
  async check(request: FastifyRequest, questions: number): Promise<void> {
    const bytes = Number(request.headers['content-length'] ?? 0);
    this.#engine.requireSpace(bytes);
    await this.#checkBank(bytes);
    await this.#checkClient(request.caller!.client, { questions, bytes });
  }

  /**
   * Refuses a file that exceeds a limit in bytes. Returns how many questions the client may still
   * create; undefined without a limit.
   */
  async checkImport(request: FastifyRequest, bytes: number): Promise<number | undefined> {
    const { client } = request.caller!;
    this.#engine.requireSpace(bytes);
    await this.#checkBank(bytes);
    await this.#checkClient(client, { questions: 0, bytes });
    const { questionsPerClient: max } = this.#limits;
    return max === 0 ? undefined : Math.max(0, max - (await this.#readUsage(client)).questions);
  }

  async #checkBank(bytes: number): Promise<void> {
    const { bankBytes: max } = this.#limits;
    if (max === 0) return;
    const now = performance.now();
    if (now >= this.#bank.until || this.#bank.bytes + bytes > max)
      this.#bank = { bytes: await this.#engine.bankBytes(), until: now + USAGE_TTL_MS };
    if (this.#bank.bytes + bytes > max)
      throw errors.insufficientStorage(
        `The bank has reached its size limit of ${max} bytes. Nothing was written; delete something first.`,
      );
    this.#bank.bytes += bytes;
  }

  async #checkClient(client: string, added: Usage): Promise<void> {
    const { questionsPerClient, bytesPerClient } = this.#limits;
    if (questionsPerClient === 0 && bytesPerClient === 0) return;
    const known = this.#usage.get(client);
    const fresh = known && performance.now() < known.until && !this.#exceeds(known.usage, added);
    const usage = fresh ? known.usage : await this.#readUsage(client);
    if (this.#exceeds(usage, added)) throw errors.quotaExceeded(questionsPerClient, bytesPerClient);
    usage.questions += added.questions;
    usage.bytes += added.bytes;
  }

  #exceeds(usage: Usage, added: Usage): boolean {
    const { questionsPerClient, bytesPerClient } = this.#limits;
    const exceeds = (max: number, used: number, more: number) => max > 0 && more > 0 && used + more > max;
    return (
      exceeds(questionsPerClient, usage.questions, added.questions) ||
      exceeds(bytesPerClient, usage.bytes, added.bytes)
    );
  }

  async #readUsage(client: string): Promise<Usage> {
    const usage = await readUsage(this.#engine.db, client);
    if (this.#usage.size >= MAX_CACHED_CLIENTS) this.#usage.clear();
    this.#usage.set(client, { usage, until: performance.now() + USAGE_TTL_MS });
    return usage;
  }
}
