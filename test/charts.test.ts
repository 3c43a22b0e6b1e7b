/** Charts render any figure, however extreme its data, as well-formed SVG of bounded size. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Figure } from '../src/charts/figure.ts';
import { packIntoRows, spreadLabels } from '../src/charts/label-layout.ts';
import { renderFigure } from '../src/charts/render.ts';
import { FONT } from '../src/charts/style.ts';
import {
  cleanText,
  formatNumber,
  measureText,
  splitGraphemes,
  truncateText,
  wrapText,
} from '../src/charts/text.ts';
import { EXTREME, TYPICAL } from './support/chart-figures.ts';

const ALL = { ...TYPICAL, ...EXTREME };

describe('a chart', () => {
  for (const [name, figure] of Object.entries(ALL)) {
    it(`of ${name} is well-formed and has a title and a description`, () => {
      const { root, ids, texts } = parse(renderFigure(figure));
      assert.equal(root.name, 'svg');
      const { width, height, viewBox, role } = root.attributes;
      assert.equal(viewBox, `0 0 ${width} ${height}`);
      assert.equal(role, 'img');
      const labels = root.attributes['aria-labelledby']!.split(' ');
      assert.deepEqual(
        labels.map((id) => ids.get(id)),
        ['title', 'desc'],
      );
      assert.equal(texts.get('title'), cleanText(figure.title));
      assert.equal(texts.get('desc'), cleanText(figure.description));
    });

    it(`of ${name} is deterministic and contains no NaN, Infinity, undefined or null`, () => {
      const svg = renderFigure(figure);
      assert.equal(renderFigure(structuredClone(figure)), svg);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/);
    });

    it(`of ${name} has a bounded size`, () => {
      const svg = renderFigure(figure);
      const { width, height } = parse(svg).root.attributes;
      assert.ok(Number(width) >= 200 && Number(width) <= 8_000, `${width} wide`);
      assert.ok(Number(height) >= 80 && Number(height) <= 40_000, `${height} high`);
      assert.ok(svg.length < 1_500_000, `${svg.length} characters`);
    });
  }

  it('says that there is nothing to show if the figure has no data', () => {
    const empty = ['an empty heat map', 'no bars', 'no distributions', 'no texts', 'no points'];
    for (const name of [
      ...empty,
      'points on an infinite scale',
      'no curves',
      'an empty Wright map',
      'no intervals',
    ]) {
      assert.match(renderFigure(EXTREME[name]!), /There is nothing to show/);
    }
  });

  it('notes how many rows, series and points it leaves out', () => {
    assert.match(
      renderFigure(EXTREME['a heat map that is too large']!),
      /240 more rows and 240 more columns/,
    );
    assert.match(renderFigure(EXTREME['too many bars']!), /440 more/);
    assert.match(renderFigure(EXTREME['too many distributions']!), /60 more/);
    assert.match(renderFigure(EXTREME['too many texts']!), /And 1,000,070 more groups/);
    assert.match(renderFigure(EXTREME['too many texts']!), /And 18 more\./);
    assert.match(renderFigure(EXTREME['bars with extreme data']!), />others</);
    assert.match(renderFigure(EXTREME['points with extreme data']!), />others</);
    assert.match(renderFigure(EXTREME['points with extreme data']!), /Not shown: 88 outside the axes\./);
    assert.match(renderFigure(EXTREME['too many points']!), /Not shown: 8,000 more\./);
    assert.match(
      renderFigure(EXTREME['too many curves']!),
      /Not shown: 36 more lines, \d+ more observed values, /,
    );
    assert.match(
      renderFigure(EXTREME['a Wright map with extreme data']!),
      /and 8 questions outside the scale\./,
    );
    assert.match(renderFigure(EXTREME['too many intervals']!), /Not shown: 60 more groups\./);
    assert.match(renderFigure(TYPICAL['intervals in groups']!), />and 120 more</);
  });

  it('has only integer ticks on the axis of a count', () => {
    assert.doesNotMatch(renderFigure(TYPICAL['a single bar']!), />0\.5</);
  });

  it('marks differences by weight and underline as well as colour', () => {
    const svg = renderFigure(TYPICAL['text groups']!);
    assert.match(svg, /<tspan class="alert">Red<\/tspan>/);
    assert.match(svg, /\.alert\{[^}]*font-weight:bold;text-decoration:underline/);
  });

  it('does not mark white space next to a difference', () => {
    const pieces = [
      { text: 'A', differs: false },
      { text: ' new ', differs: true },
      { text: ' \n', differs: true },
      { text: 'word', differs: false },
    ];
    const groups = [{ label: 'Two', texts: [{ pieces, note: '' }] }];
    const svg = renderFigure({ chart: 'text-groups', title: 'T', description: 'D', omitted: 0, groups });
    assert.match(svg, />A <tspan class="alert">new<\/tspan> word</);
  });

  it('distinguishes series by shape or dash pattern as well as colour', () => {
    for (const name of ['a scatter', 'intervals in bands', 'trace lines of options']) {
      const outlines = [...renderFigure(TYPICAL[name]!).matchAll(/<path d="(?:M[\d.]+ [\d.]+)(m[^M"]+z)/g)];
      assert.ok(new Set(outlines.map(([, outline]) => outline)).size >= 3, name);
    }
    const lines = renderFigure(TYPICAL['many curves']!).matchAll(
      /class="line (stroke-\d+)"( stroke-dasharray="[^"]+")?>/g,
    );
    assert.equal(new Set([...lines].map(([look]) => look)).size, 14);
  });

  it('paints the first series on top', () => {
    const order = [...renderFigure(TYPICAL['a scatter']!).matchAll(/<g class="hue-(\d+) mark">/g)].map(
      ([, hue]) => hue,
    );
    assert.deepEqual(order, ['8', '7', '6', '0']);
  });

  it('shows the questions of a Wright map as labels, as dots or as bars', () => {
    const labels = /<text [^>]*class="muted value"/g;
    const dots = /<path d="[^"]+" class="hue-6"><title>/g;
    const count = (name: string, pattern: RegExp) =>
      renderFigure({ ...TYPICAL, ...EXTREME }[name]!).match(pattern)?.length ?? 0;
    assert.equal(count('a Wright map with short labels', labels), 90);
    assert.equal(count('a Wright map with short labels', dots), 90);
    assert.equal(count('a Wright map with dots', labels), 0);
    assert.equal(count('a Wright map with dots', dots), 500);
    assert.equal(count('a Wright map of too many questions', dots), 0);
    assert.ok(count('a Wright map of too many questions', /<rect [^>]+class="hue-6"/g) > 40);
  });

  it('clips lines at the edge of the plot and has arrowheads on intervals that extend beyond it', () => {
    const second = renderFigure(TYPICAL['curves on two scales']!);
    assert.match(second, /<svg width="580" height="360" overflow="hidden">/);
    assert.match(second, /Standard error \(right axis\)/);
    const empty = { label: 'Empty', rows: [], omitted: 0 };
    const row = { label: 'A', value: 0.5, low: -3, high: Infinity, series: 0 };
    const figure = {
      ...TYPICAL['a single interval'],
      groups: [empty, { label: '', rows: [row], omitted: 0 }],
    } as Figure;
    const [, whisker] = /<path d="([^"]+)" class="line stroke-0"/.exec(renderFigure(figure)) ?? [];
    assert.equal(whisker?.match(/L/g)?.length, 2);
    assert.doesNotMatch(renderFigure(figure), /Empty|Not shown/);
  });

  it('contains no element that came from a label', () => {
    const elements = new Set(parse(renderFigure(EXTREME['texts with extreme data']!)).names);
    assert.deepEqual(elements, new Set(['svg', 'title', 'desc', 'style', 'rect', 'text', 'line', 'tspan']));
  });
});

describe('label layout', () => {
  const SPREAD: [desired: number[], positions: number[] | undefined][] = [
    [[], []],
    [[50], [50]],
    [[200], [100]],
    [
      [20, 60],
      [20, 60],
    ],
    [
      [50, 50],
      [45, 55],
    ],
    [
      [60, 50, 50],
      [63.33, 43.33, 53.33],
    ],
    [
      [0, 0, 0],
      [0, 10, 20],
    ],
    [
      [100, 99, 5],
      [100, 90, 5],
    ],
    [Array(12).fill(50), undefined],
  ];
  for (const [desired, positions] of SPREAD) {
    it(`spreads labels at ${desired.join(', ') || 'no position'}`, () => {
      const found = spreadLabels(desired, 10, 0, 100)?.map((position) => Math.round(position * 100) / 100);
      assert.deepEqual(found, positions);
    });
  }

  it('packs labels into as few rows as possible', () => {
    const found = packIntoRows(
      [
        { at: 5, width: 40 },
        { at: 30, width: 20 },
        { at: 90, width: 30 },
        { at: 25, width: 20 },
        { at: 20, width: 20 },
      ],
      0,
      100,
      2,
    );
    const positions = [
      { middle: 20, row: 0 },
      { middle: 30, row: 1 },
      { middle: 85, row: 0 },
      undefined,
      undefined,
    ];
    assert.deepEqual(found, positions);
  });
});

describe('text in charts', () => {
  const CLEAN: [string, string][] = [
    ['a\tb\n\n c ', 'a b c'],
    ['a\u0000b\u0007', 'ab'],
    ['\ud800a\udc00', 'a'],
    ['😀', '😀'],
    ['\u202eabc\u2069', 'abc'],
    ['x\uffff\ufffe', 'x'],
  ];
  for (const [text, shown] of CLEAN) {
    it(`cleans ${JSON.stringify(text)}`, () => assert.equal(cleanText(text), shown));
  }

  it('is truncated between graphemes where it does not fit', () => {
    assert.equal(truncateText('Geography', 200, FONT.text), 'Geography');
    assert.match(truncateText('Geography and History', 80, FONT.text), /^Geog.*…$/);
    assert.equal(truncateText('Geography', 0, FONT.text), '…');
    assert.equal(
      truncateText(`Z${'\u0334'.repeat(50)}a`, 200, FONT.text),
      'Z\u0334\u0334\u0334\u0334a',
      'combining marks are limited',
    );
    const family = '👨‍👩‍👧‍👦';
    const cut = truncateText(family.repeat(50), 100, FONT.text);
    assert.equal(cut.slice(0, -1).replaceAll(family, ''), '');
    for (const text of ['W'.repeat(500), '漢'.repeat(500), 'i'.repeat(500)]) {
      assert.ok(measureText(truncateText(text, 100, FONT.text), FONT.text) <= 100);
    }
  });

  it('is wrapped at spaces, within a word only if it must be, and truncated after the last line', () => {
    const lines = (text: string, width: number, maxLines = 9) =>
      wrapText(splitGraphemes(text), width, maxLines).map((line) =>
        line
          .map((grapheme) => grapheme.text)
          .join('')
          .trimEnd(),
      );
    assert.deepEqual(lines('one two three', 5), ['one two', 'three']);
    assert.deepEqual(lines('aaaaaaaaaa', 3.1), ['aaaaa', 'aaaaa']);
    assert.deepEqual(lines('', 5), []);
    assert.deepEqual(lines('漢字漢字', 2.2), ['漢字', '漢字']);
    assert.deepEqual(lines('one two three fourteen', 5, 2), ['one two', 'three…']);
    assert.deepEqual(lines('WWW', 0.1), ['W', 'W', 'W']);
  });

  const NUMBERS: [number, string][] = [
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [-1_234_567, '−1,234,567'],
    [0.123456, '0.1235'],
    [1_234.567, '1,235'],
    [0.00001234, '1.23e-5'],
    [1e300, '1.00e+300'],
    [Number.NaN, '–'],
  ];
  for (const [number, shown] of NUMBERS) {
    it(`formats ${number} as ${shown}`, () => assert.equal(formatNumber(number), shown));
  }
});

const NAME = /^[a-zA-Z][\w-]*/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const ENTITY = /&(?!(?:amp|lt|gt|quot|#\d+);)/;

interface Element {
  name: string;
  attributes: Record<string, string>;
}

/** A strict parser for the subset of XML that charts use. */
function parse(svg: string) {
  assert.doesNotMatch(svg, NOT_IN_XML);
  const open: Element[] = [];
  const names: string[] = [];
  const ids = new Map<string, string>();
  const texts = new Map<string, string>();
  let root: Element | undefined;
  for (const [, tag, content] of svg.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (tag!.startsWith('/')) {
      assert.equal(tag!.slice(1), open.pop()?.name);
    } else {
      const element = parseTag(tag!.replace(/\/$/, ''));
      names.push(element.name);
      root ??= element;
      if (element.attributes.id) {
        assert.ok(!ids.has(element.attributes.id), `${element.attributes.id} is not unique`);
        ids.set(element.attributes.id, element.name);
      }
      if (!texts.has(element.name)) texts.set(element.name, decodeEntities(content!));
      if (!tag!.endsWith('/')) open.push(element);
    }
    assert.doesNotMatch(content!, ENTITY);
    if (open.length === 0) assert.equal(content!.trim(), '');
  }
  assert.deepEqual(open, []);
  assert.equal(svg.replace(/<[^<>]*>/g, '').match(/</), null);
  return { root: root!, names, ids, texts };
}

function parseTag(tag: string): Element {
  const [name] = NAME.exec(tag) ?? assert.fail(`<${tag}>`);
  const attributes: Record<string, string> = {};
  const rest = tag
    .slice(name.length)
    .replace(/\s+([a-zA-Z][\w-]*)="([^"<]*)"/g, (_, key: string, value: string) => {
      assert.ok(!(key in attributes), `${key} is not unique`);
      assert.doesNotMatch(value, ENTITY);
      attributes[key] = value;
      return '';
    });
  assert.equal(rest.trim(), '', `<${tag}>`);
  return { name, attributes };
}

const decodeEntities = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
