/** Findings of single questions, dismissals, and the list of what needs attention. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { EXAMPLE } from '../src/analyses/item-statistics/example.ts';
import { readFindingSet } from '../src/store/findings/finding-sets.ts';
import { onEveryEngine } from './support/engines.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

const flawed = (text: string, fields: object = {}) => ({
  question_text: text,
  correct_answer: 'Paris',
  incorrect_answers: ['Rome', 'Oslo', 'Bern'],
  category: 'Geography',
  difficulty: 0,
  ...fields,
});

onEveryEngine('findings of a question', (service) => {
  const create = async (body: object): Promise<string> => {
    const { status, body: created } = await service().call('POST', '/questions', { body });
    assert.equal(status, 201);
    return created.id;
  };
  const run = async (body: object): Promise<string> => {
    const { body: created } = await service().call('POST', '/analysis/run', {
      body,
      headers: { prefer: 'wait=30' },
    });
    assert.equal(created.status, 'succeeded');
    return created.id;
  };
  const read = async (id: string, query = '', token?: string): Promise<Json[]> => {
    const { status, body } = await service().call('GET', `/questions/${id}/findings${query}`, {
      ...(token && { token }),
    });
    assert.equal(status, 200);
    return body.data;
  };
  const dismiss = (id: string, body: object, headers = {}) =>
    service().call('POST', `/questions/${id}/findings/dismissals`, { body, headers });
  const REASON = { analysis_type: 'quality', name: 'doubled_word', reason: 'It is a quotation.' };

  it('are the rows of the latest runs, or none', async () => {
    const bad = await create(flawed('Which city is the the capital of France?'));
    const good = await create(flawed('Which city is the capital of France?'));
    assert.deepEqual(await read(bad), []);
    const first = await run({ analysis_type: 'quality' });
    await run({ analysis_type: 'readability', question_ids: [bad] });
    const [quality, readability] = await read(bad);
    assert.equal(quality.analysis_id, first);
    assert.equal(quality.stale, false);
    assert.ok(quality.age_seconds >= 0);
    assert.ok(quality.findings.some(({ name }: Json) => name === 'doubled_word'));
    assert.equal(quality.items[0].question_id, bad);
    assert.equal(readability.analysis_type, 'readability');
    const [examined, ...others] = await read(good);
    assert.deepEqual([examined.findings, examined.items, others], [[], [], []]);
    assert.equal((await service().call('GET', `/questions/${first}/findings`)).status, 404);
  });

  it('are stale once the question has changed, which callers without answers do not see', async () => {
    const id = await create(flawed('Who painted the the ceiling?'));
    await run({ analysis_type: 'quality', question_ids: [id] });
    const token = await service().keyFor('questions:read', 'analysis:read');
    const before = await read(id, '', token);
    assert.equal(before[0].stale, null);
    await service().call('PUT', `/questions/${id}`, { body: { explanation: 'A hint.' } });
    assert.equal((await read(id))[0].stale, true);
    const withoutAge = (data: Json[]) => data.map(({ age_seconds, ...rest }) => rest);
    assert.deepEqual(withoutAge(await read(id, '', token)), withoutAge(before));
    await run({ analysis_type: 'quality', question_ids: [id] });
    assert.equal((await read(id))[0].stale, false);
  });

  it('leave sets and lists when they are dismissed, until the question changes', async () => {
    const id = await create(flawed('Which river is the the longest?'));
    await run({ analysis_type: 'quality', question_ids: [id] });
    const isFound = async () => {
      const slots = await readFindingSet(service().engine.db, 'quality', 'doubled_word', 'with_answers');
      const row = await service().engine.db.get<{ slot: number }>(
        'SELECT created_slot AS slot FROM questions WHERE id = $1',
        id,
      );
      return slots.tester()(row!.slot);
    };
    assert.equal(await isFound(), true);
    const { status, body } = await dismiss(id, { ...REASON, revision: 1 });
    assert.equal(status, 201);
    assert.deepEqual([body.revision, body.active, body.reason], [1, true, REASON.reason]);
    assert.equal(await isFound(), false);
    const names = async (query = '') =>
      (await read(id, query))[0].findings.map(({ name }: Json) => name).join();
    assert.doesNotMatch(await names(), /doubled_word/);
    assert.match(await names('?dismissed=true'), /doubled_word/);

    await service().call('PUT', `/questions/${id}`, { body: { difficulty: 1 } });
    assert.equal(await isFound(), true);
    assert.match(await names(), /doubled_word/);
    const { body: list } = await service().call('GET', `/dismissals?question_id=${id}`);
    assert.deepEqual(
      list.data.map(({ revision, active }: Json) => [revision, active]),
      [[1, false]],
    );
  });

  it('are dismissed once per key, and the dismissal is withdrawn', async () => {
    const id = await create(flawed('Which lake is the the deepest?'));
    await run({ analysis_type: 'quality', question_ids: [id] });
    const headers = { 'idempotency-key': `dismiss-${id}` };
    const first = await dismiss(id, REASON, headers);
    assert.deepEqual((await dismiss(id, REASON, headers)).body, first.body);
    const target = `/questions/${id}/findings/dismissals?analysis_type=quality&name=doubled_word`;
    assert.equal((await service().call('DELETE', target)).status, 204);
    assert.equal((await service().call('DELETE', target)).status, 204);
    const { body } = await service().call('GET', `/dismissals?question_id=${id}`);
    assert.equal(body.pagination.total, 0);
  });

  it('are not dismissed by an unknown name, at another revision, or without answers:read', async () => {
    const id = await create(flawed('Which sea is the saltiest?'));
    const unknown = await dismiss(id, { ...REASON, name: 'nonsense' });
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, '/name']);
    assert.equal((await dismiss(id, { ...REASON, revision: 7 })).body.code, 'revision_changed');
    const token = await service().keyFor('questions:write', 'analysis:read');
    const refused = await service().call('POST', `/questions/${id}/findings/dismissals`, {
      token,
      body: REASON,
    });
    assert.equal(refused.status, 403);
  });
});

onEveryEngine('attention', (service) => {
  const ids: string[] = [];
  let conflict: string[];

  before(async () => {
    const { call } = service();
    const { body } = await call('POST', '/questions', { body: EXAMPLE.questions });
    ids.push(...body.data.map(({ id }: Json) => id));
    const responses = EXAMPLE.responses.flatMap(({ respondent, answers }) =>
      answers.map((answer, i) => ({ question_id: ids[i], respondent, answer })),
    );
    assert.equal((await call('POST', '/responses', { body: responses })).status, 201);
    const pair = ['1945', '1944'].map((correct_answer) => ({
      ...flawed('In which year did the Second World War end in Europe?'),
      correct_answer,
      incorrect_answers: ['1943', '1944', '1945', '1946'].filter((year) => year !== correct_answer),
    }));
    const made = await call('POST', '/questions', {
      body: [...pair, flawed('Which of these is at the the TODO?', { correct_answer: 'TODO' })],
    });
    conflict = made.body.data.map(({ id }: Json) => id);
    const { parameters } = EXAMPLE;
    for (const run of [
      { analysis_type: 'item_statistics', parameters },
      ...['duplicates', 'quality', 'coverage'].map((analysis_type) => ({ analysis_type })),
    ]) {
      const { body } = await call('POST', '/analysis/run', { body: run, headers: { prefer: 'wait=30' } });
      assert.equal(body.status, 'succeeded');
    }
  });

  const list = async (query = ''): Promise<Json> => {
    const { status, body } = await service().call('GET', `/attention${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const reasonsOf = ({ reasons }: Json) => reasons.map(({ reason }: Json) => reason);

  it('ranks wrong keys, conflicts, flaws and empty cells', async () => {
    const { data, counts, pagination } = await list('?limit=100');
    assert.equal(pagination.total, data.length);
    assert.equal(data[0].question_id, ids[1]);
    assert.equal(reasonsOf(data[0])[0], 'wrong_key');
    assert.equal(data[0].reasons[0].next_step.href, `/questions/${ids[1]}`);
    const conflicts = data.filter((item: Json) => reasonsOf(item).includes('conflict'));
    assert.deepEqual(
      conflicts.map(({ question_id }: Json) => question_id).sort(),
      conflict.slice(0, 2).sort(),
    );
    const flaw = data.find(({ question_id }: Json) => question_id === conflict[2]);
    assert.ok(reasonsOf(flaw).includes('major_flaw'));
    const cells = data.filter(({ question_id }: Json) => question_id === null);
    assert.equal(cells.length, counts.empty_cell);
    assert.ok(cells.some(({ category, difficulty }: Json) => category === 'Astronomy' && difficulty === 2));
    assert.deepEqual(data.slice(-cells.length), cells);
    const order = ['wrong_key', 'conflict', 'major_flaw', 'mislabelled', 'empty_cell'];
    const ranks = data.map((item: Json) => order.indexOf(reasonsOf(item)[0]));
    assert.deepEqual(
      ranks,
      ranks.toSorted((a: number, b: number) => a - b),
    );
  });

  it('is paged, and filtered by reason', async () => {
    const { data } = await list('?limit=100');
    const pages = [];
    for (let offset = 0; offset < data.length; offset += 3)
      pages.push(...(await list(`?limit=3&offset=${offset}`)).data);
    assert.deepEqual(pages, data);
    const { data: conflicts, pagination } = await list('?reason=conflict');
    assert.deepEqual([conflicts.length, pagination.total], [2, 2]);
  });

  it('follows changes of the bank: dismissals, deletions and filled cells', async () => {
    const { body } = await service().call('GET', `/questions/${ids[1]}/findings`);
    for (const { analysis_type, findings } of body.data)
      for (const { name } of findings)
        assert.equal(
          (
            await service().call('POST', `/questions/${ids[1]}/findings/dismissals`, {
              body: { analysis_type, name, reason: 'The key is right.' },
            })
          ).status,
          201,
        );
    await service().call('DELETE', `/questions/${conflict[1]}`);
    await service().call('POST', '/questions', {
      body: flawed('Which star is the brightest?', { category: 'Astronomy', difficulty: 2 }),
    });
    const { data } = await list('?limit=100');
    const listed = data.map(({ question_id }: Json) => question_id);
    assert.ok(!listed.includes(ids[1]));
    assert.ok(!listed.includes(conflict[1]));
    assert.ok(!data.some(({ category, difficulty }: Json) => category === 'Astronomy' && difficulty === 2));
  });

  it('requires answers:read', async () => {
    const token = await service().keyFor('questions:read', 'analysis:read');
    assert.equal((await service().call('GET', '/attention', { token })).status, 403);
  });
});
