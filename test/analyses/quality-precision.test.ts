/** Precision and recall of each rule of `quality` on labelled questions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { quality } from '../../src/analyses/quality/index.ts';
import { RULES } from '../../src/analyses/quality/rules/index.ts';
import { runInline } from '../support/inline-analysis.ts';
import { readLabelledQuestions } from '../support/labelled-questions.ts';

const MIN_PRECISION = 0.85;
const MIN_RECALL = 0.85;
const MIN_CASES = 40;

const SECTIONS = readLabelledQuestions(new URL('./quality-cases/', import.meta.url));

test('every rule has labelled questions', () => {
  assert.deepEqual(SECTIONS.map(({ rule }) => rule).sort(), RULES.map(({ name }) => name).sort());
  for (const { rule, flagged, accepted } of SECTIONS) {
    assert.ok(flagged.length >= MIN_CASES && accepted.length >= MIN_CASES, `${rule} has too few questions`);
  }
});

for (const { rule, flagged, accepted } of SECTIONS) {
  test(`precision and recall of ${rule}`, async () => {
    const found = await runInline(quality, [...flagged, ...accepted], { rules: [rule] });
    const positions = new Set(found.items.map(({ position }) => position as number));
    const missed = flagged.filter((_, i) => !positions.has(i));
    const wrong = accepted.filter((_, i) => positions.has(flagged.length + i));
    const hits = flagged.length - missed.length;
    const precision = hits / (hits + wrong.length);
    const recall = hits / flagged.length;
    const list = (title: string, questions: readonly ExampleQuestion[]) =>
      questions.map((question) => `\n${title}: ${formatQuestion(question)}`).join('');
    const offenders = `precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}${list('not flagged', missed)}${list('false positive', wrong)}`;
    assert.ok(precision >= MIN_PRECISION && recall >= MIN_RECALL, offenders);
  });
}

const formatQuestion = ({ question_text, correct_answer, incorrect_answers }: ExampleQuestion) =>
  [question_text, correct_answer, ...(incorrect_answers ?? [])].join(' | ');
