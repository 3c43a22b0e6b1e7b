/** Figures of the analyses of responses: what they name, where marks stand, what they leave out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dif } from '../../src/analyses/dif/index.ts';
import { difficultyAudit } from '../../src/analyses/difficulty-audit/index.ts';
import { irt } from '../../src/analyses/irt/index.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import type { Figure, Tone } from '../../src/charts/figure.ts';
import { renderFigure } from '../../src/charts/render.ts';
import { getHue, getSeriesHue } from '../../src/charts/style.ts';
import { expectChart } from '../support/figures.ts';
import { buildResponses, plainQuestions, runInline, toQuestions } from '../support/inline-analysis.ts';
import { analyse, simulateResponses, toChoices } from '../support/simulated-responses.ts';

const CHOICES = simulateResponses(120, 20, {
  a: (q) => (q < 4 ? 0 : 1.2),
  edit: (row, _, next) => toChoices(row, next),
});

/** A question of k options, of which a case chooses the key or one at random, and nine others. */
async function traceLines(k: number) {
  const options = Array.from({ length: k }, (_, i) => `Option ${i + 1}`);
  const questions = plainQuestions(10).map((question) => ({
    ...question,
    correct_answer: options[0]!,
    incorrect_answers: options.slice(1),
  }));
  const rows = simulateResponses(200, 10, {
    edit: (row, _, next) =>
      row.map((cell) => (cell === 1 ? options[0]! : options[1 + Math.floor((k - 1) * next())]!)),
  });
  const responses = buildResponses(rows, { questions: toQuestions(questions) });
  const { items } = await runInline(itemStatistics, questions, {}, responses);
  return itemStatistics.plotQuestion!(items[0])!;
}

describe('figures of responses', () => {
  it('label the key in trace lines, always in the same colour', async () => {
    for (const k of [2, 4, 8]) {
      const figure = expectChart(await traceLines(k), 'curves');
      assert.deepEqual(
        figure.lines.filter(({ strong }) => strong).map(({ label }) => label),
        ['Key: Option 1'],
      );
      const svg = renderFigure(figure);
      assert.match(svg, /Key: Option 1/);
      assert.match(svg, /class="line stroke-0 strong"/);
      assert.doesNotMatch(svg, /class="line stroke-0"/);
    }
  });

  it('label the key even if its text is long', async () => {
    const long = (option: string) => `${option}, ${'a text that is far too long for a label '.repeat(5)}`;
    const figure = expectChart(await traceLines(4), 'curves');
    const lines = figure.lines.map((line) => ({ ...line, label: long(line.label) }));
    assert.match(renderFigure({ ...figure, lines }), />Key: Option 1, a text[^<]*…</);
  });

  it('show many options as a table, the key first', async () => {
    const figure = expectChart(await traceLines(15), 'heat-map');
    assert.equal(figure.rows[0], 'Key: Option 1');
    assert.equal(new Set(figure.rows).size, 15);
    for (let column = 0; column < 5; column++) {
      const sum = figure.cells.reduce((total, row) => total + row[column]!, 0);
      assert.ok(Math.abs(sum - 100) < 8, String(sum));
    }
  });

  it('draw no question as kept that lies below the minimum discrimination', async () => {
    const result = await analyse(itemStatistics, CHOICES, { choices: true });
    const { series, guides } = expectChart(itemStatistics.plot(result as never), 'scatter');
    const minimum = guides.find(({ on }) => on === 'y')!.at;
    const kept = series.find(({ tone }) => tone === 'good')!;
    assert.ok(kept.points.length > 5);
    for (const { y } of kept.points) assert.ok(y >= minimum - 0.005);
  });

  it('give a judgement the same colour in every chart, and no other series that colour', async () => {
    const tones = new Map<string, Tone>();
    const result = await analyse(itemStatistics, CHOICES, { choices: true });
    const scatter = expectChart(itemStatistics.plot(result as never), 'scatter');
    for (const { label, tone } of scatter.series) tones.set(label, tone!);
    const rows = simulateResponses(300, 12);
    for (const definition of [dif, difficultyAudit]) {
      const outcome = await analyse(definition, rows, { groups: true });
      const figure = expectChart(definition.plot(outcome as never), 'intervals');
      assert.equal(figure.tones!.length, figure.series.length);
      for (const [i, label] of figure.series.entries()) tones.set(label, figure.tones![i]!);
    }
    assert.equal(tones.get('Keep'), tones.get('As labelled'));
    assert.equal(tones.get('C: large'), tones.get('Misrated'));
    const judgements: Tone[] = ['good', 'serious', 'moderate', 'uncertain', 'unknown'];
    const meanings = new Set(judgements.map((tone) => getHue(tone, 0)));
    assert.equal(meanings.size, judgements.length);
    for (let i = 0; i < 24; i++)
      assert.ok(!meanings.has(getSeriesHue(i)) && !meanings.has(getHue(undefined, i)));
  });

  it('place observed groups at their ability, with the expected proportion', async () => {
    const result = await analyse(irt, simulateResponses(300, 12));
    const [row] = result.items;
    const { observed, expected_label } = expectChart(irt.plotQuestion!(row), 'curves');
    assert.ok(expected_label);
    assert.deepEqual(
      observed.map(({ x, expected }) => [x, expected]),
      row.observed.map(({ ability, expected }: { ability: number; expected: number }) => [ability, expected]),
    );
    const svg = renderFigure(irt.plotQuestion!(row)!);
    assert.equal(svg.match(/class="dash"/g)?.length, observed.length + 1);
  });

  it('count the questions that a Wright map leaves out', async () => {
    const rows = simulateResponses(200, 10, { edit: (row) => [1, 1, ...row.slice(2)] });
    const result = await analyse(irt, rows);
    const figure = expectChart(irt.plots!.wright_map!(result as never), 'wright-map');
    assert.equal(figure.questions.places.length, 8);
    assert.deepEqual(figure.notes, ['Not shown: 2 questions not calibrated.']);
    assert.match(renderFigure(figure), />Not shown: 2 questions not calibrated\.</);
  });
});

