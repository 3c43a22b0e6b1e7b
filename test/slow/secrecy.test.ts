/**
 * Answers do not leak. Tokens without `answers:read` are sent to every operation there is, with all that it takes, and
 * must find nothing that is hidden; and what they see stays the same, to the byte, when only an answer changes.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isOffered } from '../../src/api/docs/openapi.ts';
import {
  ALL_SCOPES,
  ALL_SCOPES_BUT_ANSWERS,
  type Bank,
  crawl,
  findHiddenWords,
  HIDDEN_FIELDS,
  type Json,
  LIMITED_SCOPES,
  newHiddenWord,
  readEverything,
  seed,
} from '../support/crawl.ts';
import { type EngineName, onEveryEngine, type Service, sample } from '../support/engines.ts';

const log: string[] = [];
const logged = { log: { level: 'trace', stream: { write: (line: string) => void log.push(line) } } };

const ONCE = 'the crawl itself is the same on every engine';
/** The others have some of the scopes of these, or are refused before anything is read from a database. */
const ON_EVERY_ENGINE = ['reading', 'playing', 'reading and writing', 'every other scope'];

function cases(service: () => Service, engine: EngineName): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const operations = () =>
    service()
      .app.routes.filter(isOffered)
      .map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`)
      .sort();

  const isSqlite = engine === 'sqlite';

  it('with answers:read the crawl finds every hidden word', { skip: !isSqlite && ONCE }, async () => {
    const bank = await seed(service());
    const { visited, answered, leaks } = await crawl(service(), bank, await service().keyFor(...ALL_SCOPES));
    assert.deepEqual(visited, operations());
    assert.deepEqual(answered, operations(), 'an operation that only ever refuses shows nothing');
    const kinds = new Set(leaks.map((leak) => leak.split(':')[0]));
    assert.deepEqual([...kinds].sort(), ['etag', 'field', 'found', 'word']);
    const found = leaks.map((leak) => /^word: (\w+)/.exec(leak)?.[1]);
    assert.ok(bank.words.every((word) => found.includes(word)));
  });

  let bank: Bank | undefined;
  const callers = Object.entries(LIMITED_SCOPES).filter(
    ([what]) => isSqlite || ON_EVERY_ENGINE.includes(what),
  );
  for (const [what, scopes] of callers) {
    it(`no operation reveals an answer: ${what}`, async () => {
      const token = scopes && (await service().keyFor(...scopes));
      // A bank that the caller cannot change is crawled again.
      if (!bank || scopes?.includes('questions:write')) bank = await seed(service());
      const { visited, leaks } = await crawl(service(), bank, token);
      assert.deepEqual(leaks, []);
      assert.deepEqual(visited, operations());
    });
  }

  it('the log reveals nothing', () => {
    assert.ok(log.length > 5_000, `${log.length} lines`);
    // A path is logged as it was asked for, and the crawl puts a hidden word in place of an id.
    const lines = log.splice(0).map((line) => ({ ...JSON.parse(line), path: undefined }));
    assert.deepEqual(findHiddenWords(JSON.stringify(lines)), []);
  });

  it('the choices are one list of the current options, and the other fields are equal', async () => {
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    for (const path of (await seed(service())).current) {
      const { choices, ...whole } = (await call('GET', path)).body;
      const options = [whole.correct_answer, ...whole.incorrect_answers].sort();
      const { choices: shown, ...face } = (await call('GET', path, { token })).body;
      assert.deepEqual(shown?.toSorted(), options.length > 1 ? options : undefined);
      for (const name of HIDDEN_FIELDS) delete whole[name];
      assert.deepEqual(face, whole);
    }
  });

  it('an Idempotency-Key does not reveal an answer to callers with fewer scopes', async () => {
    const token = await service().keyFor('questions:read', 'questions:write');
    for (const body of [
      sample({ incorrect_answers: ['Mars'] }),
      [sample({ explanation: 'It is.' }), sample()],
    ]) {
      const request = { body, headers: { 'idempotency-key': newHiddenWord() } };
      const first = await call('POST', '/questions', request);
      const again = await call('POST', '/questions', request);
      assert.deepEqual(again.body, first.body);
      // The same body, or another one: either way it is another request.
      for (const guess of [body, sample({ correct_answer: 'Saturn' })]) {
        const refused = await call('POST', '/questions', { ...request, body: guess, token });
        assert.equal(refused.body.code, 'idempotency_mismatch');
      }
      const own = { body, headers: { 'idempotency-key': newHiddenWord() }, token };
      const made = await call('POST', '/questions', own);
      const repeated = await call('POST', '/questions', own);
      assert.deepEqual(repeated.body, made.body);
      assert.ok(!made.text.includes('correct_answer'));
    }
  });

  it('a change of the answer alone is not visible', async () => {
    const bank = await seed(service());
    const { plain, options, current, words } = bank;
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    const see = (path: string, headers = {}) => call('GET', path, { token, headers });
    const { correct_answer, incorrect_answers } = (await call('GET', options)).body;
    const [one, ...others] = incorrect_answers;
    const changes: [string, path: string, change: object, method?: string][] = [
      [
        'right and wrong change places',
        options,
        { correct_answer: one, incorrect_answers: [correct_answer, ...others] },
      ],
      ['wrong ones in another order', options, { incorrect_answers: [...others, correct_answer] }],
      ['another explanation', options, { explanation: `The lantern ${words[0]}.` }],
      ['no explanation', options, { explanation: null }],
      ['another answer, without options', plain, { correct_answer: `A lantern ${words[1]}` }],
      ['an earlier key is restored', `${options}/restore`, { revision: 1 }, 'POST'],
    ];
    const etags = await Promise.all(current.map(async (path) => (await see(path)).headers.etag!));
    const before = await readEverything(service(), token, bank);
    for (const [what, path, body, method = 'PUT'] of changes) {
      const old = (await call('GET', path.replace('/restore', ''))).body.revision;
      assert.equal((await call(method, path, { body })).body.revision, old + 1, what);
      assert.deepEqual(await readEverything(service(), token, bank), before, what);
      for (const [i, path] of current.entries())
        assert.equal((await see(path, { 'if-none-match': etags[i] })).status, 304, what);
    }
    await call('PUT', options, { body: { question_text: 'Which lantern is it now?' } });
    assert.notDeepEqual(await readEverything(service(), token, bank), before);
    assert.equal((await see(options, { 'if-none-match': etags.join() })).status, 200);
  });

  it('correct and wrong guesses get the same response, except from a check', async () => {
    const { options, words } = await seed(service());
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    const { correct_answer: right, incorrect_answers } = (await call('GET', options)).body;
    const bodies: ((guess: string) => object)[] = [
      (correct_answer) => ({ correct_answer }),
      (guess) => ({ incorrect_answers: [guess] }),
      (correct_answer) => sample({ correct_answer, incorrect_answers }),
      (answer) => ({ answer }),
    ];
    const differ = new Set<string>();
    for (const operation of operations().filter((each) => /^(?:POST|PUT)/.test(each))) {
      const [method, url] = operation.replace('/questions/{id}', options).split(' ') as [string, string];
      for (const body of bodies) {
        const outcomes = [right, words[0]!].map(async (guess) => {
          const answer = await call(method, url, { token, body: body(guess) });
          return [answer.status, answer.body.code, answer.body.errors, answer.body.correct];
        });
        const [one, other] = await Promise.all(outcomes);
        if (!isDeepStrictEqual(one, other)) differ.add(operation);
      }
    }
    assert.deepEqual([...differ], ['POST /questions/{id}/check']);
  });

  for (const query of ['sort=updated_at', 'sort=-updated_at', 'updated_since=2020-01-01T00:00:00Z']) {
    it(`403: ${query} with every other parameter`, async () => {
      const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
      for (const more of ['', '&q=lantern', '&external_id=lantern-0', '&limit=1', '&cursor=x']) {
        const { status, headers, body } = await call('GET', `/questions?${query}${more}`, { token });
        assert.equal(status, 403);
        assert.match(body.detail, /requires the scope answers:read,/);
        assert.match(headers['www-authenticate']!, /scope="answers:read"/);
      }
    });
  }

  it('the ETag of the question with answers does not match without them', async () => {
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    for (const path of (await seed(service())).current) {
      const etag = (await call('GET', path)).headers.etag!;
      const seen = await call('GET', path, { token, headers: { 'if-none-match': `${etag}, W/${etag}` } });
      const kept = await call('DELETE', path, { token, headers: { 'if-match': etag } });
      assert.deepEqual([seen.status, kept.status], [200, 412]);
      assert.ok(kept.body.detail.includes(seen.headers.etag) && !kept.body.detail.includes(etag));
    }
  });

  it('the order of the choices does not reveal the key', async () => {
    const token = await service().keyFor('questions:read');
    const list = async () => (await call('GET', '/questions?tag=shuffled&limit=400', { token })).body.data;
    const body = Array.from({ length: 400 }, (_, i) => {
      // Half of them have the same texts, half have texts of their own.
      const [right, ...wrong] = ['Jupiter', 'Mars', 'Saturn', 'Venus'].map((text) =>
        i % 2 ? text : text + i,
      );
      return sample({ correct_answer: right, incorrect_answers: wrong, tags: ['shuffled'] });
    });
    const made: Json[] = (await call('POST', '/questions', { body })).body.data;
    const shown: Json[] = await list();
    const places = [0, 0, 0, 0];
    for (const [i, { choices }] of shown.entries()) places[choices.indexOf(made[i].correct_answer)]!++;
    // About a hundred each: six standard deviations either way.
    assert.ok(Math.min(...places) > 48 && Math.max(...places) < 152, places.join(' '));
    for (const { id, correct_answer, incorrect_answers } of made.slice(0, 40)) {
      const [next, ...others] = incorrect_answers;
      const swapped = { correct_answer: next, incorrect_answers: [correct_answer, ...others] };
      await call('PUT', `/questions/${id}`, { body: swapped });
    }
    assert.deepEqual(await list(), shown);
  });
}

onEveryEngine('without answers:read', cases, logged);
