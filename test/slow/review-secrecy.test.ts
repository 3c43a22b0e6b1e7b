/**
 * Questions that are not approved, and changes that wait, do not leak: no operation shows a word of
 * theirs to a role that neither writes nor reviews, and what such a role reads does not change by a
 * byte when drafts come and go.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ROLES, type Role, type Scope } from '../../src/schemas/scopes.ts';
import { setRequiredReviews } from '../../src/store/review-policy.ts';
import {
  type Bank,
  crawl,
  findHiddenWords,
  hiddenWords,
  newHiddenWord,
  readEverything,
  seed,
} from '../support/crawl.ts';
import { onEveryEngine, type Service, sample } from '../support/engines.ts';

/** A player sees nothing that a quiz does not. */
const READERS = (Object.entries(ROLES) as [Role, readonly Scope[]][]).filter(
  ([role, scopes]) =>
    !scopes.includes('questions:write') && !scopes.includes('questions:review') && role !== 'player',
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

  const seedApproved = async (): Promise<Bank> => {
    await service().engine.write(setRequiredReviews, 0);
    const bank = await seed(service());
    await service().engine.write(setRequiredReviews, 1);
    return bank;
  };

  describe('every operation', () => {
    let bank: Bank;
    /** Words of approved questions, which some of the roles may see. */
    let others: Set<string>;
    before(async () => {
      bank = await seedApproved();
      others = new Set(hiddenWords);
      const paths = await hide(bank.options);
      for (const path of paths) {
        const shown = findHiddenWords((await call('GET', path)).text);
        assert.notDeepEqual(shown, [], 'an administrator sees the words');
      }
      bank.ids.push(...paths.map((path) => path.split('/').at(-1)!));
    });

    const findLeaks = async (scopes: readonly Scope[]) => {
      const { leaks } = await crawl(service(), bank, await service().keyFor(...scopes));
      return leaks.filter((leak) => {
        const word = /^word: (\w+)/.exec(leak)?.[1];
        return word !== undefined && !others.has(word);
      });
    };

    for (const [role, scopes] of READERS)
      it(`hides drafts and pending changes from ${role}`, async () => {
        assert.deepEqual(await findLeaks(scopes), []);
      });
  });

  it('does not change what readers see when drafts come and go', async () => {
    const bank = await seedApproved();
    for (const scopes of [ROLES.reader, ROLES.analyst]) {
      const token = await service().keyFor(...scopes, 'analysis:run');
      const first = await readEverything(service(), token, bank);
      const paths = await hide(bank.options);
      assert.deepEqual(await readEverything(service(), token, bank), first);
      for (const path of paths) await call('DELETE', path);
      await call('DELETE', `${bank.options}/pending`);
      assert.deepEqual(await readEverything(service(), token, bank), first);
    }
  });
}

onEveryEngine('without questions:write and questions:review', cases);
