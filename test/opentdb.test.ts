/** The Open Trivia DB's API: its codes, encodings and session tokens, and clients of it. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { decodeHTML } from 'entities';
import { ENCODINGS } from '../src/api/opentdb/encoding.ts';
import { deleteIdleOpentdbTokens } from '../src/store/opentdb/tokens.ts';
import { listen, NO_LIMITS, onEveryEngine, openService, type Service, sample } from './support/engines.ts';

const require = createRequire(import.meta.url);
const HOUR_MS = 3_600_000;

const question = (n: number, changes: object = {}) =>
  sample({
    question_text: `What is the “ō” of no. ${n} & 'é'?`,
    correct_answer: `Right ${n}`,
    incorrect_answers: [`A ${n}`, `B ${n}`, `C ${n}`],
    category: n % 2 ? 'Geography' : 'General Knowledge',
    difficulty: n % 3,
    tags: ['public'],
    ...changes,
  });
const boolean = (n: number) => ({
  question_text: `Is ${n} even?`,
  correct_answer: n % 2 ? 'False' : 'True',
  incorrect_answers: [n % 2 ? 'True' : 'False'],
});

const N = 60;

/** 60 served questions, of which every fifth is boolean, and others that are not served. */
async function fill({ call }: Pick<Service, 'call'>): Promise<void> {
  const served = Array.from({ length: N }, (_, n) => question(n, n % 5 ? {} : boolean(n)));
  const hidden = [
    question(100, { tags: [], correct_answer: 'hidden marker' }),
    question(101, { incorrect_answers: [], correct_answer: 'hidden marker' }),
    question(102, { correct_answer: ['hidden marker', 'hidden too'] }),
  ];
  const { status } = await call('POST', '/questions', { body: [...served, ...hidden] });
  assert.equal(status, 201);
  await call('POST', '/categories', { body: { name: 'Hidden category' } });
  await call('POST', '/questions', { body: question(103, { category: 'Hidden category', tags: [] }) });
}

