/**
 * Answers do not leak. No operation reveals an answer to a token without `answers:read`, and the
 * responses to such a token do not change by a byte when only an answer changes.
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

function cases(service: () => Service, name: EngineName): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const operations = () =>
    service()
      .app.routes.filter(isOffered)
      .map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`)
      .sort();

  it('finds every hidden word with answers:read', async () => {
    const bank = await seed(service());
    const { visited, answered, leaks } = await crawl(service(), bank, await service().keyFor(...ALL_SCOPES));
    assert.deepEqual(visited, operations());
    assert.deepEqual(answered, operations(), 'every operation succeeds at least once');
    const kinds = new Set(leaks.map((leak) => leak.split(':')[0]));
    assert.deepEqual([...kinds].sort(), ['etag', 'field', 'search', 'word']);
    const found = leaks.map((leak) => /^word: (\w+)/.exec(leak)?.[1]);
    assert.ok(bank.words.every((word) => found.includes(word)));
  });

  let bank: Bank | undefined;
  // Scopes are checked before an engine is asked: all sets of them are tried on one engine.
  const callers = Object.entries(LIMITED_SCOPES).slice(name === 'postgres' ? -1 : 0);
  for (const [caller, scopes] of callers) {
    it(`reveals no answer in any operation: ${caller}`, async () => {
      const token = scopes && (await service().keyFor(...scopes));
      const crawled = bank ?? (await seed(service()));
      const { visited, leaks } = await crawl(service(), crawled, token);
      // The bank is reused unless the caller may have changed it.
      bank = scopes?.includes('questions:write') ? undefined : crawled;
      assert.deepEqual(leaks, []);
      assert.deepEqual(visited, operations());
    });
  }

  it('reveals no answer to a token for a draw, which does nothing else', async () => {
    const crawled = bank ?? (await seed(service()));
    const { visited, answered, leaks } = await crawl(service(), crawled, crawled.drawToken);
    assert.deepEqual(leaks, []);
    assert.deepEqual(visited, operations());
    const isPublic = (operation: string) =>
      service().app.routes.some(
        ({ method, url, config }) =>
          config?.public && operation === `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`,
      );
    const accepted = answered.filter((operation) => operation && !isPublic(operation));
    assert.deepEqual(accepted, ['GET /draws/{id}', 'POST /questions/{id}/check']);
  });

  it('does not log answers', () => {
    assert.ok(log.length > 5_000, `${log.length} lines`);
    // Paths are logged unchanged, and the crawl uses a hidden word as an id.
    const lines = log.splice(0).map((line) => ({ ...JSON.parse(line), path: undefined }));
    assert.deepEqual(findHiddenWords(JSON.stringify(lines)), []);
  });

  it('shows the current options in one list, and all other public fields', async () => {
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    for (const path of (await seed(service())).current) {
      const { choices, ...question } = (await call('GET', path)).body;
      const options = [question.correct_answer, ...question.incorrect_answers].flat().sort();
      const { choices: shown, ...publicFields } = (await call('GET', path, { token })).body;
      assert.deepEqual(shown?.toSorted(), options.length > 1 ? options : undefined);
      for (const name of HIDDEN_FIELDS) delete question[name];
      assert.deepEqual(publicFields, question);
    }
  });

  it('does not reveal an answer by Idempotency-Key to callers with fewer scopes', async () => {
    const token = await service().keyFor('questions:read', 'questions:write');
    for (const body of [
      sample({ incorrect_answers: ['Mars'] }),
      [sample({ explanation: 'It is.' }), sample()],
    ]) {
      const request = { body, headers: { 'idempotency-key': newHiddenWord() } };
      const first = await call('POST', '/questions', request);
      const again = await call('POST', '/questions', request);
      assert.deepEqual(again.body, first.body);
      // A request by another client never matches, whatever its body.
      for (const guess of [body, sample({ correct_answer: 'Saturn' })]) {
        const rejected = await call('POST', '/questions', { ...request, body: guess, token });
        assert.equal(rejected.body.code, 'idempotency_mismatch');
      }
      const own = { body, headers: { 'idempotency-key': newHiddenWord() }, token };
      const created = await call('POST', '/questions', own);
      const repeated = await call('POST', '/questions', own);
      assert.deepEqual(repeated.body, created.body);
      assert.ok(!created.text.includes('correct_answer'));
    }
  });

  it('does not show that only an answer has changed', async () => {
    const bank = await seed(service());
    const { plain, options, several, accepting, numeric, current, words } = bank;
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    const read = (path: string, headers = {}) => call('GET', path, { token, headers });
    const { correct_answer, incorrect_answers } = (await call('GET', options)).body;
    const [one, ...others] = incorrect_answers;
    const { choices } = (await call('GET', several)).body;
    const changes: [string, path: string, change: object, method?: string][] = [
      [
        'key and distractor swapped',
        options,
        { correct_answer: one, incorrect_answers: [correct_answer, ...others] },
      ],
      ['distractors in another order', options, { incorrect_answers: [...others, correct_answer] }],
      ['another explanation', options, { explanation: `The lantern ${words[0]}.` }],
      ['no explanation', options, { explanation: null }],
      ['another answer, without options', plain, { correct_answer: `A lantern ${words[1]}` }],
      [
        'other correct options',
        several,
        { correct_answer: choices.slice(3), incorrect_answers: choices.slice(0, 3) },
      ],
      [
        'more correct options',
        several,
        { correct_answer: choices.slice(1), incorrect_answers: choices.slice(0, 1) },
      ],
      ['other accepted answers', accepting, { accepted_answers: [words[1]], answer_matching: null }],
      [
        'another number',
        numeric,
        { correct_answer: '8', numeric: { tolerance: null, relative_tolerance: 0.1 } },
      ],
      ['an earlier key is restored', `${options}/restore`, { revision: 1 }, 'POST'],
    ];
    const etags = await Promise.all(current.map(async (path) => (await read(path)).headers.etag!));
    const before = await readEverything(service(), token, bank);
    for (const [label, path, body, method = 'PUT'] of changes) {
      const old = (await call('GET', path.replace('/restore', ''))).body.revision;
      assert.equal((await call(method, path, { body })).body.revision, old + 1, label);
      assert.deepEqual(await readEverything(service(), token, bank), before, label);
      for (const [i, path] of current.entries())
        assert.equal((await read(path, { 'if-none-match': etags[i] })).status, 304, label);
    }
    await call('PUT', options, { body: { question_text: 'Which lantern is it now?' } });
    assert.notDeepEqual(await readEverything(service(), token, bank), before);
    assert.equal((await read(options, { 'if-none-match': etags.join() })).status, 200);
  });

  it('responds alike to correct and wrong guesses, except to a check', async () => {
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
    for (const operation of operations().filter((name) => /^(?:POST|PUT)/.test(name))) {
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

  it('does not match the ETag of the question with answers', async () => {
    const token = await service().keyFor(...ALL_SCOPES_BUT_ANSWERS);
    for (const path of (await seed(service())).current) {
      const etag = (await call('GET', path)).headers.etag!;
      const seen = await call('GET', path, { token, headers: { 'if-none-match': `${etag}, W/${etag}` } });
      const kept = await call('DELETE', path, { token, headers: { 'if-match': etag } });
      assert.deepEqual([seen.status, kept.status], [200, 412]);
      assert.ok(kept.body.detail.includes(seen.headers.etag) && !kept.body.detail.includes(etag));
    }
  });

  it('does not reveal the key by the order of the choices', async () => {
    const token = await service().keyFor('questions:read');
    const list = async () => (await call('GET', '/questions?tag=shuffled&limit=400', { token })).body.data;
    const body = Array.from({ length: 400 }, (_, i) => {
      // Half of the questions share their options, half have unique ones.
      const [right, ...wrong] = ['Jupiter', 'Mars', 'Saturn', 'Venus'].map((text) =>
        i % 2 ? text : text + i,
      );
      return sample({ correct_answer: right, incorrect_answers: wrong, tags: ['shuffled'] });
    });
    const created: Json[] = (await call('POST', '/questions', { body })).body.data;
    const shown: Json[] = await list();
    const counts = [0, 0, 0, 0];
    for (const [i, { choices }] of shown.entries()) counts[choices.indexOf(created[i].correct_answer)]!++;
    // The expected count is 100; the bounds are six standard deviations away.
    assert.ok(Math.min(...counts) > 48 && Math.max(...counts) < 152, counts.join(' '));
    for (const { id, correct_answer, incorrect_answers } of created.slice(0, 40)) {
      const [next, ...others] = incorrect_answers;
      const swapped = { correct_answer: next, incorrect_answers: [correct_answer, ...others] };
      await call('PUT', `/questions/${id}`, { body: swapped });
    }
    assert.deepEqual(await list(), shown);
  });
}

onEveryEngine('without answers:read', cases, logged);
