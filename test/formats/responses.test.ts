import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixedWidth } from '../../src/formats/responses/fixed-width.ts';
import type {
  PortableResponse,
  ResponseFormat,
  ResponseReadOptions,
} from '../../src/formats/responses/format.ts';
import { detectResponseFormat } from '../../src/formats/responses/index.ts';
import { long } from '../../src/formats/responses/long.ts';
import { canvasAnalysis, moodleResponses } from '../../src/formats/responses/reports.ts';
import { matrix, wide } from '../../src/formats/responses/wide.ts';
import { listCodes, toSource } from '../support/format-files.ts';

async function read(
  format: ResponseFormat,
  text: string,
  options: ResponseReadOptions = {},
  chunkBytes?: number,
) {
  const responses: PortableResponse[] = [];
  const rejects = [];
  const notices = [];
  for await (const item of format.read(toSource(text, chunkBytes), options)) {
    if (item.kind === 'response') responses.push(item.value.response);
    else if (item.kind === 'reject') rejects.push(item.value);
    else notices.push(item.value);
  }
  const unknown = listCodes(notices).filter((code) => !(code in format.losses));
  assert.deepEqual(unknown, []);
  return { responses, rejects, notices: listCodes(notices) };
}
const toValue = ({ answer, correct, missing }: PortableResponse) => missing ?? answer ?? correct;

describe('responses: one row per respondent', () => {
  it('reads scores, with the names of rows under an empty header as R writes them', async () => {
    const text = '"","i1","i2","i3"\n"p1",1,0,NA\n"p2",1,1,0\n';
    for (const chunkBytes of [5, 10_000]) {
      const { responses, notices } = await read(wide, text, {}, chunkBytes);
      assert.deepEqual(notices, ['values_are_scores']);
      assert.deepEqual(responses[0], {
        respondent: 'p1',
        question: { index: 0, name: 'i1' },
        correct: true,
      });
      assert.deepEqual(responses.map(toValue), [true, false, 'omitted', true, true, false]);
    }
  });

  it('reads answers, groups, sessions and times', async () => {
    const { responses, notices } = await read(
      wide,
      'student;class;attempt;date;Capital of France?;2+2;total\nann;7b;2;2026-03-01 09:30:00 UTC;Paris;4;2\n',
    );
    assert.deepEqual(responses[1], {
      ...{ respondent: 'ann', group: '7b', session: '2', answered_at: '2026-03-01T09:30:00.000Z' },
      ...{ question: { index: 1, name: '2+2' }, answer: '4' },
    });
    assert.deepEqual(notices, ['column_ignored']);
  });

  it('scores letters by a key in the first row', async () => {
    const { responses, notices } = await read(wide, 'id,q1,q2\nKEY,A,c\np1,a,B\np2,.,C\n');
    assert.deepEqual(responses.map(toValue), [true, false, 'omitted', true]);
    assert.deepEqual(notices, ['key_row_used']);
    const last = await read(wide, 'id,q1,q2\np1,a,B\nKEY,A,C\n');
    assert.deepEqual([last.responses.length, last.notices], [2, ['key_row_skipped']]);
  });

  it('never guesses what 9 means', async () => {
    const text = 'id,q1,q2\np1,1,9\n';
    const guessed = await read(wide, text, { values: 'scores' });
    assert.deepEqual(listCodes(guessed.rejects), ['invalid_score']);
    assert.deepEqual(guessed.rejects[0]!.position, { line: 2, column: 3 });
    const named = await read(wide, text, { missing: { '9': 'not_reached' } });
    assert.deepEqual(named.responses.map(toValue), [true, 'not_reached']);
  });

  it('rejects rows without a respondent or with too many values', async () => {
    const { responses, rejects } = await read(wide, 'id,q1,q2\n,1,0\np1,1,0,1\np2,1,1\n');
    assert.deepEqual(listCodes(rejects), ['no_respondent', 'too_many_cells']);
    assert.equal(responses.length, 2);
    assert.equal(Buffer.from(rejects[1]!.raw!).toString(), 'p1,1,0,1\n');
    await assert.rejects(read(wide, 'id,group\n1,2\n'), { code: 'no_questions' });
    await assert.rejects(read(wide, ''), { code: 'empty_file' });
  });

  it('reads a matrix without header, aligned with spaces, tabs or commas', async () => {
    for (const text of ['1 0 1\n0  1 1\n', '1\t0\t1\n0\t1\t1\n', '1,0,1\n0,1,1\n']) {
      const { responses, notices } = await read(matrix, text);
      assert.deepEqual(responses.map(toValue), [true, false, true, false, true, true]);
      assert.deepEqual(
        responses.map(({ respondent, question }) => `${respondent}/${question.index}`),
        ['row-1/0', 'row-1/1', 'row-1/2', 'row-2/0', 'row-2/1', 'row-2/2'],
      );
      assert.deepEqual(notices, ['values_are_scores', 'respondents_numbered']);
    }
  });
});

