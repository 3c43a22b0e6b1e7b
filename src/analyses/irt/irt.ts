/** Calibrates the items of a test, estimates abilities, and reports on fit. */
import type { Kind } from '../../schemas/question-kinds.ts';
import type { InputWithResponses, Outcome, QuestionWithoutAnswers } from '../define.ts';
import { summariseCompletion } from '../shared/completion.ts';
import { scoreResponses } from '../shared/responses.ts';
import { getGuessingPrior, type Priors } from './calibration/priors.ts';
import { listWarnings } from './messages.ts';
import type { Parameters } from './parameters.ts';
import { buildReport, type QuestionTexts } from './report.ts';
import { type Sample, selectSample } from './sample.ts';
import type { Row, Summary } from './schemas.ts';

/** Sources in the description of `min_responses`. */
const RECOMMENDED_CASES = { '1pl': 100, '2pl': 250, '3pl': 1000 };
/** With fewer questions there are fewer response patterns than parameters. */
const MIN_QUESTIONS = { '1pl': 2, '2pl': 3, '3pl': 4 };
/** Share of the work that is done after each stage. */
const SHARE_READ = 0.05;
const SHARE_ESTIMATED = 0.98;

export async function calibrateItems(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const questions = await readQuestions(input);
  const responses = await input.responses();
  const scores = scoreResponses(responses, questions.ids.length, parameters);
  const sample = await selectSample(scores, parameters.min_per_outcome, ticker.part(0, SHARE_READ));
  const { model, tolerance, max_iterations } = parameters;
  const reason = findObstacle(scores.item.length, sample, parameters);
  const priors = choosePriors(parameters, questions.options, sample);
  const options = { model, tolerance, max_iterations, priors };
  // Loaded on demand: most processes need the definition only.
  const { estimateItems } = await import('./estimate.ts');
  const estimates = reason
    ? null
    : await estimateItems(sample, options, ticker.part(SHARE_READ, SHARE_ESTIMATED));
  const min_responses = parameters.min_responses ?? RECOMMENDED_CASES[model];
  const settings = { ...parameters, min_responses };
  const reporting = ticker.part(SHARE_ESTIMATED, 1);
  const outcome = await buildReport(questions, sample, reason, estimates, settings, reporting);
  await ticker.yield(1);
  const completion = summariseCompletion(responses, questions.ids.length);
  return { ...outcome, warnings: listWarnings(outcome.summary, settings, completion) };
}

async function readQuestions({
  questions,
  ticker,
}: InputWithResponses<QuestionWithoutAnswers>): Promise<QuestionTexts & { options: number[] }> {
  const ids: string[] = [];
  const texts: string[] = [];
  const options: number[] = [];
  for await (const batch of questions) {
    for (const { id, kind, question_text, choices } of batch) {
      ids.push(id);
      texts.push(question_text);
      options.push(countAnswers(kind, choices.length));
    }
    await ticker.yield();
  }
  return { ids, texts, options };
}

/**
 * The number of different answers that someone who guesses can give; 0 if it is not known. Of
 * several correct options, all must be chosen, and their number may be unknown: any set but the
 * empty one.
 */
const countAnswers = (kind: Kind, options: number) =>
  kind === 'multiple_response' ? 2 ** options - 1 : options;

function choosePriors(
  {
    guessing_alpha: alpha,
    guessing_beta: beta,
    discrimination_log_mean: logMean,
    discrimination_log_sd: logSd,
  }: Parameters,
  options: readonly number[],
  { questions }: Sample,
): Priors {
  return {
    guessing: Array.from(questions, (question) =>
      alpha !== null && beta !== null ? { alpha, beta } : getGuessingPrior(options[question]!),
    ),
    discrimination: logSd === null ? undefined : { logMean, logSd },
  };
}

/** Why no model can be fitted; null if one can. */
function findObstacle(
  responses: number,
  { questions }: Sample,
  { model, min_per_outcome: min }: Parameters,
): string | null {
  if (responses === 0) return 'There are no scored responses.';
  if (questions.length >= MIN_QUESTIONS[model]) return null;
  return (
    `The ${model.toUpperCase()} needs at least ${MIN_QUESTIONS[model]} questions with ` +
    (min === 1
      ? 'right and wrong responses; '
      : `at least ${min} right and ${min} wrong responses each (\`min_per_outcome\`); `) +
    `there ${questions.length === 1 ? 'is' : 'are'} ${questions.length === 0 ? 'none' : questions.length}.`
  );
}