describe('curves that leave the frame', () => {
  const LINE = {
    chart: 'curves',
    title: 'Curves',
    description: 'Curves.',
    x: { title: 'x', from: 0, to: 4 },
    y: { title: 'y', from: 0, to: 1 },
    observed: [],
    observed_label: '',
  } as const;
  const toFigure = (values: number[]): Figure => ({
    ...LINE,
    lines: [{ label: 'Error', points: values.map((y, x) => [x, y] as const) }],
  });

  it('end in arrowheads, and a note names them', () => {
    const svg = renderFigure(toFigure([2, 0.5, 0.4, 0.5, -1]));
    assert.match(svg, /Not shown: the part of “Error” beyond the axes\./);
    const [, heads] = /<path d="(M[^"]+)" class="line stroke-6"\/>/.exec(svg)!;
    assert.equal(heads!.match(/M/g)?.length, 2);
    assert.doesNotMatch(renderFigure(toFigure([1, 0.5, 0.4, 0.5, 0])), /beyond the axes/);
    const { lines } = expectChart(toFigure([2, 0.5, 0.4, 0.5, -1]), 'curves');
    const many = renderFigure({ ...LINE, lines: Array(20).fill(lines[0]) });
    assert.match(many, /Not shown: the parts of 20 lines beyond the axes\./);
  });

  it('keep 24 lines apart by hue and dashes, and by hue and shape', () => {
    const lines = Array.from({ length: 24 }, (_, i) => ({
      label: `Line ${i}`,
      points: [0, 1, 2, 3, 4].map((x) => [x, i / 24] as const),
    }));
    const svg = renderFigure({ ...LINE, lines });
    const looks = [...svg.matchAll(/class="line (stroke-\d+)"( stroke-dasharray="[^"]+")?>/g)];
    assert.equal(new Set(looks.map(([look]) => look)).size, 24);
    const marks = [...svg.matchAll(/<path d="M[\d.]+ [\d.]+(m[^M"]+)M[^"]*" class="(hue-\d+) mark"/g)];
    assert.equal(new Set(marks.map(([, shape, hue]) => shape! + hue)).size, 24);
  });
});
