/** The sets of questions by what the latest runs found in them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { discardFindings, listFindingSets, readFindingSet } from '../src/store/findings/finding-sets.ts';
import { verifyFindings } from '../src/store/verify/findings.ts';
import type { View } from '../src/store/view.ts';
import { changeDirectly } from './support/damage.ts';
import { onEveryEngine, type Service } from './support/engines.ts';

const GOOD = { correct_answer: 'Paris', incorrect_answers: ['Rome', 'Oslo', 'Bern'], difficulty: 0 };
/** A doubled word, which quality reports. */
const FLAWED = 'Which city is the the capital of France?';

onEveryEngine('finding sets', (service) => {
  const create = async (question_text: string, fields: object = {}): Promise<string> => {
    const { body, status } = await service().call('POST', '/questions', {
      body: { question_text, category: 'Geography', ...GOOD, ...fields },
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };
  const run = async (body: object): Promise<string> => {
    const created = await service().call('POST', '/analysis/run', {
      body,
      headers: { prefer: 'wait=30' },
    });
    assert.equal(created.body.status, 'succeeded', created.text);
    return created.body.id;
  };
  const found = (name: string, view: View = 'with_answers') => idsOf(service(), 'quality', name, view);

  it('follow the latest run that covered a question', async () => {
    const flawed = await create(FLAWED);
    const other = await create('Which river flows through through Vienna?');
    const first = await run({ analysis_type: 'quality' });
    assert.deepEqual(await found('doubled_word'), [flawed, other].sort());
    assert.deepEqual(await found('doubled_word', 'without_answers'), [flawed, other].sort());

    // Mended, and examined by a run over this question alone.
    await service().call('PUT', `/questions/${flawed}`, {
      body: { question_text: 'Which city is the capital of France?' },
    });
    const second = await run({ analysis_type: 'quality', question_ids: [flawed] });
    assert.deepEqual(await found('doubled_word'), [other]);

    // Without the second run, the first one is the latest again.
    assert.equal((await service().call('DELETE', `/analysis/${second}`)).status, 204);
    assert.deepEqual(await found('doubled_word'), [flawed, other].sort());
    assert.equal((await service().call('DELETE', `/analysis/${first}`)).status, 204);
    assert.deepEqual(await found('doubled_word'), []);
  });

  it('are verified against the runs', async () => {
    const { engine } = service();
    const verify = () => engine.db.snapshot(verifyFindings);
    const ids = [await create(FLAWED), await create('Which sea is is salty?'), await create('Which is red?')];
    const all = await run({ analysis_type: 'quality' });
    await run({ analysis_type: 'quality', filter: { q: 'salty' } });
    await run({ analysis_type: 'quality', question_ids: ids.slice(1) });
    assert.deepEqual(await verify(), []);
    await changeDirectly(
      engine,
      `UPDATE finding_sets SET n = n - 1 WHERE name = 'doubled_word' AND view = 'without_answers'`,
    );
    const damaged =
      'finding quality:doubled_word (without_answers): differs from the results of the latest runs';
    assert.deepEqual(await verify(), [damaged]);
    await changeDirectly(
      engine,
      `UPDATE finding_sets SET n = n + 1 WHERE name = 'doubled_word' AND view = 'without_answers'`,
    );
    assert.deepEqual(await verify(), []);
    assert.equal((await service().call('DELETE', `/analysis/${all}`)).status, 204);
    assert.deepEqual(await verify(), []);
  });

  it('do not change when an older run is deleted', async () => {
    const older = await run({ analysis_type: 'quality' });
    await run({ analysis_type: 'quality' });
    const before = await listFindingSets(service().engine.db, 'with_answers');
    assert.equal((await service().call('DELETE', `/analysis/${older}`)).status, 204);
    assert.deepEqual(await listFindingSets(service().engine.db, 'with_answers'), before);
  });

  it('without answers have nothing from answers or from a selection by answers', async () => {
    // The question contains its answer: a finding that depends on the key.
    const revealing = await create('What is the capital of Luxembourg?', {
      correct_answer: 'Luxembourg City',
      incorrect_answers: ['Esch', 'Differdange', 'Dudelange'],
    });
    await run({ analysis_type: 'quality', question_ids: [revealing] });
    const names = async (view: View) =>
      (await listFindingSets(service().engine.db, view)).map(({ type, name }) => `${type}:${name}`);
    assert.ok((await names('with_answers')).includes('quality:answer_in_question'));
    assert.ok(!(await names('without_answers')).includes('quality:answer_in_question'));

    const repeated = await create('Which sea is the the saltiest?', { correct_answer: 'zanzibar' });
    await run({ analysis_type: 'quality', filter: { q: 'zanzibar' } });
    assert.ok((await found('doubled_word')).includes(repeated));
    assert.ok(!(await found('doubled_word', 'without_answers')).includes(repeated));
  });

  it('of classes of duplicates have every member, redundant ones apart', async () => {
    const first = await create('Which planet is the largest of the solar system?', {
      correct_answer: 'Jupiter',
    });
    const copy = await create('Which planet is the largest of the Solar System?', {
      correct_answer: 'Jupiter',
    });
    await run({ analysis_type: 'duplicates', question_ids: [first, copy] });
    const of = (name: string, view: View) => idsOf(service(), 'duplicates', name, view);
    assert.deepEqual(await of('duplicate', 'with_answers'), [first, copy].sort());
    assert.deepEqual(await of('redundant', 'with_answers'), [copy]);
    assert.deepEqual(await of('duplicate', 'without_answers'), []);
    assert.deepEqual(await of('same_wording', 'without_answers'), [copy]);
  });

  it('end with the version of the analysis', async () => {
    await run({ analysis_type: 'quality' });
    assert.notDeepEqual(await found('doubled_word'), []);
    await service().engine.write(discardFindings, [{ type: 'quality', version: 1_000 }]);
    assert.deepEqual(await found('doubled_word'), []);
    assert.notDeepEqual(await listFindingSets(service().engine.db, 'with_answers'), []);
  });
});

/** The ids of the questions in a set, sorted. */
async function idsOf({ engine }: Service, type: string, name: string, view: View): Promise<string[]> {
  const slots = await readFindingSet(engine.db, type, name, view);
  const rows = await engine.db.all<{ id: string }>(
    `SELECT id FROM questions WHERE created_slot IN ${engine.db.dialect.values('$1', 'bigint')} ORDER BY id`,
    JSON.stringify(slots.slice(0, slots.total)),
  );
  return rows.map(({ id }) => id);
}
