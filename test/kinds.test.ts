/**
 * Multiple response, numeric and short-answer questions, Markdown and the order of choices, through
 * the whole service: creating, views, checking, responses, history and analyses.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';
import type { Json } from './support/requests.ts';

const WAIT = { prefer: 'wait=30' };
const several = (changes: object = {}) =>
  sample({
    question_text: 'Which services store objects?',
    correct_answer: ['S3', 'Glacier'],
    incorrect_answers: ['EC2', 'Lambda', 'IAM'],
    ...changes,
  });

onEveryEngine('kinds of questions', (getService) => {
  const call = (...args: Parameters<ReturnType<typeof getService>['call']>) => getService().call(...args);
  const create = async (body: object): Promise<Json> => {
    const created = await call('POST', '/questions', { body });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body;
  };
  const check = async ({ id }: Json, answer: unknown): Promise<boolean> =>
    (await call('POST', `/questions/${id}/check`, { body: { answer } })).body.correct;
  const findFault = async (body: object) => {
    const { status, body: problem } = await call('POST', '/questions', { body });
    assert.equal(status, 422, JSON.stringify(problem));
    return problem.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).join(', ');
  };

  it('derives the kind, and refuses another one', async () => {
    const kinds = [
      [sample(), 'short_answer'],
      [sample({ incorrect_answers: ['Mars'] }), 'multiple_choice'],
      [several(), 'multiple_response'],
      [sample({ correct_answer: '1.5', numeric: {} }), 'numeric'],
    ] as const;
    for (const [body, kind] of kinds) {
      assert.equal((await create({ ...body, kind })).kind, kind);
      const other = kind === 'numeric' ? 'short_answer' : 'numeric';
      assert.equal(await findFault({ ...body, kind: other }), '/kind kind_mismatch');
    }
  });

  it('refuses fields that make no sense together', async () => {
    const cases: [body: object, fault: string][] = [
      [sample({ correct_answer: ['A'] }), '/correct_answer too_few, /incorrect_answers required'],
      [several({ incorrect_answers: [] }), '/incorrect_answers required'],
      [several({ correct_answer: ['S3', 'S3'] }), '/correct_answer/1 duplicate'],
      [several({ incorrect_answers: ['S3'] }), '/incorrect_answers/0 duplicate'],
      [several({ choose: 3 }), '/choose wrong_count'],
      [sample({ incorrect_answers: ['Mars'], choose: 2 }), '/choose not_for_kind'],
      [sample({ numeric: {} }), '/correct_answer not_a_number'],
      [sample({ correct_answer: '5 km', numeric: {} }), '/correct_answer not_a_number'],
      [sample({ correct_answer: '5', numeric: { unit: '7' } }), '/numeric/unit invalid_format'],
      [
        sample({ correct_answer: '5', numeric: { tolerance: 1, relative_tolerance: 0.1 } }),
        '/numeric conflict',
      ],
      [
        sample({ correct_answer: '5', numeric: {}, incorrect_answers: ['6'] }),
        '/incorrect_answers not_for_kind',
      ],
      [
        sample({ correct_answer: '5', numeric: {}, accepted_answers: ['6'] }),
        '/accepted_answers not_for_kind',
      ],
      [sample({ accepted_answers: ['Jupiter'] }), '/accepted_answers/0 duplicate'],
      [sample({ incorrect_answers: ['Mars'], accepted_answers: ['x'] }), '/accepted_answers not_for_kind'],
      [
        sample({ incorrect_answers: ['Mars'], answer_matching: { ignore_case: false } }),
        '/answer_matching not_for_kind',
      ],
      [sample({ choices_order: 'sorted' }), '/choices_order not_for_kind'],
      [several({ choices_order: 'as_given' }), '/choices required'],
      [several({ choices_order: 'as_given', choices: ['S3', 'EC2'] }), '/choices choices_mismatch'],
    ];
    for (const [body, fault] of cases) assert.equal(await findFault(body), fault, JSON.stringify(body));
  });

  it('scores several correct answers all or nothing, in any order and with repeats', async () => {
    const question = await create(several());
    for (const right of [
      ['S3', 'Glacier'],
      ['glacier ', 's3'],
      ['S3', 'S3', 'Glacier'],
    ])
      assert.equal(await check(question, right), true, right.join());
    for (const wrong of [['S3'], 'S3', ['S3', 'Glacier', 'EC2'], ['S3', 'nothing'], ['S3', 'Glacier', 'x']])
      assert.equal(await check(question, wrong), false, String(wrong));
    const single = await create(sample({ incorrect_answers: ['Mars'] }));
    assert.deepEqual(
      [await check(single, ['Jupiter']), await check(single, ['Jupiter', 'Mars'])],
      [true, false],
    );
  });

  it('scores numbers by value, with tolerance and unit', async () => {
    const sum = await create(sample({ correct_answer: '0.3', numeric: { tolerance: 0.1 } }));
    for (const [answer, right] of [
      ...([
        ['0.2', true],
        ['0,4', true],
        ['0.4000000001', false],
        ['3/10', true],
      ] as const),
      ...([
        ['30 %', true],
        ['0.3 m', false],
        ['three', false],
      ] as const),
    ])
      assert.equal(await check(sum, answer), right, answer);
    const speed = await create(
      sample({ correct_answer: '-9.81', numeric: { relative_tolerance: 0.01, unit: 'm/s²' } }),
    );
    for (const [answer, right] of [
      ...([
        ['−9,81 m/s^2', true],
        ['-9.9', true],
        ['-9.92', false],
        ['-9.81 M/S²', false],
      ] as const),
      ['9.81', false] as const,
    ])
      assert.equal(await check(speed, answer), right, answer);
  });

  it('accepts variants, and ignores what the question says', async () => {
    const strict = await create(sample({ correct_answer: 'sloth' }));
    const lenient = await create(
      sample({
        correct_answer: 'sloth',
        accepted_answers: ['paresseux', 'naïve bear'],
        answer_matching: { ignore_articles: true, ignore_punctuation: true, ignore_diacritics: true },
      }),
    );
    for (const answer of ['A sloth', 'SLOTH.', 'the “Sloth”!', 'Le paresseux', 'naive bear'])
      assert.deepEqual([await check(strict, answer), await check(lenient, answer)], [false, true], answer);
    const cased = await create(sample({ correct_answer: 'pH', answer_matching: { ignore_case: false } }));
    assert.deepEqual([await check(cased, 'pH'), await check(cased, 'PH')], [true, false]);
  });

  it('orders choices without regard to the key', async () => {
    const sorted = await create(
      sample({
        correct_answer: '10',
        incorrect_answers: ['9', '1,000', 'None of the above', '-2'],
        choices_order: 'sorted',
      }),
    );
    assert.deepEqual(sorted.choices, ['-2', '9', '10', '1,000', 'None of the above']);
    const texts = await create(
      several({ correct_answer: ['b', 'C'], incorrect_answers: ['a', 'É'], choices_order: 'sorted' }),
    );
    assert.deepEqual(texts.choices, ['a', 'b', 'C', 'É']);
    const shuffled = await create(several({ incorrect_answers: ['All of the above', 'EC2', 'IAM'] }));
    assert.equal(shuffled.choices.at(-1), 'All of the above');
    const choices = ['EC2', 'Glacier', 'IAM', 'S3', 'Lambda'];
    const given = await create(several({ choices_order: 'as_given', choices }));
    assert.deepEqual(given.choices, choices);
    const path = `/questions/${given.id}`;
    const swapped = await call('PUT', path, {
      body: { correct_answer: ['EC2', 'IAM'], incorrect_answers: ['S3', 'Glacier', 'Lambda'] },
    });
    assert.deepEqual(swapped.body.choices, choices);
    const incomplete = await call('PUT', path, { body: { incorrect_answers: ['S3'] } });
    assert.equal(incomplete.body.errors[0].code, 'choices_mismatch');
    const reset = await call('PUT', path, { body: { choices_order: null, incorrect_answers: ['S3'] } });
    assert.deepEqual(reset.body.choices.toSorted(), ['EC2', 'IAM', 'S3']);
    assert.ok(!('choices_order' in reset.body));
  });

  it('shows neither keys nor their number without answers:read, unless the question says so', async () => {
    const reader = await getService().keyFor('questions:read');
    const shown = async (body: object) => {
      const { id } = await create(body);
      return (await call('GET', `/questions/${id}`, { token: reader })).body;
    };
    const hidden = ['correct_answer', 'incorrect_answers', 'numeric', 'accepted_answers', 'answer_matching'];
    const views = [
      await shown(several()),
      await shown(sample({ correct_answer: '42', numeric: { tolerance: 7, unit: 'parsec' } })),
      await shown(sample({ accepted_answers: ['Iuppiter'], answer_matching: { ignore_articles: true } })),
    ];
    for (const view of views) for (const name of hidden) assert.ok(!(name in view), name);
    assert.ok(!('choose' in views[0]));
    assert.equal((await shown(several({ choose: 2 }))).choose, 2);
  });

  it('keeps the chosen options of a response', async () => {
    const question = await create(several());
    const body = { question_id: question.id, respondent: 'chooser', answer: ['S3', 'Glacier', 'S3'] };
    const recorded = await call('POST', '/responses', { body });
    assert.deepEqual(
      [recorded.status, recorded.body.answer, recorded.body.correct],
      [201, ['Glacier', 'S3'], true],
    );
    const others = [['EC2'], 'S3', [], '["S3","Glacier"]'].map((answer, i) => ({
      ...{ question_id: question.id, respondent: `chooser-${i}`, answer },
    }));
    assert.equal((await call('POST', '/responses', { body: others })).status, 201);
    const { body: list } = await call('GET', `/responses?question_id=${question.id}`);
    assert.deepEqual(
      list.data.map(({ answer, correct, missing }: Json) => [answer, correct, missing]),
      [
        [['Glacier', 'S3'], true, null],
        [['EC2'], false, null],
        ['S3', false, null],
        [null, null, 'omitted'],
        ['["S3","Glacier"]', false, null],
      ],
    );
  });

  it('keeps every field through a round trip, a change, and a restore', async () => {
    const bodies = [
      several({ choose: 2, choices_order: 'sorted', text_format: 'markdown' }),
      sample({ correct_answer: '1.5', numeric: { tolerance: 0.1, unit: 'km' } }),
      sample({ accepted_answers: ['Jove'], answer_matching: { ignore_case: false, ignore_articles: true } }),
    ];
    for (const body of bodies) {
      const created = await create(body);
      for (const [name, value] of Object.entries(body)) assert.deepEqual(created[name], value, name);
      const path = `/questions/${created.id}`;
      const same = await call('PUT', path, { body });
      assert.equal(same.body.revision, 1);
      const plain = await call('PUT', path, {
        body: {
          ...{ correct_answer: 'Jupiter', incorrect_answers: null, numeric: null, choose: null },
          ...{ accepted_answers: null, answer_matching: null, choices_order: null, text_format: null },
        },
      });
      assert.deepEqual([plain.status, plain.body.kind], [200, 'short_answer']);
      const { revision, updated_at, ...restored } = (
        await call('POST', `${path}/restore`, { body: { revision: 1 } })
      ).body;
      const { revision: first, updated_at: then, ...expected } = created;
      assert.deepEqual(restored, expected);
      const { body: history } = await call('GET', `${path}/revisions`);
      assert.deepEqual(history.data[2].question, created);
    }
  });

  it('validates without storing, and finds all correct and accepted answers', async () => {
    const { body } = await call('POST', '/questions?validate_only=true', { body: several({ choose: 2 }) });
    assert.deepEqual([body.data[0].kind, body.data[0].choose], ['multiple_response', 2]);
    const { id } = await create(
      several({ correct_answer: ['zirkonium', 'hafnium'], incorrect_answers: ['tantalum'] }),
    );
    const other = await create(sample({ correct_answer: 'seaborgium', accepted_answers: ['rutherfordium'] }));
    for (const [q, found] of [
      ['zirkonium', id],
      ['hafnium', id],
      ['rutherfordium', other.id],
    ])
      assert.deepEqual(
        (await call('GET', `/questions?q=${q}`)).body.data.map(({ id }: Json) => id),
        [found],
      );
  });

  it('reports the same question with other correct answers as a conflict', async () => {
    const text = { question_text: 'Which two of these elements are noble gases at room temperature?' };
    const options = { correct_answer: ['argon', 'neon'], incorrect_answers: ['iron', 'gold'] };
    await create(several({ ...text, ...options }));
    const find = async (change: object) =>
      (
        await call('POST', '/questions?validate_only=true', {
          body: several({ ...text, ...options, ...change }),
        })
      ).body.duplicates[0].matches[0];
    const same = await find({ correct_answer: ['Neon', 'Argon'] });
    assert.deepEqual([same.class, same.correct_answer], ['duplicate', ['argon', 'neon']]);
    const conflict = await find({ correct_answer: ['argon', 'iron'], incorrect_answers: ['neon', 'gold'] });
    assert.equal(conflict.class, 'conflict');
  });
});

/** A bank of which 26 % are questions with several correct answers, as of certification exams. */
const BANK_SIZE = 50;
const isSeveral = (i: number) => i % 50 < 13;

