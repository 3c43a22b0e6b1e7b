/** Charts in a browser, light and dark: no overflow, no colliding texts, WCAG AA contrast. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { renderFigure } from '../../src/charts/render.ts';
import { FONT, STYLE } from '../../src/charts/style.ts';
import { escapeXml, measureText } from '../../src/charts/text.ts';
import { ARGS, computeLuminance, contrast, executablePath } from '../support/browser.ts';
import { EXTREME, TYPICAL } from '../support/chart-figures.ts';

/** Bounding boxes of text are larger than the glyphs, so they may overlap by this much. */
const MAX_OVERLAP_PX = 3;
/** A browser may round the width of a character to whole pixels. */
const HINTING_PX = 0.5;
const REPEATED = 20;
/** WCAG 2, level AA. */
const MIN_CONTRAST = 4.5;
if (!executablePath) {
  process.stderr.write(
    '\n*** NO BROWSER FOUND: charts are not tested in a browser. Set CHROMIUM_PATH. ***\n\n',
  );
}

interface RenderedText {
  text: string;
  /** Whether the box is that of an unrotated, complete text, and so may collide. */
  comparable: boolean;
  left: number;
  top: number;
  right: number;
  bottom: number;
  colour: string;
  background: string;
}

describe('charts in a browser', { skip: !executablePath && 'no Chromium' }, () => {
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
          `<text style="white-space:pre;font-weight:${font.weight};font-size:${font.sizePx}px">${escapeXml(character.repeat(REPEATED))}</text>`,
      );
      await page.setContent(`<svg class="quaestor"><style>${STYLE}</style>${texts.join('')}</svg>`);
      const measured = await page.evaluate<number[]>(
        "[...document.querySelectorAll('text')].map((text) => text.getComputedTextLength())",
      );
      const underestimated = characters.filter(
        (character, i) => measured[i]! / REPEATED > measureText(character, font) + HINTING_PX,
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

      for (const [name, figure] of Object.entries({ ...TYPICAL, ...EXTREME })) {
        it(`renders ${name}`, async () => {
          const svg = renderFigure(figure);
          await page.setContent(`<body style="margin:0">${svg}</body>`);
          const { texts, overflowing, width, height, broken } = await inspect(page, svg);
          assert.equal(broken, '', 'parses as XML');
          assert.ok(texts.length > 0);
          assert.deepEqual(overflowing, [], 'shapes that overflow the viewBox');
          for (const text of texts) {
            const within =
              text.left >= -0.5 &&
              text.top >= -0.5 &&
              text.right <= width + 0.5 &&
              text.bottom <= height + 0.5;
            assert.ok(within, `overflows: ${JSON.stringify(text)} of ${width} × ${height}`);
            const legible = contrast(text.colour, text.background) >= MIN_CONTRAST;
            assert.ok(legible, `low contrast: ${text.text} in ${text.colour} on ${text.background}`);
          }
          assert.deepEqual(findCollisions(texts.filter(({ comparable }) => comparable)), []);
        });
      }

      it('has its own background', async () => {
        await page.setContent(renderFigure(TYPICAL['a heat map']!));
        const background = await page.evaluate<string>(
          "getComputedStyle(document.querySelector('rect')).fill",
        );
        assert.equal(computeLuminance(background) > 0.5, colorScheme === 'light');
      });
    });
  }
});

/** All texts with their bounding boxes, colours and backgrounds. */
const inspect = (page: Page, svg: string) =>
  page.evaluate<{
    texts: RenderedText[];
    overflowing: string[];
    width: number;
    height: number;
    broken: string;
  }>(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
    const broken = parsed.querySelector('parsererror')?.textContent ?? '';
    const chart = document.querySelector('svg');
    chart.style.maxWidth = 'none';
    const filled = [...chart.querySelectorAll('rect, path')].filter((shape) => getComputedStyle(shape).fill !== 'none');
    const boxes = filled.map((shape) => [shape.getBoundingClientRect(), getComputedStyle(shape).fill]);
    const backgroundAt = (x, y) => boxes.findLast(([box]) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom)?.[1];
    const texts = [...chart.querySelectorAll('text')].filter((text) => text.getComputedTextLength() > 0).flatMap((text) => {
      const { left, top, right, bottom } = text.getBoundingClientRect();
      const background = backgroundAt((left + right) / 2, (top + bottom) / 2);
      return [text, ...text.querySelectorAll('tspan')].map((part) => ({
        text: part.textContent.slice(0, 40),
        comparable: part === text && !text.hasAttribute('transform'),
        left, top, right, bottom,
        colour: getComputedStyle(part).fill,
        background,
      }));
    });
    const { width, height } = chart.getBoundingClientRect();
    const overflowing = [...chart.querySelectorAll('rect, path, line, circle')].filter((shape) => {
      const { left, top, right, bottom } = shape.getBoundingClientRect();
      const clipped = shape.ownerSVGElement !== chart;
      return !clipped && (left < -0.5 || top < -0.5 || right > width + 0.5 || bottom > height + 0.5);
    }).map((shape) => shape.outerHTML.slice(0, 80));
    return { texts, overflowing, width, height, broken };
  })()`);

/** Pairs of texts whose boxes overlap. */
function findCollisions(texts: readonly RenderedText[]): string[] {
  const found: string[] = [];
  const sorted = [...texts].sort((a, b) => a.top - b.top);
  for (const [i, one] of sorted.entries()) {
    for (let j = i + 1; j < sorted.length && sorted[j]!.top < one.bottom - MAX_OVERLAP_PX; j++) {
      const other = sorted[j]!;
      if (other.left < one.right - MAX_OVERLAP_PX && one.left < other.right - MAX_OVERLAP_PX)
        found.push(`${one.text} | ${other.text}`);
    }
  }
  return found;
}
