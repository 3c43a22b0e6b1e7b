/** Detects differential item functioning between two groups. */
import type { InputWithResponses, Outcome, QuestionWithoutAnswers, Responses } from '../define.ts';
import { summariseCompletion } from '../shared/completion.ts';
import { collectQuestions } from '../shared/questions.ts';
import { scoreResponses } from '../shared/responses.ts';
import type { Comparison, Finding, ItemTests } from './finding.ts';
import { assignSides, FOCAL, type GroupSelection, REFERENCE, selectGroups } from './groups.ts';
import { visitTables } from './matching.ts';
import { purify } from './purification.ts';
import { judgeItems, listRows, type Question, testItem } from './rows.ts';
import { buildSample, type Sample } from './sample.ts';
import type { Parameters, Row, Summary } from './schemas.ts';
import { buildSummary, buildUntestedOutcome, buildWarnings } from './summary.ts';

export async function detectDif(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const questions = await collectQuestions(
    input,
    ({ id, question_text }): Question => ({ question_id: id, question_text }),
    ticker.part(0, 0.1),
  );
  const responses = await input.responses();
  const answered = findWithResponses(responses, questions.length);
  const scores = scoreResponses(responses, questions.length, parameters);
  const selection = selectGroups(scores, responses.groups, responses.groupNames, parameters);
  const counts = { questions: questions.length, withResponses: answered.length };
  if (!selection.pair) return buildUntestedOutcome(selection, counts, selection.reason!);

  const sides = assignSides(scores, responses.groups, selection.pair);
  const sample = await buildSample(scores, sides, parameters.min_items_per_case, ticker.part(0.1, 0.3));
  if (!hasBothGroups(sample)) {
    const reason = 'All cases of one of the groups have too few questions to be matched.';
    return buildUntestedOutcome(selection, counts, reason, sample.tooShort);
  }
  const purification = await purify(sample, parameters, ticker.part(0.3, 0.8));
  const tests: ItemTests[] = [];
  const visit = (table: Uint32Array, item: number) => {
    const isAnchor = purification.anchorScores.anchors[item] === 1;
    tests.push(testItem(table, purification.results[item]!, isAnchor, parameters));
  };
  await visitTables(sample, purification.anchorScores, visit, ticker.part(0.8, 1));
  const findings = judgeItems(tests, parameters);
  const comparison = describeComparison(selection, sample, findings, parameters);
  const tested = [...sample.items].map((index) => questions[index]!);
  const untested = answered
    .filter((index) => sample.itemByQuestion[index] === -1)
    .map((index) => questions[index]!);
  const results = { selection, sample, purification, findings, comparison };
  return {
    summary: buildSummary({ ...results, counts }),
    items: listRows(tested, findings, untested, comparison),
    warnings: buildWarnings(results, {
      completion: summariseCompletion(responses, questions.length),
      parameters,
    }),
  };
}

/** The indices of the questions with a response of any outcome. */
function findWithResponses({ questions }: Responses, count: number): number[] {
  const hasResponse = new Uint8Array(count);
  for (let i = 0; i < questions.length; i++) hasResponse[questions[i]!] = 1;
  return [...hasResponse.keys()].filter((index) => hasResponse[index]);
}

const hasBothGroups = ({ sides }: Sample) => sides.includes(REFERENCE) && sides.includes(FOCAL);

const describeComparison = (
  { pair }: GroupSelection,
  { complete }: Sample,
  findings: readonly Finding[],
  parameters: Parameters,
): Comparison => ({
  reference: pair!.reference.name,
  focal: pair!.focal.name,
  complete,
  min_cases: parameters.min_cases,
  significance: parameters.significance,
  isAdjusted: parameters.adjust !== 'none',
  tests: findings.filter((finding) => finding.class !== null).length,
});
