/** Pictures: documents that any reader of SVG takes, whatever they are made of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draw } from '../src/charts/draw.ts';
import { clean, fit, formatNumber, lettersOf, textWidth, wrap } from '../src/charts/text.ts';
import { EXTREME, USUAL } from './chart-figures.ts';

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
    for (const name of ['an empty heat map', 'no bars', 'no distributions', 'no texts']) {
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

  it('has nothing in it that a name brought along', () => {
    const elements = new Set(parse(draw(EXTREME['texts of anything']!)).names);
    assert.deepEqual(elements, new Set(['svg', 'title', 'desc', 'style', 'rect', 'text', 'line', 'tspan']));
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
    assert.equal(fit('Geography', 200, 13), 'Geography');
    assert.match(fit('Geography and History', 80, 13), /^Geog.*…$/);
    assert.equal(fit('Geography', 0, 13), '…');
    assert.equal(
      fit(`Z${'\u0334'.repeat(50)}a`, 200, 13),
      'Z\u0334\u0334\u0334\u0334a',
      'marks do not pile up',
    );
    const family = '👨‍👩‍👧‍👦';
    const cut = fit(family.repeat(50), 100, 13);
    assert.equal(cut.slice(0, -1).replaceAll(family, ''), '');
    for (const text of ['W'.repeat(500), '漢'.repeat(500), 'i'.repeat(500)]) {
      assert.ok(textWidth(fit(text, 100, 13), 13) <= 100);
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
