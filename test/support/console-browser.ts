/** A browser that is signed in to the console of a service, and the checks of every page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ARGS, executablePath } from './browser.ts';
import { listen, type Service } from './engines.ts';

export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** Rules of WCAG 2.2 A and AA, and good practice. */
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export interface OpenPage {
  page: Page;
  /** Errors, warnings of the browser and requests to other hosts. */
  complaints: string[];
}

export class ConsoleBrowser {
  readonly url: string;
  readonly #service: Service;
  readonly #browser: Browser;

  private constructor(service: Service, browser: Browser, url: string) {
    this.#service = service;
    this.#browser = browser;
    this.url = url;
  }

  static async open(service: Service): Promise<ConsoleBrowser> {
    const { url } = await listen(service);
    return new ConsoleBrowser(
      service,
      await chromium.launch({ executablePath: executablePath!, args: ARGS }),
      url,
    );
  }

  /** Opens a page in a browser of its own, signed out. */
  async newPage(options: BrowserContextOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext({ viewport: SIZES.desktop, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const requested = request.url();
      if (!requested.startsWith(this.url) && !requested.startsWith('data:')) complaints.push(requested);
    });
    return { page, complaints };
  }

  /** Signs a client in by a link. */
  async signIn(client = 'admin', options: BrowserContextOptions = {}): Promise<OpenPage> {
    const { body } = await this.#service.call('POST', `/auth/clients/${client}/link`);
    const opened = await this.newPage(options);
    await opened.page.goto(`${this.url}/#link=${body.link}`);
    await opened.page.locator('nav.rail').waitFor();
    await opened.page.waitForLoadState('networkidle');
    return opened;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** What axe finds, as the rule and the element. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(`axe
    .run({ runOnly: ${JSON.stringify(AXE_TAGS)} })
    .then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)),
    )`);
}

export async function assertFits(page: Page): Promise<void> {
  const [needed, available] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, window.innerWidth]',
  );
  assert.ok(needed <= available, `${page.url()} needs ${needed} px of ${available}`);
}
