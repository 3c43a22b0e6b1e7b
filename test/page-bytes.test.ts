/** Pages whose length in bytes is limited, and large responses that are read while they are sent. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { listen, onEveryEngine, type Service, sample } from './support/engines.ts';

const MAX_PAGE_BYTES = 30_000;

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

/** The length of the items of a page. */
const itemsBytes = (data: Json[]) => Buffer.byteLength(JSON.stringify(data)) - 2;

/** Follows the cursors, or the Link header, and checks each page on the way. */
async function walk(service: Service, path: string, follow: 'cursor' | 'link' = 'cursor'): Promise<Json[]> {
  const seen: Json[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const { status, body, headers } = await service.call('GET', next);
    assert.equal(status, 200);
    const { data, pagination } = body;
    assert.ok(data.length === 1 || itemsBytes(data) <= MAX_PAGE_BYTES, `${next} has too many bytes`);
    assert.equal(pagination.offset, seen.length);
    seen.push(...data);
    assert.equal(pagination.has_more, seen.length < pagination.total);
    const link = /<([^>]*)>; rel="next"/.exec(headers.link!)?.[1];
    assert.equal(link !== undefined, pagination.has_more);
    if (link) assert.equal(new URL(link, 'http://host').searchParams.get('offset'), `${seen.length}`);
    next = follow === 'link' ? link : pagination.next_cursor && `${path}&cursor=${pagination.next_cursor}`;
    next ??= undefined;
  }
  assert.ok(pages > 1, 'the list has more than one page');
  return seen;
}

onEveryEngine(
  'a page limited in bytes',
  (service) => {
    const call: Service['call'] = (...args) => service().call(...args);

    it('ends before the limit, and continues exactly there, in every order', async () => {
      const lengths = [10, 2700, 3, 3000, 1, 1500, 3000, 20, 3000];
      const body = lengths.map((length) =>
        sample({
          question_text: `pebble ${'é'.repeat(length)}`,
          explanation: 'x'.repeat(length),
          incorrect_answers: Array.from({ length: 20 }, (_, n) => `${n} ${'ü'.repeat(length / 10)}`),
        }),
      );
      for (let i = 0; i < 2; i++) await call('POST', '/questions', { body });
      const created = (await walk(service(), '/questions?limit=1000')).map(({ id }) => id);
      assert.equal(new Set(created).size, 18);
      await call('PUT', `/questions/${created[3]}`, { body: { difficulty: 2 } });
      const updated = [...created.filter((id) => id !== created[3]), created[3]];
      const ids = async (path: string, follow?: 'link') =>
        (await walk(service(), path, follow)).map(({ id }) => id);
      assert.deepEqual(await ids('/questions?limit=1000', 'link'), created);
      assert.deepEqual(await ids('/questions?limit=15&sort=-created_at'), created.toReversed());
      assert.deepEqual(await ids('/questions?limit=1000&sort=updated_at'), updated);
      assert.deepEqual(await ids('/questions?limit=1000&sort=-updated_at', 'link'), updated.toReversed());
      assert.deepEqual(await ids('/questions?limit=1000&q=pebble'), created);
      assert.deepEqual(await ids('/questions?limit=1000&q=pebble&sort=-created_at'), created.toReversed());
      const ranked = await ids('/questions?limit=1000&q=pebble&sort=relevance');
      assert.deepEqual(ranked.toSorted(), created.toSorted());
      assert.deepEqual(await ids('/questions?limit=1000&q=pebble&sort=relevance', 'link'), ranked);
      for (const { id, ...question } of await walk(service(), '/questions?limit=1000'))
        assert.deepEqual({ id, ...question }, (await call('GET', `/questions/${id}`)).body);
    });

    it('has one item that exceeds the limit by itself', async () => {
      const answers = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(2000, '語'));
      const { body: huge } = await call('POST', '/questions', {
        body: sample({ category: 'Literature', incorrect_answers: answers }),
      });
      await call('POST', '/questions', { body: sample({ category: 'Literature' }) });
      const seen = await walk(service(), '/questions?category=Literature&limit=1000');
      assert.deepEqual(seen[0], huge);
      assert.equal(seen.length, 2);
    });

    it('shows no answers without answers:read, however it is read', async () => {
      const token = await service().keyFor('questions:read');
      for (const query of ['limit=1000', 'limit=1000&q=pebble&sort=relevance']) {
        const { body } = await call('GET', `/questions?${query}`, { token });
        assert.equal(body.pagination.has_more, true);
        for (const question of body.data)
          for (const name of ['correct_answer', 'incorrect_answers', 'explanation', 'revision'])
            assert.ok(!(name in question));
      }
    });

    it('limits revisions, with those of a deletion', async () => {
      const { body: question } = await call('POST', '/questions', { body: sample() });
      const path = `/questions/${question.id}`;
      for (let i = 0; i < 9; i++)
        await call('PUT', path, { body: { explanation: `${i} ${'€'.repeat(3000)}` } });
      await call('DELETE', path);
      await call('POST', `${path}/restore`, { body: { revision: 5 } });
      const revisions = await walk(service(), `${path}/revisions?limit=1000`, 'link');
      assert.deepEqual(
        revisions.map(({ revision }) => revision),
        Array.from({ length: 12 }, (_, i) => 12 - i),
      );
      assert.deepEqual([revisions[1].action, revisions[1].question], ['deleted', null]);
      assert.deepEqual(revisions[0].question, (await call('GET', path)).body);
      assert.equal(revisions.at(-1).question.explanation, null);
    });

    it('limits responses', async () => {
      const { body } = await call('POST', '/questions', { body: [sample(), sample()] });
      const responses = Array.from({ length: 40 }, (_, i) => ({
        question_id: body.data[i % 2].id,
        respondent: `r${i >> 1}`,
        answer: i % 3 === 0 ? 'Jupiter' : `${i} ${'ß'.repeat(1900)}`,
      }));
      await call('POST', '/responses', { body: responses });
      for (const path of ['/responses?limit=1000', `/responses?limit=1000&question_id=${body.data[0].id}`]) {
        const seen = await walk(service(), path);
        assert.deepEqual(await walk(service(), path, 'link'), seen);
        const key = ({ question_id, respondent }: Json) => `${question_id} ${respondent}`;
        const expected = responses.filter(({ question_id }) => path.includes(question_id));
        assert.equal(new Set(seen.map(key)).size, expected.length || responses.length);
        assert.equal(
          seen.filter(({ correct }) => correct).length,
          (expected.length ? expected : responses).filter(({ answer }) => answer === 'Jupiter').length,
        );
      }
    });

    it('limits the rows of a result, and the list of runs', async () => {
      const questions = Array.from({ length: 250 }, (_, i) => sample({ question_text: `Is ${i} even?` }));
      await call('POST', '/questions', { body: questions });
      const run = { analysis_type: 'readability', filter: { category: 'Astronomy' } };
      const headers = { prefer: 'wait=30' };
      const { body, status } = await call('POST', '/analysis/run', { body: run, headers });
      assert.equal(status, 201);
      assert.equal(body.result.pagination.has_more, true);
      const rows: Json[] = [];
      for (let path: string | undefined = `/analysis/${body.id}?limit=1000`; path; ) {
        const page = await call('GET', path);
        const { items, pagination } = page.body.result;
        assert.ok(itemsBytes(items) <= MAX_PAGE_BYTES);
        assert.deepEqual([pagination.offset, pagination.total], [rows.length, body.question_count]);
        rows.push(...items);
        assert.equal(pagination.has_more, rows.length < pagination.total);
        path = /<([^>]*)>; rel="next"/.exec(page.headers.link!)?.[1];
      }
      assert.equal(new Set(rows.map(({ question_id }) => question_id)).size, body.question_count);
      assert.deepEqual(rows.slice(0, body.result.items.length), body.result.items);
      const tags = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(100, 'x'));
      for (let i = 0; i < 15; i++) {
        const filter = { topic_focus: `${i}`.padEnd(200, '語'), tag: tags };
        const queued = await call('POST', '/analysis/run', {
          body: { analysis_type: 'coverage', filter },
          headers: { prefer: 'respond-async' },
        });
        assert.ok(queued.status < 300);
      }
      const runs = await walk(service(), '/analysis?limit=1000', 'link');
      assert.equal(new Set(runs.map(({ id }) => id)).size, 16);
    });
  },
  { maxPageBytes: MAX_PAGE_BYTES },
);