function certificationQuestion(i: number): object {
  const text = {
    question_text: `Which statement about service ${i} holds in region ${i * 7}?`,
    category: 'Science',
  };
  if (isSeveral(i))
    return several({
      ...text,
      correct_answer: [`alpha ${i}`, `beta ${i}`],
      incorrect_answers: [`gamma ${i}`, `delta ${i}`],
    });
  if (i % 5 === 4) return sample({ ...text, correct_answer: String(i), numeric: { tolerance: 0.5 } });
  if (i % 5 === 3) return sample({ ...text, correct_answer: `epsilon ${i}` });
  return sample({ ...text, correct_answer: `zeta ${i}`, incorrect_answers: [`eta ${i}`, `theta ${i}`] });
}

/** The better half answers correctly, most of the others do not. */
function certificationAnswer({ kind, correct_answer, incorrect_answers }: Json, able: boolean): unknown {
  if (kind === 'multiple_response') return able ? correct_answer : [correct_answer[0], incorrect_answers[0]];
  if (kind === 'numeric') return able ? ` ${correct_answer},4` : '1e9';
  if (kind === 'short_answer') return able ? correct_answer : `The ${correct_answer}`;
  return able ? correct_answer : incorrect_answers[1];
}

onEveryEngine('a certification bank', (getService) => {
  it('is stored and analysed', async () => {
    const { call, keyFor } = getService();
    const bodies = Array.from({ length: BANK_SIZE }, (_, i) => certificationQuestion(i));
    const { body: created } = await call('POST', '/questions', { body: bodies });
    const questions: Json[] = created.data;
    assert.equal(questions.filter(({ kind }) => kind === 'multiple_response').length, 13);
    const responses = Array.from({ length: 60 }, (_, person) =>
      questions.map((question, i) => ({
        question_id: question.id,
        respondent: `p${person}`,
        answer: certificationAnswer(question, person * 7 + i * 11 < (person < 30 ? 900 : 250)),
      })),
    ).flat();
    assert.equal((await call('POST', '/responses', { body: responses })).status, 201);
    const reader = await keyFor('questions:read', 'analysis:run', 'analysis:read');
    const run = async (analysis_type: string, token?: string) => {
      const { body } = await call('POST', '/analysis/run', {
        ...{ body: { analysis_type }, headers: WAIT, ...(token && { token }) },
      });
      assert.equal(body.status, 'succeeded', `${analysis_type}: ${JSON.stringify(body.error)}`);
      const options = token ? { token } : {};
      return (await call('GET', `/analysis/${body.id}?limit=1000`, options)).body.result.items as Json[];
    };
    for (const type of [
      ...['quality', 'duplicates', 'labels', 'readability', 'coverage', 'reliability', 'irt'],
      'difficulty_audit',
    ]) {
      await run(type);
      await run(type, reader);
    }
    const rows = await run('item_statistics');
    const rowOf = (i: number) => rows.find(({ question_id }) => question_id === questions[i]!.id)!;
    const { options, option_n, option_discrimination_n } = rowOf(0);
    assert.deepEqual([option_n, option_discrimination_n], [60, 60]);
    const byText = Object.fromEntries(options.map((option: Json) => [option.text, option]));
    assert.deepEqual(
      [byText['alpha 0'].key, byText['beta 0'].key, byText['gamma 0'].key],
      [true, true, false],
    );
    assert.equal(byText['alpha 0'].share, 1);
    assert.equal(byText['beta 0'].n + byText['gamma 0'].n, 60);
    assert.ok(byText['beta 0'].point_biserial > 0 && byText['gamma 0'].point_biserial < 0);
    const [proposed] = rowOf(13).proposed_answers;
    assert.deepEqual([proposed.answer, proposed.reasons.includes('typing')], ['The epsilon 13', true]);
    assert.match(rowOf(13).message, /may be accepted as well: “The epsilon 13”/);
    for (const row of await run('item_statistics', reader))
      assert.deepEqual([row.options, row.proposed_answers, row.key_evidence], [null, null, null]);
  });
});

