/** Pictures: documents that any reader of SVG takes, whatever they are made of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draw } from '../src/charts/draw.ts';
import type { Figure } from '../src/charts/figure.ts';
import { inRows, spread } from '../src/charts/placing.ts';
import { FONT } from '../src/charts/style.ts';
import { clean, fit, formatNumber, lettersOf, textWidth, wrap } from '../src/charts/text.ts';
import { EXTREME, USUAL } from './support/chart-figures.ts';

const ALL = { ...USUAL, ...EXTREME };

describe('a picture', () => {
  for (const [name, figure] of Object.entries(ALL)) {
    it(`of ${name} is well-formed, titled and described`, () => {
      const { root, ids, texts } = parse(draw(figure));
      assert.equal(root.name, 'svg');
      const { width, height, viewBox, role } = root.attributes;
      assert.equal(viewBox, `0 0 ${width} ${height}`);
      assert.equal(role, 'img');
      const labels = root.attributes['aria-labelledby']!.split(' ');
      assert.deepEqual(
        labels.map((id) => ids.get(id)),
        ['title', 'desc'],
      );
      assert.equal(texts.get('title'), clean(figure.title));
      assert.equal(texts.get('desc'), clean(figure.description));
    });

    it(`of ${name} is the same every time, without figures that are none`, () => {
      const svg = draw(figure);
      assert.equal(draw(structuredClone(figure)), svg);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/);
    });

    it(`of ${name} has a sensible size`, () => {
      const svg = draw(figure);
      const { width, height } = parse(svg).root.attributes;
      assert.ok(Number(width) >= 200 && Number(width) <= 8_000, `${width} wide`);
      assert.ok(Number(height) >= 80 && Number(height) <= 40_000, `${height} high`);
      assert.ok(svg.length < 1_500_000, `${svg.length} characters`);
    });
  }

  it('says so where there is nothing to show', () => {
    const empty = ['an empty heat map', 'no bars', 'no distributions', 'no texts', 'no points'];
    for (const name of [
      ...empty,
      'points on no scale',
      'no curves',
      'a Wright map of nothing',
      'no intervals',
    ]) {
      assert.match(draw(EXTREME[name]!), /There is nothing to show/);
    }
  });

  it('says what is left out', () => {
    assert.match(draw(EXTREME['a heat map that is too large']!), /240 more rows and 240 more columns/);
    assert.match(draw(EXTREME['too many bars']!), /440 more/);
    assert.match(draw(EXTREME['too many distributions']!), /60 more/);
    assert.match(draw(EXTREME['too many texts']!), /And 1,000,070 more groups/);
    assert.match(draw(EXTREME['too many texts']!), /And 18 more\./);
    assert.match(draw(EXTREME['bars of anything']!), />others</);
    assert.match(draw(EXTREME['points of anything']!), />others</);
    assert.match(draw(EXTREME['points of anything']!), /Not shown: 88 beyond the scales\./);
    assert.match(draw(EXTREME['too many points']!), /Not shown: 8,000 more\./);
    assert.match(draw(EXTREME['too many curves']!), /Not shown: 36 more lines, \d+ more observed values, /);
    assert.match(draw(EXTREME['a Wright map of anything']!), /and 8 questions beyond the scale\./);
    assert.match(draw(EXTREME['too many intervals']!), /Not shown: 60 more groups\./);
    assert.match(draw(USUAL['intervals in groups']!), />and 120 more</);
  });

  it('counts in whole numbers what comes in whole numbers', () => {
    assert.doesNotMatch(draw(USUAL['a single bar']!), />0\.5</);
  });

  it('says what differs not by colour alone', () => {
    const svg = draw(USUAL['text groups']!);
    assert.match(svg, /<tspan class="alert">Red<\/tspan>/);
    assert.match(svg, /\.alert\{[^}]*font-weight:bold;text-decoration:underline/);
  });

  it('does not mark the space beside what differs', () => {
    const pieces = [
      { text: 'A', differs: false },
      { text: ' new ', differs: true },
      { text: ' \n', differs: true },
      { text: 'word', differs: false },
    ];
    const groups = [{ label: 'Two', texts: [{ pieces, note: '' }] }];
    const svg = draw({ chart: 'text-groups', title: 'T', description: 'D', omitted: 0, groups });
    assert.match(svg, />A <tspan class="alert">new<\/tspan> word</);
  });

  it('tells series apart not by colour alone', () => {
    for (const name of ['a scatter', 'intervals in bands', 'the traces of options']) {
      const outlines = [...draw(USUAL[name]!).matchAll(/<path d="(?:M[\d.]+ [\d.]+)(m[^M"]+z)/g)];
      assert.ok(new Set(outlines.map(([, outline]) => outline)).size >= 3, name);
    }
    const lines = draw(USUAL['curves by the dozen']!).matchAll(
      /class="line (stroke-\d)"( stroke-dasharray="[^"]+")?>/g,
    );
    assert.equal(new Set([...lines].map(([look]) => look)).size, 14);
  });

  it('has what is to be looked at first on top', () => {
    const order = [...draw(USUAL['a scatter']!).matchAll(/<g class="hue-(\d) mark">/g)].map(([, hue]) => hue);
    assert.deepEqual(order, ['3', '2', '1', '0']);
  });

  it('names the questions of a map, or has a dot or a bar for them', () => {
    const named = /<text [^>]*class="quiet value"/g;
    const dots = /<path d="[^"]+" class="hue-1"><title>/g;
    const count = (name: string, what: RegExp) =>
      draw({ ...USUAL, ...EXTREME }[name]!).match(what)?.length ?? 0;
    assert.equal(count('a Wright map of numbers', named), 90);
    assert.equal(count('a Wright map of numbers', dots), 90);
    assert.equal(count('a Wright map of dots', named), 0);
    assert.equal(count('a Wright map of dots', dots), 500);
    assert.equal(count('a Wright map of too many', dots), 0);
    assert.ok(count('a Wright map of too many', /<rect [^>]+class="hue-1"/g) > 40);
  });

  it('cuts lines off at the edge of the plot, and marks what goes on beyond an axis', () => {
    const second = draw(USUAL['curves on two scales']!);
    assert.match(second, /<svg width="580" height="360" overflow="hidden">/);
    assert.match(second, /Standard error \(scale on the right\)/);
    const empty = { label: 'Empty', rows: [], omitted: 0 };
    const row = { label: 'A', value: 0.5, low: -3, high: Infinity, series: 0 };
    const figure = {
      ...USUAL['a single interval'],
      groups: [empty, { label: '', rows: [row], omitted: 0 }],
    } as Figure;
    const [, whisker] = /<path d="([^"]+)" class="line stroke-0"/.exec(draw(figure)) ?? [];
    assert.equal(whisker?.match(/L/g)?.length, 2);
    assert.doesNotMatch(draw(figure), /Empty|Not shown/);
  });

  it('has nothing in it that a name brought along', () => {
    const elements = new Set(parse(draw(EXTREME['texts of anything']!)).names);
    assert.deepEqual(elements, new Set(['svg', 'title', 'desc', 'style', 'rect', 'text', 'line', 'tspan']));
  });
});

describe('labels in pictures', () => {
  const SPREAD: [wanted: number[], places: number[] | undefined][] = [
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
  for (const [wanted, places] of SPREAD) {
    it(`come to lie apart where they belong at ${wanted.join(', ') || 'nowhere'}`, () => {
      const found = spread(wanted, 10, 0, 100)?.map((place) => Math.round(place * 100) / 100);
      assert.deepEqual(found, places);
    });
  }

  it('stand in as few rows as keep them apart', () => {
    const found = inRows(
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
    const places = [
      { middle: 20, row: 0 },
      { middle: 30, row: 1 },
      { middle: 85, row: 0 },
      undefined,
      undefined,
    ];
    assert.deepEqual(found, places);
  });
});

describe('text in pictures', () => {
  const CLEAN: [string, string][] = [
    ['a\tb\n\n c ', 'a b c'],
    ['a\u0000b\u0007', 'ab'],
    ['\ud800a\udc00', 'a'],
    ['😀', '😀'],
    ['\u202eabc\u2069', 'abc'],
    ['x\uffff\ufffe', 'x'],
  ];
  for (const [text, shown] of CLEAN) {
    it(`cleans ${JSON.stringify(text)}`, () => assert.equal(clean(text), shown));
  }

  it('is cut where it does not fit, never within a letter', () => {
    assert.equal(fit('Geography', 200, FONT.text), 'Geography');
    assert.match(fit('Geography and History', 80, FONT.text), /^Geog.*…$/);
    assert.equal(fit('Geography', 0, FONT.text), '…');
    assert.equal(
      fit(`Z${'\u0334'.repeat(50)}a`, 200, FONT.text),
      'Z\u0334\u0334\u0334\u0334a',
      'marks do not pile up',
    );
    const family = '👨‍👩‍👧‍👦';
    const cut = fit(family.repeat(50), 100, FONT.text);
    assert.equal(cut.slice(0, -1).replaceAll(family, ''), '');
    for (const text of ['W'.repeat(500), '漢'.repeat(500), 'i'.repeat(500)]) {
      assert.ok(textWidth(fit(text, 100, FONT.text), FONT.text) <= 100);
    }
  });

  it('is wrapped at spaces, within words if it must be, and cut in the end', () => {
    const lines = (text: string, width: number, most = 9) =>
      wrap(lettersOf(text), width, most).map((line) =>
        line
          .map((letter) => letter.text)
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
    it(`has ${number} as ${shown}`, () => assert.equal(formatNumber(number), shown));
  }
});

const NAME = /^[a-zA-Z][\w-]*/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not allow
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const ENTITY = /&(?!(?:amp|lt|gt|quot|#\d+);)/;

interface Element {
  name: string;
  attributes: Record<string, string>;
}

/** Reads the XML that pictures are made of, and refuses anything else. */
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
      const element = elementOf(tag!.replace(/\/$/, ''));
      names.push(element.name);
      root ??= element;
      if (element.attributes.id) {
        assert.ok(!ids.has(element.attributes.id), `${element.attributes.id} is there twice`);
        ids.set(element.attributes.id, element.name);
      }
      if (!texts.has(element.name)) texts.set(element.name, decoded(content!));
      if (!tag!.endsWith('/')) open.push(element);
    }
    assert.doesNotMatch(content!, ENTITY);
    if (open.length === 0) assert.equal(content!.trim(), '');
  }
  assert.deepEqual(open, []);
  assert.equal(svg.replace(/<[^<>]*>/g, '').match(/</), null);
  return { root: root!, names, ids, texts };
}

function elementOf(tag: string): Element {
  const [name] = NAME.exec(tag) ?? assert.fail(`<${tag}>`);
  const attributes: Record<string, string> = {};
  const rest = tag
    .slice(name.length)
    .replace(/\s+([a-zA-Z][\w-]*)="([^"<]*)"/g, (_, key: string, value: string) => {
      assert.ok(!(key in attributes), `${key} is there twice`);
      assert.doesNotMatch(value, ENTITY);
      attributes[key] = value;
      return '';
    });
  assert.equal(rest.trim(), '', `<${tag}>`);
  return { name, attributes };
}

const decoded = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
