/** Review: statuses and transitions, pending changes, reviews and comments. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { STATUSES, type Status } from '../src/schemas/status.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { createTestClient, type TestClient } from './support/reviewers.ts';
import { until } from './support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

function cases(service: () => Service): void {
  let editor: TestClient;
  let other: TestClient;
  let reviewer: TestClient;
  let analyst: TestClient;
  let player: TestClient;
  let admin: Service['call'];
  before(async () => {
    admin = (...args) => service().call(...args);
    editor = await createTestClient(service(), 'editor');
    other = await createTestClient(service(), 'editor');
    reviewer = await createTestClient(service(), 'reviewer');
    analyst = await createTestClient(service(), 'analyst');
    player = await createTestClient(service(), 'player');
  });
  const create = async (changes: object = {}, by: Service['call'] = editor.call): Promise<Json> =>
    (await by('POST', '/questions', { body: sample(changes) })).body;
  const createApproved = (changes: object = {}) => create({ status: 'approved', ...changes }, admin);
  const move = (id: string, status: string, by: Service['call'], more: object = { reason: 'A reason.' }) =>
    by('POST', `/questions/${id}/status`, { body: { status, ...more } });
  const review = (id: string, revision: number, by: Service['call'], more: object = {}) =>
    by('POST', `/questions/${id}/reviews`, { body: { revision, decision: 'approve', ...more } });

  it('creates drafts, which only those who write or review see', async () => {
    const { id, status } = await create({ tags: ['born'] });
    assert.equal(status, 'draft');
    for (const { call } of [analyst, player]) {
      assert.equal((await call('GET', `/questions/${id}`)).body.code, 'no_such_question');
      assert.equal((await call('GET', '/questions?tag=born')).body.pagination.total, 0);
      assert.equal((await call('GET', '/questions?status=draft')).body.pagination.total, 0);
    }
    for (const { call } of [other, reviewer]) {
      assert.equal((await call('GET', `/questions/${id}`)).body.status, 'draft');
      assert.equal((await call('GET', '/questions?tag=born&status=draft')).body.pagination.total, 1);
      assert.equal((await call('GET', '/questions?tag=born&status=approved')).body.pagination.total, 0);
    }
    const checked = await player.call('POST', `/questions/${id}/check`, { body: { answer: 'Jupiter' } });
    assert.equal(checked.body.code, 'no_such_question');
    const reported = await player.call('POST', `/questions/${id}/reports`, { body: { reason: 'unclear' } });
    assert.equal(reported.body.code, 'no_such_question');
    assert.equal((await analyst.call('GET', `/questions/${id}/revisions`)).body.code, 'no_such_question');
    const body = { question_id: id, respondent: 'ada', answer: 'Mars' };
    for (const call of [analyst.call, admin])
      assert.equal((await call('POST', '/responses', { body })).body.errors[0].code, 'unknown_question');
    const run = { analysis_type: 'quality', question_ids: [id] };
    const refused = await analyst.call('POST', '/analysis/run', { body: run });
    assert.equal(refused.body.errors[0].code, 'unknown_question');
  });

  it('counts questions as the caller sees them', async () => {
    const count = async (call: Service['call'], name: string) =>
      (await call('GET', '/categories')).body.data.find((each: Json) => each.name === name).question_count;
    await admin('POST', '/categories', { body: { name: 'Counted' } });
    await createApproved({ category: 'Counted' });
    await create({ category: 'Counted' });
    await create({ category: 'Counted', status: 'in_review' });
    assert.deepEqual([await count(player.call, 'Counted'), await count(editor.call, 'Counted')], [1, 3]);
  });

  it('403: creating an approved question without admin', async () => {
    const refused = await editor.call('POST', '/questions', { body: sample({ status: 'approved' }) });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    assert.equal((await createApproved()).status, 'approved');
  });

  const EXPECTED: Record<Status, Partial<Record<Status, string>>> = {
    draft: { in_review: 'editor', retired: 'editor' },
    in_review: { draft: 'editor reviewer', retired: 'editor' },
    approved: { draft: 'editor reviewer', retired: 'editor reviewer' },
    retired: { draft: 'editor reviewer' },
  };
  for (const from of STATUSES)
    for (const to of STATUSES.filter((status) => status !== from))
      it(`moves from ${from} to ${to}: ${[EXPECTED[from][to], 'admin'].filter(Boolean).join(' ')}`, async () => {
        const callers = { editor: editor.call, reviewer: reviewer.call, analyst: analyst.call, admin };
        for (const [role, call] of Object.entries(callers)) {
          const { id } = await create({ status: from }, admin);
          const { status, body } = await move(id, to, call);
          const allowed = role === 'admin' || (EXPECTED[from][to] ?? '').split(' ').includes(role);
          assert.equal(status, allowed ? 200 : 403, role);
          assert.deepEqual(
            allowed ? [body.status, body.revision] : body.code,
            allowed ? [to, 2] : 'insufficient_scope',
          );
        }
      });

  it('requires a reason on the way back, and keeps it in the history', async () => {
    const { id } = await create();
    assert.equal((await move(id, 'in_review', editor.call, {})).status, 200);
    const refused = await move(id, 'draft', reviewer.call, {});
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/reason']);
    assert.equal((await move(id, 'draft', reviewer.call, { reason: 'Too easy.' })).status, 200);
    assert.equal((await move(id, 'draft', reviewer.call)).body.code, 'already_current');
    const { data } = (await editor.call('GET', `/questions/${id}/revisions`)).body;
    assert.deepEqual(
      data.map((each: Json) => [each.action, each.question.status, each.reason, each.by.client]),
      [
        ['status_changed', 'draft', 'Too easy.', reviewer.id],
        ['status_changed', 'in_review', null, editor.id],
        ['created', 'draft', null, editor.id],
      ],
    );
    const update = await editor.call('PUT', `/questions/${id}`, { body: { status: 'approved' } });
    assert.deepEqual([update.status, update.body.errors[0].pointer], [422, '/status']);
    const repeated = await editor.call('PUT', `/questions/${id}`, {
      body: { status: 'draft', difficulty: 2 },
    });
    assert.equal(repeated.status, 200);
  });

  it('approves a question by a review of its revision; readers see only the approved ones', async () => {
    const { id } = await create({ question_text: 'A first wording?' });
    await editor.call('PUT', `/questions/${id}`, { body: { question_text: 'A second wording?' } });
    await move(id, 'in_review', editor.call);
    assert.equal((await review(id, 2, reviewer.call)).body.code, 'stale_review');
    const result = await review(id, 3, reviewer.call, { comment: 'Good.' });
    assert.equal(result.status, 201);
    const { status, current_revision, approvals, required_reviews } = result.body;
    assert.deepEqual([status, current_revision, approvals, required_reviews], ['approved', 4, 1, 1]);
    assert.equal((await player.call('GET', `/questions/${id}`)).body.question_text, 'A second wording?');
    const history = (await analyst.call('GET', `/questions/${id}/revisions`)).body;
    assert.deepEqual([history.pagination.total, history.data[0].revision], [1, 4]);
    const { data } = (await editor.call('GET', `/questions/${id}/reviews`)).body;
    assert.deepEqual(
      data.map((each: Json) => [each.revision, each.reviewer, each.decision, each.comment]),
      [[3, reviewer.id, 'approve', 'Good.']],
    );
    assert.equal((await review(id, 4, reviewer.call)).body.code, 'not_in_review');
  });

  it('sends a question back, which the same reviewer approves later', async () => {
    const { id } = await create({ status: 'in_review' });
    const silent = await review(id, 1, reviewer.call, { decision: 'request_changes' });
    assert.deepEqual([silent.status, silent.body.errors[0].pointer], [422, '/comment']);
    const sent = await review(id, 1, reviewer.call, { decision: 'request_changes', comment: 'Which one?' });
    assert.deepEqual([sent.body.status, sent.body.current_revision], ['draft', 2]);
    await editor.call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    await move(id, 'in_review', editor.call);
    assert.equal((await review(id, 4, reviewer.call)).body.status, 'approved');
  });

  it('refuses reviews of one’s own change, except by admin', async () => {
    const own = await createTestClient(service(), 'admin');
    const scopes = ['questions:read', 'answers:read', 'questions:write', 'questions:review'];
    const key = await own.call('POST', '/auth/tokens', { body: { name: 'Without admin', scopes } });
    const call: Service['call'] = (method, url, options) =>
      admin(method, url, { token: key.body.token, ...options });
    const { id } = await create({ status: 'in_review' }, call);
    assert.deepEqual(
      [(await review(id, 1, call)).status, (await review(id, 1, call)).body.code],
      [403, 'own_change'],
    );
    assert.equal((await review(id, 1, own.call)).body.status, 'approved');
    // A change of the content by another editor does not make the author a reviewer.
    const second = await create({ status: 'in_review' }, call);
    await editor.call('PUT', `/questions/${second.id}`, { body: { difficulty: 2 } });
    assert.equal((await review(second.id, 2, call)).body.code, 'own_change');
  });

  it('keeps a change of an approved question until it is approved', async () => {
    const { id } = await createApproved({ question_text: 'The approved wording?' });
    const path = `/questions/${id}`;
    const etag = (await player.call('GET', path)).headers.etag;
    const first = await editor.call('PUT', path, { body: { question_text: 'A pending wording?' } });
    assert.deepEqual([first.status, first.body.revision, first.body.pending.state], [202, 2, 'waiting']);
    assert.equal((await player.call('GET', path)).headers.etag, etag);
    assert.equal((await analyst.call('GET', path)).body.revision, 1);
    assert.equal((await player.call('GET', '/questions?q=pending+wording')).body.pagination.total, 0);
    const stale = { 'if-match': (await editor.call('GET', path)).headers.etag! };
    const refused = await other.call('PUT', path, { body: { difficulty: 2 }, headers: stale });
    assert.equal(refused.status, 412);
    const second = await other.call('PUT', path, {
      body: { difficulty: 2 },
      headers: { 'if-match': first.headers.etag! },
    });
    assert.deepEqual([second.status, second.body.revision, second.body.pending.base_revision], [202, 3, 1]);
    assert.deepEqual(second.body.pending.authors, [editor.id, other.id]);
    const pending = (await reviewer.call('GET', `${path}/pending`)).body;
    assert.deepEqual([pending.question_text, pending.difficulty], ['A pending wording?', 2]);
    assert.equal((await analyst.call('GET', `${path}/pending`)).status, 403);
    assert.equal((await move(id, 'retired', editor.call)).body.code, 'pending_change');
    assert.equal((await review(id, 2, reviewer.call)).body.code, 'stale_review');
    const asked = await review(id, 3, reviewer.call, { decision: 'request_changes', comment: 'No.' });
    assert.deepEqual([asked.body.status, asked.body.current_revision], ['approved', 1]);
    assert.equal((await review(id, 3, reviewer.call)).body.code, 'not_in_review');
    const third = await editor.call('PUT', path, { body: { difficulty: 0 } });
    const approved = await review(id, third.body.revision, reviewer.call);
    assert.deepEqual([approved.body.status, approved.body.current_revision], ['approved', 4]);
    assert.equal((await player.call('GET', path)).body.question_text, 'A pending wording?');
    assert.equal((await editor.call('GET', `${path}/pending`)).body.code, 'no_pending_change');
    const { data } = (await analyst.call('GET', `${path}/revisions`)).body;
    assert.deepEqual(
      data.map((each: Json) => [each.revision, each.by.client]),
      [
        [4, editor.id],
        [1, 'admin'],
      ],
    );
  });

  it('keeps bulk changes, merges and repeated imports waiting, and refuses approval by them', async () => {
    const [first, second] = [
      await createApproved({ external_id: 'bulk-1', question_text: 'The first wording?' }),
      await createApproved({ tags: ['other'] }),
    ];
    await editor.call('PUT', `/questions/${first.id}`, { body: { question_text: 'A pending wording?' } });
    const bulk = async (question_ids: string[], change: object) => {
      const { id } = (await editor.call('POST', '/questions/bulk', { body: { question_ids, change } })).body;
      return until('the end of the change', async () => {
        const { body } = await editor.call('GET', `/changes/${id}`);
        return body.status === 'succeeded' && body;
      });
    };
    const changed = await bulk([first.id, second.id], { difficulty: 2 });
    assert.deepEqual([changed.changed, changed.unchanged], [0, 2]);
    assert.equal((await player.call('GET', `/questions/${first.id}`)).body.difficulty, 1);
    // Both changes of the first question wait together.
    const pending = (await editor.call('GET', `/questions/${first.id}/pending`)).body;
    assert.deepEqual([pending.question_text, pending.difficulty], ['A pending wording?', 2]);
    const draft = await create();
    const moved = await bulk([draft.id], { status: 'approved' });
    assert.deepEqual([moved.changed, moved.refused, moved.reasons[0].code], [0, 1, 'transition_refused']);
    assert.equal((await bulk([draft.id], { status: 'in_review' })).changed, 1);
    await editor.call('POST', `/questions/${first.id}/merge`, { body: { question_ids: [second.id] } });
    assert.deepEqual((await player.call('GET', `/questions/${first.id}`)).body.tags, []);
    assert.deepEqual((await editor.call('GET', `/questions/${first.id}/pending`)).body.tags, ['other']);
    const again = sample({ external_id: 'bulk-1', question_text: 'An imported wording?' });
    const imported = await editor.call('POST', '/questions?on_match=update', { body: [again] });
    assert.equal(imported.body.data[0].pending.base_revision, 1);
    assert.equal(
      (await player.call('GET', `/questions/${first.id}`)).body.question_text,
      'The first wording?',
    );
  });

  it('does not use the number of a withdrawn change again', async () => {
    const { id } = await createApproved();
    const path = `/questions/${id}`;
    const seen = (await editor.call('PUT', path, { body: { difficulty: 2 } })).body.revision;
    assert.equal((await editor.call('DELETE', `${path}/pending`)).status, 204);
    await editor.call('PUT', path, { body: { correct_answer: 'Something else' } });
    assert.equal((await review(id, seen, reviewer.call)).body.code, 'stale_review');
    const listed = (await reviewer.call('GET', '/pending?limit=1000')).body.data;
    assert.ok(listed.some((each: Json) => each.id === id && each.correct_answer === 'Something else'));
    const restored = await editor.call('POST', `${path}/restore`, { body: { revision: 1 } });
    assert.equal(restored.body.code, 'already_current');
    await editor.call('DELETE', path);
    const back = await editor.call('POST', `${path}/restore`, { body: { revision: 1 } });
    assert.deepEqual([back.status, back.body.status], [200, 'draft']);
    assert.equal((await editor.call('GET', `${path}/pending`)).status, 404);
  });

  it('makes one transition of 50 approvals at once', async () => {
    const scopes = ['questions:read', 'answers:read', 'questions:review'];
    const reviewers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { call } = await createTestClient(service(), 'reviewer');
        return (await call('POST', '/auth/tokens', { body: { name: 'Key', scopes } })).body.token as string;
      }),
    );
    const draft = await create({ status: 'in_review' });
    const { id } = await createApproved();
    const pending = (await editor.call('PUT', `/questions/${id}`, { body: { difficulty: 2 } })).body;
    for (const [question, revision] of [
      [draft.id, 1],
      [id, pending.revision],
    ]) {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          admin('POST', `/questions/${question}/reviews`, {
            token: reviewers[i % 5]!,
            body: { revision, decision: 'approve' },
          }),
        ),
      );
      const statuses = Map.groupBy(results, ({ status }) => status);
      assert.equal(statuses.get(201)?.length, 1);
      assert.ok([...statuses.keys()].every((status) => [201, 409, 412].includes(status)));
      const history = (await editor.call('GET', `/questions/${question}/revisions`)).body;
      assert.equal(history.pagination.total, 2);
    }
  });

  it('runs analyses over approved questions, unless the run names others', async () => {
    const wait = { prefer: 'wait=30' };
    await createApproved({ tags: ['analysed'] });
    const draft = await create({ tags: ['analysed'] });
    const run = async (call: Service['call'], filter: object) =>
      (await call('POST', '/analysis/run', { body: { analysis_type: 'coverage', filter }, headers: wait }))
        .body;
    const plain = await run(editor.call, { tag: ['analysed'] });
    const both = await run(editor.call, { tag: ['analysed'], status: ['draft', 'approved'] });
    const limited = await run(analyst.call, { tag: ['analysed'], status: ['draft', 'approved'] });
    assert.deepEqual(
      [plain, both, limited].map(({ question_count }) => question_count),
      [1, 2, 1],
    );
    const byIds = await editor.call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', question_ids: [draft.id] },
      headers: wait,
    });
    for (const hidden of [both.id, byIds.body.id]) {
      assert.equal((await analyst.call('GET', `/analysis/${hidden}`)).status, 404);
      assert.equal((await analyst.call('GET', `/analysis/${hidden}/plot.svg`)).status, 404);
      assert.equal((await reviewer.call('GET', `/analysis/${hidden}`)).status, 200);
    }
    const listed = (await analyst.call('GET', '/analysis?limit=1000')).body.data.map(({ id }: Json) => id);
    assert.deepEqual(
      [plain.id, both.id, byIds.body.id].map((id) => listed.includes(id)),
      [true, false, false],
    );
  });

  it('sends events as if there were no drafts to those who do not see them', async () => {
    const follow = async (call: Service['call'], headers = {}) =>
      (await call('GET', '/events', { headers })).text;
    const start = { 'last-event-id': /^id: (.+)$/m.exec(await follow(admin))![1]! };
    const { id } = await create();
    await editor.call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    await move(id, 'in_review', editor.call);
    await review(id, 3, reviewer.call);
    await editor.call('PUT', `/questions/${id}`, { body: { difficulty: 1 } });
    await review(id, 5, reviewer.call);
    await move(id, 'retired', editor.call);
    await editor.call('DELETE', `/questions/${id}`);
    const last = await createApproved();
    const seen = async (call: Service['call']) => {
      let text = '';
      // On PostgreSQL, an event is sent once no earlier transaction is open.
      for (let i = 0; i < 100 && !text.includes(last.id); i++) text = await follow(call, start);
      return [...text.matchAll(/^event: question\.(\w+)\ndata: (.+)$/gm)]
        .filter(([, , data]) => data!.includes(id))
        .map(([, kind]) => kind);
    };
    assert.deepEqual(await seen(player.call), ['created', 'updated', 'deleted']);
    assert.deepEqual(await seen(reviewer.call), [
      ...['created', 'updated', 'updated', 'updated', 'pending', 'updated', 'updated', 'deleted'],
    ]);
  });

  it('has comments on questions: by author, resolvable, paged, for editors and reviewers', async () => {
    const { id } = await create();
    const url = `/questions/${id}/comments`;
    const add = (text: string, call: Service['call']) => call('POST', url, { body: { text } });
    const first = (await add('Is Pluto meant?', reviewer.call)).body;
    await add('No.', editor.call);
    assert.deepEqual([first.author, first.revision, first.resolved], [reviewer.id, 1, false]);
    const patch = (call: Service['call'], body: object) => call('PATCH', `/comments/${first.id}`, { body });
    assert.equal((await patch(editor.call, { text: 'Changed.' })).body.code, 'not_your_comment');
    assert.equal((await patch(reviewer.call, { text: 'Is Pluto or Eris meant?' })).status, 200);
    const resolved = (await patch(editor.call, { resolved: true })).body;
    assert.deepEqual(
      [resolved.resolved, resolved.resolved_by, resolved.text],
      [true, editor.id, 'Is Pluto or Eris meant?'],
    );
    const list = async (query: string) => (await editor.call('GET', url + query)).body;
    assert.deepEqual(
      (await list('?resolved=false')).data.map((each: Json) => each.text),
      ['No.'],
    );
    const page = await list('?limit=1&offset=1');
    assert.deepEqual([page.data[0].text, page.pagination.total], ['No.', 2]);
    assert.equal((await patch(editor.call, { resolved: false })).body.resolved, false);
    for (const { call } of [analyst, player]) {
      assert.equal((await call('GET', url)).status, 403);
      assert.equal((await add('Hm.', call)).status, 403);
      assert.equal((await patch(call, { resolved: true })).status, 403);
    }
    const remove = (call: Service['call']) => call('DELETE', `/comments/${first.id}`);
    assert.equal((await remove(editor.call)).body.code, 'not_your_comment');
    assert.equal((await remove(reviewer.call)).status, 204);
    assert.equal((await remove(reviewer.call)).body.code, 'no_such_comment');
  });
}

onEveryEngine('review', cases, { requiredReviews: 1 });

onEveryEngine(
  'two required reviews',
  (service) => {
    it('approves by two reviewers, not by one twice', async () => {
      const editor = await createTestClient(service(), 'editor');
      const [one, two] = [
        await createTestClient(service(), 'reviewer'),
        await createTestClient(service(), 'reviewer'),
      ];
      const { id } = (await editor.call('POST', '/questions', { body: sample({ status: 'in_review' }) }))
        .body;
      const approve = async ({ call }: TestClient) =>
        (await call('POST', `/questions/${id}/reviews`, { body: { revision: 1, decision: 'approve' } })).body;
      for (const expected of [1, 1]) {
        const { status, approvals, required_reviews } = await approve(one!);
        assert.deepEqual([status, approvals, required_reviews], ['in_review', expected, 2]);
      }
      const { status, approvals } = await approve(two!);
      assert.deepEqual([status, approvals], ['approved', 2]);
    });
  },
  { requiredReviews: 2 },
);

onEveryEngine('review off', (service) => {
  it('creates and changes approved questions at once', async () => {
    const editor = await createTestClient(service(), 'editor');
    const player = await createTestClient(service(), 'player');
    const created = await editor.call('POST', '/questions', { body: sample() });
    const path = created.headers.location!;
    assert.equal(created.body.status, 'approved');
    assert.equal((await editor.call('PUT', path, { body: { difficulty: 2 } })).status, 200);
    assert.equal((await player.call('GET', path)).body.difficulty, 2);
    const retire = { status: 'retired' };
    assert.equal((await editor.call('POST', `${path}/status`, { body: retire })).body.status, 'retired');
    assert.equal((await player.call('GET', path)).status, 404);
    const back = { status: 'approved', reason: 'Right after all.' };
    assert.equal((await editor.call('POST', `${path}/status`, { body: back })).body.status, 'approved');
    assert.equal((await player.call('GET', path)).status, 200);
    const reviewer = await createTestClient(service(), 'reviewer');
    const proposed = await editor.call('POST', `${path}/pending`, { body: { difficulty: 0 } });
    assert.deepEqual([proposed.status, (await player.call('GET', path)).body.difficulty], [202, 2]);
    const body = { revision: proposed.body.revision, decision: 'approve' };
    assert.equal((await reviewer.call('POST', `${path}/reviews`, { body })).status, 201);
    assert.equal((await player.call('GET', path)).body.difficulty, 0);
  });
});
