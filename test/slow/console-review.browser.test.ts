/** The console of a bank with review: pending changes, decisions, comments and reports. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { executablePath } from '../support/browser.ts';
import { assertFits, ConsoleBrowser, findViolations, SIZES } from '../support/console-browser.ts';
import { openService, type Service, sample } from '../support/engines.ts';

describe('review in the console', { skip: !executablePath && 'no Chromium' }, () => {
  let service: Service;
  let browser: ConsoleBrowser;
  const clients: Record<string, string> = {};

  before(async () => {
    service = await openService('sqlite', { requiredReviews: 1 });
    browser = await ConsoleBrowser.open(service);
    for (const role of ['author', 'reviewer', 'analyst']) {
      const { body } = await service.call('POST', '/auth/clients', { body: { name: role, role } });
      clients[role] = body.id;
    }
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  const get = async (id: string) => (await service.call('GET', `/questions/${id}`)).body;

  async function addQuestion(status: string): Promise<string> {
    const { body } = await service.call('POST', '/questions', { body: sample() });
    for (const next of ['in_review', 'approved']) {
      await service.call('POST', `/questions/${body.id}/status`, { body: { status: next } });
      if (next === status) break;
    }
    assert.equal((await get(body.id)).status, status);
    return body.id;
  }

  it('approves a question, and asks for changes with a comment', async () => {
    const [good, bad] = [await addQuestion('in_review'), await addQuestion('in_review')];
    const { page, complaints } = await browser.signIn(clients.reviewer);
    await page.getByRole('link', { name: 'Review' }).click();
    const row = (id: string) =>
      page.locator('.queue li').filter({ has: page.locator(`a[href="/console/questions/${id}"]`) });
    await row(good).waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.ok(await row(bad).getByRole('button', { name: 'Request changes' }).isDisabled());
    await row(bad).getByRole('textbox').fill('Name the moon.');
    await row(bad).getByRole('button', { name: 'Request changes' }).click();
    await page.getByText('Changes are requested.').waitFor();
    await row(good).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The question is approved by you.').waitFor();
    assert.deepEqual([(await get(good)).status, (await get(bad)).status], ['approved', 'draft']);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('keeps a change of an approved question until it is approved, and merges further ones into it', async () => {
    const id = await addQuestion('approved');
    const { page: author, complaints } = await browser.signIn(clients.author);
    for (const topic of ['First', 'Second']) {
      await author.goto(`${browser.url}/console/questions/${id}`);
      await author.getByRole('button', { name: 'Edit' }).click();
      await author.getByLabel('Topic').fill(topic);
      await author.getByRole('button', { name: 'Save' }).click();
      await author.getByText('The change waits for approval.').waitFor();
      await author.getByText('A change of this question waits for approval').waitFor();
    }
    assert.notEqual((await get(id)).topic_focus, 'Second');
    const { page: reviewer } = await browser.signIn(clients.reviewer, { viewport: SIZES.phone });
    await reviewer.goto(`${browser.url}/console/review`);
    const row = reviewer.locator('.queue li', { hasText: 'topic focus' });
    await row.locator('.changes', { hasText: '→ Second' }).waitFor();
    await assertFits(reviewer);
    await row.getByRole('button', { name: 'Approve' }).click();
    await reviewer.getByText('The question is approved by you.').waitFor();
    assert.equal((await get(id)).topic_focus, 'Second');
    assert.deepEqual(complaints, []);
    await author.context().close();
    await reviewer.context().close();
  });

  it('shows reports and comments, and settles them', async () => {
    const id = await addQuestion('approved');
    await service.call('POST', `/questions/${id}/reports`, {
      body: { reason: 'wrong_answer', comment: 'It is Saturn.' },
    });
    const { page, complaints } = await browser.signIn(clients.author);
    await page.goto(`${browser.url}/console/review`);
    const report = page.locator('.queue li', { hasText: 'It is Saturn.' });
    await report.getByRole('button', { name: 'no fault' }).click();
    await page.getByText('The report is resolved: no fault.').waitFor();
    await page.goto(`${browser.url}/console/questions/${id}`);
    await page.getByText('Comments (0)').click();
    await page.getByLabel('New comment').fill('Is Pluto meant to count?');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.getByText('Comments (1)').waitFor();
    await page.getByRole('button', { name: 'Settle' }).click();
    await page.getByText('settled').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('is absent for a role that neither writes nor reviews', async () => {
    const { page } = await browser.signIn(clients.analyst);
    assert.equal(await page.getByRole('link', { name: 'Review' }).count(), 0);
    await page.goto(`${browser.url}/console/review`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.context().close();
  });
});