describe('responses: one row each', () => {
  it('reads answers or scores', async () => {
    const { responses, rejects, notices } = await read(
      long,
      'respondent,question_id,answer,session,note\na,q1,Paris,s1,x\na,q2,,s1,x\n,q1,Rome,s1,x\nb,,Rome,s1,x\nb,q1,Rome,,x\n',
    );
    assert.deepEqual(responses, [
      { respondent: 'a', question: { index: 0, name: 'q1' }, answer: 'Paris', session: 's1' },
      { respondent: 'a', question: { index: 1, name: 'q2' }, missing: 'omitted', session: 's1' },
      { respondent: 'b', question: { index: 0, name: 'q1' }, answer: 'Rome' },
    ]);
    assert.deepEqual(listCodes(rejects), ['no_respondent', 'no_question']);
    assert.deepEqual(notices, ['column_ignored']);
    const scores = await read(long, 'person\titem\tcorrect\n1\t1\t1\n1\t2\tfalse\n');
    assert.deepEqual(scores.responses.map(toValue), [true, false]);
    await assert.rejects(read(long, 'a,b\n1,2\n'), { code: 'no_header' });
  });

  it('takes the columns that are named', async () => {
    const columns = { respondent: 'wer', question: 'was', answer: 'wie' };
    const { responses } = await read(long, 'wer;was;wie\nx;y;z\n', { columns });
    assert.deepEqual(responses, [{ respondent: 'x', question: { index: 0, name: 'y' }, answer: 'z' }]);
  });
});

describe('responses: reports of platforms', () => {
  it('Moodle: several attempts are sessions, - is ambiguous, averages are skipped', async () => {
    const { responses, notices } = await read(
      moodleResponses,
      [
        'Surname,First name,Email address,State,Grade/10.00,Question 1,Response 1,Right answer 1,Response 2',
        'Doe,Ann,ann@example.org,Finished,5.00,Capital of France?,Paris,Paris,-',
        'Doe,Ann,ann@example.org,Finished,7.00,Capital of France?,Rome,Paris,a; b',
        'Overall average,,,,6.00,,,,',
      ].join('\n'),
    );
    assert.deepEqual(responses[0], {
      respondent: 'ann@example.org',
      question: { index: 0, name: 'Response 1', text: 'Capital of France?' },
      ...{ answer: 'Paris', session: 'attempt-1' },
    });
    assert.deepEqual(responses.map(toValue), ['Paris', 'omitted', 'Rome', 'a; b']);
    assert.equal(responses[3]!.session, 'attempt-2');
    assert.deepEqual(notices, ['missing_ambiguous', 'attempts_are_sessions', 'average_skipped']);
  });

  it('Moodle in German, without an id', async () => {
    const { responses, notices } = await read(moodleResponses, 'Nachname,Vorname,Antwort 1\nDoe,Ann,x\n');
    assert.deepEqual([responses[0]!.respondent, notices], ['Doe, Ann', ['respondent_by_name']]);
  });

  it('Canvas: the id of a question is in the header', async () => {
    const { responses } = await read(
      canvasAnalysis,
      [
        'name,id,sis_id,section,section_id,section_sis_id,submitted,attempt,"4711: Capital, of France?",1.0,"4712: 2+2",1.0,n correct,n incorrect,score',
        'Ann,17,,Monday,3,,2026-01-05 10:00:00 UTC,2,Paris,1.0,,0.0,1,1,1',
      ].join('\n'),
    );
    assert.deepEqual(responses, [
      {
        respondent: '17',
        question: { index: 0, name: '4711: Capital, of France?', id: '4711', text: 'Capital, of France?' },
        ...{
          answer: 'Paris',
          session: 'attempt-2',
          group: 'Monday',
          answered_at: '2026-01-05T10:00:00.000Z',
        },
      },
      {
        respondent: '17',
        question: { index: 1, name: '4712: 2+2', id: '4712', text: '2+2' },
        ...{
          missing: 'omitted',
          session: 'attempt-2',
          group: 'Monday',
          answered_at: '2026-01-05T10:00:00.000Z',
        },
      },
    ]);
  });
});

describe('responses in fixed width', () => {
  it('are read by a layout', async () => {
    const { responses, rejects } = await read(fixedWidth, 'ann 1011\nbob 10 9\n    1111\n', {
      layout: '1-4=respondent,5-8=items',
    });
    assert.deepEqual(responses.map(toValue), [true, false, true, true, true, false, 'omitted']);
    assert.deepEqual(listCodes(rejects), ['invalid_score', 'no_respondent']);
    const letters = await read(fixedWidth, 'aAC\n', { layout: '1=group,2-3=items', values: 'answers' });
    assert.deepEqual(letters.responses[1], {
      respondent: 'row-1',
      question: { index: 1 },
      answer: 'C',
      group: 'a',
    });
    for (const layout of [undefined, '', '1-8=id', '8-1=items', 'x'])
      await assert.rejects(read(fixedWidth, 'a', { layout }), { code: 'invalid_layout' });
  });
});

describe('detecting responses', () => {
  const cases: Record<string, string | undefined> = {
    'respondent,question,answer\na,b,c\n': 'responses-long',
    'id,q1,q2,q3\n1,0,1,1\n': 'responses-wide',
    '1 0 1 1\n0 1 1 1\n': 'responses-matrix',
    'Surname,First name,Response 1\n': 'responses-moodle',
    'name,id,submitted,attempt,"12: x",1.0\n': 'responses-canvas',
    'nothing at all': undefined,
  };
  for (const [text, name] of Object.entries(cases))
    it(`finds ${name ?? 'none'}`, async () => {
      assert.equal((await detectResponseFormat(Buffer.from(text)))?.name, name);
    });
});
