/** Imports of files of responses, on both engines. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, asserted by the test
type Json = any;

onEveryEngine('Imports of responses', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  let ids: string[];

  before(async () => {
    const { body } = await call('POST', '/questions', {
      body: [
        sample({ question_text: 'Capital of France?', correct_answer: 'Paris', external_id: 'q1' }),
        sample({ question_text: '2 + 2?', correct_answer: '4', external_id: '4711', numeric: {} }),
        sample({
          ...{ question_text: 'Which are planets?', correct_answer: ['Mars', 'Venus'], choose: 2 },
          ...{ incorrect_answers: ['Sun, the', 'Moon'], external_id: 'q3' },
        }),
        sample({ question_text: 'Twice?', correct_answer: 'a' }),
        sample({ question_text: 'Twice?', correct_answer: 'b' }),
        sample({ question_text: 'Draft?', correct_answer: 'd', status: 'draft', external_id: 'draft' }),
      ],
    });
    ids = body.data.map(({ id }: Json) => id);
  });

  const send = (file: string | Buffer, query: Record<string, string> = {}, more: object = {}) =>
    call('POST', `/responses/import?${new URLSearchParams(query)}`, {
      body: file,
      headers: { 'content-type': 'text/csv' },
      ...more,
    });

  async function importFile(file: string, query: Record<string, string> = {}): Promise<Json> {
    const { status, body, headers, text } = await send(file, query);
    assert.equal(status, 202, text);
    assert.equal(headers.location, `/responses/imports/${body.id}`);
    let done: Json;
    await until('the end of the import', async () => {
      done = (await call('GET', `/responses/imports/${body.id}`)).body;
      return !['queued', 'running'].includes(done.status);
    });
    return done;
  }
  const counts = ({ created, updated, unchanged, skipped, rejected }: Json) =>
    [created, updated, unchanged, skipped, rejected].join(' ');
  const codes = ({ reasons }: Json) =>
    reasons.map(({ outcome, code, count }: Json) => `${outcome} ${code} ${count}`);
  const list = async (respondent: string): Promise<Json[]> => {
    const { data } = (await call('GET', `/responses?respondent=${respondent}&limit=100`)).body;
    return data.sort((a: Json, b: Json) => ids.indexOf(a.question_id) - ids.indexOf(b.question_id));
  };

  it('takes a row per response, and changes nothing the second time', async () => {
    const file = [
      'student,question,answer,session,group,time',
      `long-1,${ids[0]},Paris,s,north,2026-03-01T09:30:00Z`,
      'long-1,4711,5,s,north,2026-03-01T09:31:00Z',
      'long-1,which are planets?,Venus; mars,s,north,2026-03-01T09:32:00Z',
      'long-2,q1,,s,south,',
      'long-2,q1,Rome,s,south,',
      'long-2,q9,Rome,s,south,',
      'long-2,Twice?,a,s,south,',
      'long-2,draft,d,s,south,',
      ',q1,Rome,s,south,',
    ].join('\n');
    const dry = await importFile(file, { dry_run: 'true' });
    assert.equal(counts(dry), '4 0 0 1 4');
    assert.deepEqual(await list('long-1'), []);
    const done = await importFile(file, { file_name: 'midterm.csv' });
    assert.equal(done.status, 'succeeded');
    assert.equal(done.format, 'responses-long');
    for (const name of ['read', 'matches', 'reasons']) assert.deepEqual(done[name], dry[name]);
    assert.equal(counts(done), counts(dry));
    assert.deepEqual(codes(done), [
      'rejected unknown_question 2',
      'rejected ambiguous_question 1',
      'rejected no_respondent 1',
      'skipped duplicate_in_file 1',
    ]);
    assert.deepEqual(
      done.matches.map(({ name, question_id, matched_by }: Json) => [
        name,
        ids.indexOf(question_id),
        matched_by,
      ]),
      [
        [ids[0], 0, 'id'],
        ['4711', 1, 'external_id'],
        ['which are planets?', 2, 'text'],
        ['q1', 0, 'external_id'],
        ['q9', -1, null],
        ['Twice?', -1, null],
        ['draft', -1, null],
      ],
    );
    const [first, second, third] = await list('long-1');
    assert.deepEqual(
      [first.answer, first.correct, first.session, first.group, first.answered_at],
      ['Paris', true, 's', 'north', '2026-03-01T09:30:00.000Z'],
    );
    assert.deepEqual([second.correct, third.answer, third.correct], [false, ['Mars', 'Venus'], true]);
    assert.deepEqual(
      (await list('long-2')).map(({ missing }) => missing),
      ['omitted'],
    );
    const again = await importFile(file);
    assert.equal(counts(again), '0 0 4 1 4');
    const changed = await importFile(file.replace('Paris', 'Lyon'));
    assert.equal(counts(changed), '0 1 3 1 4');
    assert.equal((await list('long-1'))[0]!.answer, 'Lyon');
  });

  it('takes a row per respondent, with columns named by a parameter', async () => {
    const file = 'Kandidat;Aufgabe A;Aufgabe B;total\nwide-1;Paris;4;2\nwide-2;9;3;0\n';
    const done = await importFile(file, {
      session: 'final',
      group: 'evening',
      columns: '{"respondent":"Kandidat"}',
      missing: '{"9":"not_reached"}',
      questions: `{"Aufgabe A":"q1","2":"${ids[1]!.toUpperCase()}"}`,
    });
    assert.deepEqual([done.format, counts(done)], ['responses-wide', '4 0 0 0 0']);
    assert.deepEqual(codes(done), ['noticed column_ignored 1']);
    assert.deepEqual(
      done.matches.map(({ matched_by }: Json) => matched_by),
      ['parameter', 'parameter'],
    );
    assert.deepEqual(
      (await list('wide-1')).map(({ correct, session, group }) => [correct, session, group]),
      [
        [true, 'final', 'evening'],
        [true, 'final', 'evening'],
      ],
    );
    assert.equal((await list('wide-2'))[0]!.missing, 'not_reached');
    assert.equal(done.options.session, 'final');
    assert.equal('visibility' in done.options, false);
  });

  it('takes matrices and fixed width, whose questions are given in their order', async () => {
    const matrix = await importFile('1 0 1\n0 1 NA\n', {
      questions: '["q1","4711"]',
      session: 'matrix',
    });
    assert.equal(matrix.format, 'responses-matrix');
    assert.equal(counts(matrix), '4 0 0 0 2');
    assert.deepEqual(
      matrix.matches.map(({ name, question_id }: Json) => [name, ids.indexOf(question_id)]),
      [
        ['1', 0],
        ['2', 1],
        ['3', -1],
      ],
    );
    assert.ok(codes(matrix).includes('noticed respondents_numbered 1'));
    const fixed = await importFile('fixed-1 10\nfixed-2 01\n', {
      ...{ layout: '1-8=respondent,9-10=items', questions: '["q1","4711"]' },
    });
    assert.deepEqual([fixed.format, counts(fixed)], ['responses-fixed-width', '4 0 0 0 0']);
    assert.deepEqual(
      (await list('fixed-2')).map(({ correct }) => correct),
      [false, true],
    );
  });

  it('takes the reports of Moodle and Canvas', async () => {
    const moodle = await importFile(
      [
        'Surname,First name,ID number,State,Question 1,Response 1,Question 2,Response 2',
        'Doe,Ann,moodle-1,Finished,Capital of France?,Paris,Which are planets?,Mars; Venus',
        'Doe,Ann,moodle-1,Finished,Capital of France?,-,2 + 2?,4',
      ].join('\n'),
    );
    assert.deepEqual([moodle.format, counts(moodle)], ['responses-moodle', '4 0 0 0 0']);
    assert.deepEqual((await list('moodle-1')).map(({ session, correct }) => `${session} ${correct}`).sort(), [
      'attempt-1 true',
      'attempt-1 true',
      'attempt-2 null',
      'attempt-2 true',
    ]);
    const canvas = await importFile(
      [
        'name,id,sis_id,section,submitted,attempt,999: Capital of France?,1.0,4711: Sum,1.0,n correct',
        'Bob,canvas-1,,A,2026-03-01 09:30:00 UTC,1,Paris,1,4,1,2',
      ].join('\n'),
    );
    assert.deepEqual([canvas.format, counts(canvas)], ['responses-canvas', '2 0 0 0 0']);
    assert.deepEqual(
      canvas.matches.map(({ matched_by }: Json) => matched_by),
      ['text', 'external_id'],
    );
    assert.deepEqual(
      (await list('canvas-1')).map(({ correct, group }) => `${correct} ${group}`),
      ['true A', 'true A'],
    );
  });

  it('imports nothing of a file with a rejected response, if all or nothing is wanted', async () => {
    const bad = 'student,question,answer\nall-1,q1,Paris\nall-1,q9,x\n';
    const failed = await importFile(bad, { mode: 'all_or_nothing' });
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'items_rejected']);
    assert.deepEqual(await list('all-1'), []);
    const done = await importFile(bad.replace('q9', 'q3'), { mode: 'all_or_nothing' });
    assert.deepEqual([done.status, counts(done)], ['succeeded', '2 0 0 0 0']);
  });

  it('takes several batches, each response once', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `batch-${i},1,0`);
    const file = ['student,q1,4711', ...rows].join('\n');
    assert.equal(counts(await importFile(file)), '5000 0 0 0 0');
    assert.equal(counts(await importFile(file)), '0 0 5000 0 0');
  });

  it('fails on a file that is not of its format', async () => {
    const done = await importFile('a,b\n1,2\n', { format: 'responses-moodle' });
    assert.deepEqual([done.status, done.error.code], ['failed', 'no_header']);
    const layout = await importFile('x\n', { format: 'responses-fixed-width' });
    assert.equal(layout.error.code, 'invalid_layout');
  });

  it('refuses invalid parameters, an empty file and an unknown format', async () => {
    for (const [query, pointer] of [
      [{ questions: '{"a":1}' }, '?questions'],
      [{ columns: '{"colour":"x"}' }, '?columns'],
      [{ missing: '{"9":"lost"}' }, '?missing'],
      [{ encoding: 'klingon' }, '?encoding'],
    ] as [Record<string, string>, string][]) {
      const { status, body } = await send('x', query);
      assert.deepEqual([status, body.errors[0].pointer], [400, pointer]);
    }
    assert.equal((await send('')).status, 422);
    assert.equal((await send('hello')).status, 422);
    const quiz = await service().keyFor('responses:write', 'questions:read');
    assert.equal((await send('x', {}, { token: quiz })).status, 403);
  });

  it('are listed apart from those of questions, and cannot be undone', async () => {
    const { body } = await call('GET', '/responses/imports?status=succeeded&limit=1');
    const [{ id }] = body.data;
    assert.ok(body.pagination.total > 3);
    assert.equal((await call('GET', `/imports/${id}`)).status, 404);
    assert.equal((await call('GET', '/imports')).body.pagination.total, 0);
    assert.equal((await call('GET', '/responses/imports/x')).status, 404);
    const undo = await call('POST', `/changes/${id}/undo`);
    assert.deepEqual([undo.status, undo.body.code], [409, 'not_undoable']);
  });

  it('are created once under an Idempotency-Key', async () => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': 'responses-1' };
    const file = 'student,question,answer\nkeyed,q1,Paris\n';
    const [first, second] = [await send(file, {}, { headers }), await send(file, {}, { headers })];
    assert.equal(first.body.id, second.body.id);
    const { status } = await send(`${file}keyed,4711,4\n`, {}, { headers });
    assert.equal(status, 422);
  });
});
