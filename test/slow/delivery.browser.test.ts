/** The quiz of docs/delivery.md, as it is printed there: a program, and a page of another origin. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { ROLES } from '../../src/schemas/scopes.ts';
import { ARGS, executablePath } from '../support/browser.ts';
import { listen, openService, type Service, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';

const text = readFileSync(`${import.meta.dirname}/../../docs/delivery.md`, 'utf8');

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe('the quiz of the documentation', { skip: !executablePath && 'no Chromium' }, () => {
  const folder = tempFolder();
  let service: Service;
  let browser: Browser;
  before(async () => {
    for (const [, name, code] of text.matchAll(/```(?:js|html) (quiz\.\w+)\n(.*?)```/gs))
      writeFileSync(join(folder, name!), code!);
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    removeFolder(folder);
  });

  it('shows, checks and records a draw', async () => {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    service = await openService('sqlite', { origins: [origin] });
    const { url } = await listen(service);
    await service.call('POST', '/questions', {
      body: [1, 2, 3].map((n) =>
        sample({
          question_text: `Question ${n}?`,
          correct_answer: 'right',
          incorrect_answers: ['wrong'],
          explanation: 'Because it is.',
        }),
      ),
    });
    const key = await service.keyFor(...ROLES.teacher);
    const program = spawn(process.execPath, [join(folder, 'quiz.mjs')], {
      env: { ...process.env, QUAESTOR_URL: url, QUAESTOR_KEY: key, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(program.stdout, 'data');
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(origin);
      const fields = page.locator('fieldset');
      await fields.nth(2).waitFor();
      await fields.nth(0).getByLabel('right').check();
      await fields.nth(0).getByText('Right. Because it is.').waitFor();
      await fields.nth(1).getByLabel('wrong').check();
      await fields.nth(1).getByText('Not quite.').waitFor();
      await page.getByRole('button', { name: 'Hand in' }).click();
      await page.getByText('1 of 3 are right.').waitFor();
      assert.deepEqual(complaints, []);
      const { data } = (await service.call('GET', '/responses')).body;
      assert.equal(data.length, 3);
    } finally {
      program.kill();
    }
  });
});
