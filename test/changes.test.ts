import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';
import { until } from './support/until.ts';

const UNKNOWN_ID = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';

onEveryEngine('bulk changes', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const create = async (list: object[]) =>
    (await call('POST', '/questions', { body: list.map(sample) })).body.data as { id: string }[];
  const bulk = (body: object, options: object = {}) => call('POST', '/questions/bulk', { body, ...options });
  const get = async (id: string) => (await call('GET', `/questions/${id}`)).body;
  const waitFor = (id: string) =>
    until('the end of the change', async () => {
      const { body } = await call('GET', `/changes/${id}`);
      return ['queued', 'running'].includes(body.status) ? undefined : body;
    });
  const run = async (body: object) => {
    const { status, body: change, headers } = await bulk(body);
    assert.equal(status, 202, JSON.stringify(change));
    assert.equal(headers.location, `/changes/${change.id}`);
    return waitFor(change.id);
  };
  const undo = async (id: string) => {
    const { status, body } = await call('POST', `/changes/${id}/undo`);
    assert.equal(status, 202);
    assert.equal(body.request.undo_of, id);
    return waitFor(body.id);
  };
  const tagged = async (tag: string) =>
    (await call('GET', `/questions?tag=${tag}&limit=1`)).body.pagination.total as number;

  it('changes the questions of a filter, with one revision each, and undoes and redoes it', async () => {
    const questions = await create(
      Array.from({ length: 600 }, (_, i) => ({
        question_text: `Bulk ${i}?`,
        tags: ['bulk'],
        difficulty: i % 2,
      })),
    );
    const ended = await run({
      filter: { tag: ['bulk'] },
      change: { difficulty: 1, category: 'science', add_tags: ['new', 'BULK'], remove_tags: ['none'] },
      expected: 600,
    });
    assert.equal(ended.status, 'succeeded');
    assert.equal(ended.progress, 1);
    assert.deepEqual([ended.changed, ended.unchanged, ended.refused], [600, 0, 0]);
    assert.equal(ended.by.client, 'admin');
    const one = await get(questions[0]!.id);
    assert.deepEqual(
      [one.difficulty, one.category, one.tags, one.revision],
      [1, 'Science', ['bulk', 'new'], 2],
    );
    assert.equal(await tagged('new'), 600);
    assert.equal((await call('GET', '/questions?category=science&q=bulk')).body.pagination.total, 600);
    const revisions = (await call('GET', `/questions/${one.id}/revisions`)).body.data;
    assert.equal(revisions[0].change_id, ended.id);
    assert.equal(revisions[0].by.client, 'admin');

    const again = await run({ filter: { tag: ['bulk'] }, change: { difficulty: 1, add_tags: ['new'] } });
    assert.deepEqual([again.changed, again.unchanged], [0, 600]);

    await call('PUT', `/questions/${questions[1]!.id}`, { body: { source: 'since' } });
    await call('DELETE', `/questions/${questions[2]!.id}`);
    const undone = await undo(ended.id);
    assert.deepEqual([undone.changed, undone.refused], [598, 2]);
    assert.deepEqual(undone.reasons, [
      { code: 'changed_since', count: 2, question_ids: [questions[1]!.id, questions[2]!.id].sort() },
    ]);
    const back = await get(questions[0]!.id);
    assert.deepEqual(
      [back.difficulty, back.category, back.tags, back.revision],
      [0, 'Astronomy', ['bulk'], 3],
    );
    assert.equal(await tagged('new'), 1);
    const redone = await undo(undone.id);
    assert.deepEqual([redone.changed, redone.refused], [598, 0]);
    assert.equal(await tagged('new'), 599);
    const list = (await call('GET', '/changes?limit=2')).body;
    assert.deepEqual(
      list.data.map(({ id }: { id: string }) => id),
      [redone.id, undone.id],
    );
    assert.equal(list.pagination.total, 4);
  });

  it('deletes questions and restores them by an undo', async () => {
    const questions = await create([
      { question_text: 'Gone 1?', external_id: 'gone-1' },
      { question_text: 'Gone 2?', external_id: 'gone-2' },
      { question_text: 'Gone 3?' },
    ]);
    const ids = questions.map(({ id }) => id);
    const ended = await run({ question_ids: ids, delete: true });
    assert.equal(ended.changed, 3);
    assert.equal((await call('GET', `/questions/${ids[0]}`)).status, 404);
    const [other] = await create([{ question_text: 'Took the id?', external_id: 'gone-2' }]);
    const undone = await undo(ended.id);
    assert.deepEqual([undone.changed, undone.refused], [2, 1]);
    assert.deepEqual(undone.reasons, [{ code: 'external_id_taken', count: 1, question_ids: [ids[1]] }]);
    assert.equal((await get(ids[0]!)).external_id, 'gone-1');
    const redone = await undo(undone.id);
    assert.deepEqual([redone.changed, redone.refused], [2, 0]);
    assert.equal((await call('GET', `/questions/${ids[2]}`)).status, 404);
    assert.equal((await get(other!.id)).external_id, 'gone-2');
  });

  it('refuses single questions with a reason and changes the others', async () => {
    const [clash, fine] = await create([
      { question_text: 'Refused?', tags: ['refusable'], incorrect_answers: ['Mercury', 'Mars'] },
      { question_text: 'Fine?', tags: ['refusable'], incorrect_answers: ['Venus'] },
    ]);
    const ended = await run({ filter: { tag: ['refusable'] }, change: { correct_answer: 'Mercury' } });
    assert.deepEqual([ended.changed, ended.refused], [1, 1]);
    assert.deepEqual(ended.reasons, [{ code: 'duplicate', count: 1, question_ids: [clash!.id] }]);
    assert.equal((await get(fine!.id)).correct_answer, 'Mercury');
    const many = await run({
      question_ids: [fine!.id],
      change: { add_tags: Array.from({ length: 50 }, (_, i) => `t${i}`) },
    });
    assert.deepEqual(many.reasons, [{ code: 'too_many', count: 1, question_ids: [fine!.id] }]);
  });

  it('200: a dry run counts, shows a sample and stores nothing', async () => {
    const questions = await create(
      Array.from({ length: 12 }, (_, i) => ({
        question_text: `Dry ${i}?`,
        tags: ['dry'],
        difficulty: i % 2,
      })),
    );
    const { total } = (await call('GET', '/changes')).body.pagination;
    const { status, body } = await bulk({
      filter: { tag: ['dry'] },
      change: { difficulty: 2 },
      dry_run: true,
    });
    assert.equal(status, 200);
    assert.deepEqual([body.question_count, body.examined, body.changed, body.unchanged], [12, 12, 12, 0]);
    assert.equal(body.sample.length, 10);
    assert.deepEqual(body.sample[1], {
      question_id: questions[1]!.id,
      before: { difficulty: 1 },
      after: { difficulty: 2 },
    });
    const removed = await bulk({ filter: { tag: ['dry'] }, delete: true, dry_run: true });
    assert.deepEqual(removed.body.sample[0], { question_id: questions[0]!.id, before: null, after: null });
    assert.equal((await get(questions[0]!.id)).revision, 1);
    assert.equal((await call('GET', '/changes')).body.pagination.total, total);
  });

  it('409: the number of questions differs from what is expected', async () => {
    await create([{ question_text: 'Expected?', tags: ['expected'] }]);
    const { status, body } = await bulk({
      filter: { tag: ['expected'] },
      delete: true,
      expected: 2,
    });
    assert.deepEqual([status, body.code], [409, 'count_mismatch']);
    assert.match(body.detail, /2 questions, but 1 match/);
  });

  it('422: reports every fault of the request', async () => {
    const [{ id }] = (await create([{ question_text: 'Faulty?' }])) as [{ id: string }];
    const faults = async (body: object) => {
      const answer = await bulk(body);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      return answer.body.errors.map((fault: { pointer: string; code: string }) => [
        fault.pointer,
        fault.code,
      ]);
    };
    assert.deepEqual(await faults({}), [
      ['', 'required'],
      ['', 'required'],
    ]);
    assert.deepEqual(
      await faults({ filter: {}, question_ids: [id], delete: true, change: { difficulty: 1 } }),
      [
        ['/question_ids', 'conflict'],
        ['/delete', 'conflict'],
      ],
    );
    assert.deepEqual(await faults({ question_ids: [id], change: { external_id: 'x' } }), [
      ['/change/external_id', 'unknown_field'],
    ]);
    assert.deepEqual(await faults({ question_ids: [id, id], change: { category: 'Nope', difficulty: 3 } }), [
      ['/change/difficulty', 'out_of_range'],
      ['/change/category', 'unknown_category'],
      ['/question_ids/1', 'duplicate'],
    ]);
    assert.deepEqual(await faults({ question_ids: [UNKNOWN_ID], delete: true }), [
      ['/question_ids/0', 'unknown_question'],
    ]);
    assert.deepEqual(await faults({ question_ids: [id], change: { tags: ['a'], add_tags: ['b'] } }), [
      ['/change/add_tags', 'conflict'],
    ]);
    assert.deepEqual(await faults({ filter: { category: 'Nope' }, delete: true }), [
      ['/filter/category', 'unknown_category'],
    ]);
  });

  it('repeats a change under its Idempotency-Key only once', async () => {
    await create([{ question_text: 'Once?', tags: ['once'] }]);
    const options = { headers: { 'idempotency-key': 'bulk-once' } };
    const body = { filter: { tag: ['once'] }, change: { add_tags: ['done'] } };
    const first = await bulk(body, options);
    await waitFor(first.body.id);
    const second = await bulk(body, options);
    assert.equal(second.body.id, first.body.id);
  });

  it('requires the scopes', async () => {
    const body = { filter: {}, delete: true, expected: 1_000_000 };
    const { keyFor } = service();
    for (const scopes of [['questions:write'], ['questions:read', 'answers:read']] as const)
      assert.equal((await bulk(body, { token: await keyFor(...scopes) })).status, 403);
    assert.equal((await bulk(body, { token: await keyFor('questions:write', 'answers:read') })).status, 409);
    assert.equal((await call('GET', '/changes', { token: await keyFor('questions:read') })).status, 403);
  });

  it('404: there is no such change; one that has ended is not cancelled', async () => {
    assert.equal((await call('GET', `/changes/${UNKNOWN_ID}`)).body.code, 'no_such_change');
    assert.equal((await call('POST', '/changes/nope/undo')).body.code, 'no_such_change');
    const [question] = await create([{ question_text: 'Ended?' }]);
    const { id } = await run({ question_ids: [question!.id], change: { difficulty: 2 } });
    const { status, body } = await call('POST', `/changes/${id}/cancel`);
    assert.deepEqual([status, body.status], [200, 'succeeded']);
  });

  it('applies the safe remedies of a run, composed, to questions that have not changed since', async () => {
    const [both, changed, other] = await create([
      {
        question_text: 'What  is the the largest planet of all ?',
        tags: ['remedy'],
        incorrect_answers: ['Mars  one'],
      },
      { question_text: 'Which  planet is near?', tags: ['remedy'] },
      { question_text: 'Which  planet is far?' },
    ]);
    const ids = [both, changed, other].map((question) => question!.id);
    const { body: analysis } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', question_ids: ids },
      headers: { prefer: 'wait=30' },
    });
    assert.equal(analysis.status, 'succeeded');
    const row = analysis.result.items.find((item: { question_id: string }) => item.question_id === both!.id);
    const rules = [
      ...new Set(
        row.findings
          .filter((one: { change: unknown }) => one.change)
          .map((one: { rule: string }) => one.rule),
      ),
    ];
    assert.ok(rules.length >= 2, `rules with a remedy: ${rules}`);
    await call('PUT', `/questions/${changed!.id}`, { body: { difficulty: 2 } });
    const request = { filter: { tag: ['remedy'] }, apply_remedy: { analysis_id: analysis.id } };
    const preview = await bulk({ ...request, dry_run: true });
    assert.deepEqual([preview.body.question_count, preview.body.changed, preview.body.refused], [2, 1, 1]);
    const ended = await run({ ...request, expected: 2 });
    assert.deepEqual([ended.changed, ended.refused], [1, 1]);
    assert.deepEqual(ended.reasons, [{ code: 'changed_since', count: 1, question_ids: [changed!.id] }]);
    const mended = await get(both!.id);
    assert.equal(mended.question_text, 'What is the largest planet of all?');
    assert.deepEqual(mended.incorrect_answers, ['Mars one']);
    assert.deepEqual(preview.body.sample[0].after.question_text, mended.question_text);
    assert.equal((await get(other!.id)).revision, 1);

    const found = await bulk({
      finding: { analysis_id: analysis.id, name: 'spacing' },
      delete: true,
      dry_run: true,
    });
    assert.equal(found.body.question_count, 3);
    const none = await bulk({
      finding: { analysis_id: analysis.id, name: 'nothing' },
      delete: true,
      dry_run: true,
    });
    assert.equal(none.body.question_count, 0);
    const { body: readability } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'readability', question_ids: ids },
      headers: { prefer: 'wait=30' },
    });
    const wrong = await bulk({ filter: {}, apply_remedy: { analysis_id: readability.id } });
    assert.deepEqual([wrong.status, wrong.body.errors[0].code], [422, 'no_remedies']);
    const unknown = await bulk({ filter: {}, apply_remedy: { analysis_id: UNKNOWN_ID } });
    assert.equal(unknown.body.code, 'no_such_analysis');
  });

  it('reports one event per chunk, which does not disclose that only answers have changed', async () => {
    const questions = await create(
      Array.from({ length: 3 }, (_, i) => ({ question_text: `Event ${i}?`, tags: ['event'] })),
    );
    const { engine } = service();
    const OF_QUESTIONS = `kind LIKE 'question.%'`;
    const count = async () =>
      Number(
        (await engine.db.get<{ n: number }>(`SELECT count(*) AS n FROM events WHERE ${OF_QUESTIONS}`))!.n,
      );
    const before = await count();
    await run({ filter: { tag: ['event'] }, change: { explanation: 'Because.' } });
    assert.equal(await count(), before + 1);
    const last = await engine.db.get<{ subjects: string; reveals_answers: number }>(
      `SELECT subjects, reveals_answers FROM events WHERE ${OF_QUESTIONS} ORDER BY id DESC LIMIT 1`,
    );
    assert.equal(last!.reveals_answers, 1);
    assert.deepEqual(JSON.parse(last!.subjects).sort(), questions.map(({ id }) => id).sort());
  });

  it('429: a client has too many changes that have not ended', async () => {
    await create([{ question_text: 'Many?', tags: ['many'] }]);
    const started = await Promise.all(
      Array.from({ length: 12 }, (_, i) => bulk({ filter: { tag: ['many'] }, change: { source: `${i}` } })),
    );
    const refused = started.filter(({ status }) => status !== 202);
    assert.ok(refused.every(({ status, body }) => status === 429 && body.code === 'too_many_changes'));
    for (const { status, body } of started) if (status === 202) await waitFor(body.id);
  });
});
