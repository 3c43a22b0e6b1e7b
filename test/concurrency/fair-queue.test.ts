import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue, type QueueItem } from '../../src/concurrency/fair-queue.ts';

interface Item extends QueueItem {
  name: string;
}

const expired: string[] = [];
const item = (name: string, caller: string, options: Partial<Item> = {}): Item => ({
  name,
  caller,
  cost: 1,
  deadlineAt: Number.POSITIVE_INFINITY,
  expire: () => expired.push(name),
  ...options,
});

function takeAll(queue: FairQueue<Item>, now = 0): string[] {
  const names: string[] = [];
  for (let next = queue.take(now); next; next = queue.take(now)) names.push(next.name);
  return names;
}

describe('FairQueue', () => {
  it('alternates between callers, and keeps the order of each', () => {
    const queue = new FairQueue<Item>();
    for (const name of ['a1', 'a2', 'a3', 'a4']) queue.push(item(name, 'a'));
    for (const name of ['b1', 'b2']) queue.push(item(name, 'b'));
    assert.equal(queue.size, 6);
    assert.deepEqual(takeAll(queue), ['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
    assert.equal(queue.size, 0);
    assert.equal(queue.cost, 0);
  });

  it('gives callers equal shares of the cost', () => {
    const queue = new FairQueue<Item>();
    for (const name of ['A1', 'A2']) queue.push(item(name, 'a', { cost: 3 }));
    for (let i = 1; i <= 5; i++) queue.push(item(`b${i}`, 'b'));
    assert.deepEqual(takeAll(queue), ['A1', 'b1', 'b2', 'b3', 'A2', 'b4', 'b5']);
  });

  it('remembers what a caller has used while others wait, and forgets it afterwards', () => {
    const queue = new FairQueue<Item>();
    queue.push(item('A1', 'a', { cost: 10 }));
    queue.push(item('b1', 'b'));
    assert.equal(queue.take(0)?.name, 'A1');
    queue.push(item('A2', 'a', { cost: 10 }));
    queue.push(item('b2', 'b'));
    assert.deepEqual(takeAll(queue), ['b1', 'b2', 'A2']);
    // A newcomer starts level with the others.
    queue.push(item('c1', 'c'));
    queue.push(item('b3', 'b'));
    assert.deepEqual(takeAll(queue).sort(), ['b3', 'c1']);
  });

  it('drops items whose deadline has passed and those that were cancelled', () => {
    expired.length = 0;
    const queue = new FairQueue<Item>();
    queue.push(item('late', 'a', { deadlineAt: 100 }));
    queue.push(item('cancelled', 'b', { isCancelled: () => true }));
    queue.push(item('wanted', 'a', { deadlineAt: 101 }));
    assert.deepEqual(takeAll(queue, 100), ['wanted']);
    assert.deepEqual(expired.sort(), ['cancelled', 'late']);
    assert.equal(queue.cost, 0);
  });
});
