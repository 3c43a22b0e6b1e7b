/** Imports: arrays of which some questions are refused, and files that are imported again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

let files = 0;
/** Questions of a file, with an external_id each. */
function newFile(n: number, changes: (i: number) => object = () => ({})): object[] {
  const file = `file-${files++}`;
  return Array.from({ length: n }, (_, i) =>
    sample({ question_text: `What is ${i} of ${file}?`, external_id: `${file}/${i}`, ...changes(i) }),
  );
}
const keyed = () => ({ 'idempotency-key': `import-${files++}` });

onEveryEngine('imports', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const post = (query: string, body: unknown, more: object = {}) =>
    call('POST', `/questions?${query}`, { body, ...more });
  const count = async (prefix: object[]) => {
    const ids = (prefix as { external_id: string }[]).map(({ external_id }) => external_id);
    const found = await Promise.all(
      ids.map(async (id) => (await call('GET', `/questions?external_id=${encodeURIComponent(id)}`)).body),
    );
    return found.map(({ pagination }) => pagination.total);
  };

  it('skip_bad stores the valid questions, and reports the others by position and text', async () => {
    const file = newFile(4);
    const [taken, ...others] = file;
    const text = (i: number) => (file[i] as { question_text: string }).question_text;
    await post('', taken);
    const long = 'x'.repeat(150);
    const body = [
      others[0],
      sample({ question_text: long, difficulty: 7, category: 'Astrologie' }),
      'no object',
      { ...others[1], incorrect_answers: ['Mars', 'Mars'] },
      taken,
      sample({ question_text: 'Where?', category: 'Nowhere' }),
      others[2],
      others[2],
      sample({ question_text: 'Marks', explanation: `a${'\u0301'.repeat(31)}` }),
      sample({ question_text: 'Copy', id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30' }),
    ];
    const { status, body: answer } = await post('mode=skip_bad', body);
    assert.equal(status, 201);
    assert.deepEqual(
      answer.data.map((question: { question_text: string }) => question.question_text),
      [text(1), text(3)],
    );
    assert.ok(!('outcomes' in answer));
    const refused = answer.refused.map(
      ({ index, question_text, errors }: { index: number; question_text: string; errors: object[] }) => [
        index,
        question_text,
        ...errors.map((fault) => Object.values(fault).slice(0, 2).join(' ')),
      ],
    );
    assert.deepEqual(refused, [
      [1, `${'x'.repeat(100)}…`, '/1/difficulty out_of_range', '/1/category unknown_category'],
      [2, null, '/2 wrong_type'],
      [3, text(2), '/3/incorrect_answers/1 duplicate'],
      [4, text(0), '/4/external_id external_id_taken'],
      [5, 'Where?', '/5/category unknown_category'],
      [7, text(3), '/7/external_id external_id_taken'],
      [8, 'Marks', '/8 malformed_text'],
      [9, 'Copy', '/9/id read_only'],
    ]);
  });

  it('skip_bad without a refused question has an empty list', async () => {
    const { status, body } = await post('mode=skip_bad', newFile(2));
    assert.deepEqual([status, body.data.length, body.refused], [201, 2, []]);
  });

  it('422: skip_bad without a valid question, or with too many', async () => {
    const bad = sample({ difficulty: 9 });
    const { status, body } = await post('mode=skip_bad', [bad, { ...bad, category: 'Nowhere' }]);
    assert.equal(status, 422);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/0/difficulty', '/1/difficulty', '/1/category'],
    );
    // Found in the bank only.
    const [taken] = newFile(1);
    await post('', taken);
    const refused = await post('mode=skip_bad', [taken, sample({ category: 'Nowhere' })]);
    assert.deepEqual([refused.status, refused.body.errors.length], [422, 2]);
    for (const many of [[], Array(1001).fill(sample()), Array(20_000).fill(1)])
      assert.equal((await post('mode=skip_bad', many)).status, 422);
    assert.equal((await post('mode=skip_bad', bad)).status, 422);
    assert.equal((await post('mode=some', newFile(1))).status, 400);
    assert.equal((await post('mode=some', [bad])).status, 400);
  });

  it('skip_bad validates every question of a large array with many faults', async () => {
    const bad = { question_text: 5, nothing: 1, correct_answer: '', category: 7, difficulty: 'x', tags: [1] };
    const body = newFile(1000).map((question, i) => (i % 5 === 4 ? question : { ...bad, n: i }));
    body[999] = { ...body[999], difficulty: 3 };
    const { status, body: answer } = await post('mode=skip_bad', body);
    assert.equal(status, 201);
    assert.deepEqual([answer.data.length, answer.refused.length], [199, 801]);
    assert.deepEqual(answer.refused.at(-1).errors[0].pointer, '/999/difficulty');
    assert.ok(answer.data.every(({ difficulty }: { difficulty: number }) => difficulty === 1));
  });

  it('skip_bad repeats its first response under an Idempotency-Key', async () => {
    const name = `Later ${files++}`;
    const body = [...newFile(3), sample({ category: name }), sample({ difficulty: 5 })];
    const headers = keyed();
    const first = await post('mode=skip_bad', body, { headers });
    assert.equal(first.body.refused.length, 2);
    await call('POST', '/categories', { body: { name } });
    await call('PATCH', `/questions/${first.body.data[0].id}`, { body: { difficulty: 2 } });
    const again = await post('mode=skip_bad', body, { headers });
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
    const other = await post('mode=skip_bad&check_duplicates=true', body, { headers });
    assert.equal(other.body.code, 'idempotency_mismatch');
  });

  it('skip_bad aligns duplicates with what is stored', async () => {
    const [known] = newFile(1, () => ({ question_text: 'Which moon of Saturn has lakes of methane?' }));
    const { body: stored } = await post('', known);
    const copy = sample({ question_text: 'Which moon of Saturn has lakes of methane ?' });
    const { body } = await post('mode=skip_bad&check_duplicates=true', [{}, copy, ...newFile(1)]);
    assert.equal(body.duplicates.length, 2);
    const found = (i: number) => JSON.stringify(body.duplicates[i]).includes(stored.id);
    assert.deepEqual([found(0), found(1)], [true, false]);
  });

  it('on_match=update creates, updates or leaves each question', async () => {
    const file = newFile(3, () => ({ tags: ['imported'], incorrect_answers: ['Mars'] }));
    const first = await post('on_match=update', file);
    assert.deepEqual([first.status, first.body.outcomes], [201, ['created', 'created', 'created']]);
    const [a, b] = first.body.data;
    // An editor adds what the file does not have.
    await call('PATCH', `/questions/${a.id}`, { body: { explanation: 'Added by hand.' } });
    const changed = [file[0], { ...file[1], correct_answer: 'Saturn', tags: null }, ...newFile(1), file[2]];
    const { status, body } = await post('on_match=update', changed);
    assert.equal(status, 201);
    assert.deepEqual(body.outcomes, ['unchanged', 'updated', 'created', 'unchanged']);
    assert.deepEqual(
      body.data.map(({ revision }: { revision: number }) => revision),
      [2, 2, 1, 1],
    );
    assert.equal(body.data[0].explanation, 'Added by hand.');
    assert.deepEqual([body.data[1].id, body.data[1].correct_answer, body.data[1].tags], [b.id, 'Saturn', []]);
    assert.deepEqual((await call('GET', `/questions/${b.id}`)).body, body.data[1]);
    const { data } = (await call('GET', `/questions/${b.id}/revisions`)).body;
    assert.deepEqual(
      data.map(({ action }: { action: string }) => action),
      ['updated', 'created'],
    );
    const found = await call('GET', `/questions?q=saturn&external_id=${encodeURIComponent(b.external_id)}`);
    assert.equal(found.body.pagination.total, 1);
    const same = await post('on_match=update', changed);
    assert.deepEqual([same.status, new Set(same.body.outcomes)], [200, new Set(['unchanged'])]);
  });

  it('on_match=update takes one question, and exported ones', async () => {
    const [question] = newFile(1);
    const created = await post('on_match=update', question);
    assert.deepEqual([created.status, created.body.outcome], [201, 'created']);
    assert.equal(created.headers.location, `/questions/${created.body.id}`);
    const { outcome: _, ...exported } = created.body;
    const same = await post('on_match=update', exported);
    assert.deepEqual([same.status, same.body], [200, { ...exported, outcome: 'unchanged' }]);
    assert.equal(same.headers.location, undefined);
    const updated = await post('on_match=update', { ...exported, difficulty: 0 });
    assert.deepEqual([updated.status, updated.body.outcome, updated.body.revision], [200, 'updated', 2]);
    assert.equal(updated.headers.etag, (await call('GET', `/questions/${exported.id}`)).headers.etag);
    const stale = await post('on_match=update', [exported]);
    assert.deepEqual(
      [stale.status, stale.body.errors.map(({ pointer }: { pointer: string }) => pointer)],
      [422, ['/0/revision', '/0/updated_at']],
    );
    // Without a match, it would be a new question.
    const moved = await post('on_match=update', { ...exported, external_id: 'another' });
    assert.deepEqual([moved.status, moved.body.errors[0].code], [422, 'read_only']);
    const plain = await post('on_match=update', sample());
    assert.deepEqual([plain.status, plain.body.outcome], [201, 'created']);
  });

  it('on_match=update reports faults against the stored question', async () => {
    const file = newFile(2, () => ({ incorrect_answers: ['Mars'] }));
    await post('on_match=update', file);
    const bad = [file[0], { ...file[1], incorrect_answers: undefined, correct_answer: 'Mars' }];
    const { status, body } = await post('on_match=update', bad);
    assert.deepEqual([status, body.errors[0].pointer], [422, '/1/incorrect_answers/0']);
    const twice = await post('on_match=update', [file[0], file[0]]);
    assert.deepEqual([twice.status, twice.body.errors[0].pointer], [409, '/1/external_id']);
    assert.match(twice.body.errors[0].detail, /is the external_id of the item at \/0$/);
    const skipped = await post('on_match=update&mode=skip_bad', [
      ...bad,
      file[0],
      { ...file[1], difficulty: 2 },
    ]);
    assert.deepEqual([skipped.status, skipped.body.outcomes], [200, ['unchanged', 'updated']]);
    assert.deepEqual(
      skipped.body.refused.map(({ index }: { index: number }) => index),
      [1, 2],
    );
    const refused = await post('', file);
    assert.deepEqual([refused.status, refused.body.errors.length], [409, 2]);
  });

  it('on_match=update requires answers:read', async () => {
    const [question] = newFile(1);
    const token = await service().keyFor('questions:read', 'questions:write');
    const { status, headers, body } = await post('on_match=update', question, { token });
    assert.equal(status, 403);
    assert.match(body.detail, /^on_match=update requires the scope answers:read/);
    assert.match(headers['www-authenticate']!, /scope="answers:read"/);
    assert.equal((await post('on_match=refuse', question, { token })).status, 201);
  });

  it('on_match=update repeats its first response under an Idempotency-Key', async () => {
    const file = newFile(3);
    await post('', file.slice(0, 2));
    const headers = keyed();
    const body = [file[0], { ...file[1], difficulty: 2 }, file[2]];
    const first = await post('on_match=update', body, { headers });
    assert.deepEqual(first.body.outcomes, ['unchanged', 'updated', 'created']);
    for (const { id } of first.body.data)
      await call('PATCH', `/questions/${id}`, { body: { difficulty: 0 } });
    await call('DELETE', `/questions/${first.body.data[1].id}`);
    const again = await post('on_match=update', body, { headers });
    assert.deepEqual([again.status, again.body], [201, first.body]);
  });

  it('concurrent imports of a file make each question once', async () => {
    const file = newFile(40);
    const imports = await Promise.all(
      Array.from({ length: 8 }, (_, i) => post('on_match=update', i % 2 ? file : file.toReversed())),
    );
    assert.deepEqual(new Set(await count(file)), new Set([1]));
    const outcomes = imports.flatMap(({ body }) => body.outcomes);
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 40);
    assert.equal(outcomes.filter((outcome) => outcome === 'unchanged').length, 280);
    const versions = [0, 1, 2].map((difficulty) => file.map((question) => ({ ...question, difficulty })));
    const updates = await Promise.all(versions.map((version) => post('on_match=update', version)));
    assert.ok(updates.every(({ status }) => status === 200));
    const levels = await Promise.all(
      updates[0]!.body.data.map(
        async ({ id }: { id: string }) => (await call('GET', `/questions/${id}`)).body,
      ),
    );
    // Each import is applied as a whole.
    assert.equal(new Set(levels.map(({ difficulty }) => difficulty)).size, 1);
  });

  it('validate_only reports what would be done', async () => {
    const file = newFile(3);
    await post('', [file[0], { ...file[1], explanation: 'Kept.' }]);
    const body = [file[0], { ...file[1], difficulty: 2 }, file[2], { ...file[2], difficulty: 9 }];
    const query = 'validate_only=true&on_match=update&mode=skip_bad&check_duplicates=false';
    const { status, body: answer } = await post(query, body);
    assert.equal(status, 200);
    assert.deepEqual([answer.valid, answer.outcomes], [false, ['unchanged', 'updated', 'created']]);
    assert.deepEqual([answer.data[1].difficulty, answer.data[1].explanation], [2, 'Kept.']);
    assert.deepEqual(
      answer.refused.map(({ index }: { index: number }) => index),
      [3],
    );
    assert.deepEqual(await count(file), [1, 1, 0]);
    const valid = await post('validate_only=true', file[2]);
    assert.deepEqual(
      [valid.body.valid, 'refused' in valid.body, 'outcomes' in valid.body],
      [true, false, false],
    );
  });
});
