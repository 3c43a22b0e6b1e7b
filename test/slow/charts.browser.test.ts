/** Pictures as a browser shows them, by day and by night: nothing sticks out, nothing lies on top of other text, all can be read. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { draw } from '../../src/charts/draw.ts';
import { FONT, STYLE } from '../../src/charts/style.ts';
import { escaped, textWidth } from '../../src/charts/text.ts';
import { ARGS, contrast, executablePath, lightness } from '../support/browser.ts';
import { EXTREME, USUAL } from '../support/chart-figures.ts';

/** Letters may touch by this much: boxes of text are higher than what is seen of it. */
const TOUCH = 3;
/** A browser may round the width of a character to whole pixels. */
const HINTING_PX = 0.5;
const REPEATED = 20;
if (!executablePath) {
  process.stderr.write('\n*** NO BROWSER FOUND: pictures are NOT tested in one. Set CHROMIUM_PATH. ***\n\n');
}

interface Seen {
  text: string;
  /** Whether its box is its own and upright, so that it can be compared with others. */
  alone: boolean;
  left: number;
  top: number;
  right: number;
  bottom: number;
  ink: string;
  ground: string;
}

describe('pictures in a browser', { skip: !executablePath && 'no Chromium' }, () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  after(() => browser?.close());

  it('never underestimates the width of a character', async () => {
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    const characters = [...ascii, ...'ÀÉÎÕÜßàéîõüÇçŁłŠš–—…“”‘’−×'];
    const page = await browser.newPage();
    for (const font of Object.values(FONT)) {
      const texts = characters.map(
        (character) =>
          `<text style="white-space:pre;font-weight:${font.weight};font-size:${font.sizePx}px">${escaped(character.repeat(REPEATED))}</text>`,
      );
      await page.setContent(`<svg class="quaestor"><style>${STYLE}</style>${texts.join('')}</svg>`);
      const measured = await page.evaluate<number[]>(
        "[...document.querySelectorAll('text')].map((text) => text.getComputedTextLength())",
      );
      const underestimated = characters.filter(
        (character, i) => measured[i]! / REPEATED > textWidth(character, font) + HINTING_PX,
      );
      assert.deepEqual(underestimated, [], JSON.stringify(font));
    }
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    describe(`in ${colorScheme}`, () => {
      let page: Page;
      before(async () => {
        page = await browser.newPage({ colorScheme });
      });
      after(() => page?.close());

      for (const [name, figure] of Object.entries({ ...USUAL, ...EXTREME })) {
        it(`shows ${name}`, async () => {
          const svg = draw(figure);
          await page.setContent(`<body style="margin:0">${svg}</body>`);
          const { texts, strays, width, height, broken } = await look(page, svg);
          assert.equal(broken, '', 'a browser takes it for XML');
          assert.ok(texts.length > 0);
          assert.deepEqual(strays, [], 'shapes that stick out');
          for (const seen of texts) {
            const within =
              seen.left >= -0.5 &&
              seen.top >= -0.5 &&
              seen.right <= width + 0.5 &&
              seen.bottom <= height + 0.5;
            assert.ok(within, `sticks out: ${JSON.stringify(seen)} of ${width} × ${height}`);
            const enough = contrast(seen.ink, seen.ground) >= 4.5;
            assert.ok(enough, `faint: ${seen.text} in ${seen.ink} on ${seen.ground}`);
          }
          assert.deepEqual(overlaps(texts.filter(({ alone }) => alone)), []);
        });
      }

      it('has a ground of its own', async () => {
        await page.setContent(draw(USUAL['a heat map']!));
        const ground = await page.evaluate<string>("getComputedStyle(document.querySelector('rect')).fill");
        assert.equal(lightness(ground) > 0.5, colorScheme === 'light');
      });
    });
  }
});

/** All texts with their boxes, their colour and what they stand on. */
const look = (page: Page, svg: string) =>
  page.evaluate<{ texts: Seen[]; strays: string[]; width: number; height: number; broken: string }>(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
    const broken = parsed.querySelector('parsererror')?.textContent ?? '';
    const picture = document.querySelector('svg');
    picture.style.maxWidth = 'none';
    const filled = [...picture.querySelectorAll('rect, path')].filter((shape) => getComputedStyle(shape).fill !== 'none');
    const boxes = filled.map((shape) => [shape.getBoundingClientRect(), getComputedStyle(shape).fill]);
    const groundAt = (x, y) => boxes.findLast(([box]) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom)?.[1];
    const texts = [...picture.querySelectorAll('text')].filter((text) => text.getComputedTextLength() > 0).flatMap((text) => {
      const { left, top, right, bottom } = text.getBoundingClientRect();
      const ground = groundAt((left + right) / 2, (top + bottom) / 2);
      return [text, ...text.querySelectorAll('tspan')].map((part) => ({
        text: part.textContent.slice(0, 40),
        alone: part === text && !text.hasAttribute('transform'),
        left, top, right, bottom,
        ink: getComputedStyle(part).fill,
        ground,
      }));
    });
    const { width, height } = picture.getBoundingClientRect();
    const strays = [...picture.querySelectorAll('rect, path, line, circle')].filter((shape) => {
      const { left, top, right, bottom } = shape.getBoundingClientRect();
      const cutOff = shape.ownerSVGElement !== picture;
      return !cutOff && (left < -0.5 || top < -0.5 || right > width + 0.5 || bottom > height + 0.5);
    }).map((shape) => shape.outerHTML.slice(0, 80));
    return { texts, strays, width, height, broken };
  })()`);

/** Pairs of texts that lie on top of each other. */
function overlaps(texts: readonly Seen[]): string[] {
  const found: string[] = [];
  const sorted = [...texts].sort((a, b) => a.top - b.top);
  for (const [i, one] of sorted.entries()) {
    for (let j = i + 1; j < sorted.length && sorted[j]!.top < one.bottom - TOUCH; j++) {
      const other = sorted[j]!;
      if (other.left < one.right - TOUCH && one.left < other.right - TOUCH)
        found.push(`${one.text} | ${other.text}`);
    }
  }
  return found;
}
