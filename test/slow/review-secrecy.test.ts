/**
 * Questions that are not approved, and changes that wait, do not leak: no operation shows a word of
 * theirs to a role that neither writes nor reviews, and what such a role reads does not change by a
 * byte when drafts come and go.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLES, type Role, type Scope } from '../../src/schemas/scopes.ts';
import { setRequiredReviews } from '../../src/store/review-policy.ts';
import { crawl, hiddenWords, newHiddenWord, readEverything, seed } from '../support/crawl.ts';
import { onEveryEngine, type Service, sample } from '../support/engines.ts';

const READERS = (Object.entries(ROLES) as [Role, readonly Scope[]][]).filter(
  ([, scopes]) => !scopes.includes('questions:write') && !scopes.includes('questions:review'),
);

/** Fields with a hidden word in each. */
const hideFields = () => ({
  question_text: `Which lantern is ${newHiddenWord()}?`,
  correct_answer: newHiddenWord(),
  incorrect_answers: [newHiddenWord(), newHiddenWord()],
  explanation: newHiddenWord(),
  topic_focus: newHiddenWord(),
  tags: ['harbour', newHiddenWord()],
  source: newHiddenWord(),
  external_id: newHiddenWord(),
});

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  /** Creates a question of every hidden status, and a change that waits; returns their paths. */
  const hide = async (approved: string): Promise<string[]> => {
    const paths: string[] = [];
    for (const status of ['draft', 'in_review', 'retired'])
      paths.push(
        (await call('POST', '/questions', { body: sample({ ...hideFields(), status }) })).headers.location!,
      );
    await call('PUT', paths[0]!, { body: hideFields() });
    assert.equal((await call('PUT', approved, { body: hideFields() })).status, 202);
    for (const path of [...paths, approved])
      await call('POST', `${path}/comments`, { body: { text: newHiddenWord() } });
    const filter = { status: ['draft', 'in_review', 'retired'] };
    for (const analysis_type of ['quality', 'duplicates'])
      await call('POST', '/analysis/run', {
        body: { analysis_type, filter },
        headers: { prefer: 'wait=30' },
      });
    return paths;
  };

  for (const [role, scopes] of READERS)
    it(`hides drafts and pending changes from ${role} in every operation`, async () => {
      await service().engine.write(setRequiredReviews, 0);
      const bank = await seed(service());
      await service().engine.write(setRequiredReviews, 1);
      const others = new Set(hiddenWords);
      const paths = await hide(bank.options);
      const ids = [...bank.ids, ...paths.map((path) => path.split('/').at(-1)!)];
      const { leaks } = await crawl(service(), { ...bank, ids }, await service().keyFor(...scopes));
      // Some of the roles may see the other words, which are of approved questions.
      const leaked = leaks
        .filter((leak) => /^word: (\w+)/.test(leak))
        .filter((leak) => !others.has(/^word: (\w+)/.exec(leak)![1]!));
      assert.deepEqual(leaked, []);
    });

  it('does not change what readers see when drafts come and go', async () => {
    await service().engine.write(setRequiredReviews, 0);
    const bank = await seed(service());
    await service().engine.write(setRequiredReviews, 1);
    for (const scopes of [ROLES.reader, ROLES.analyst]) {
      const token = await service().keyFor(...scopes, 'analysis:run');
      const before = await readEverything(service(), token, bank);
      const paths = await hide(bank.options);
      assert.deepEqual(await readEverything(service(), token, bank), before);
      for (const path of paths) await call('DELETE', path);
      await call('DELETE', `${bank.options}/pending`);
      assert.deepEqual(await readEverything(service(), token, bank), before);
    }
  });
}

onEveryEngine('without questions:write and questions:review', cases);
