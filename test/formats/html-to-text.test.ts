import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { htmlToText } from '../../src/formats/html/html-to-text.ts';

function convert(html: string, options: { to?: 'text' | 'markdown'; media?: 'reject' | 'drop' } = {}) {
  const codes: string[] = [];
  const text = htmlToText(html, { ...options, onNotice: (code) => codes.push(code) });
  return { text, codes };
}

/** HTML, text, Markdown. */
const CASES: [html: string, text: string, markdown: string][] = [
  ['plain  text\n here', 'plain text here', 'plain text here'],
  ['<p>a</p>\n<p>b</p>', 'a\nb', 'a\n\nb'],
  ['a<br>b<br/><br/>c', 'a\nb\n\nc', 'a\\\nb\\\n\\\nc'],
  ['<div><div><p>a</p></div></div>b', 'a\nb', 'a\n\nb'],
  ['x<sup>2</sup> H<sub>2</sub>O e<sup>iπ</sup>', 'x² H₂O e^(iπ)', 'x² H₂O e^(iπ)'],
  ['&lt;b&gt; &amp;amp; &eacute;&nbsp;x', '<b> &amp; é x', '\\<b> \\&amp; é x'],
  ['<ul><li>a</li><li>b<ol start="3"><li>c</li></ol></li></ul>', '- a\n- b\n  3. c', '- a\n- b\n  3. c'],
  ['<table><tr><th>A</th><td> 1<br>2 </td></tr><tr><td>B</td></tr></table>', 'A\t1 2\nB', 'A\t1 2\nB'],
  ['<pre>a\n  b</pre>c', 'a\n  b\nc', '```\na\n  b\n```\n\nc'],
  ['Is <b> this </b>it?', 'Is this it?', 'Is **this** it?'],
  ['<code>a_b</code> a_b', 'a_b a_b', '`a_b` a\\_b'],
  ['<q>x</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '“x” 漢 (kan)', '“x” 漢 (kan)'],
  ['\\(x_1\\) costs $5', '\\(x_1\\) costs $5', '$x_1$ costs \\$5'],
  ['<h2>T</h2>1. x', 'T\n1. x', '## T\n\n1\\. x'],
  ['<a href="https://x.org/a">here</a>', 'here (https://x.org/a)', '[here](https://x.org/a)'],
  ['<script>alert(1)</script><style>p{}</style>a<!-- c -->', 'a', 'a'],
  ['a < b && c > d', 'a < b && c > d', 'a \\< b && c > d'],
  ['<p>unclosed <b>bold', 'unclosed bold', 'unclosed **bold**'],
  [
    '<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>',
    'x² = a/(b + 1)',
    'x² = a/(b + 1)',
  ],
  [
    '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">\\frac{1}{x}</annotation></semantics></math>',
    '\\(\\frac{1}{x}\\)',
    '$\\frac{1}{x}$',
  ],
  ['<math><mi>e</mi><annotation encoding="LaTeX">\\[e^2\\]</annotation></math>', '\\(e^2\\)', '$e^2$'],
  ['<img class="equation_image" alt="LaTeX: x^2" src="/e">', '\\(x^2\\)', '$x^2$'],
];

describe('HTML to text', () => {
  it('converts to plain text and Markdown', () => {
    for (const [html, text, markdown] of CASES) {
      assert.equal(convert(html).text, text, html);
      assert.equal(convert(html, { to: 'markdown' }).text, markdown, html);
    }
  });

  it('reports what is lost', () => {
    assert.deepEqual(convert('<b>a</b><i>b</i>').codes, ['formatting_dropped']);
    assert.deepEqual(convert('<b>a</b>', { to: 'markdown' }).codes, []);
    assert.deepEqual(convert('<a href="@@PLUGINFILE@@/x.pdf">file</a>').codes, ['link_dropped']);
    assert.deepEqual(convert('<math><mi>x</mi></math>').codes, ['mathml_linearized']);
  });

  it('replaces media by its description, and rejects media without one', () => {
    assert.equal(convert('<img src="x" alt=" a  cat ">').text, '[image: a cat]');
    assert.equal(convert('<object data="x.png">a dog</object>').text, '[image: a dog]');
    assert.equal(convert('<svg><title>a map</title><path/></svg>').text, '[image: a map]');
    assert.equal(convert('a<img src="x" role="presentation" alt="">').text, 'a');
    for (const html of [
      '<img src="x.png">',
      '<img alt="" src="x">',
      '<audio src="a.mp3"></audio>',
      '<iframe src="x"></iframe>',
    ]) {
      assert.throws(() => convert(html), { code: 'needs_media' }, html);
      assert.deepEqual(convert(html, { media: 'drop' }).codes, ['media_dropped']);
    }
  });

  it('refuses HTML that is too deep or too large, but not a large picture', () => {
    assert.throws(() => convert('<div>'.repeat(100_000)), { code: 'html_too_deep' });
    assert.throws(() => convert(`<p>${'x'.repeat(3_000_000)}`), { code: 'item_too_large' });
    const picture = `<img alt="a cat" src="data:image/png;base64,${'A'.repeat(3_000_000)}">`;
    assert.equal(convert(picture).text, '[image: a cat]');
  });
});
