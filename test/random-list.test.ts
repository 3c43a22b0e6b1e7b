/** Lists in a random order: every question once, the same order for a seed, uniform. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Permutation } from '../src/bits/permutation.ts';
import { SlotSet } from '../src/store/index/slots.ts';
import { buildOrder, findFrom } from '../src/store/questions/random-order.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { createRandom } from './support/random.ts';

const KEY = '000102030405060708090a0b0c0d0e0f';

describe('the permutation of a seed', () => {
  it('has every number at one position, for even and odd numbers of bits', () => {
    for (const bits of [16, 17]) {
      const order = new Permutation(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), bits);
      const seen = new Uint8Array(order.size);
      for (let position = 0; position < order.size; position++) {
        const number = order.at(position);
        seen[number] = 1;
        assert.equal(order.positionOf(number), position);
      }
      assert.ok(!seen.includes(0));
    }
  });

  it('is invertible for large numbers', () => {
    const random = createRandom(1);
    const order = new Permutation(Uint32Array.of(9, 8, 7, 6, 5, 4, 3, 2), 41);
    for (let i = 0; i < 1000; i++) {
      const number = random.below(2 ** 31) * 1024 + random.below(1024);
      assert.equal(order.at(order.positionOf(number)), number);
    }
  });

  it('is as documented', () => {
    const order = buildOrder(KEY, 'example', 1000);
    assert.deepEqual(
      [0, 1, 2, 3].map((position) => order.at(position)),
      [27_477, 61_627, 29_949, 44_652],
    );
  });

  it('finds the same positions by walking and by sorting', () => {
    const random = createRandom(7);
    const bound = 70_000;
    const members = Array.from({ length: 30_000 }, () => random.below(bound + 5000));
    const slots = SlotSet.of([...new Set(members)].sort((a, b) => a - b));
    const order = buildOrder(KEY, 'seed', bound);
    const all = findFrom(slots, order, { bound, from: 0, limit: 10 ** 9 });
    assert.equal(all.length, slots.rank(bound));
    for (const at of [0, 5, 29_000]) {
      const from = at === 0 ? 0 : all[at]!;
      assert.deepEqual(findFrom(slots, order, { bound, from, limit: 7 }), all.slice(at, at + 7));
    }
  });

  it('puts each question first equally often', () => {
    const [draws, n] = [200_000, 20];
    const slots = SlotSet.of(Array.from({ length: n }, (_, i) => 13 * i + 2));
    const counts = new Map<number, number>();
    for (let seed = 0; seed < draws; seed++) {
      const order = buildOrder(KEY, String(seed), 13 * n);
      const [position] = findFrom(slots, order, { bound: 13 * n, from: 0, limit: 1 });
      const slot = order.at(position!);
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
    const expected = draws / n;
    const square = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // The 0.999 quantile of χ² with 19 degrees of freedom.
    assert.ok(counts.size === n && square < 43.82, `χ² = ${square}`);
  });
});

onEveryEngine('the random order', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const ids = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
  const create = async (n: number, changes: object = {}) => {
    const body = Array.from({ length: n }, (_, i) => sample({ question_text: `Question ${i}?`, ...changes }));
    return ids((await call('POST', '/questions', { body })).body);
  };
  const readAll = async (query: string, onPage: () => Promise<void> = async () => {}) => {
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { status, body } = await call('GET', `/questions?sort=random&${query}${cursor}`);
      assert.equal(status, 200);
      assert.equal(body.pagination.offset, seen.length);
      seen.push(...ids(body));
      const { has_more, next_cursor } = body.pagination;
      assert.equal(has_more, next_cursor !== null);
      if (!has_more) return { seen, total: body.pagination.total };
      cursor = `&cursor=${next_cursor}`;
      await onPage();
    }
  };

  it('has every match once over all pages, in the same order for a seed', async () => {
    const created = await create(120, { tags: ['paged'] });
    const { seen, total } = await readAll('tag=paged&seed=one&limit=17');
    assert.equal(total, 120);
    assert.deepEqual(seen.toSorted(), created.toSorted());
    assert.deepEqual((await readAll('tag=paged&seed=one&limit=120')).seen, seen);
    assert.notDeepEqual((await readAll('tag=paged&seed=two&limit=50')).seen, seen);
    assert.notDeepEqual(seen, created);
    const searched = await readAll('tag=paged&q=question&seed=one&limit=50');
    assert.deepEqual(searched.seen, seen);
  });

  it('repeats no question while others are created and deleted, and leaves out none that stays', async () => {
    const created = await create(100, { tags: ['moving'] });
    const removed = new Set<string>();
    const { seen } = await readAll('tag=moving&seed=x&limit=9', async () => {
      await create(7, { tags: ['moving'] });
      for (const id of created.slice(removed.size, removed.size + 3)) {
        await call('DELETE', `/questions/${id}`);
        removed.add(id);
      }
    });
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.every((id) => created.includes(id)));
    const stayed = created.filter((id) => !removed.has(id));
    assert.deepEqual(
      stayed.filter((id) => !seen.includes(id)),
      [],
    );
  });

  it('draws a seed that is left out, and returns it', async () => {
    const { body, headers } = await call('GET', '/questions?sort=random&limit=2');
    assert.match(body.seed, /^[\w-]{16}$/);
    const same = await call('GET', `/questions?sort=random&limit=2&seed=${body.seed}`);
    assert.deepEqual(same.body, body);
    assert.match(headers.link!, /rel="next"/);
    const next = /<([^>]*)>; rel="next"/.exec(headers.link!)![1]!;
    const following = await call('GET', next);
    assert.equal(following.status, 200);
    assert.equal(following.body.pagination.offset, 2);
    const other = await call('GET', '/questions?sort=random&limit=2');
    assert.notEqual(other.body.seed, body.seed);
  });

  it('shows no answers without answers:read, in the same order', async () => {
    const token = await service().keyFor('questions:read');
    const shown = await call('GET', '/questions?sort=random&seed=s&limit=5', { token });
    const whole = await call('GET', '/questions?sort=random&seed=s&limit=5');
    assert.deepEqual(ids(shown.body), ids(whole.body));
    assert.ok(shown.body.data.every((question: object) => !('correct_answer' in question)));
  });

  it('refuses what does not go with it', async () => {
    const first = await call('GET', '/questions?sort=random&seed=a&limit=1');
    const { next_cursor } = first.body.pagination;
    const cases: [query: string, pointer: string, code: string][] = [
      ['seed=a', '?seed', 'requires_random'],
      ['sort=random&offset=1', '?offset', 'not_with_random'],
      [`sort=random&cursor=${next_cursor}`, '?seed', 'required'],
      [`sort=random&seed=b&cursor=${next_cursor}`, '?cursor', 'unknown_cursor'],
      [`sort=created_at&cursor=${next_cursor}`, '?cursor', 'unknown_cursor'],
      [`sort=random&seed=a&cursor=${next_cursor.slice(0, 22)}`, '?cursor', 'unknown_cursor'],
      ['sort=random&seed=', '?seed', 'too_short'],
      [`sort=random&seed=${'x'.repeat(65)}`, '?seed', 'too_long'],
      ['sort=random&deleted=true', '?sort', 'not_with_deleted'],
    ];
    for (const [query, pointer, code] of cases) {
      const { status, body } = await call('GET', `/questions?${query}`);
      assert.deepEqual(
        [status, body.errors?.[0].pointer, body.errors?.[0].code],
        [400, pointer, code],
        query,
      );
    }
  });
});
