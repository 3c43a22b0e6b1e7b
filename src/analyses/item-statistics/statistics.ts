/** Computes the item statistics of all questions, for both views. */
import { listCorrect } from '../../schemas/question-kinds.ts';
import { mean } from '../../statistics/descriptive.ts';
import { computeAlphas } from '../classical/alpha.ts';
import { toColumns } from '../classical/columns.ts';
import { effectiveWeights } from '../classical/item-indices.ts';
import { countOutcomes } from '../classical/outcome-counts.ts';
import { computeCaseScores, computeTotals } from '../classical/totals.ts';
import type { InputWithResponses, Outcome, QuestionWithAnswers, ResultsByView } from '../define.ts';
import { summariseCompletion } from '../shared/completion.ts';
import { collectQuestions } from '../shared/questions.ts';
import { scoreResponses } from '../shared/responses.ts';
import { testDistractors } from './distractors.ts';
import { computeItem, NO_OPTION_FIELDS, type Question } from './item.ts';
import { type BaseSummary, buildWarnings, explainTooFew, isAnyRelated, OPTIONS_HIDDEN } from './messages.ts';
import { Proposer } from './proposals.ts';
import { FLAGS, type ItemStatistics, type Parameters, type Row, type Summary, VERDICTS } from './schemas.ts';
import { judgeItem } from './verdict.ts';

type Input = InputWithResponses<QuestionWithAnswers>;

export async function computeItemStatistics(
  input: Input,
  parameters: Parameters,
): Promise<ResultsByView<Summary, Row>> {
  const { ticker } = input;
  const questions = await collectQuestions(input, toQuestion, input.ticker.part(0, 0.1));
  const responses = await input.responses();
  const scores = scoreResponses(responses, questions.length, parameters);
  await ticker.yield(0.1);
  const totals = computeTotals(scores);
  const outcomes = countOutcomes(responses, questions.length);
  const alphas = await computeAlphas(scores, totals, ticker.part(0.1, 0.4));
  const caseScores = computeCaseScores(totals);
  await ticker.yield(0.4);
  const columns = toColumns(scores, totals.counts, responses);
  const { wrongTexts = new Map() } = responses.details ?? {};
  const matrix = { columns, totals, caseScores, outcomes, wrongTexts };
  const items: ItemStatistics[] = [];
  const covariances: (number | null)[] = [];
  for (const [index, question] of questions.entries()) {
    if (!outcomes.responses[index]) continue;
    if (ticker.due()) await ticker.yield(0.4 + (0.5 * index) / questions.length);
    const { statistics, covariance } = computeItem(question, index, matrix, parameters);
    items.push({ ...statistics, alpha_if_deleted: alphas.ifDeleted.get(index) ?? null });
    covariances.push(covariance);
  }
  if (totals.complete) {
    for (const [i, weight] of effectiveWeights(covariances).entries()) items[i]!.effective_weight = weight;
  }
  const base: BaseSummary = {
    questions: questions.length,
    questions_with_responses: outcomes.withResponses,
    questions_without_responses: questions.length - outcomes.withResponses,
    cases: totals.cases,
    responses: responses.questions.length,
    score: totals.complete ? 'number_correct' : 'proportion_correct',
    mean_score: mean(caseScores.filter((_, c) => totals.answered[c]! > 0)),
    mean_facility: mean(items.flatMap(({ facility }) => facility ?? [])),
    mean_discrimination: mean(items.flatMap(({ corrected_point_biserial: r }) => r ?? [])),
    alpha: alphas.alpha,
    alpha_reason: alphas.reason,
    independence_p: alphas.independenceP,
    direction_uncertain: isAnyRelated(alphas.independenceP) && areManyNegative(items, parameters),
    limits: {
      min_facility: parameters.min_facility,
      max_facility: parameters.max_facility,
      min_discrimination: parameters.min_discrimination,
    },
  };
  const warnings = buildWarnings(base, summariseCompletion(responses, questions.length), parameters);
  const withoutOptions = items.map((item) => ({ ...item, ...NO_OPTION_FIELDS }));
  return {
    with_answers: buildOutcome(testDistractors(items, parameters), base, warnings, parameters),
    without_answers: buildOutcome(withoutOptions, base, [...warnings, OPTIONS_HIDDEN], parameters),
  };
}

/** With fewer judged questions, chance decides how many of them are negative. */
const MIN_JUDGED_FOR_DIRECTION = 4;
/** Most keys are presumed right. From this share of negative questions on, that is not safe. */
const MIN_NEGATIVE_SHARE = 1 / 3;

function areManyNegative(items: readonly ItemStatistics[], parameters: Parameters): boolean {
  const judged = items.filter(
    (item) =>
      item.n >= parameters.min_cases &&
      item.corrected_point_biserial !== null &&
      !explainTooFew(item, parameters),
  );
  const negative = judged.filter(({ corrected_point_biserial: r }) => r! < 0).length;
  return judged.length >= MIN_JUDGED_FOR_DIRECTION && negative >= MIN_NEGATIVE_SHARE * judged.length;
}

function toQuestion(question: QuestionWithAnswers): Question {
  const { id, kind, question_text, choices, correct_answer } = question;
  const correct = listCorrect(correct_answer);
  return {
    id,
    question_text,
    options: choices.map((text) => ({ text, key: correct.includes(text) })),
    several: kind === 'multiple_response',
    proposer: kind === 'short_answer' ? new Proposer(question) : undefined,
  };
}

/**
 * Judges the items and sorts them: those that need attention first, then by ascending
 * discrimination.
 */
function buildOutcome(
  items: readonly ItemStatistics[],
  base: BaseSummary,
  warnings: string[],
  parameters: Parameters,
): Outcome<Summary, Row> {
  const context = { directionUncertain: base.direction_uncertain };
  const rows = items.map((item): Row => ({ ...item, ...judgeItem(item, parameters, context) }));
  rows.sort(
    (a, b) =>
      urgency(a) - urgency(b) || (a.corrected_point_biserial ?? 2) - (b.corrected_point_biserial ?? 2),
  );
  return {
    summary: {
      ...base,
      verdicts: countBy(rows, VERDICTS, ({ verdict }, name) => verdict === name),
      flags: countBy(rows, FLAGS, ({ flags }, name) => flags.includes(name)),
      distractors_tested: items.reduce(
        (sum, { options }) => sum + (options ?? []).filter(({ p_adjusted }) => p_adjusted !== null).length,
        0,
      ),
    },
    items: rows,
    warnings,
  };
}

const urgency = ({ verdict, flags }: Row) =>
  2 * VERDICTS.indexOf(verdict) + (verdict === 'keep' && flags.length > 0 ? -3 : 0);

const countBy = <const T extends string>(
  rows: readonly Row[],
  names: readonly T[],
  has: (row: Row, name: T) => boolean,
) =>
  Object.fromEntries(names.map((name) => [name, rows.filter((row) => has(row, name)).length])) as Record<
    T,
    number
  >;
