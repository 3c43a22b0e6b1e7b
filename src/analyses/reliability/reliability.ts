/** Estimates the reliability of a set of questions, and the contribution of each. */
import { binCounts, binProportions, describeDistribution } from '../classical/distribution.ts';
import { countOutcomes } from '../classical/outcome-counts.ts';
import { computeCaseScores, computeTotals, type Totals } from '../classical/totals.ts';
import type { InputWithResponses, Outcome, QuestionWithoutAnswers } from '../define.ts';
import { summariseCompletion } from '../shared/completion.ts';
import { collectQuestions } from '../shared/questions.ts';
import { scoreResponses } from '../shared/responses.ts';
import { computeCoefficients, type Reliability } from './coefficients.ts';
import { buildWarnings, describeQuestion } from './messages.ts';
import type { Parameters, Row, Summary } from './schemas.ts';
import { judgeAlpha } from './verdict.ts';

const MAX_COUNT_BINS = 50;
const PROPORTION_BINS = 20;

interface Question {
  id: string;
  question_text: string;
}

export async function estimateReliability(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const questions = await collectQuestions(
    input,
    ({ id, question_text }): Question => ({ id, question_text }),
    ticker.part(0, 0.1),
  );
  const responses = await input.responses();
  const scores = scoreResponses(responses, questions.length, parameters);
  const totals = computeTotals(scores);
  const meanItemsPerCase = totals.cases === 0 ? null : scores.item.length / totals.cases;
  await ticker.yield(0.2);
  const reliability = await computeCoefficients(scores, totals, meanItemsPerCase ?? 0, ticker.part(0.2, 0.9));
  const { coefficients, covariances } = reliability;
  const outcomes = countOutcomes(responses, questions.length);
  const rows = questions
    .flatMap((question, index) =>
      outcomes.responses[index] ? [buildRow(question, index, totals, reliability, parameters)] : [],
    )
    .sort((a, b) => urgency(a) - urgency(b) || (b.alpha_rise ?? 0) - (a.alpha_rise ?? 0));
  return {
    summary: {
      questions: questions.length,
      questions_with_responses: outcomes.withResponses,
      questions_without_responses: questions.length - outcomes.withResponses,
      questions_used: covariances?.items.length ?? 0,
      questions_without_variance: rows.filter(({ flags }) => flags.includes('no_variance')).length,
      responses: responses.questions.length,
      cases: totals.cases,
      cases_used: covariances?.cases ?? 0,
      method: covariances?.method ?? null,
      min_shared_cases: covariances?.minShared ?? null,
      mean_items_per_case: meanItemsPerCase,
      ...judgeAlpha(reliability, parameters.min_cases),
      ...coefficients,
      score: describeScore(totals, reliability),
    },
    items: rows,
    warnings: buildWarnings(
      reliability,
      totals,
      summariseCompletion(responses, questions.length),
      parameters,
    ),
  };
}

/** Questions that lower alpha come first, then those without variance. */
const urgency = ({ flags }: Row) =>
  flags.includes('lowers_alpha') ? 0 : flags.includes('no_variance') ? 1 : 2;

function buildRow(
  { id, question_text }: Question,
  index: number,
  totals: Totals,
  { coefficients, covariances, items }: Reliability,
  { min_alpha_rise, min_cases }: Parameters,
): Row {
  const n = totals.counts[index]!;
  const correct = totals.rightCounts[index]!;
  const isConstant = covariances ? covariances.constant.includes(index) : correct === 0 || correct === n;
  const item = items.get(index);
  const alphaIfDeleted = item?.alphaIfDeleted ?? null;
  const rise =
    alphaIfDeleted === null || coefficients.alpha === null ? null : alphaIfDeleted - coefficients.alpha;
  const hasEnoughCases = (covariances?.minShared ?? 0) >= min_cases;
  const lowersAlpha = rise !== null && rise > 0 && rise >= min_alpha_rise;
  return {
    question_id: id,
    flags: [
      ...(lowersAlpha && hasEnoughCases ? (['lowers_alpha'] as const) : []),
      ...(n > 0 && isConstant ? (['no_variance'] as const) : []),
    ],
    message: describeQuestion({
      n,
      cases: covariances?.minShared ?? 0,
      correct,
      isConstant,
      itemTotal: item?.itemTotal ?? null,
      alpha: coefficients.alpha,
      alphaIfDeleted,
      lowersAlpha,
      hasEnoughCases,
    }),
    question_text,
    n,
    facility: n > 0 ? correct / n : null,
    used: covariances?.items.includes(index) ?? false,
    alpha_if_deleted: alphaIfDeleted,
    alpha_rise: rise,
    corrected_item_total_correlation: item?.itemTotal ?? null,
    squared_multiple_correlation: item?.squaredMultiple ?? null,
  };
}

/** The distribution of the scores of the cases used; of all cases if there are no covariances. */
function describeScore(totals: Totals, { covariances }: Reliability): Summary['score'] {
  const isListwise = covariances !== null && covariances.method !== 'pairwise';
  const isComparable = isListwise || totals.complete;
  const all = isComparable ? Float64Array.from(totals.right) : computeCaseScores(totals);
  const scores = all.filter((_, c) => (isListwise ? covariances.used[c]! > 0 : totals.answered[c]! > 0));
  return {
    kind: isComparable ? 'number_correct' : 'proportion_correct',
    ...describeDistribution(scores),
    histogram: isComparable
      ? binCounts(scores, totals.items.length, MAX_COUNT_BINS)
      : binProportions(scores, PROPORTION_BINS),
  };
}
