/** The order and the bounds of waiting writes, which both engines share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WriteQueue } from '../src/engines/write-queue.ts';
import { ApiError } from '../src/errors.ts';

const fail = (error: Error) => assert.fail(error);
const overloaded = (error: unknown) =>
  error instanceof ApiError && error.status === 503 && error.code === 'overloaded';
const KIB = 1024;

describe('WriteQueue', () => {
  it('keeps large writes apart from short ones, each fair between callers', () => {
    const queue = new WriteQueue<string>();
    queue.add('batch 1', { caller: 'a', bytes: 300 * KIB }, fail);
    queue.add('batch 2', { caller: 'a', bytes: 300 * KIB }, fail);
    queue.add('a 1', { caller: 'a' }, fail);
    queue.add('a 2', { caller: 'a' }, fail);
    queue.add('b 1', { caller: 'b' }, fail);
    queue.add('batch of b', { caller: 'b', bytes: 300 * KIB }, fail);
    assert.deepEqual(
      queue.takeShort().map(({ call }) => call),
      ['a 1', 'b 1', 'a 2'],
    );
    assert.deepEqual(
      [queue.takeLarge()?.call, queue.takeLarge()?.call, queue.takeLarge()?.call, queue.takeLarge()],
      ['batch 1', 'batch of b', 'batch 2', undefined],
    );
  });

  it('503: refuses short writes that would wait too long, by the measured duration', () => {
    const queue = new WriteQueue<number>();
    const add = (i: number) => queue.add(i, { caller: 'a' }, fail);
    for (let i = 0; i < 200; i++) add(i);
    // 10 ms each: 500 ms of work are 50 writes, but a few may always wait.
    const group = queue.takeShort(100);
    assert.equal(group.length, 100);
    queue.record(group, 1000);
    assert.throws(() => add(0), overloaded);
    // Writes of the service itself are not refused.
    queue.add(-1, {}, fail);
    queue.takeShort(60);
    add(1);
    assert.equal(queue.size, 42);
  });

  it('503: bounds large writes by their estimated duration and by memory', () => {
    const queue = new WriteQueue<number>();
    const add = (mebibytes: number) => queue.add(0, { caller: 'a', bytes: mebibytes * KIB * KIB }, fail);
    for (let i = 0; i < 6; i++) add(10);
    assert.throws(() => add(10), overloaded);
    const write = queue.takeLarge()!;
    queue.record([write], 2_000);
    // 5 writes of 2 s wait: more than 4 s.
    assert.throws(() => add(1), overloaded);
    for (let i = 0; i < 4; i++) queue.takeLarge();
    add(10);
  });

  it('rejects a write whose deadline has passed, and frees its memory', () => {
    const queue = new WriteQueue<number>();
    const refused: Error[] = [];
    const bytes = 40 * KIB * KIB;
    queue.add(0, { caller: 'a', bytes, deadlineAt: performance.now() - 1 }, (error) => refused.push(error));
    assert.equal(queue.takeLarge(), undefined);
    assert.equal((refused[0] as ApiError).code, 'too_slow');
    queue.add(1, { caller: 'a', bytes }, fail);
    assert.equal(queue.takeLarge()?.call, 1);
  });
});
