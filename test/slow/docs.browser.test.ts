/** The documentation page in a browser: wide and narrow, light and dark. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ARGS, computeLuminance, contrast, executablePath } from '../support/browser.ts';
import { openService, type Service } from '../support/engines.ts';

if (!executablePath) {
  process.stderr.write(
    '\n*** NO BROWSER FOUND: the documentation page is NOT tested in one. Set CHROMIUM_PATH. ***\n\n',
  );
}

describe('the documentation page in a browser', { skip: !executablePath && 'no Chromium' }, () => {
  let service: Service;
  let browser: Browser;
  let address: string;

  before(async () => {
    service = await openService('sqlite');
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as { port: number };
    address = `http://127.0.0.1:${port}/docs`;
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  after(async () => {
    await browser?.close();
    await service.close();
  });

  const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 375, height: 812 } };
  const SCHEMES = ['light', 'dark'] as const;

  async function open(size: keyof typeof SIZES, colorScheme: 'light' | 'dark') {
    const page = await browser.newPage({ viewport: SIZES[size], colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => request.url() !== address && complaints.push(request.url()));
    await page.goto(address);
    return { page, complaints };
  }

  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    for (const scheme of SCHEMES) {
      it(`is clean and legible on a ${size} in ${scheme}`, async () => {
        const { page, complaints } = await open(size, scheme);
        assert.deepEqual(complaints, []);
        const [needed, there] = await widths(page);
        assert.ok(needed <= there, `${needed} px are needed of ${there}`);
        const [text, ground] = await colours(page);
        assert.equal(
          computeLuminance(ground) > computeLuminance(text),
          scheme === 'light',
          `${text} on ${ground}`,
        );
        const faint = (await inks(page)).filter(({ ink, ground }) => contrast(ink, ground) < 4.5);
        assert.deepEqual(faint, []);
        await page.close();
      });
    }

    it(`scrolls to the section of every link on a ${size}`, async () => {
      const { page } = await open(size, 'light');
      // The first link is clicked with the mouse to show that links are reachable; the others by
      // script, which is faster.
      await page.locator('nav a').first().click();
      const targets = await followLinks(page);
      assert.ok(targets.length > 15);
      const missed = targets.filter(({ y, bar }) => y < bar - 1 || y >= SIZES[size].height);
      assert.deepEqual(missed, []);
      await page.close();
    });
  }

  it('opens at the anchor of a problem type', async () => {
    const { body } = await service.call('GET', '/questions/none');
    const page = await browser.newPage({ viewport: SIZES.phone });
    await page.goto(new URL(body.type, address).href);
    const shown = await page.locator(':target').innerText();
    assert.match(shown, /no_such_question/);
    await page.close();
  });

  it('can be used by keyboard', async () => {
    const { page } = await open('desktop', 'light');
    await page.keyboard.press('Tab');
    assert.equal(await page.locator(':focus').innerText(), 'Skip to the content');
    assert.ok(((await page.locator(':focus').boundingBox())?.x ?? -1) >= 0);
    await page.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.locator('details[open] table').first().isVisible());
    await page.close();
  });
});

const widths = (page: Page) =>
  page.evaluate<[number, number]>('[document.documentElement.scrollWidth, window.innerWidth]');

/**
 * Clicks each link of the contents; returns the position of its section and the height of the
 * header.
 */
const followLinks = (page: Page) =>
  page.evaluate<{ target: string; y: number; bar: number }[]>(`(async () => {
    const found = [];
    for (const link of document.querySelectorAll('nav a')) {
      link.click();
      await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
      const target = link.getAttribute('href');
      const { y } = document.querySelector(target).getBoundingClientRect();
      found.push({ target, y, bar: document.querySelector('.bar').getBoundingClientRect().height });
    }
    return found;
  })()`);

const colours = (page: Page) =>
  page.evaluate<[string, string]>(
    '(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))',
  );

/** The distinct combinations of text colour and background. */
const inks = (page: Page) =>
  page.evaluate<{ ink: string; ground: string; text: string }[]>(`(() => {
    const seen = new Map();
    for (const element of document.querySelectorAll('body *')) {
      const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('');
      if (text === '') continue;
      let behind = element;
      while (behind.parentElement && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
      const ink = getComputedStyle(element).color;
      const ground = getComputedStyle(behind).backgroundColor;
      seen.set(ink + ground, { ink, ground, text });
    }
    return [...seen.values()];
  })()`);
