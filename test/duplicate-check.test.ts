/** `POST /questions` with `validate_only` or `check_duplicates` finds nearly identical questions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDuplicates } from '../src/duplicate-check/check.ts';
import type { DuplicateCheck } from '../src/schemas/duplicate-check.ts';
import type { QuestionInput } from '../src/schemas/question.ts';
import { combineWords } from '../src/store/questions/similar.ts';
import { WordSample } from '../src/store/questions/word-sample.ts';
import { type CallOptions, onEveryEngine, type Service, sample } from './support/engines.ts';

const ask = (question_text: string, correct_answer: string, incorrect_answers: string[] = []) =>
  sample({ question_text, correct_answer, incorrect_answers }) as QuestionInput;

const BANK = {
  austen: ask('Who wrote the novel "Pride and Prejudice"?', 'Jane Austen', ['Emily Brontë', 'George Eliot']),
  everest: ask('What is the highest mountain above sea level?', 'Mount Everest', ['K2', 'Denali', 'Elbrus']),
  war: ask('In which year did World War II end in Europe?', '1945', ['1943', '1944', '1946']),
  lima: ask('What is the capital of Peru?', 'Lima', ['Quito', 'Bogotá', 'Cusco']),
  hydrogen: ask('Which chemical element has the atomic number 1?', 'Hydrogen', ['Helium', 'Oxygen']),
  curie: ask('Marie Curie discovered radium together with which physicist?', 'Pierre Curie'),
};

const summarize = ({ matches }: DuplicateCheck) =>
  matches.map((match) => [match.class, match.question_text ?? match.id]);

onEveryEngine('check for duplicates', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const validate = async (body: unknown, options: CallOptions = {}) => {
    const answer = await call('POST', '/questions?validate_only=true', { body, ...options });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.duplicates as DuplicateCheck[];
  };
  const countQuestions = async () => (await call('GET', '/questions?limit=1')).body.pagination.total;
  const ids: Record<string, string> = {};

  it('finds nothing in an empty bank', async () => {
    assert.deepEqual(await validate(BANK.austen), [{ complete: true, matches: [] }]);
    const created = await call('POST', '/questions', { body: Object.values(BANK) });
    assert.equal(created.body.duplicates, undefined);
    for (const [i, name] of Object.keys(BANK).entries()) ids[name] = created.body.data[i].id;
  });

  it('finds an identical question, and stores nothing', async () => {
    const total = await countQuestions();
    const [check] = await validate(BANK.lima);
    assert.deepEqual(check, {
      complete: true,
      matches: [
        {
          id: ids.lima,
          index: null,
          class: 'duplicate',
          similarity: 1,
          question_text: BANK.lima.question_text,
          correct_answer: 'Lima',
        },
      ],
    });
    assert.equal(await countQuestions(), total);
  });

  const NEAR: [name: keyof typeof BANK, change: string, text: string][] = [
    ['austen', 'case and punctuation', 'WHO WROTE THE NOVEL PRIDE AND PREJUDICE'],
    ['austen', 'a synonym', 'Who authored the novel “Pride and Prejudice”?'],
    ['austen', 'a typo', 'Who wrote the novel "Pride and Prejudise"?'],
    ['everest', 'other stopwords', 'What was the highest mountain above the sea level?'],
    ['everest', 'a synonym in a short text', 'What is the tallest mountain above sea level?'],
    ['war', 'a numeral', 'In which year did World War 2 end in Europe?'],
    ['war', 'an abbreviation', 'In which year did WW2 end in Europe?'],
    ['lima', 'the word order', 'The capital of Peru is what?'],
    ['hydrogen', 'a filler', 'Which chemical element actually has the atomic number one?'],
    ['curie', 'a plural', 'Marie Curie discovered radium together with which physicists?'],
  ];
  for (const [name, change, text] of NEAR)
    it(`finds a question that differs by ${change}: ${name}`, async () => {
      const [check] = await validate({ ...BANK[name], question_text: text });
      assert.deepEqual(summarize(check!), [['duplicate', BANK[name].question_text]]);
    });

  it('reports another answer as a conflict, and another question as a variant or not at all', async () => {
    const [conflict] = await validate({
      ...BANK.lima,
      correct_answer: 'Quito',
      incorrect_answers: ['Lima', 'Cusco'],
    });
    assert.deepEqual(summarize(conflict!), [['conflict', BANK.lima.question_text]]);
    const [variant] = await validate(
      ask('Which chemical element has the atomic number 2?', 'Helium', ['Hydrogen', 'Oxygen']),
    );
    assert.deepEqual(summarize(variant!), [['variant', BANK.hydrogen.question_text]]);
    const [other] = await validate(ask('What is the capital of Bolivia?', 'Sucre'));
    assert.deepEqual(other, { complete: true, matches: [] });
  });

  it('reports a rewording with the same answer as a likely duplicate', async () => {
    const text =
      'Together with which French physicist did Marie Curie discover the radioactive element radium?';
    const [likely] = await validate(ask(text, 'Pierre Curie'));
    assert.deepEqual(summarize(likely!), [['likely', BANK.curie.question_text]]);
    const [other] = await validate(ask(text, 'Henri Becquerel'));
    assert.deepEqual(summarize(other!), []);
  });

  it('creates a question and reports duplicates of it, except itself', async () => {
    const options = { body: BANK.curie, headers: { 'idempotency-key': 'curie' } };
    const created = await call('POST', '/questions?check_duplicates=true', options);
    assert.equal(created.status, 201);
    const { duplicates, ...question } = created.body;
    assert.deepEqual(summarize(duplicates), [['duplicate', BANK.curie.question_text]]);
    assert.equal(duplicates.matches[0].id, ids.curie);
    const stored = await call('GET', created.headers.location as string);
    assert.deepEqual(stored.body, question);
    assert.equal(stored.headers.etag, created.headers.etag);

    const repeated = await call('POST', '/questions?check_duplicates=true', options);
    assert.deepEqual(repeated.body, created.body, 'a repetition does not find the question it created');
    await call('DELETE', `/questions/${question.id}`);
  });

  it('reports duplicates within a request', async () => {
    const batch = [
      ask('Which river flows through Vienna?', 'Danube'),
      BANK.war,
      ask('Which river flows through Vienna ?', 'The Danube'),
      ask('Which river flows through Vienna?', 'Rhine'),
    ];
    const validated = await validate(batch);
    assert.deepEqual(validated.map(summarize), [
      [],
      [['duplicate', BANK.war.question_text]],
      [['duplicate', batch[0]!.question_text]],
      [
        ['conflict', batch[0]!.question_text],
        ['conflict', batch[2]!.question_text],
      ],
    ]);
    assert.deepEqual(validated[2]!.matches[0], {
      ...{ id: null, index: 0, class: 'duplicate', similarity: 1 },
      ...{ question_text: batch[0]!.question_text, correct_answer: 'Danube' },
    });
    const { body } = await call('POST', '/questions?check_duplicates=true', { body: batch });
    assert.deepEqual(body.duplicates.map(summarize), validated.map(summarize));
    assert.deepEqual(
      body.duplicates[3].matches.map(({ id, index }: { id: string; index: number }) => [id, index]),
      [0, 2].map((index) => [body.data[index].id, index]),
    );
    for (const { id } of body.data) await call('DELETE', `/questions/${id}`);
  });

  it('does not reveal answers without answers:read, not even by the class', async () => {
    const token = await service().keyFor('questions:read', 'questions:write');
    const right = await validate(BANK.lima, { token });
    assert.deepEqual(right[0]!.matches, [
      {
        ...{ id: ids.lima, index: null, class: 'same_wording', similarity: 1 },
        question_text: BANK.lima.question_text,
      },
    ]);
    for (const correct_answer of ['Quito', 'Cusco', 'Santiago'])
      for (const incorrect_answers of [[], ['Lima', 'Bogotá'], ['La Paz']])
        assert.deepEqual(
          await validate({ ...BANK.lima, correct_answer, incorrect_answers }, { token }),
          right,
        );
    const reworded = {
      ...BANK.hydrogen,
      incorrect_answers: [],
      question_text: 'Which chemical element has the atomic number 2?',
    };
    const guesses = ['Hydrogen', 'Helium', 'Iron'].map((correct_answer) => ({ ...reworded, correct_answer }));
    const checks = await Promise.all(guesses.map((guess) => validate(guess, { token })));
    assert.deepEqual(
      checks.map(([check]) => summarize(check!)),
      guesses.map(() => [['alike', BANK.hydrogen.question_text]]),
    );
    assert.deepEqual(checks[1], checks[0]);
    assert.deepEqual(checks[2], checks[0]);
  });

  it('does not show texts without questions:read', async () => {
    const [check] = await validate(BANK.lima, {
      token: await service().keyFor('questions:write', 'answers:read'),
    });
    assert.deepEqual(check!.matches, [
      {
        id: ids.lima,
        index: null,
        class: 'duplicate',
        similarity: 1,
      },
    ]);
  });

  it('finds the current text of a question', async () => {
    const text = 'Which gas do plants absorb during photosynthesis?';
    await call('PUT', `/questions/${ids.curie}`, {
      body: { question_text: text, correct_answer: 'Carbon dioxide' },
    });
    assert.deepEqual((await validate(BANK.curie))[0]!.matches, []);
    const [check] = await validate(ask(text, 'carbon dioxide'));
    assert.deepEqual(summarize(check!), [['duplicate', text]]);
    await call('DELETE', `/questions/${ids.curie}`);
    assert.deepEqual((await validate(ask(text, 'carbon dioxide')))[0]!.matches, []);
    await call('POST', `/questions/${ids.curie}/restore`, { body: { revision: 1 } });
    assert.deepEqual(summarize((await validate(BANK.curie))[0]!), [['duplicate', BANK.curie.question_text]]);
  });

  it('checks only on request', async () => {
    const url = '/questions?validate_only=true&check_duplicates=false';
    assert.equal((await call('POST', url, { body: BANK.lima })).body.duplicates, undefined);
    const { body } = await call('POST', '/questions?check_duplicates=false', { body: ask('Who?', 'Me') });
    assert.equal(body.duplicates, undefined);
    assert.equal((await call('POST', '/questions?check_duplicates=maybe', { body: BANK.lima })).status, 400);
  });

  it('finds the one question in hundreds of a template, and at most 10 of many', async () => {
    const places = Array.from(
      { length: 600 },
      (_, i) => `Place${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
    );
    const body = places.map((place, i) =>
      ask(`What is the postal code of the town of ${place}?`, `${10_000 + i}`),
    );
    await call('POST', '/questions', { body });
    const asked = [3, 250, 599].map((i) => ({
      ...body[i]!,
      question_text: `What is ${places[i]} town's postal code?`,
    }));
    const checks = await validate(asked);
    assert.deepEqual(
      checks.map(({ matches }) =>
        matches.filter((match) => match.class === 'duplicate').map((match) => match.question_text),
      ),
      [3, 250, 599].map((i) => [body[i]!.question_text]),
    );
    const same = Array.from({ length: 30 }, () => ask('Name the animal in the picture.', 'Okapi'));
    await call('POST', '/questions', { body: same });
    const [check] = await validate(same[0]);
    assert.deepEqual(
      check!.matches.map((match) => match.class),
      Array(10).fill('duplicate'),
    );
  });

  it('reports questions that were not checked in time', async () => {
    const options = { view: 'with_answers', showsTexts: true } as const;
    const failures: unknown[] = [];
    const checks = await checkDuplicates(service().engine, [BANK.lima, BANK.war], {
      ...options,
      call: { deadlineAt: performance.now() - 1 },
      onFailure: (error) => failures.push(error),
    });
    assert.deepEqual(checks, Array(2).fill({ complete: false, matches: [] }));
    assert.deepEqual(failures, []);
  });

  it('creates questions even if the check fails', async () => {
    const { engine } = service();
    const { search } = engine;
    engine.search = () => Promise.reject(new Error('no search'));
    try {
      const created = await call('POST', '/questions?check_duplicates=true', {
        body: ask('Who failed?', 'It'),
      });
      assert.equal(created.status, 201);
      assert.deepEqual(created.body.duplicates, { complete: false, matches: [] });
    } finally {
      engine.search = search;
    }
  });
});

describe('combinations of words', () => {
  const choices = (...words: string[]) => words.map((word) => [word]);
  const sampleOf = (slotsPerSample: number, ...texts: string[]) => {
    const words = new WordSample(slotsPerSample);
    for (const text of texts) words.add(text.split(' '));
    return words;
  };

  it('combines frequent words until few questions have all, and uses rare ones alone', () => {
    const words = sampleOf(1000, 'red car', 'red house', 'car house', 'red boat', 'car boat');
    const combine = (...list: string[]) => combineWords(words, choices(...list));
    assert.deepEqual(combine('red', 'house', 'boat'), [[choices('house', 'boat')], []]);
    assert.deepEqual(combine('red', 'car', 'house'), [[choices('house', 'car', 'red')], []]);
    assert.deepEqual(combine('zebra', 'red', 'house'), [
      [choices('zebra', 'house'), choices('zebra', 'red')],
      [choices('zebra')],
    ]);
  });

  it('uses all words if many questions have all of them', () => {
    const words = sampleOf(1000, 'red car', 'red car');
    assert.deepEqual(combineWords(words, choices('red', 'car')), [[choices('car', 'red')], []]);
  });

  it('counts synonyms as the same word', () => {
    const words = sampleOf(1000, 'big planet', 'large moon');
    const size = ['big', 'large'];
    assert.deepEqual(combineWords(words, [size, ['planet']]), [[[['planet'], size]], []]);
    assert.deepEqual(combineWords(words, [size, ['sun']]), [[[['sun'], size]], [[['sun']]]]);
  });
});
