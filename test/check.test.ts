/** Comparison of answers with the key: one table of cases, tested directly and through the API. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCOPES, type Scope } from '../src/schemas/scopes.ts';
import { isCorrect } from '../src/store/questions/scoring.ts';
import { type CallOptions, onEveryEngine, type Service, sample } from './support/engines.ts';

/** Questions without options: the key, accepted answers, rejected answers. */
const FREE_TEXT: [title: string, right: string, same: string[], other: string[]][] = [
  ['the text itself', 'Jupiter', ['Jupiter'], ['Saturn', 'Jupite', 'Jupiters', 'Jupiter!']],
  ['case', 'Jupiter', ['jupiter', 'JUPITER', 'jUPITER'], []],
  ['space around it', 'Jupiter', [' Jupiter', 'Jupiter\t', '\n Jupiter \u3000'], ['J upiter']],
  ['space between words', 'New York', ['New  York', 'new\tyork', 'New\u00a0York', 'New\nYork'], ['NewYork']],
  ['composed or not', 'Café', ['Cafe\u0301', 'CAFÉ', 'CAFE\u0301'], ['Cafe']],
  ['not composed where it is stored', 'A\u030angstro\u0308m', ['Ångström', '\u212bngström'], ['Angstrom']],
  ['compatible letters', 'fine', ['ﬁne', 'ｆｉｎｅ', 'FINE'], ['fin']],
  ['accents do count', 'résumé', ['RÉSUMÉ'], ['resume', 'resumé']],
  ['ß and SS', 'Straße', ['STRASSE', 'strasse', 'straße', 'STRAẞE'], ['Strase']],
  ['the two small sigmas', 'Ὀδυσσεύς', ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύσ'], ['Οδυσσευς']],
  ['apostrophes', "don't", ['don’t', 'don‘t', 'donʼt', 'don`t', 'DON′T'], ['dont', 'don"t']],
  ['quotation marks', '“Emma”', ['"Emma"', '„Emma‟', '«emma»', '＂Emma＂'], ['Emma', "'Emma'"]],
  ['dashes', 'hit-and-run', ['hit‐and‐run', 'hit–and—run', 'hit−and―run', 'HIT‑AND‒RUN'], ['hit and run']],
  ['an acute accent for an apostrophe', "it's", ['it´s'], ['its']],
  ['inches', '5"', ['5″', '5”'], ["5'", '5']],
  ['powers', '10²', ['10^2'], ['102', '100', '10']],
  ['a number is no power', '25', ['25.0'], ['2⁵', '2^5']],
  ['powers of several digits', '10⁻²³', ['10^-23'], ['10-23', '10^-2^3']],
  ['what is set lower', 'H₂O', ['H2O', 'h₂o'], ['HO2']],
  ['fractions in one sign', '½', ['1/2', '0.5', '2/4', '1⁄2'], ['12', '1']],
  ['a whole and a fraction', '2½', ['2 1/2', '2 ½'], ['21/2', '10.5']],
  ['space around marks', '1914-1918', ['1914 – 1918', '1914- 1918'], ['1914 1918', '19141918']],
  ['space behind commas', '1, 2', ['1,2', '1 , 2'], ['12', '1.2']],
  ['an ellipsis', 'wait…', ['wait...'], ['wait', 'wait..']],
  ['other writings', '東京', ['東京', ' 東京 '], ['京東', '東 京']],
  ['no pattern', 'a.c', ['A.C'], ['abc', 'a.', '.*']],
  ['no number is made of a word', 'Infinity', ['infinity'], ['1e999', 'NaN', '∞']],
  ['marks alone', '-', ['—'], ['+', '0']],
  [
    'a number by its value',
    '3',
    ['3.0', '3.000', '3e0', '+3', '03', '30e-1'],
    ['-3', '3.1', '33', 'three', '6/2'],
  ],
  [
    'a number with a fraction',
    '0.5',
    ['.5', '0.50', '1/2', '5e-1', '2/4', '1 / 2', '-1/-2'],
    ['5', '1/3', '0,5'],
  ],
  ['a fraction', '1/3', ['2/6', '3 / 9', '-1/-3'], ['0.333', '0.3333333333333333', '-1/3']],
  ['a negative fraction', '-3/4', ['3/-4', '-0.75', '−.75', '-6/8'], ['3/4', '0.75']],
  [
    'thousands',
    '1,000',
    ['1000', '1 000', '1\u202f000', '1e3', '1000.0', '1E3'],
    ['1,00', '10,00', '1.000', '1'],
  ],
  ['millions', '1234567.25', ['1,234,567.25', '1 234 567.25'], ['1,234567.25', '1,234,567', '12,34,567.25']],
  ['full-width digits', '42', ['４２', '４２.０', '４.２e1'], ['２４']],
  ['zero', '0', ['-0', '−0.0', '0e5', '.0', '+0'], ['1', '-', '0/0', '0/7']],
  ['a minus of any length', '-5', ['−5', '–5', '-5.0', '- 5'], ['5', '+5', '--5', '-10/2']],
  ['numbers too long for a float', '9007199254740993', ['9,007,199,254,740,993'], ['9007199254740992']],
  [
    'the last of many digits',
    `1${'0'.repeat(40)}1`,
    [`1${'0'.repeat(40)}1.0`],
    [`1${'0'.repeat(40)}2`, '1e41'],
  ],
  ['the last decimal', `0.${'3'.repeat(40)}`, [`.${'3'.repeat(40)}0`], [`0.${'3'.repeat(41)}`, '1/3']],
  ['great exponents', '1e300', ['10e299', '0.1e301', '1E+300'], ['1e301', '1e299', '1e-300']],
  ['exponents beyond all measure', '1e9999', ['1E9999'], ['1e9998', '10e9998']],
  ['no division by zero', '1/0', ['1/0'], ['2/0', '0', '1']],
  ['no sum', '1/2/3', ['1/2/3'], ['1/6', '0.5']],
  ['no other notation', '16', ['16.0'], ['0x10', '1_6', '16%', 'sixteen', '16 km']],
];

/** Questions with options: the key, distractors, accepted answers, rejected answers. */
const OPTIONS: [title: string, right: string, wrong: string[], same: string[], other: string[]][] = [
  [
    'an option by its text',
    'Mars',
    ['Venus', 'Saturn'],
    ['Mars', 'mars ', 'MARS'],
    ['Venus', 'venus', 'Mar', 'M'],
  ],
  ['a position, which is not an answer', 'Mars', ['Venus', 'Saturn'], [], ['1', '2', '3', 'A', 'a', '0']],
  ['options that differ in case only', 'Ca', ['CA', 'C'], ['Ca', ' Ca '], ['CA', 'ca', 'cA', 'c', 'C']],
  ['such options with the key exchanged', 'CA', ['Ca'], ['CA'], ['Ca', 'ca', 'cA']],
  [
    'options that differ in accents only',
    'résumé',
    ['resume'],
    ['résumé', 're\u0301sume\u0301', 'RÉSUMÉ'],
    ['resume', 'RESUME'],
  ],
  ['options that differ in quotation marks only', '“x”', ['"x"', 'x'], ['“x”'], ['"x"', '«x»', 'x', 'X']],
  ['a number by its value', '3', ['4', '5'], ['3', '3.0', '３'], ['4.0', '5.00', '4', '6/2']],
  ['spellings of one number', '1,000', ['1000', '1e3'], ['1,000'], ['1000', '1e3', '1000.0', '1 000', '1E3']],
  [
    'a wrong option by its value',
    '0.25',
    ['1/2', '2'],
    ['.25', '1/4', '2/8'],
    ['0.5', '.5', '2/4', '2.0', '4/2'],
  ],
  ['texts beside numbers', '10', ['ten', '1O'], ['10', '10.0', '1e1'], ['Ten', 'TEN', '1o', '1O']],
  ['options that differ in spaces only', 'a b', ['ab'], ['a b', 'a  b', 'A B'], ['ab', 'AB']],
  [
    'an answer that is not an option',
    'Mars',
    ['Venus'],
    [],
    ['Pluto', 'Mars Venus', 'Mars, Venus', '["Mars"]'],
  ],
];

const CASES = [
  ...FREE_TEXT.map(([title, right, same, other]) => ({ title, right, wrong: [] as string[], same, other })),
  ...OPTIONS.map(([title, right, wrong, same, other]) => ({ title, right, wrong, same, other })),
];
type Case = (typeof CASES)[number];

const listAnswers = ({ same, other }: Case): [string, boolean][] => [
  ...same.map((answer): [string, boolean] => [answer, true]),
  ...other.map((answer): [string, boolean] => [answer, false]),
];

describe('the comparison of answers', () => {
  for (const testCase of CASES) {
    it(`compares ${testCase.title}`, () => {
      for (const [answer, correct] of listAnswers(testCase)) {
        const key = { correct_answer: testCase.right, incorrect_answers: testCase.wrong };
        assert.equal(isCorrect(key, answer), correct, JSON.stringify(answer));
        // The order of the distractors does not matter.
        assert.equal(isCorrect({ ...key, incorrect_answers: testCase.wrong.toReversed() }, answer), correct);
      }
    });
  }

  it('is symmetric for questions without options', () => {
    for (const [, right, same, other] of FREE_TEXT) {
      for (const answer of same)
        assert.ok(isCorrect({ correct_answer: answer, incorrect_answers: [] }, right));
      for (const answer of other)
        assert.ok(!isCorrect({ correct_answer: answer, incorrect_answers: [] }, right));
    }
  });

  it('takes linear time for adversarial texts', () => {
    const adversarial = [
      `${'9'.repeat(90)}e-395/${'7'.repeat(90)}e395`,
      ...[
        '1,'.repeat(1000),
        '1 '.repeat(999),
        '/'.repeat(2000),
        '\u3000'.repeat(1999),
        '\ufdfa'.repeat(2000),
      ],
    ];
    const start = process.cpuUsage();
    for (const right of adversarial) {
      const incorrect_answers = Array.from(
        { length: 20 },
        (_, i) => `${right.slice(0, 80)}${i}${right.slice(81)}`,
      );
      for (const answer of adversarial) isCorrect({ correct_answer: `${right}1`, incorrect_answers }, answer);
    }
    const { user } = process.cpuUsage(start);
    // More than ten times what it takes.
    assert.ok(user < 3_000_000, `${user} µs`);
  });
});

const raw = (body: string): CallOptions => ({ body });
const INVALID: [title: string, status: number, request: CallOptions, code: string][] = [
  ['no answer', 422, { body: {} }, 'required'],
  ['an empty answer', 422, { body: { answer: '' } }, 'too_short'],
  ['an answer of white space', 422, { body: { answer: ' \n\t\u3000' } }, 'too_short'],
  ['a too long answer', 422, { body: { answer: 'x'.repeat(2001) } }, 'too_long'],
  ['a control character', 422, { body: { answer: 'a\u0007b' } }, 'control_character'],
  ['a number', 422, { body: { answer: 56 } }, 'wrong_type'],
  ['null', 422, { body: { answer: null } }, 'wrong_type'],
  ['true', 422, { body: { answer: true } }, 'wrong_type'],
  ['no answers', 422, { body: { answer: [] } }, 'too_few'],
  ['an answer that is not a text', 422, { body: { answer: ['56', 57] } }, 'wrong_type'],
  ['an object', 422, { body: { answer: { $ne: '' } } }, 'wrong_type'],
  ['another field', 422, { body: { answer: '56', correct_answer: '56' } }, 'unknown_field'],
  ['an array of answers', 422, { body: [{ answer: '56' }] }, 'wrong_type'],
  ['a JSON string', 422, raw('"56"'), 'wrong_type'],
  ['the answer twice', 400, raw('{"answer":"56","answer":"57"}'), 'malformed_json'],
  ['malformed JSON', 400, raw('{"answer":'), 'malformed_json'],
  ['no body', 400, {}, 'malformed_json'],
  ['NUL', 400, raw('{"answer":"\\u0000"}'), 'malformed_text'],
  ['a lone surrogate', 400, raw('{"answer":"\\ud800"}'), 'malformed_text'],
  [
    'many combining marks on a letter',
    400,
    { body: { answer: `e${'\u0301'.repeat(40)}` } },
    'malformed_text',
  ],
];

onEveryEngine('POST /questions/{id}/check', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const add = async (changes: object = {}) =>
    (await call('POST', '/questions', { body: sample({ correct_answer: '56', ...changes }) })).headers
      .location!;
  const check = async (path: string, answer: string, more: CallOptions = {}) =>
    call('POST', `${path}/check`, { body: { answer }, ...more });

  it('200: returns the comparison and nothing else', async () => {
    const token = await service().keyFor('answers:check');
    const body = CASES.map(({ right, wrong }) => sample({ correct_answer: right, incorrect_answers: wrong }));
    const { data } = (await call('POST', '/questions', { body })).body;
    for (const [i, testCase] of CASES.entries()) {
      for (const [answer, correct] of listAnswers(testCase)) {
        const answered = await check(`/questions/${data[i].id}`, answer, { token });
        assert.equal(answered.status, 200);
        assert.deepEqual(answered.body, { correct }, `${testCase.title}: ${JSON.stringify(answer)}`);
        assert.equal(answered.headers.etag, undefined);
      }
    }
  });

  for (const [title, status, request, code] of INVALID) {
    it(`${status}: rejects ${title}`, async () => {
      const answer = await call('POST', `${await add()}/check`, request);
      assert.equal(answer.status, status);
      assert.equal(answer.body.errors?.[0].code ?? answer.body.code, code);
    });
  }

  it('200: accepts an answer of the maximal length', async () => {
    const path = await add({ correct_answer: 'x'.repeat(2000) });
    assert.deepEqual((await check(path, 'X'.repeat(2000))).body, { correct: true });
    assert.deepEqual((await check(path, 'X'.repeat(1999))).body, { correct: false });
  });

  it('404: rejects an unknown and a deleted question', async () => {
    const path = await add();
    await call('DELETE', path);
    for (const each of [path, '/questions/01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30', '/questions/x']) {
      const { status, body } = await check(each, '56');
      assert.equal(status, 404);
      assert.equal(body.code, 'no_such_question');
    }
    await call('POST', `${path}/restore`, { body: { revision: 1 } });
    assert.deepEqual((await check(path, '56')).body, { correct: true });
  });

  it('403: names answers:check, whatever the other scopes and the question', async () => {
    const others = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== 'answers:check');
    const token = await service().keyFor(...others);
    for (const path of [await add(), '/questions/x']) {
      for (const answer of ['56', '57', '']) {
        const { status, body, headers } = await check(path, answer, { token });
        assert.equal(status, 403);
        assert.match(body.detail, /requires the scope answers:check,/);
        assert.match(headers['www-authenticate']!, /scope="answers:check"/);
      }
    }
    assert.equal((await check(await add(), '56', { token: null })).status, 401);
  });

  it('uses the current question and changes nothing', async () => {
    const path = await add();
    assert.deepEqual((await check(path, '56')).body, { correct: true });
    await call('PUT', path, { body: { correct_answer: '57', incorrect_answers: ['56'] } });
    const before = await call('GET', path);
    // A check may be repeated, so it ignores an Idempotency-Key.
    const headers = { 'idempotency-key': 'k' };
    assert.deepEqual((await check(path, '56', { headers })).body, { correct: false });
    assert.deepEqual(
      (await check(`/v1${path.toUpperCase().replace('/QUESTIONS', '/questions')}`, '57', { headers })).body,
      { correct: true },
    );
    assert.deepEqual((await call('GET', path)).body, before.body);
  });
});
