/** Filters and orders of the rows of a result. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onEveryEngine } from './support/engines.ts';

interface Row {
  question_id: string;
  flags: string[];
  severity: string;
  category: string;
  findings: unknown[];
  grade: number | null;
  words: number;
}

onEveryEngine('rows of a result', (service) => {
  let quality: string;
  let readability: string;
  const ids: string[] = [];

  before(async () => {
    // More rows than a block of lines has, in two categories, with few flaws among them.
    const questions = Array.from({ length: 1200 }, (_, i) => ({
      question_text: `${i % 3 === 0 ? 'Which of these is not a ' : 'Who wrote the the '}book number ${i}${i % 7 === 0 ? ' ?' : '?'}`,
      correct_answer: `Author ${i}`,
      incorrect_answers: [`Writer ${i}`, `Poet ${i}`],
      category: i % 2 === 0 ? 'Science' : 'Geography',
      difficulty: i % 3,
    }));
    for (let i = 0; i < questions.length; i += 400) {
      const { body } = await service().call('POST', '/questions', { body: questions.slice(i, i + 400) });
      ids.push(...body.data.map(({ id }: { id: string }) => id));
    }
    const run = async (analysis_type: string) => {
      const { body } = await service().call('POST', '/analysis/run', {
        body: { analysis_type },
        headers: { prefer: 'wait=30' },
      });
      assert.equal(body.status, 'succeeded');
      return body.id;
    };
    quality = await run('quality');
    readability = await run('readability');
  });

  const read = async (id: string, query: string): Promise<{ rows: Row[]; total: number }> => {
    const rows: Row[] = [];
    let total = 0;
    do {
      const { status, body } = await service().call(
        'GET',
        `/analysis/${id}?limit=500&offset=${rows.length}&${query}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      rows.push(...body.result.items);
      total = body.result.pagination.total;
    } while (rows.length < total);
    return { rows, total };
  };

  it('are those of all rows that match, in the same order', async () => {
    const { rows: all } = await read(quality, '');
    assert.ok(all.length > 1000);
    for (const [query, matches] of [
      ['flag=spacing', (row: Row) => row.flags.includes('spacing')],
      ['rule=spacing', (row: Row) => row.flags.includes('spacing')],
      ['flag=spacing&flag=doubled_word', (row) => /spacing|doubled/.test(row.flags.join())],
      [
        'rule=spacing&flag=doubled_word',
        (row) => ['spacing', 'doubled_word'].every((f) => row.flags.includes(f)),
      ],
      ['category=science', (row) => row.category === 'Science'],
      [
        'severity=minor&category=Geography',
        (row) => row.severity === 'minor' && row.category === 'Geography',
      ],
    ] as [string, (row: Row) => boolean][]) {
      const { rows, total } = await read(quality, query);
      const expected = all.filter(matches);
      assert.ok(expected.length > 0, query);
      assert.equal(total, expected.length, query);
      assert.deepEqual(rows, expected, query);
    }
  });

  it('are sorted by a value, without a value last', async () => {
    const { rows } = await read(readability, 'sort=words');
    const { rows: reversed } = await read(readability, 'sort=-words&category=Science');
    const ascending = rows.map(({ words }) => words);
    assert.deepEqual(
      ascending,
      ascending.toSorted((a, b) => a - b),
    );
    const descending = reversed.map(({ words }) => words);
    assert.deepEqual(
      descending,
      descending.toSorted((a, b) => b - a),
    );
    assert.equal(reversed.length, 600);
  });

  it('are sorted by the creation of their questions', async () => {
    const { rows } = await read(readability, 'sort=created_at');
    assert.deepEqual(
      rows.map(({ question_id }) => question_id),
      ids,
    );
    const { rows: reversed } = await read(readability, 'sort=-created_at');
    assert.deepEqual(reversed, rows.toReversed());
  });

  it('are refused by values that the type does not have', async () => {
    const refused = async (id: string, query: string): Promise<string> => {
      const { status, body } = await service().call('GET', `/analysis/${id}?${query}`);
      assert.equal(status, 400, query);
      return body.errors[0].detail;
    };
    assert.match(await refused(quality, 'flag=nonsense'), /must be one of .*spacing/);
    assert.match(await refused(quality, 'severity=worst'), /info, minor, major/);
    assert.match(await refused(quality, 'verdict=keep'), /does not apply/);
    assert.match(await refused(readability, 'rule=spacing'), /does not apply/);
    assert.match(await refused(quality, 'category=Nowhere'), /Geography, Science/);
    assert.match(await refused(readability, 'sort=height'), /-grade/);
  });

  it('without answers have only what that view shows', async () => {
    const token = await service().keyFor('analysis:read');
    const { body } = await service().call('GET', `/analysis/${quality}?flag=answer_in_question`, { token });
    assert.equal(body.result.pagination.total, 0);
    const { body: visible } = await service().call('GET', `/analysis/${quality}?flag=spacing&limit=1`, {
      token,
    });
    assert.ok(visible.result.pagination.total > 0);
  });
});
