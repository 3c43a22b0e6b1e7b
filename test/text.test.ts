/** Numbers, units, folding and markup. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ARTICLES } from '../src/text/folding.ts';
import { stripMarkup } from '../src/text/markup.ts';
import { buildNumericMatcher, parseQuantity } from '../src/text/quantity.ts';
import { formatRational } from '../src/text/rational.ts';

const DOCUMENT = readFileSync('docs/answers.md', 'utf8');
const MIN_CASES = 60;

/** The rows of the table of numbers. */
const CASES = [
  ...DOCUMENT.matchAll(/^\| (?:`(.*?)`|\(empty\)) \| (not a number|-?\d+(?:\/\d+)?) \| (?:`(.*)`)? *\|$/gm),
].map(([, text = '', value = '', unit = null]) => ({ text, value, unit }));

describe('numbers', () => {
  it('are those of the table in docs/answers.md', () => {
    assert.ok(CASES.length >= MIN_CASES, String(CASES.length));
    for (const { text, value, unit } of CASES) {
      const quantity = parseQuantity(text);
      const found = quantity && { value: formatRational(quantity.value), unit: quantity.unit };
      assert.deepEqual(found, value === 'not a number' ? undefined : { value, unit }, JSON.stringify(text));
    }
  });

  it('are compared exactly at the edge of a tolerance', () => {
    const near = buildNumericMatcher('0.3', { tolerance: 0.1 });
    assert.deepEqual(['0.2', '0.4', '0.40000000000000001'].map(near), [true, true, false]);
    const relative = buildNumericMatcher('-200', { relative_tolerance: 0.05 });
    assert.deepEqual(['-190', '-210', '-210.0001', '200'].map(relative), [true, true, false, false]);
    const exact = buildNumericMatcher('1/3', {});
    assert.deepEqual(['2/6', '0.3333333333333333'].map(exact), [true, false]);
  });

  it('bounds the work on long input', () => {
    for (const text of ['9'.repeat(10_000), '1e400', `1/${'3'.repeat(190)}`, '1 '.repeat(99)])
      parseQuantity(text);
    assert.equal(parseQuantity('9'.repeat(201)), undefined);
  });
});

describe('articles', () => {
  it('are those of docs/answers.md', () => {
    const listed = /The articles are (.*?);/.exec(DOCUMENT)![1]!;
    assert.deepEqual(listed.match(/[a-z]+/g), ARTICLES);
  });
});

describe('stripMarkup', () => {
  const CASES: [markdown: string, text: string, prose?: string][] = [
    ['plain text', 'plain text'],
    ['# Heading ##\n\nText', 'Heading\n\nText'],
    ['**bold** _em_ ~~gone~~ ***both***', 'bold em gone both'],
    ['snake_case and 2 * 3 * 4 and **open', 'snake_case and 2 * 3 * 4 and **open'],
    ['\\*literal\\* \\$5', '*literal* $5'],
    ['What does `git pull` do?', 'What does git pull do?', 'What does code do?'],
    ['``a ` b``', 'a ` b', 'code'],
    ['`open', '`open'],
    ['```js\nlet a;\n```\nWhy?', 'let a;\nWhy?', 'code\nWhy?'],
    ['~~~\nunclosed', 'unclosed', 'code'],
    ['Solve $x^2 = 4$ for $5 or $10.', 'Solve x^2 = 4 for $5 or $10.', 'Solve formula for $5 or $10.'],
    ['$$\\int_0^1$$', '\\int_0^1', 'formula'],
    ['[text](https://a.b/(c) "t") ![alt](x.png) [r][1]\n\n[1]: https://x', 'text alt r'],
    ['[ ] and [x] (y', '[ ] and [x] (y'],
    ['<https://a.b> <b>x</b> a < b', 'https://a.b x a < b'],
    ['> quoted\n> - item\n1. one\n\n---', 'quoted\nitem\none'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a b\n\n1 2'],
  ];
  for (const [markdown, text, prose = text] of CASES)
    it(`reads ${JSON.stringify(markdown)}`, () => {
      assert.equal(stripMarkup(markdown), text);
      assert.equal(stripMarkup(markdown, 'replace'), prose);
    });

  it('ends on hostile input, with no more text than it was given', () => {
    const units = [
      '`',
      '[',
      '[a](',
      '](',
      '*a',
      '$a ',
      '` `` ',
      '<a',
      '> ',
      '_',
      '- ',
      '|',
      '*_',
      '![[',
      '\\',
      '#',
      '~~',
    ];
    for (const unit of units) {
      const text = unit.repeat(100_000 / unit.length);
      assert.ok(stripMarkup(text).length <= text.length, unit);
    }
  });
});
