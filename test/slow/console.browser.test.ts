/** The console in a browser: signing in, its pages at every size, and the work done with them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { executablePath } from '../support/browser.ts';
import { assertFits, ConsoleBrowser, findViolations, SIZES } from '../support/console-browser.ts';
import { openService, type Service, sample } from '../support/engines.ts';
import { until } from '../support/until.ts';

if (!executablePath)
  process.stderr.write(
    '\n*** NO BROWSER FOUND: the console is NOT tested in one. Set CHROMIUM_PATH. ***\n\n',
  );

/** The content of a file that the page saves. */
async function readText(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

const PLANETS = ['Mercury', 'Venus', 'Mars', 'Jupiter', 'Saturn', 'Neptune'];

/** Questions with a conflict, a duplicate and a flaw of writing. */
const QUESTIONS = [
  ...PLANETS.map((planet, i) =>
    sample({
      question_text: `How many moons of ${planet} were known in ${1900 + i}?`,
      correct_answer: String(i),
      incorrect_answers: ['11', '12', '13'],
      category: i < 4 ? 'Astronomy' : 'Science',
      difficulty: i % 3,
      tags: ['moons'],
    }),
  ),
  ...['Skin', 'Liver'].map((correct_answer) =>
    sample({
      question_text: 'What is the largest organ of the human body?',
      correct_answer,
      incorrect_answers: ['Skin', 'Liver', 'Heart'].filter((organ) => organ !== correct_answer),
      category: 'Science',
      difficulty: 0,
    }),
  ),
];

describe('the console in a browser', { skip: !executablePath && 'no Chromium' }, () => {
  let service: Service;
  let browser: ConsoleBrowser;
  let ids: string[];
  const runs: string[] = [];

  before(async () => {
    service = await openService('sqlite', { workers: 1 });
    browser = await ConsoleBrowser.open(service);
    const { body } = await service.call('POST', '/questions', { body: QUESTIONS });
    ids = body.data.map(({ id }: { id: string }) => id);
    const answers = ['ada', 'ben'].flatMap((respondent) =>
      ids
        .slice(0, 3)
        .map((question_id, i) => ({ question_id, respondent, session: 'spring', answer: String(i) })),
    );
    await service.call('POST', '/responses', { body: answers });
    for (const analysis_type of ['duplicates', 'quality', 'coverage']) {
      const options = { body: { analysis_type }, headers: { prefer: 'wait=30' } };
      const { body: run } = await service.call('POST', '/analysis/run', options);
      assert.equal(run.status, 'succeeded');
      runs.push(run.id);
    }
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  const open = async (page: Page, path: string) => {
    await page.goto(browser.url + path);
    await page.locator('main h1, main .results').first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  const readRows = (page: Page) => page.locator('.row .text').allInnerTexts();

  for (const [size, viewport, colorScheme] of [
    ['desktop', SIZES.desktop, 'light'],
    ['phone', SIZES.phone, 'dark'],
  ] as const)
    it(`shows every page on a ${size} in ${colorScheme}, accessible and without complaints`, async () => {
      const { page, complaints } = await browser.signIn('admin', { viewport, colorScheme });
      for (const path of [
        '/',
        '/console/attention',
        '/console/questions',
        '/console/questions?category=Astronomy&q=moons',
        '/console/questions?q=nonexistent',
        `/console/questions/${ids[0]}`,
        '/console/questions/new',
        '/console/analyses',
        `/console/analyses/${runs[0]}`,
        '/console/import',
        '/console/review',
        '/console/categories',
        '/console/people',
        '/console/nowhere',
      ]) {
        await open(page, path);
        await assertFits(page);
        assert.deepEqual(await findViolations(page), [], path);
      }
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

  it('signs in by a link once, with a secret, and out', async () => {
    const { page, complaints } = await browser.signIn();
    assert.doesNotMatch(page.url(), /link=/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByLabel('Client id').fill('admin');
    await page.getByLabel('Secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.match(await page.locator('.notice.bad').innerText(), /secret/);
    await page.getByLabel('Secret').fill(service.admin.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('nav.rail').waitFor();
    // The browser itself reports the response 401 to the wrong secret.
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('401')),
      [],
    );
    await page.context().close();
  });

  it('shows what needs attention first, with the way to it', async () => {
    const { page } = await browser.signIn();
    await open(page, '/');
    assert.match(await page.locator('h1').innerText(), /^8 questions, \d need a look\.$/);
    await page.locator('.reasons li', { hasText: 'with different answers' }).getByRole('link').click();
    await page.getByRole('link', { name: 'What is the largest organ' }).first().click();
    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    assert.match(await page.locator('main').innerText(), /conflict/);
    await page.context().close();
  });

  it('filters by facets and words, keeps both in the address, and goes back', async () => {
    const { page } = await browser.signIn();
    await open(page, '/console/questions');
    await page.getByLabel('Astronomy').check();
    await page.getByRole('status').filter({ hasText: '4 questions' }).waitFor();
    await page.getByRole('searchbox').fill('Jupiter');
    await page.getByRole('status').filter({ hasText: '1 question' }).waitFor();
    assert.match(page.url(), /category=Astronomy&q=Jupiter$/);
    await page.reload();
    await page.locator('.row .text').first().waitFor();
    assert.deepEqual(await readRows(page), ['How many moons of Jupiter were known in 1903?']);
    await page.getByRole('button', { name: 'Remove the filter Astronomy' }).click();
    await page.waitForURL(/questions\?q=Jupiter$/);
    await page.goBack();
    await page.waitForURL(/category=Astronomy/);
    assert.ok(await page.getByRole('checkbox', { name: 'Astronomy' }).isChecked());
    await page.context().close();
  });

  it('edits a question, shows faults at their fields, and restores what it deletes', async () => {
    const { page, complaints } = await browser.signIn();
    const { body } = await service.call('POST', '/questions', {
      body: sample({ question_text: 'Which organ pumps blood?', correct_answer: 'Hart' }),
    });
    await open(page, `/console/questions/${body.id}`);
    await page.keyboard.press('e');
    await page.getByLabel('Correct answer', { exact: true }).fill('Heart');
    await page.getByLabel('Question', { exact: true }).fill('');
    await page.keyboard.press('Control+s');
    await page.locator('#question_text-fault').waitFor();
    await page.getByLabel('Question', { exact: true }).fill('Which organ pumps the blood?');
    await page.keyboard.press('Control+s');
    await page.getByRole('heading', { name: 'Which organ pumps the blood?' }).waitFor();
    assert.equal((await service.call('GET', `/questions/${body.id}`)).body.correct_answer, 'Heart');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The question is deleted.').waitFor();
    assert.equal((await service.call('GET', `/questions/${body.id}`)).status, 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The question is restored.').waitFor();
    assert.equal((await service.call('GET', `/questions/${body.id}`)).status, 200);
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('422')),
      [],
    );
    await page.context().close();
  });

  it('runs an analysis with settings, shows its rows and leads to their questions', async () => {
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/analyses?category=Science');
    const card = page.locator('.analyses li', { hasText: 'Duplicates and conflicts' });
    await card.locator('summary').click();
    const similarity = card.getByLabel('min similarity');
    await similarity.fill('7');
    await card.getByRole('button', { name: 'Run' }).click();
    await card.locator('.fault').waitFor();
    await similarity.fill('0.9');
    assert.match(await card.locator('summary').innerText(), /3 settings, 1 changed/);
    await card.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: /^2 questions in 1 group/ }).waitFor();
    const id = page.url().split('/').at(-1);
    const { body } = await service.call('GET', `/analysis/${id}`);
    assert.deepEqual([body.parameters.min_similarity, body.filter], [0.9, { category: ['Science'] }]);
    await page.waitForFunction('document.querySelector(".picture img").naturalWidth > 100');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = await readText(await saved);
    assert.match(csv, /^\uFEFFquestion_id,/);
    assert.equal(csv.split('\r\n').length, 4);
    await page.getByLabel('Finding').selectOption('variant');
    await page.getByText('No row has this finding').waitFor();
    await page.getByLabel('Finding').selectOption('All rows');
    await page.locator('.rows-table a').first().click();
    await page.getByRole('heading', { name: 'What is the largest organ' }).waitFor();
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('422')),
      [],
    );
    await page.context().close();
  });

  const addQuestions = async (tag: string, n: number): Promise<string[]> => {
    const questions = Array.from({ length: n }, (_, i) =>
      sample({ question_text: `Which ${tag} has the number ${i}?`, tags: [tag], difficulty: 0 }),
    );
    const { body } = await service.call('POST', '/questions', { body: questions });
    return body.data.map(({ id }: { id: string }) => id);
  };
  const countTagged = async (tag: string): Promise<number> =>
    (await service.call('GET', `/questions?tag=${tag}&limit=1`)).body.pagination.total;

  it('changes all questions that match, and takes it back', async () => {
    await addQuestions('comet', 5);
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/questions?tag=comet');
    await page.keyboard.press('x');
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Select all 5 questions that match' }).click();
    await page.getByLabel('Change', { exact: true }).selectOption('Add the tag');
    await page.getByLabel('Add the tag').fill('asteroid');
    await page.getByRole('button', { name: 'Apply to 5' }).click();
    await page.getByText('5 questions changed.').waitFor();
    assert.equal(await countTagged('asteroid'), 5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('5 questions as before.').waitFor();
    assert.equal(await countTagged('asteroid'), 0);
    await page.getByLabel(/^Select Which comet has the number 3/).check();
    await page.getByLabel('Change', { exact: true }).selectOption('Delete');
    await page.getByRole('button', { name: 'Apply to 1' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^4 questions$/ })
      .waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('keeps a draft, and merges it with a change of others', async () => {
    const [id] = await addQuestions('nebula', 1);
    const change = (body: object) => service.call('PATCH', `/questions/${id}`, { body });
    const { page, complaints } = await browser.signIn();
    await open(page, `/console/questions/${id}`);
    await page.keyboard.press('e');
    await page.getByLabel('Topic').fill('Nebulae');
    await page.reload();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('This is a draft from before').waitFor();
    assert.equal(await page.getByLabel('Topic').inputValue(), 'Nebulae');
    // Another field: merged without a question.
    await change({ difficulty: 2 });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    const merged = (await service.call('GET', `/questions/${id}`)).body;
    assert.deepEqual([merged.topic_focus, merged.difficulty], ['Nebulae', 2]);
    // The same field: both values are shown.
    await page.keyboard.press('e');
    await page.getByLabel('Topic').fill('Mine');
    await change({ topic_focus: 'Theirs', source: 'A book' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The question was changed meanwhile').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByRole('button', { name: 'Take yours of topic focus' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    const chosen = (await service.call('GET', `/questions/${id}`)).body;
    assert.deepEqual([chosen.topic_focus, chosen.source], ['Mine', 'A book']);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('merges a duplicate from its finding', async () => {
    const { body } = await service.call('POST', '/questions', {
      body: [1, 2].map(() => sample({ question_text: 'Which pulsar was found first?' })),
    });
    const [first, second] = body.data.map(({ id }: { id: string }) => id);
    const run = { body: { analysis_type: 'duplicates' }, headers: { prefer: 'wait=30' } };
    await service.call('POST', '/analysis/run', run);
    const { page } = await browser.signIn();
    await open(page, `/console/questions/${second}`);
    await page.getByRole('button', { name: 'Merge into it' }).click();
    await page.waitForURL(new RegExp(`${first}$`));
    assert.equal((await service.call('GET', `/questions/${second}`)).status, 410);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('as before').waitFor();
    assert.equal((await service.call('GET', `/questions/${second}`)).status, 200);
    await page.context().close();
  });

  it('works off the rows of a result with one key each, and takes it back', async () => {
    const body = [0, 1, 2].map((i) =>
      sample({
        question_text: `Which  ferry leaves harbour ${i}?`,
        correct_answer: `No ${i}`,
        tags: ['ferry'],
      }),
    );
    await service.call('POST', '/questions', { body });
    const { body: run } = await service.call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', filter: { tag: ['ferry'] } },
      headers: { prefer: 'wait=30' },
    });
    const { page, complaints } = await browser.signIn();
    await open(page, `/console/analyses/${run.id}`);
    assert.equal(await page.getByRole('button', { name: 'Correct: spacing' }).count(), 3);
    for (const key of ['j', 'm']) await page.keyboard.press(key);
    await page.getByText('1 question changed').waitFor();
    await page.locator('tr.current + tr:not(.current)').waitFor();
    await page.keyboard.press('d');
    await page.getByText('Dismissed until the question changes: spacing.').waitFor();
    await page.locator('tbody tr:nth-child(3).current').waitFor();
    await page.keyboard.press('m');
    await page.getByText('1 question changed').waitFor();
    assert.deepEqual(await page.locator('.outcome').allInnerTexts(), ['mended', 'dismissed', 'mended']);
    assert.deepEqual(await findViolations(page), []);
    const countSpaced = async () =>
      (await service.call('GET', '/questions?tag=ferry')).body.data.filter(
        ({ question_text }: { question_text: string }) => question_text.includes('  '),
      ).length;
    assert.equal(await countSpaced(), 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 question as before').waitFor();
    assert.equal(await countSpaced(), 2);
    const later = await service.call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', filter: { tag: ['ferry'] } },
      headers: { prefer: 'wait=30' },
    });
    await open(page, `/console/analyses/${later.body.id}`);
    await page.getByLabel('Compare with').selectOption({ index: 1 });
    await page.getByText('0 findings new, 1 gone, 2 in both.').waitFor();
    assert.match(page.url(), new RegExp(`compare=${run.id}`));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('shows what a person answered, and deletes it after their name is typed', async () => {
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/responses');
    await page.getByText('6 responses in the bank').waitFor();
    await page.getByRole('link', { name: 'ben' }).first().click();
    await page.getByText('3 responses with these filters').waitFor();
    assert.equal(new URL(page.url()).search, '?respondent=ben');
    assert.deepEqual(await page.locator('.rows-table .flag').allInnerTexts(), ['right', 'right', 'right']);
    const confirm = page.getByRole('button', { name: 'Delete for good' });
    assert.ok(await confirm.isDisabled());
    await page.getByLabel('Type ben to confirm').fill('ben');
    await confirm.click();
    await page.getByText('3 responses of ben deleted').waitFor();
    await page.getByText('3 responses in the bank').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('takes a change back from what happened lately, in one of seven tabs', async () => {
    await addQuestions('ferrule', 4);
    const body = { filter: { tag: ['ferrule'] }, change: { add_tags: ['welded'] } };
    const { body: change } = await service.call('POST', '/questions/bulk', { body });
    const { page } = await browser.signIn();
    const tabs = await Promise.all(Array.from({ length: 6 }, () => page.context().newPage()));
    for (const tab of tabs) await open(tab, '/console/questions?tag=ferrule');
    await until('the change', async () => {
      const { status } = (await service.call('GET', `/changes/${change.id}`)).body;
      return status === 'succeeded';
    });
    await open(page, '/');
    await page.getByRole('button', { name: 'Undo: 4 questions changed' }).first().click();
    await page.getByText('4 questions as before').waitFor();
    assert.equal(await countTagged('welded'), 0);
    await page.context().close();
  });

  it('invites a person who then signs in, and shows secrets once', async () => {
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/people');
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('Role', { exact: true }).selectOption('reader');
    await page.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByLabel('Sign-in link of Ada').inputValue();
    assert.deepEqual(await findViolations(page), []);
    const { page: invited } = await browser.newPage();
    await invited.goto(link);
    await invited.getByText('Ada (reader)').waitFor();
    await page.getByLabel('Name of the key').fill('Nightly import');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('Key Nightly import').inputValue();
    assert.equal((await service.call('GET', '/auth/me', { token: key })).status, 200);
    await page.getByLabel('Role of Ada').selectOption('author');
    await page.getByText('Ada has the role author.').waitFor();
    const row = page.locator('li', { hasText: 'Ada' }).filter({ has: page.getByLabel('Role of Ada') });
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.getByRole('button', { name: 'Remove Ada for good?' }).click();
    await page.getByText('Ada is removed.').waitFor();
    await invited.reload();
    await invited.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(complaints, []);
    await invited.context().close();
    await page.context().close();
  });

  it('adds, renames and merges categories', async () => {
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/categories');
    for (const name of ['Physics', 'Fysics']) {
      await page.getByLabel('Name of a new category').fill(name);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText(`The category ${name} is added.`).waitFor();
    }
    const [id] = await addQuestions('quark', 1);
    await service.call('PATCH', `/questions/${id}`, { body: { category: 'Fysics' } });
    await page.getByRole('button', { name: 'Rename Physics' }).click();
    await page.getByLabel('New name of Physics').fill('Physical science');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Physics is now Physical science.').waitFor();
    await page.getByLabel('Merge Fysics into').selectOption('Physical science');
    await page.getByText('1 question moved.').waitFor();
    assert.equal((await service.call('GET', `/questions/${id}`)).body.category, 'Physical science');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('finds commands by words and by keys', async () => {
    const { page, complaints } = await browser.signIn();
    await open(page, '/');
    await page.keyboard.press('Control+k');
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.type('go quest');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/questions$/);
    await page.locator('.row .text').first().waitFor();
    await page.keyboard.press('?');
    const words = await page.getByRole('option').allInnerTexts();
    assert.ok(words.some((each) => /^New question\s+n$/.test(each)));
    // Letters belong to the dialog.
    await page.getByRole('combobox').fill('sign');
    await page.keyboard.press('n');
    assert.match(page.url(), /\/console\/questions$/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.waitForURL(/\/questions\/new$/);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('imports a file with faults after showing them, and takes it back', async () => {
    const gift =
      '::1:: Which quasar is brightest? {=3C 273 ~M31 ~M87}\n\n::2:: Name a quasar. {}\n\n::3:: Broken {=';
    const { page, complaints } = await browser.signIn();
    await open(page, '/console/import');
    await page.getByLabel('Drop a file here').setInputFiles({
      name: 'quasars.gift',
      mimeType: 'text/plain',
      buffer: Buffer.from(gift),
    });
    await page.getByLabel('Questions without a category').selectOption('go to Astronomy');
    await page.getByLabel('Questions without a difficulty').selectOption('are Basic');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would become of it' }).waitFor();
    assert.match(await page.locator('.verdict').innerText(), /^GIFT, \d items: 1 new, \d rejected\.$/);
    assert.match(await page.locator('.queue').innerText(), /line \d/);
    assert.deepEqual(await findViolations(page), []);
    const count = async () => (await service.call('GET', '/questions?q=quasar')).body.pagination.total;
    assert.equal(await count(), 0);
    await page.getByRole('button', { name: 'Import 1 question' }).click();
    await page.getByRole('heading', { name: 'What became of it' }).waitFor();
    assert.equal(await count(), 1);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download the \d rejected/ }).click();
    assert.match(await readText(await saved), /Name a quasar/);
    await page.getByRole('button', { name: 'Mend them here' }).click();
    const text = page.getByLabel('Text to import');
    assert.match(await text.inputValue(), /^::2:: Name a quasar/);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page
      .getByRole('button', { name: /^Edit line 3/ })
      .first()
      .click();
    const selected = () =>
      page.evaluate<string>(
        '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
      );
    await until('the selection', selected);
    assert.match(await selected(), /^::3:: Broken/);
    await page.keyboard.type('::3:: Which quasar is mended? {=This one ~That one}');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 1 question' }).click();
    await page.getByRole('heading', { name: 'What became of it' }).waitFor();
    assert.equal(await count(), 2);
    await page.getByRole('button', { name: 'Undo this import' }).click();
    await page.getByText('as before').waitFor();
    assert.equal(await count(), 1);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('fits on a phone however long a word is', async () => {
    const { body } = await service.call('POST', '/questions', {
      body: sample({ question_text: `Where is ${'Llanfair&shy;pwll'.repeat(20)}?`, tags: ['x'.repeat(90)] }),
    });
    const run = { body: { analysis_type: 'quality' }, headers: { prefer: 'wait=30' } };
    const { body: quality } = await service.call('POST', '/analysis/run', run);
    const { page } = await browser.signIn('admin', { viewport: SIZES.phone });
    for (const path of [
      '/console/attention',
      '/console/questions?q=where',
      `/console/questions/${body.id}`,
      `/console/analyses/${quality.id}`,
    ]) {
      await open(page, path);
      await assertFits(page);
    }
    await service.call('DELETE', `/questions/${body.id}`);
    await page.context().close();
  });

  it('is used by keyboard alone', async () => {
    const { page } = await browser.signIn();
    await open(page, '/console/questions');
    await page.keyboard.press('/');
    await page.keyboard.type('moons');
    await page.getByRole('status').filter({ hasText: '6 questions' }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'moons');
    await page.keyboard.press('Tab');
    await page.locator('main').focus();
    await page.keyboard.press('j');
    const second = (await readRows(page))[1]!;
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: second }).waitFor();
    await page.context().close();
  });

  it('shows no answers and no controls that the role does not allow', async () => {
    const { body } = await service.call('POST', '/auth/clients', {
      body: { name: 'Reader', role: 'reader' },
    });
    const { page } = await browser.signIn(body.id);
    await open(page, `/console/questions/${ids[0]}`);
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0);
    assert.equal(await page.getByText('correct', { exact: true }).count(), 0);
    await open(page, '/');
    assert.deepEqual(await page.locator('nav.rail a').allInnerTexts(), ['Health', 'Questions', 'Analyses']);
    await page.context().close();
  });

  it('says what failed and goes on when it is over', async () => {
    const { page } = await browser.signIn();
    await page.route('**/questions/facets*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        headers: { 'retry-after': '7' },
        body: JSON.stringify({ code: 'unavailable', detail: 'The database is unavailable.' }),
      }),
    );
    await page.goto(browser.url);
    const failure = page.getByRole('alert').filter({ hasText: 'The database is unavailable.' });
    await failure.waitFor();
    assert.match(await failure.innerText(), /Try again in 7 seconds/);
    assert.deepEqual(await findViolations(page), []);
    await page.unroute('**/questions/facets*');
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: /questions/ }).waitFor();
    await page.route(/\/questions\?/, (route) => route.abort());
    await page.getByRole('link', { name: 'Questions' }).click();
    await page.getByText('The service cannot be reached').waitFor();
    await page.context().close();
  });

  it('asks to sign in when the session has ended, and continues there', async () => {
    const { body } = await service.call('POST', '/auth/clients', {
      body: { name: 'Author', role: 'author' },
    });
    const { page } = await browser.signIn(body.id);
    const { body: renewed } = await service.call('POST', `/auth/clients/${body.id}/secret`);
    await page.getByRole('link', { name: 'Questions' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Client id').fill(body.id);
    await page.getByLabel('Secret').fill(renewed.secret);
    await page.keyboard.press('Enter');
    await page.locator('.row .text').first().waitFor();
    assert.match(page.url(), /\/console\/questions$/);
    await page.context().close();
  });
});