/** Reads a response over a connection that is paused after its first bytes until `resume`. */
function requestSlowly(port: number, token: string, path: string) {
  const socket: Socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Buffer>();
  socket.on('data', (chunk: Buffer) => {
    if (chunks.push(chunk) > 1) return;
    socket.pause();
    begun.resolve();
  });
  socket.on('close', () => ended.resolve(Buffer.concat(chunks)));
  socket.on('error', ended.reject);
  const head = `GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
  socket.write(head);
  return { begun: begun.promise, ended: ended.promise, resume: () => socket.resume() };
}

onEveryEngine('a large response', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const N = 60;
  /** A question of about 200 kB. */
  const large = (i: number) =>
    sample({
      category: 'Geography',
      question_text: `granite ${i} ${'語'.repeat(9_000)}`,
      incorrect_answers: Array.from({ length: 20 }, (_, n) => `${n} "${'ñ'.repeat(1900)}`),
      explanation: '\\"'.repeat(5_000),
    });
  const PATH = '/questions?category=Geography&limit=1000';

  it('is complete when an array is created, and has the length that it announces', async () => {
    const body = Array.from({ length: 40 }, (_, i) => large(i));
    const { status, body: created, headers, text } = await call('POST', '/questions', { body });
    assert.equal(status, 201);
    assert.equal(created.data.length, body.length);
    assert.equal(Number(headers['content-length']), Buffer.byteLength(text));
    assert.ok(Buffer.byteLength(text) > 7_000_000);
    for (const [i, question] of created.data.entries()) {
      assert.equal(question.question_text, body[i]!.question_text);
      assert.deepEqual(question, (await call('GET', `/questions/${question.id}`)).body);
    }
    await call('POST', '/questions', { body: Array.from({ length: N - 40 }, (_, i) => large(40 + i)) });
  });

  it('ends at 8 MB by default', async () => {
    const { body, headers, text } = await call('GET', PATH);
    assert.deepEqual(
      [body.pagination.total, body.pagination.limit, body.pagination.has_more],
      [N, 1000, true],
    );
    assert.equal(Number(headers['content-length']), Buffer.byteLength(text));
    assert.ok(itemsBytes(body.data) <= 8_000_000);
    assert.ok(itemsBytes(body.data) > 7_000_000);
    const head = await call('HEAD', PATH);
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    for (const name of ['content-length', 'content-type', 'link'])
      assert.equal(head.headers[name]?.length, headers[name]?.length, name);
  });

  it('is the page of one state, whatever is written while it is read', async () => {
    const { port, token } = await listen(service());
    const before = await call('GET', PATH);
    const slow = requestSlowly(port, token, PATH);
    await slow.begun;
    const ids: string[] = before.body.data.map(({ id }: Json) => id);
    for (const [i, id] of ids.entries()) {
      if (i % 3 === 0) await call('PUT', `/questions/${id}`, { body: { explanation: 'changed' } });
      if (i % 3 === 1) await call('DELETE', `/questions/${id}`);
    }
    slow.resume();
    const response = (await slow.ended).toString();
    const received = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
    assert.deepEqual(received.data, before.body.data);
    assert.deepEqual(
      { ...received.pagination, next_cursor: '' },
      { ...before.body.pagination, next_cursor: '' },
    );
    const after = await call('GET', PATH);
    assert.equal(after.body.pagination.total, N - ids.filter((_, i) => i % 3 === 1).length);
    assert.equal(after.body.data[0].explanation, 'changed');
  });

  it('is read no faster than the client takes it', async () => {
    const reads: string[] = [];
    const { db } = service().engine;
    const get = db.get;
    db.get = function (this: typeof db, sql: string, ...params: never[]) {
      if (sql.includes('LEFT JOIN revisions')) reads.push(sql);
      return get.call(this, sql, ...params);
    } as typeof get;
    try {
      const address = service().app.server.address() as { port: number };
      const slow = requestSlowly(address.port, service().admin.key, PATH);
      await slow.begun;
      // The system buffers a part of the response for the client.
      let seen = -1;
      while (seen < reads.length) {
        seen = reads.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      slow.resume();
      await slow.ended;
      assert.ok(seen < reads.length, `${seen} of ${reads.length} parts were read before the client resumed`);
    } finally {
      db.get = get;
    }
  });

  it('is built in memory if its items may change, and its memory is released', async () => {
    const { body: question } = await call('POST', '/questions', { body: sample() });
    const responses = Array.from({ length: 600 }, (_, i) => ({
      question_id: question.id,
      respondent: `r${i}`,
      answer: `${i} ${'ß'.repeat(1500)}`,
    }));
    await call('POST', '/responses', { body: responses });
    // More than are in memory at once.
    for (let i = 0; i < 8; i++) {
      const { status, body, text } = await call('GET', '/responses?limit=1000');
      assert.equal(status, 200);
      assert.ok(Buffer.byteLength(text) > 1_800_000);
      assert.deepEqual([body.data.length, body.pagination.has_more], [600, false]);
    }
  });
});

