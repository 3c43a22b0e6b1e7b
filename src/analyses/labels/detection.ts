/** Detects wrong labels: reads the dataset, assesses each field and reports the suspects. */
import type { Input, Outcome, QuestionWithoutAnswers } from '../define.ts';
import { assessLabels, type FieldResults } from './assessment.ts';
import { readDataset } from './dataset.ts';
import { formatWarnings } from './messages.ts';
import { listRows, rankSuspects, summarizeField, toFieldResult } from './report.ts';
import { FIELDS, type Parameters, type Row, type Summary } from './schemas.ts';

export async function detectWrongLabels(
  input: Input<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const steps = parameters.fields.length + 1;
  const dataset = await readDataset(input, ticker.part(0, 1 / steps));
  const results: FieldResults = {};
  for (const [i, field] of FIELDS.filter((field) => parameters.fields.includes(field)).entries()) {
    const labels = field === 'category' ? dataset.categories : dataset.difficulties;
    const options = {
      ...parameters,
      isReportable: field === 'category' ? () => true : areFarApart,
      bySubject: field === 'category',
    };
    const part = ticker.part((1 + i) / steps, (2 + i) / steps);
    results[field] = toFieldResult(field, await assessLabels(dataset, labels, options, part));
  }
  const suspects = rankSuspects(results);
  await ticker.yield(1);
  return {
    summary: {
      questions: dataset.count,
      suspects: suspects.size,
      category: results.category ? summarizeField(results.category) : null,
      difficulty: results.difficulty ? summarizeField(results.difficulty) : null,
    },
    items: listRows(dataset, results, suspects),
    warnings: formatWarnings(dataset, parameters.folds, results),
  };
}

/** Adjacent levels of difficulty are a matter of opinion. */
const areFarApart = (given: string, suggested: string) => Math.abs(Number(given) - Number(suggested)) >= 2;
