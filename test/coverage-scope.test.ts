/** The categories and difficulties that a run of coverage expects, by its selection. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const run = async (selection: object) => {
    const body = { analysis_type: 'coverage', ...selection };
    const { status, body: created } = await call('POST', '/analysis/run', {
      body,
      headers: { prefer: 'wait=30' },
    });
    assert.equal(status, 201);
    const { summary, warnings } = created.result;
    return { ...summary, warnings };
  };

  it('are those of the bank, or those that the filter admits', async () => {
    await call('POST', '/categories', { body: { name: 'Empty Shelves' } });
    const { body } = await call('POST', '/questions', {
      body: [sample({ difficulty: 0, tags: ['lamp'] }), sample({ category: 'Science', difficulty: 1 })],
    });
    const fixed = ['Geography', 'Literature', 'Mathematics', 'General Knowledge'];

    const bank = await run({});
    assert.deepEqual(bank.empty_categories, { count: 5, names: [...fixed, 'Empty Shelves'] });
    assert.deepEqual(bank.empty_difficulties, [2]);
    assert.ok(bank.warnings.includes('No question has the difficulty Advanced.'));
    assert.equal(bank.top_categories.length, 7);

    const tagged = await run({ filter: { tag: ['lamp'] } });
    assert.deepEqual(tagged.empty_categories.count, 6);
    assert.deepEqual(tagged.empty_difficulties, [1, 2]);

    const category = await run({ filter: { category: 'SCIENCE' } });
    assert.deepEqual(category.empty_categories, { count: 0, names: [] });
    assert.deepEqual(category.empty_difficulties, [0, 2]);

    const empty = await run({ filter: { category: 'empty shelves' } });
    assert.deepEqual(empty.empty_categories, { count: 1, names: ['Empty Shelves'] });

    const difficulty = await run({ filter: { difficulty: 1 } });
    assert.deepEqual(difficulty.empty_difficulties, []);
    assert.deepEqual(difficulty.empty_categories.count, 6);

    const listed = await run({ question_ids: body.data.map(({ id }: { id: string }) => id) });
    assert.deepEqual(listed.empty_categories, { count: 0, names: [] });
    assert.deepEqual(listed.empty_difficulties, [2]);
  });
}

onEveryEngine('the scope of coverage', cases);