onEveryEngine('Markdown', (getService) => {
  it('is stored as it is, and analyses read the text without it', async () => {
    const { call } = getService();
    const question_text = '## Git\n\nWhat does **`git pull`** do in a [repository](https://example.com/x)?';
    const body = sample({
      ...{ question_text, text_format: 'markdown', correct_answer: '`fetch`, then _merge_' },
      incorrect_answers: ['`fetch`', '`merge`'],
    });
    const { body: stored } = await call('POST', '/questions', { body });
    assert.deepEqual([stored.question_text, stored.text_format], [question_text, 'markdown']);
    const read = async (analysis_type: string, parameters = {}) => {
      const { body } = await call('POST', '/analysis/run', {
        ...{ body: { analysis_type, parameters }, headers: WAIT },
      });
      return body.result.items as Json[];
    };
    await call('POST', '/responses', {
      body: { question_id: stored.id, respondent: 'r', answer: '`FETCH`' },
    });
    const [row] = await read('item_statistics');
    assert.equal(row.question_text, 'Git\n\nWhat does git pull do in a repository?');
    const chosen = Object.fromEntries(row.options.map(({ text, n }: Json) => [text, n]));
    assert.deepEqual(chosen, { fetch: 1, 'fetch, then merge': 0, merge: 0 });
    // Analyses that read no answers read questions in the view without them.
    for (const type of ['coverage', 'readability']) assert.equal((await read(type)).length, 1);
    // A correction of the text without markup would remove the markup.
    const spaced = await call('PUT', `/questions/${stored.id}`, {
      body: { question_text: `${question_text}  Why  not ?` },
    });
    assert.equal(spaced.status, 200);
    const findings = (await read('quality')).flatMap((item) => item.findings);
    assert.ok(findings.length > 0);
    for (const { change } of findings) assert.equal(change, null);
  });
});
