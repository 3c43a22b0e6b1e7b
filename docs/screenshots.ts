/**
 * Takes the screenshots of README.md and docs/console.md from a new demo bank: `npm run screenshots`.
 * Needs Chromium.
 */
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { readConfig } from '../src/config.ts';
import { runDemo } from '../src/demo/demo.ts';
import { ARGS, executablePath } from '../test/support/browser.ts';
import { removeFolder, tempFolder } from '../test/support/folders.ts';

const FOLDER = new URL('images/', import.meta.url).pathname;
const VIEWPORT = { width: 1280, height: 800 };

type Fetch = <T>(path: string) => Promise<T>;

/** Each screenshot with the address of its page. */
async function listPages(get: Fetch): Promise<Record<string, string>> {
  const runs = await get<{ data: { id: string; analysis_type: string }[] }>('/analysis?limit=100');
  const idOf = (type: string) => runs.data.find(({ analysis_type }) => analysis_type === type)!.id;
  const suspect = await get<{ result: { items: { question_id: string }[] } }>(
    `/analysis/${idOf('item_statistics')}?limit=1`,
  );
  return {
    health: '/',
    questions: '/console/questions?category=Astronomy',
    question: `/console/questions/${suspect.result.items[0]!.question_id}`,
    result: `/console/analyses/${idOf('item_statistics')}`,
    duplicates: `/console/analyses/${idOf('duplicates')}`,
  };
}

async function waitForRuns(get: Fetch): Promise<void> {
  for (;;) {
    const { data } = await get<{ data: { status: string }[] }>('/analysis?limit=100');
    if (data.length > 0 && data.every(({ status }) => status === 'succeeded')) return;
    await sleep(500);
  }
}

async function takeAll(url: string, link: string, key: string): Promise<void> {
  const get = async <T>(path: string) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<T>;
  await waitForRuns(get);
  const browser = await chromium.launch({ executablePath: executablePath!, args: ARGS });
  const page: Page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' });
  await page.goto(`${url}/#link=${link}`);
  await page.locator('nav.rail').waitFor();
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, path] of Object.entries(await listPages(get))) {
    await page.goto(url + path);
    await page.locator('main h1, main .results').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${FOLDER}${name}.png` });
    console.log(`docs/images/${name}.png`);
  }
  await browser.close();
}

if (!executablePath) throw new Error('Chromium is not installed.');
const folder = tempFolder();
const ending = new AbortController();
let printed = '';
const demo = runDemo({
  folder: `${folder}/demo`,
  config: readConfig({ QUAESTOR_LIMIT_READ: '0' }),
  port: 0,
  signal: ending.signal,
  report: () => {},
  print: (text) => {
    printed = text;
  },
});
while (printed === '') await Promise.race([demo, sleep(200)]);
const [, url, link] = /(http:\S+)\/#link=(\S+)/.exec(printed)!;
const [, key] = /QUAESTOR_KEY=(\S+)/.exec(printed)!;
await takeAll(url!, link!, key!);
ending.abort();
await demo;
removeFolder(folder);
