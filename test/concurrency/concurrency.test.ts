import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retry } from '../../src/concurrency/retry.ts';
import { Semaphore } from '../../src/concurrency/semaphore.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';

const deferred = () => Promise.withResolvers<void>();

describe('Semaphore', () => {
  it('admits as many as it has permits, the others in order of arrival', async () => {
    const semaphore = new Semaphore({ permits: 2 });
    const gates = [deferred(), deferred(), deferred(), deferred()];
    const started: number[] = [];
    const runs = gates.map(({ promise }, i) =>
      semaphore.run(() => {
        started.push(i);
        return promise;
      }),
    );
    assert.deepEqual(started, [0, 1]);
    gates[1]!.resolve();
    await runs[1];
    assert.deepEqual(started, [0, 1, 2]);
    gates[0]!.resolve();
    gates[2]!.resolve();
    gates[3]!.resolve();
    await Promise.all(runs);
    assert.deepEqual(started, [0, 1, 2, 3]);
  });

  it('frees the permit of work that fails', async () => {
    const semaphore = new Semaphore({ permits: 1 });
    await assert.rejects(
      semaphore.run(() => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.equal(await semaphore.run(async () => 'free'), 'free');
  });

  it('refuses a caller when the queue is full', async () => {
    const semaphore = new Semaphore({ permits: 1, maxWaiting: 1, refusal: () => new Error('full') });
    const { promise, resolve } = deferred();
    const runs = [semaphore.run(() => promise), semaphore.run(() => promise)];
    await assert.rejects(
      semaphore.run(() => promise),
      /full/,
    );
    resolve();
    await Promise.all(runs);
  });
});

describe('retry', () => {
  const failing = (times: number, error = new Error('passing')) => {
    let calls = 0;
    return Object.assign(
      async () => {
        if (++calls <= times) throw error;
        return calls;
      },
      { calls: () => calls },
    );
  };

  it('repeats the work until it succeeds', async () => {
    assert.equal(await retry(failing(2), { attempts: 3, when: () => true }), 3);
  });

  it('rejects with the last error after the last attempt', async () => {
    const work = failing(5);
    await assert.rejects(retry(work, { attempts: 3, when: () => true }), /passing/);
    assert.equal(work.calls(), 3);
  });

  it('does not repeat work whose error does not pass', async () => {
    const work = failing(1);
    await assert.rejects(retry(work, { attempts: 3, when: () => false }), /passing/);
    assert.equal(work.calls(), 1);
  });

  it('begins no attempt after its time', async () => {
    const work = failing(1000);
    await assert.rejects(retry(work, { forMs: 20, delayMs: 5, when: () => true }), /passing/);
    assert.ok(work.calls() >= 2 && work.calls() <= 6, `${work.calls()} attempts`);
  });

  it('lets the pause grow, and ends it with the signal', async () => {
    const pauses: number[] = [];
    const delayMs = (attempts: number) => {
      pauses.push(attempts);
      return 1;
    };
    await retry(failing(3), { delayMs, when: () => true });
    assert.deepEqual(pauses, [1, 2, 3]);
    const stop = new AbortController();
    const retrying = retry(failing(9), { delayMs: 60_000, when: () => true, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 5);
    await assert.rejects(retrying, { name: 'AbortError' });
  });
});

describe('Ticker', () => {
  it('lets the event loop run between two slices, and only then', async () => {
    const ticker = new Ticker({ sliceMs: 1 });
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    let yields = 0;
    const end = performance.now() + 10_000;
    while (yields < 20 && performance.now() < end) {
      if (!ticker.due()) continue;
      await ticker.yield();
      yields++;
    }
    clearInterval(counter);
    assert.ok(yields === 20 && turns > 5, `${turns} turns of the loop in ${yields} yields`);
    let yielded = false;
    await new Ticker({ sliceMs: 60_000, report: () => (yielded = true) }).yield(0.5);
    assert.equal(yielded, false);
  });

  it('reports shares of parts as shares of the whole, never decreasing', async () => {
    const shares: number[] = [];
    const ticker = new Ticker({ sliceMs: 0, report: (share) => shares.push(share) });
    const part = ticker.part(0.5, 0.9);
    await part.yield(0.5);
    await part.part(0.5, 1).yield(1);
    await part.yield(0.1);
    await ticker.yield(1);
    assert.deepEqual(shares, [0.7, 0.9, 0.9, 1]);
  });
});