onEveryEngine(
  'the API of the Open Trivia DB',
  (service) => {
    const get = async (path: string) => {
      const response = await service().app.inject({ url: path });
      assert.equal(response.headers['access-control-allow-origin'], '*', path);
      assert.doesNotMatch(response.body, /[Hh]idden/, path);
      return { status: response.statusCode, body: response.json(), text: response.body };
    };
    const codeOf = async (path: string): Promise<number> => (await get(path)).body.response_code;
    const newToken = async (): Promise<string> => (await get('/api_token.php?command=request')).body.token;

    it('serves questions of the filter in the form of the original', async () => {
      await fill(service());
      const { body, text } = await get('/api.php?amount=50');
      assert.equal(body.results.length, 50);
      assert.match(text, /^\{"response_code":0,"results":\[\{"type":"(multiple|boolean)","difficulty":"/);
      for (const result of body.results)
        assert.deepEqual(Object.keys(result), [
          ...['type', 'difficulty', 'category', 'question', 'correct_answer', 'incorrect_answers'],
        ]);
      const texts: string[] = body.results.map((result: { question: string }) => result.question);
      assert.equal(new Set(texts).size, 50);
      assert.ok(
        texts.some((each) =>
          /^What is the &ldquo;ō&rdquo; of no\. \d+ &amp; &#039;&eacute;&#039;\?$/.test(each),
        ),
      );
    });

    it('filters by category, difficulty and type', async () => {
      const { body } = await get('/api.php?amount=4&category=22&difficulty=medium&type=multiple');
      for (const { category, difficulty, type } of body.results)
        assert.deepEqual(
          { category, difficulty, type },
          { category: 'Geography', difficulty: 'medium', type: 'multiple' },
        );
      const { body: booleans } = await get('/api.php?amount=12&type=boolean');
      assert.ok(booleans.results.every(({ type }: { type: string }) => type === 'boolean'));
      assert.equal(await codeOf('/api.php?amount=13&type=boolean'), 1);
    });

    it('has the codes of the original', async () => {
      for (const query of [
        '',
        'amount=0',
        'amount=51',
        'amount=Five',
        'amount=1&difficulty=1',
        'amount=1&type=x',
        'amount=1&encode=x',
        'amount=1&category=x',
      ])
        assert.deepEqual((await get(`/api.php?${query}`)).body, { response_code: 2, results: [] }, query);
      for (const query of [
        'amount=1&category=0&difficulty=&type=&encode=&token=',
        '&amount=1',
        'amount=9&amount=1',
        'amount=1&more=%zz',
      ])
        assert.equal(await codeOf(`/api.php?${query}`), 0, query);
      assert.equal(await codeOf('/api.php?amount=1&category=99'), 1);
      assert.equal(await codeOf(`/api.php?amount=1&token=${'0'.repeat(64)}`), 3);
      assert.equal(await codeOf(`/api_token.php?command=reset&token=${'0'.repeat(64)}`), 3);
      assert.equal(await codeOf('/api_token.php?command=other'), 2);
    });

    it('encodes every text', async () => {
      const decoders = {
        urlLegacy: (text: string) => decodeURIComponent(text.replaceAll('+', ' ')),
        url3986: decodeURIComponent,
        base64: (text: string) => Buffer.from(text, 'base64').toString(),
      };
      for (const [name, decode] of Object.entries(decoders)) {
        const [result] = (await get(`/api.php?amount=1&type=multiple&category=9&encode=${name}`)).body
          .results;
        assert.equal(decode(result.type), 'multiple');
        assert.equal(decode(result.category), 'General Knowledge');
        assert.match(decode(result.question), /^What is the “ō” of no\. \d+ & 'é'\?$/);
        assert.doesNotMatch(result.question, /[ “'&]/);
        assert.equal(result.incorrect_answers.length, 3);
      }
    });

    it('walks the bank with a token, each question once', async () => {
      const token = await newToken();
      assert.match(token, /^[0-9a-f]{64}$/);
      const seen: string[] = [];
      const take = async (query: string) => {
        const { body } = await get(`/api.php?${query}&token=${token}`);
        for (const result of body.results) seen.push(result.correct_answer + result.question);
        return body.response_code;
      };
      // Under several filters: a token remembers over all of them.
      assert.equal(await take('amount=7&category=9'), 0);
      assert.equal(await take('amount=5&type=boolean'), 0);
      assert.equal(await take('amount=9&difficulty=hard'), 0);
      assert.equal(await take('amount=25'), 0);
      assert.equal(await take('amount=7'), 0);
      assert.equal(await take('amount=50'), 1);
      for (let n = seen.length; n < N; n++) assert.equal(await take('amount=1'), 0);
      assert.equal(await take('amount=1'), 4);
      assert.equal(await take('amount=1&category=22'), 4);
      assert.equal(await take('amount=1&category=99'), 1);
      assert.equal(new Set(seen).size, N);
      assert.equal(seen.length, N);
      const { body } = await get(`/api_token.php?command=resetcommand=reset&token=${token}`);
      assert.deepEqual(body, { response_code: 0, token });
      assert.equal(await take('amount=50'), 0);
    });

    it('does not repeat questions in simultaneous queries with a token, nor serve new ones', async () => {
      const token = await newToken();
      const { body: created } = await service().call('POST', '/questions', { body: question(200) });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => get(`/api.php?amount=10&token=${token}`)),
      );
      const seen = answers.flatMap(({ body }) => body.results as { question: string }[]);
      assert.equal(new Set(seen.map((each) => JSON.stringify(each))).size, seen.length);
      assert.ok(answers.some(({ body }) => body.response_code === 0));
      for (const { status, body } of answers) assert.equal(status, body.response_code === 5 ? 429 : 200);
      assert.ok(!seen.some((each) => each.question.includes('no. 200 ')));
      await service().call('DELETE', `/questions/${created.id}`);
    });

    it('forgets a token after six idle hours', async () => {
      const token = await newToken();
      await service().engine.write(deleteIdleOpentdbTokens, Date.now() + 5 * HOUR_MS);
      assert.equal(await codeOf(`/api.php?amount=1&token=${token}`), 0);
      await service().engine.write(deleteIdleOpentdbTokens, Date.now() + 7 * HOUR_MS);
      assert.equal(await codeOf(`/api.php?amount=1&token=${token}`), 3);
    });

    it('lists and counts the categories with served questions', async () => {
      const { body } = await get('/api_category.php');
      const trivia_categories = [
        { id: 9, name: 'General Knowledge' },
        { id: 22, name: 'Geography' },
      ];
      assert.deepEqual(body, { trivia_categories });
      assert.deepEqual((await get('/api_count.php?category=9')).body, {
        category_id: 9,
        category_question_count: {
          total_question_count: 30,
          total_easy_question_count: 10,
          total_medium_question_count: 10,
          total_hard_question_count: 10,
        },
      });
      const { overall, categories } = (await get('/api_count_global.php')).body;
      assert.equal(overall.total_num_of_verified_questions, N);
      assert.equal(categories['22'].total_num_of_questions, 30);
      assert.equal(
        (await get('/api_count.php?category=99')).body.category_question_count.total_question_count,
        0,
      );
    });

    it('gives other categories numbers that follow from their ids', async () => {
      const { body: category } = await service().call('POST', '/categories', { body: { name: 'Knots' } });
      const { body: created } = await service().call('POST', '/questions', {
        body: question(300, { category: 'Knots' }),
      });
      const last = async () => (await get('/api_category.php')).body.trivia_categories.at(-1);
      const { id, name } = await last();
      assert.equal(name, 'Knots');
      assert.ok(id >= 1000);
      await service().call('PATCH', `/categories/${category.id}`, { body: { name: 'Bends & hitches' } });
      assert.deepEqual(await last(), { id, name: 'Bends & hitches' });
      assert.equal(
        (await get(`/api.php?amount=1&category=${id}`)).body.results[0].category,
        'Bends &amp; hitches',
      );
      await service().call('DELETE', `/questions/${created.id}`);
    });

    it('works for open-trivia-db from npm', async () => {
      const { url } = await listen(service());
      const { Routes } = require('open-trivia-db/dist/src/Typings/enums.js');
      for (const [name, address] of Object.entries<string>(Routes))
        Routes[name] = address.replace(/^https?:\/\/[^/]*/, url);
      const { getQuestions, Session, Category, CategoryNames } = require('open-trivia-db');
      const session = new Session();
      await session.start();
      const seen = new Set<string>();
      for (let i = 0; i < 3; i++)
        for (const { value } of await getQuestions({ amount: 20, session })) seen.add(value);
      assert.equal(seen.size, N);
      await assert.rejects(getQuestions({ amount: 1, session }), /Token Empty|all possible questions/);
      await session.reset();
      const [first] = await getQuestions({
        amount: 1,
        session,
        category: 22,
        difficulty: 'easy',
        type: 'multiple',
      });
      assert.equal(first.category.name, 'Geography');
      assert.ok(first.checkAnswer(first.correctAnswer));
      const { questionCount } = await Category.getCategory(CategoryNames.Geography);
      assert.equal(questionCount.total, 30);
    });
  },
  { opentdb: { tag: 'public' } },
);

describe('the encoding of HTML entities', () => {
  it('is that of HTML 4.01', () => {
    let names = 0;
    for (let code = 0x20; code < 0xd800; code++) {
      const character = String.fromCharCode(code);
      const encoded = ENCODINGS[''](character);
      if (encoded === character) continue;
      names++;
      // HTML 5 changed the characters of these names.
      if (!['&lang;', '&rang;'].includes(encoded)) assert.equal(decodeHTML(encoded), character);
    }
    // The 252 of HTML 4.01, and the apostrophe.
    assert.equal(names, 253);
    assert.equal(ENCODINGS['']("Pokémon 😀 ńō 'x'"), 'Pok&eacute;mon 😀 ńō &#039;x&#039;');
    assert.equal(ENCODINGS.urlLegacy("a b~c'é"), 'a+b%7Ec%27%C3%A9');
    assert.equal(ENCODINGS.url3986("a b~c'é"), 'a%20b~c%27%C3%A9');
  });
});

describe('the API of the Open Trivia DB', () => {
  it('does not exist unless a filter is set', async () => {
    const service = await openService('sqlite');
    try {
      for (const path of ['/api.php?amount=1', '/api_token.php?command=request', '/api_category.php'])
        assert.equal((await service.app.inject({ url: path })).statusCode, 404);
    } finally {
      await service.close();
    }
  });

  it('responds with code 5 beyond its rate limit, and serves nothing if a category of the filter is unknown', async () => {
    const limits = { ...NO_LIMITS, opentdb: 2 };
    const service = await openService('sqlite', {
      limits,
      opentdb: { tag: 'public', not_category: ['Removed'] },
    });
    try {
      await fill(service);
      const get = () => service.app.inject({ url: '/api.php?amount=1' });
      assert.equal((await get()).json().response_code, 1);
      let refused = await get();
      // A new minute may begin meanwhile.
      for (let i = 0; refused.statusCode !== 429 && i < 6; i++) refused = await get();
      assert.equal(refused.statusCode, 429);
      assert.deepEqual(refused.json(), { response_code: 5, results: [] });
      assert.ok(refused.headers['retry-after']);
      assert.equal(refused.headers['access-control-allow-origin'], '*');
      const { body } = await service.app.inject({ url: '/api_category.php' });
      assert.equal(body, '{"trivia_categories":[]}');
    } finally {
      await service.close();
    }
  });
});
