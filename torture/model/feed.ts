/** Follows the events of every node, and compares them with the changes of finished histories. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Follower } from '../../test/support/event-stream.ts';
import { until } from '../../test/support/until.ts';
import type { ExpectedEvents } from './check.ts';
import type { Node } from './session.ts';

interface Received {
  kind: string;
  /** Its place in the feed. */
  position: number;
}

/** Without any event for this long, those that are missing count as lost. */
const MAX_SILENCE_MS = 15_000;

export class Feed {
  readonly #follower: Follower;
  readonly #received = new Map<string, Received[]>();
  #count = 0;

  private constructor(node: Node) {
    this.#follower = new Follower({ port: node.port, token: node.tokens.admin });
  }

  static async open(node: Node): Promise<Feed> {
    const feed = new Feed(node);
    await until('the event stream', () => feed.#follower.open, 30_000);
    return feed;
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  /** Waits for the events of a history, and returns what is wrong with them. */
  async check(expected: Map<string, ExpectedEvents>): Promise<string[]> {
    const isComplete = () =>
      [...expected].every(([id, { kinds }]) => (this.#received.get(id)?.length ?? 0) >= kinds.length);
    for (let silence = performance.now(), count = -1; ; await sleep(20)) {
      this.#take();
      if (isComplete() || performance.now() - silence > MAX_SILENCE_MS) break;
      if (count !== this.#count) silence = performance.now();
      count = this.#count;
    }
    const violations: string[] = [];
    const placed: { position: number; start: number; end: number; label: string }[] = [];
    for (const [id, { kinds, writes }] of expected) {
      const received = this.#received.get(id) ?? [];
      this.#received.delete(id);
      const found = received.map(({ kind }) => kind);
      if (found.join() !== kinds.join())
        violations.push(`the events of question ${id} are ${found}, not ${kinds}`);
      else
        for (const [i, { start, end, label }] of writes.entries())
          placed.push({ position: received[i]!.position, start, end, label: `${label} of ${id}` });
    }
    return [...violations, ...findDisorder(placed)];
  }

  /** The questions whose events no history expected. */
  findSurplus(): string[] {
    this.#take();
    return [...this.#received].map(([id, events]) => `${events.length} events too many of question ${id}`);
  }

  get resets(): number {
    return this.#follower.resets;
  }

  #take(): void {
    for (const { event, data } of this.#follower.messages.splice(0)) {
      const list = this.#received.getOrInsertComputed(data.question_id, () => []);
      list.push({ kind: event, position: this.#count++ });
    }
  }
}

/** An event precedes those of all writes that began after its own write was acknowledged. */
function findDisorder(placed: { position: number; start: number; end: number; label: string }[]): string[] {
  const violations: string[] = [];
  let latest = { start: -Infinity, label: '' };
  for (const { start, end, label } of placed.toSorted((a, b) => a.position - b.position)) {
    if (end < latest.start)
      violations.push(`the event of ${label} follows that of ${latest.label}, which began after it`);
    if (start > latest.start) latest = { start, label };
  }
  return violations;
}
