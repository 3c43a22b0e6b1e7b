/** Imports of files: reports, duplicates, categories, rejects, undo and resumption. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CallOptions, onEveryEngine, openService, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, asserted by the test
type Json = any;

const CSV_HEADER = 'question,correct answer,incorrect 1,incorrect 2,category,difficulty,id';
const csv = (...rows: string[]) => `${[CSV_HEADER, ...rows].join('\n')}\n`;

function client(service: () => Service) {
  const call: Service['call'] = (...args) => service().call(...args);
  const post = (file: string | Buffer, query = '', options: CallOptions = {}) =>
    call('POST', `/imports${query}`, {
      body: file,
      ...options,
      headers: { 'content-type': 'application/octet-stream', ...options.headers },
    });
  const waitFor = (id: string, path = 'imports'): Promise<Json> =>
    until('the end of the import', async () => {
      const { body } = await call('GET', `/${path}/${id}`);
      return ['queued', 'running'].includes(body.status) ? undefined : body;
    });
  const run = async (file: string | Buffer, query = '') => {
    const { status, body, headers } = await post(file, query);
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal(headers.location, `/imports/${body.id}`);
    return waitFor(body.id);
  };
  const undo = async (id: string) => {
    const { status, body } = await call('POST', `/changes/${id}/undo`);
    assert.equal(status, 202, JSON.stringify(body));
    return waitFor(body.id, 'changes');
  };
  const search = async (filter: string) => (await call('GET', `/questions?${filter}`)).body;
  const rejects = async (id: string) => (await call('GET', `/imports/${id}/rejects`)).text;
  return { call, post, run, undo, waitFor, search, rejects };
}

const counts = ({ read, created, updated, unchanged, skipped, rejected }: Json) => [
  ...[read, created, updated, unchanged, skipped, rejected],
];
const codes = ({ reasons }: Json) =>
  reasons.map(({ outcome, code, count }: Json) => `${outcome} ${code} ${count}`);

onEveryEngine('imports of files', (service, name) => {
  const { call, post, run, undo, search, rejects } = client(service);

  it('imports the good items, reports the others by reason, and gives them back byte for byte', async () => {
    const bad = ['"Broken\tquote?,x', 'No answer?,,,,Astronomy,1,', 'Nowhere?,a,b,,Atlantis,1,n-1'];
    const file = csv(
      'Which is red?,Mars,Venus,Io,Astronomy,1,f-1',
      ...bad,
      'Which is big?,Jupiter,Mars,,science,2,',
      'Which is big?,Jupiter,Mars,,science,2,',
      'Which is big?,Saturn,Mars,,science,2,',
    );
    const dry = await run(file, '?dry_run=true&file_name=planets.csv');
    assert.equal(dry.options.dry_run, true);
    assert.equal((await search('external_id=f-1')).pagination.total, 0);
    const done = await run(file, '?file_name=planets.csv');
    for (const each of [dry, done]) {
      assert.deepEqual([each.status, each.format, each.progress, each.error], ['succeeded', 'csv', 1, null]);
      assert.deepEqual(counts(each), [7, 3, 0, 0, 1, 3]);
    }
    assert.deepEqual(dry.reasons, done.reasons);
    assert.deepEqual(codes(done), [
      'rejected no_correct_answer 1',
      'rejected unclosed_quote 1',
      'rejected unknown_category 1',
      'skipped duplicate_in_file 1',
      'noticed same_text_in_file 1',
    ]);
    const unclosed = done.reasons.find(({ code }: Json) => code === 'unclosed_quote');
    assert.equal(unclosed.examples[0].line, 3);
    assert.equal(await rejects(done.id), csv(...bad));
    const red = (await search('external_id=f-1')).data[0];
    assert.deepEqual([red.question_text, red.correct_answer, red.revision], ['Which is red?', 'Mars', 1]);
    const [revision] = (await call('GET', `/questions/${red.id}/revisions`)).body.data;
    assert.equal(revision.change_id, done.id);
    const list = (await call('GET', '/imports?limit=1&status=succeeded')).body;
    assert.deepEqual([list.data[0].id, list.pagination.total], [done.id, 2]);
    // The rejected ones, corrected.
    const again = await run((await rejects(done.id)).replace('Atlantis', 'Science'));
    assert.equal(again.created, 1);
  });

  it('matches by external_id or equal content: skip, update, error', async () => {
    await call('POST', '/questions', {
      body: [
        sample({ question_text: 'Match one?', external_id: 'm-1', explanation: 'kept' }),
        sample({ question_text: 'Match two?', incorrect_answers: ['Mars', 'Venus'] }),
        sample({ question_text: 'Match three?' }),
      ],
    });
    const file = csv(
      'Match one?,Saturn,,,Astronomy,2,m-1',
      'match  TWO?,Jupiter,Venus,Mars,Astronomy,1,m-2',
      'Match three?,Pluto,,,Astronomy,1,',
      'Match four?,Pluto,,,Astronomy,1,',
    );
    const dry = await run(file, '?on_match=error&dry_run=true');
    assert.deepEqual(codes(dry), [
      'rejected duplicate_in_bank 1',
      'rejected external_id_in_bank 1',
      'noticed same_text_in_bank 1',
    ]);
    const skipped = await run(file, '?on_match=skip&dry_run=true');
    assert.deepEqual(counts(skipped), [4, 2, 0, 0, 2, 0]);
    const updated = await run(file, '?on_match=update');
    assert.deepEqual(counts(updated), [4, 2, 2, 0, 0, 0]);
    const [one] = (await search('external_id=m-1')).data;
    assert.deepEqual([one.correct_answer, one.difficulty, one.explanation], ['Saturn', 2, 'kept']);
    assert.equal((await search('external_id=m-2')).data[0].revision, 2);
    const again = await run(file, '?on_match=update');
    assert.deepEqual(counts(again), [4, 0, 0, 4, 0, 0]);
    const undone = await undo(updated.id);
    assert.deepEqual([undone.changed, undone.refused], [4, 0]);
    assert.equal((await search('external_id=m-1')).data[0].correct_answer, 'Jupiter');
    assert.equal((await search('q=%22Match+four%22')).pagination.total, 0);
    const redone = await undo(undone.id);
    assert.deepEqual([redone.changed, redone.refused], [4, 0]);
    assert.equal((await search('external_id=m-1')).data[0].correct_answer, 'Saturn');
  });

  it('imports all or nothing', async () => {
    const good = Array.from({ length: 600 }, (_, i) => `Whole ${i}?,a,b,,Science,0,w-${i}`);
    const failed = await run(csv(...good, 'Bad?,,,,Science,0,'), '?mode=all_or_nothing');
    assert.deepEqual([failed.status, failed.error.code, failed.rejected], ['failed', 'items_rejected', 1]);
    assert.equal((await search('q=whole')).pagination.total, 0);
    assert.match(await rejects(failed.id), /\nBad\?,/);
    const done = await run(csv(...good), '?mode=all_or_nothing');
    assert.deepEqual([done.status, ...counts(done)], ['succeeded', 600, 600, 0, 0, 0, 0]);
    assert.equal((await search('q=whole')).pagination.total, 600);
    assert.equal((await undo(done.id)).changed, 600);
    assert.equal((await search('q=whole')).pagination.total, 0);
  });

  it('maps, defaults and creates categories, and never guesses', async () => {
    const gift =
      '$CATEGORY: Top/Old\n\nCat one? {=a ~b}\n\n$CATEGORY: Brand new\n\nCat two? {=a ~b}\n\n$CATEGORY: science\n\nCat three? {=a ~b}\n';
    const map = encodeURIComponent('{"top/old":"Astronomy"}');
    const none = await run(gift, '?dry_run=true');
    assert.deepEqual(codes(none), ['rejected difficulty_missing 3']);
    const some = await run(gift, `?dry_run=true&difficulty=1&category_map=${map}`);
    assert.deepEqual([some.created, codes(some)], [2, ['rejected unknown_category 1']]);
    const dry = await run(gift, `?dry_run=true&difficulty=1&category_map=${map}&create_categories=true`);
    assert.deepEqual([dry.created, dry.new_categories], [3, ['Brand new']]);
    const names = async () => (await call('GET', '/categories')).body.data.map((each: Json) => each.name);
    assert.ok(!(await names()).includes('Brand new'));
    const done = await run(gift, `?difficulty=1&category_map=${map}&create_categories=true`);
    assert.deepEqual([done.created, done.new_categories], [3, ['Brand new']]);
    assert.equal((await search('category=Brand+new')).pagination.total, 1);
    assert.equal((await search('category=astronomy&q=cat')).pagination.total, 1);
    const undone = await undo(done.id);
    assert.equal(undone.changed, 3);
    assert.ok(!(await names()).includes('Brand new'));
    const redone = await undo(undone.id);
    assert.equal(redone.changed, 3);
    assert.equal((await search('category=Brand+new')).pagination.total, 1);
    const bare = await run('Default? {=a ~b}\n', '?category=Science&difficulty=2&format=gift');
    assert.equal(bare.created, 1);
    assert.equal((await search('q=default')).data[0].difficulty, 2);
  });

  it('reads every format that an export writes, and finds nothing new in it', async () => {
    for (const format of [
      'jsonl',
      'json',
      'csv',
      'tsv',
      'xlsx',
      'moodle-xml',
      'gift',
      'apkg',
      'anki',
      'qti-3.0',
    ]) {
      const response = await service().app.inject({
        method: 'GET',
        url: `/questions/export?format=${format}&category=astronomy`,
        headers: { authorization: `Bearer ${service().admin.key}` },
      });
      const done = await run(response.rawPayload, `?format=${format}&on_match=skip`);
      assert.deepEqual([done.status, done.created, done.rejected], ['succeeded', 0, 0], format);
      assert.ok(done.skipped > 3, format);
    }
  });

  it('refuses what cannot be imported, and stores nothing of it', async () => {
    const refused = async (file: string, query: string, options: CallOptions = {}) => {
      const { status, body } = await post(file, query, options);
      return [status, body.code];
    };
    assert.deepEqual(await refused('', ''), [422, 'unreadable_file']);
    assert.deepEqual(await refused('hello', ''), [422, 'unreadable_file']);
    assert.deepEqual(await refused('x', '?format=docx'), [400, 'invalid_query']);
    assert.deepEqual(await refused('x', '?category_map=[1]'), [400, 'invalid_query']);
    assert.deepEqual(await refused('x', '?encoding=klingon'), [400, 'invalid_query']);
    const gzip = { headers: { 'content-encoding': 'gzip' } };
    assert.deepEqual(await refused('x', '', gzip), [415, 'unsupported_media_type']);
    const token = await service().keyFor('questions:read', 'questions:write', 'answers:read');
    assert.deepEqual(await refused('x', '?create_categories=true', { token }), [403, 'insufficient_scope']);
    const blind = await service().keyFor('questions:read', 'questions:write', 'categories:write');
    assert.deepEqual(await refused(csv(), '', { token: blind }), [403, 'insufficient_scope']);
    for (const path of ['/imports', '/imports/x', '/imports/x/rejects'])
      assert.equal((await call('GET', path, { token: blind })).status, 403);
    assert.equal((await call('GET', '/imports/x')).body.code, 'no_such_import');
    const unreadable = await run('a,b\n1,2\n', '?format=csv');
    assert.deepEqual([unreadable.status, unreadable.error.code], ['failed', 'no_header']);
    assert.equal(await rejects(unreadable.id), '');
    assert.equal(
      (await call('POST', '/questions', { body: 'x', headers: { 'content-type': 'text/csv' } })).status,
      415,
    );
  });

  it('is repeated under an Idempotency-Key only with the same file', async () => {
    const file = csv('Once?,a,b,,Science,0,once-1');
    const headers = { 'idempotency-key': 'import-1' };
    const [first, second] = [await post(file, '', { headers }), await post(file, '', { headers })];
    assert.equal(first.body.id, second.body.id);
    const other = await post(`${file}\n`, '', { headers });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    await until('the files to be deleted', async () => {
      const { n } = (await service().engine.db.get<{ n: number }>(
        'SELECT count(*) AS n FROM import_chunks',
      ))!;
      return n === 0;
    });
  });

  it('recognises formats by content type and by content', async () => {
    const aiken = 'Aiken?\nA) x\nB) y\nANSWER: A\n';
    const formats = [
      (await post(aiken, '?dry_run=true')).body.format,
      (
        await post('{"question_text":"J?","correct_answer":"a"}', '?dry_run=true', {
          headers: { 'content-type': 'application/x-ndjson' },
        })
      ).body.format,
      (
        await post('[{"question_text":"J?","correct_answer":"a"}]', '?dry_run=true', {
          headers: { 'content-type': 'application/json' },
        })
      ).body.format,
    ];
    assert.deepEqual(formats, ['aiken', 'jsonl', 'json']);
  });

  it('413: refuses a file over the limit, whatever its length is said to be', async () => {
    const small = await openService(name, { maxImportBytes: 1000 });
    const { post: send } = client(() => small);
    const { status, body } = await send('x'.repeat(1001));
    assert.deepEqual([status, body.code], [413, 'body_too_large']);
    const chunks = await small.engine.db.get<{ n: number }>('SELECT count(*) AS n FROM import_chunks');
    assert.equal(chunks!.n, 0);
    await small.close();
  });
});
