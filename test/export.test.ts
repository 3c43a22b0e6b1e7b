/** `GET /questions/export`: every format, every filter, one snapshot, and what is lost. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import type { PortableQuestion } from '../src/formats/format.ts';
import { FORMATS } from '../src/formats/index.ts';
import { EXPORT_TYPES, IMPORT_FORMATS } from '../src/schemas/transfer.ts';
import { listen, onEveryEngine, sample } from './support/engines.ts';

const QUESTIONS = [
  sample({
    question_text: 'One?',
    external_id: 'e-1',
    tags: ['a', 'b'],
    incorrect_answers: ['Mars', 'Venus'],
  }),
  sample({ question_text: 'Two?', correct_answer: ['Io', 'Europa'], incorrect_answers: ['Moon'], choose: 2 }),
  sample({ question_text: 'Three?', correct_answer: '7', numeric: { tolerance: 0.5, unit: 'km' } }),
  sample({ question_text: 'Four?', accepted_answers: ['Jove'], explanation: '=1+1', category: 'Science' }),
];

async function parse(name: string, bytes: Buffer): Promise<PortableQuestion[]> {
  const questions: PortableQuestion[] = [];
  const format = await FORMATS[name]!();
  const source = {
    stream: () =>
      (async function* () {
        yield bytes;
      })(),
  };
  for await (const { kind, value } of format.read!(source, {})) {
    assert.notEqual(kind, 'reject', JSON.stringify(value));
    if (kind === 'question') questions.push(value.question);
  }
  return questions;
}

onEveryEngine('export', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const texts = (jsonl: string) =>
    jsonl
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).question_text);

  it('exports an empty bank', async () => {
    const { status, text } = await call('GET', '/questions/export');
    assert.equal(status, 200);
    assert.deepEqual(texts(text), []);
  });

  it('writes every format, which gives the questions back as far as it keeps them', async () => {
    const created = await call('POST', '/questions', { body: QUESTIONS });
    assert.equal(created.status, 201, created.text);
    for (const name of Object.keys(EXPORT_TYPES)) {
      const response = await service().app.inject({
        method: 'GET',
        url: `/questions/export?format=${name}`,
        headers: { authorization: `Bearer ${service().admin.key}` },
      });
      assert.equal(response.statusCode, 200, response.body);
      const type = EXPORT_TYPES[name as keyof typeof EXPORT_TYPES];
      assert.ok(String(response.headers['content-type']).startsWith(type), name);
      assert.match(
        String(response.headers['content-disposition']),
        /^attachment; filename="questions\.\w+"$/,
      );
      const questions = await parse(name, response.rawPayload);
      const writesAll = !['aiken', 'opentdb'].includes(name);
      assert.equal(questions.length, writesAll ? 4 : 1, name);
      assert.equal(questions[0]!.question_text, 'One?', name);
      const losses = (await call('GET', `/questions/export?format=${name}&dry_run=true`)).body;
      assert.equal(losses.question_count, 4);
      const summary = losses.losses
        .map(({ code, count }: { code: string; count: number }) => `${code}=${count}`)
        .join(', ');
      assert.equal(
        (response as unknown as { trailers: Record<string, string> }).trailers['export-losses'],
        summary,
        name,
      );
      assert.equal(/kind_not_written=3/.test(summary), !writesAll, name);
    }
    const [first, , , fourth] = await parse(
      'jsonl',
      Buffer.from((await call('GET', '/questions/export')).text),
    );
    assert.deepEqual(first, {
      ...{ question_text: 'One?', correct_answer: 'Jupiter', incorrect_answers: ['Mars', 'Venus'] },
      ...{ category: 'Astronomy', difficulty: 1, tags: ['a', 'b'], external_id: 'e-1' },
    });
    assert.equal(fourth!.explanation, '=1+1');
  });

  it('takes the filters and the order of the list', async () => {
    const ids = (await call('GET', '/questions?sort=-created_at')).body.data;
    const query = async (filter: string) => texts((await call('GET', `/questions/export?${filter}`)).text);
    assert.deepEqual(await query('tag=A'), ['One?']);
    assert.deepEqual(await query('category=science'), ['Four?']);
    assert.deepEqual(await query('q=jove'), ['Four?']);
    assert.deepEqual(await query('kind=numeric&sort=-created_at'), ['Three?']);
    assert.deepEqual(await query('sort=-created_at'), ['Four?', 'Three?', 'Two?', 'One?']);
    const { id } = ids.at(-1);
    await call('PATCH', `/questions/${id}`, { body: { source: 'changed' } });
    assert.deepEqual(await query('sort=updated_at'), ['Two?', 'Three?', 'Four?', 'One?']);
    assert.equal((await call('GET', '/questions/export?category=nowhere')).status, 400);
    assert.equal((await call('GET', '/questions/export?limit=3')).status, 400);
    const unknown = await call('GET', '/questions/export?format=docx');
    assert.equal(unknown.status, 400);
    const head = await call('HEAD', '/questions/export?format=csv');
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  it('403: there is no export without answers:read', async () => {
    const token = await service().keyFor('questions:read', 'questions:write', 'analysis:read');
    for (const query of ['', '?format=csv', '?dry_run=true']) {
      const { status, body } = await call('GET', `/questions/export${query}`, { token });
      assert.deepEqual([status, body.code], [403, 'insufficient_scope']);
    }
  });

  it('is of one snapshot, and as fast as its reader', async () => {
    const many = Array.from({ length: 1000 }, (_, i) =>
      sample({ question_text: `Snapshot ${i}? ${'x'.repeat(2000)}`, tags: ['snapshot'] }),
    );
    await call('POST', '/questions', { body: many });
    const { port, token } = await listen(service());
    const { promise, resolve } = Promise.withResolvers<http.IncomingMessage>();
    http.get(
      { port, path: '/questions/export?tag=snapshot', headers: { authorization: `Bearer ${token}` } },
      resolve,
    );
    const response = await promise;
    response.pause();
    const { body } = await call('GET', '/questions?tag=snapshot&limit=1&sort=-created_at');
    await call('PATCH', `/questions/${body.data[0].id}`, { body: { question_text: 'Changed?' } });
    await call('POST', '/questions', { body: sample({ question_text: 'Later?', tags: ['snapshot'] }) });
    const { data: categories } = (await call('GET', '/categories')).body;
    assert.ok(categories.length > 0);
    const [second] = (await call('GET', '/questions?tag=snapshot&limit=1&offset=998')).body.data;
    await call('DELETE', `/questions/${second.id}`);
    const text = Buffer.concat(await response.toArray()).toString();
    assert.deepEqual(
      texts(text).map((each) => each.split('?')[0]),
      many.map((_, i) => `Snapshot ${i}`),
    );
    assert.equal(response.trailers['export-losses'], '');
  });
});

it('names the media types of the formats, and all formats that are read', async () => {
  const readable: string[] = [];
  for (const [name, load] of Object.entries(FORMATS)) {
    const format = await load();
    if (format.read) readable.push(name);
    const type = EXPORT_TYPES[name as keyof typeof EXPORT_TYPES];
    assert.equal(type !== undefined, format.write !== undefined, name);
    if (format.write) assert.equal(type, format.mediaTypes[0] ?? 'application/zip');
  }
  assert.deepEqual([...IMPORT_FORMATS].sort(), readable.sort());
});