onEveryEngine('relevance of long questions', (service) => {
  it('ranks by every field, wherever it is stored', async () => {
    const call: Service['call'] = (...args) => service().call(...args);
    const quotes = '"'.repeat(9_990);
    const tags = Array.from({ length: 50 }, (_, i) => `${i} ${'"'.repeat(95)}`);
    const body = [
      { external_id: 'none', question_text: `x ${quotes}`, explanation: `${'y '.repeat(4000)} basalt` },
      { external_id: 'other', explanation: `basalt ${quotes}` },
      { external_id: 'answer', correct_answer: `basalt ${'"'.repeat(1_990)}` },
      { external_id: 'late answer', incorrect_answers: [`\\${'"'.repeat(480)}`, 'basalt \n fields'] },
      {
        external_id: 'tag',
        question_text: quotes,
        topic_focus: '"'.repeat(200),
        tags: [...tags.slice(1), 'basalt'],
      },
      { external_id: 'text', question_text: `Is it basalt or not? ${quotes}`.slice(0, 10_000) },
    ];
    await call('POST', '/questions', { body: body.map((each) => sample(each)) });
    const ranked = await call('GET', '/questions?q=basalt&sort=relevance');
    assert.deepEqual(
      ranked.body.data.map(({ external_id }: Json) => external_id),
      ['tag', 'answer', 'text', 'other', 'late answer', 'none'],
    );
    const token = await service().keyFor('questions:read');
    const visible = await call('GET', '/questions?q=basalt&sort=relevance', { token });
    assert.deepEqual(
      visible.body.data.map(({ external_id }: Json) => external_id),
      ['tag', 'text'],
    );
  });
});
