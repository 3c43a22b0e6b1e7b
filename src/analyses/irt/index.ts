/** Analysis type `irt`: calibrates questions by item response theory (1PL, 2PL or 3PL). */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import {
  defineAnalysis,
  type InputWithResponses,
  type Outcome,
  type QuestionWithoutAnswers,
} from '../define.ts';
import { RESPONSE_PARAMETERS, scoreResponses } from '../shared/responses.ts';
import { EXAMPLE_QUESTIONS, EXAMPLE_RESPONSES } from './example.ts';
import { plotItemCurve, plotTestInformation, plotWrightMap } from './figures.ts';
import { listWarnings } from './messages.ts';
import { buildReport, type QuestionTexts } from './report.ts';
import { type Sample, selectSample } from './sample.ts';
import { Row, Summary } from './schemas.ts';

const parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    model: Type.Enum(['1pl', '2pl', '3pl'], {
      default: '2pl',
      description:
        '`1pl`: questions differ in difficulty only and share one discrimination. `2pl`: each question has its own discrimination. `3pl`: each also has a guessing ' +
        'parameter, which takes far more responses. The default is `2pl`, because the discrimination is what separates good questions from bad ones.',
    }),
    tolerance: Type.Number({
      minimum: 1e-8,
      maximum: 1e-3,
      default: 1e-6,
      description:
        'The EM algorithm has converged when no parameter changes by more than this in an iteration. The default is far below any standard error.',
    }),
    max_iterations: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 500,
      description:
        'Maximum number of EM iterations. Usual data takes 10 to 40; data that takes more than 500 usually has too few responses for the model.',
    }),
    guessing_alpha: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 5,
      description:
        'First parameter of the Beta prior of the guessing parameters (3PL only). 5 and 17 are the defaults of BILOG-MG ' +
        'for five options: a mode of 0.2, with the weight of 20 responses. For four options use 6 and 16.',
    }),
    guessing_beta: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 17,
      description: 'Second parameter of the Beta prior (3PL only).',
    }),
    min_per_outcome: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      description:
        'A question is calibrated if at least this many responses are right and as many are wrong. The default is 1, as in other programs: the standard error then shows how little is known. With 2, no estimate depends on a single respondent.',
    }),
    min_responses: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
      default: null,
      description:
        'With fewer cases, or fewer responses to a question, there is a warning. null for the usual recommendation: 100 for the 1PL (Linacre 1994), 250 for the 2PL ' +
        '(Harwell & Janosky 1991) and 1,000 for the 3PL (Hulin, Lissak & Drasgow 1982).',
    }),
    min_discrimination: Type.Number({
      minimum: 0,
      maximum: 5,
      default: 0.35,
      description:
        'A lower discrimination is flagged `low_discrimination`. Baker (2001) calls a discrimination below 0.35 very low.',
    }),
    max_discrimination: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'A higher discrimination is flagged `high_discrimination`. De Ayala (2009) gives 0.8 to 2.5 as the range of good questions; values beyond 4 are mostly chance, or due to questions that repeat each other.',
    }),
    significance: Type.Number({
      minimum: 0.0001,
      maximum: 0.5,
      default: 0.05,
      description:
        'A question is flagged `misfit` if its S-X² has an adjusted p-value below this and an RMSEA above `max_rmsea`. 0.05 is the convention.',
    }),
    max_rmsea: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.06,
      description:
        'With many cases every small deviation is significant, so only questions with a larger RMSEA are flagged. 0.06 is the cut-off of Hu & Bentler (1999) for structural equation models, often used for S-X², which has none of its own.',
    }),
    max_mean_square: Type.Number({
      minimum: 1,
      maximum: 10,
      default: 1.3,
      description:
        'A larger infit or outfit, with z above 1.96, is flagged `infit_high` or `outfit_high`. 1.3 is the limit of Wright & Linacre (1994) for ordinary multiple-choice tests (1.2 for high stakes).',
    }),
    max_abs_difficulty: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'A difficulty farther from 0 is flagged `extreme_difficulty`. In a normal population, 6 in 100,000 are more than 4 standard deviations from the mean.',
    }),
    max_difficulty_se: Type.Number({
      minimum: 0.01,
      maximum: 10,
      default: 0.5,
      description:
        'A larger standard error of the difficulty is flagged `imprecise`. 0.5 means ± 1 logit with 95 % confidence, the wider of the two margins that Linacre (1994) considers.',
    }),
    max_ability_se: Type.Number({
      minimum: 0.01,
      maximum: 2,
      default: 0.5,
      description:
        'Abilities with a standard error up to this are in the `precise_range` of the test. 0.5 corresponds to a reliability of 0.75 in a population with standard deviation 1 (1 − 0.5²).',
    }),
  },
  { additionalProperties: false },
);
type Parameters = Static<typeof parameters>;

/** Sources in the description of `min_responses`. */
const RECOMMENDED_CASES = { '1pl': 100, '2pl': 250, '3pl': 1000 };
/** With fewer questions there are fewer response patterns than parameters. */
const MIN_QUESTIONS = { '1pl': 2, '2pl': 3, '3pl': 4 };
/** Share of the work that is done after each stage. */
const SHARE_READ = 0.05;
const SHARE_ESTIMATED = 0.98;

async function run(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const questions = await readQuestions(input);
  const scores = scoreResponses(await input.responses(), questions.ids.length, parameters);
  const sample = await selectSample(scores, parameters.min_per_outcome, ticker.part(0, SHARE_READ));
  const { model, tolerance, max_iterations, guessing_alpha: alpha, guessing_beta: beta } = parameters;
  const reason = findObstacle(scores.item.length, sample, parameters);
  const options = { model, tolerance, max_iterations, guessingPrior: { alpha, beta } };
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
  return { ...outcome, warnings: listWarnings(outcome.summary, settings) };
}

async function readQuestions({
  questions,
  ticker,
}: InputWithResponses<QuestionWithoutAnswers>): Promise<QuestionTexts> {
  const ids: string[] = [];
  const texts: string[] = [];
  for await (const batch of questions) {
    for (const { id, question_text } of batch) {
      ids.push(id);
      texts.push(question_text);
    }
    await ticker.yield();
  }
  return { ids, texts };
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

export const irt = defineAnalysis({
  type: 'irt',
  version: 2,
  title: 'Item response theory',
  description: `Estimates the difficulty and discrimination of each question on one scale with the abilities of the respondents, whose mean is 0 and
standard deviation 1. Unlike proportions of right responses, these estimates do not depend on which respondents answered which question, so that tests
with only some questions in common can be compared. The models have one, two or three parameters per question (1PL, 2PL, 3PL) and are estimated by marginal
maximum likelihood (MML; Bock & Aitkin 1981), with standard errors.

Each question has its fit (S-X², infit, outfit), information and item characteristic curve with observed proportions; the test has its information,
standard error and reliability; each respondent has an ability (EAP) with its standard error. Questions are sorted by severity: a negative
discrimination first, then misfit and low discrimination.

The model assumes that all questions measure one ability, and needs hundreds of respondents. Questions that all respondents get right, or all get wrong, cannot be
calibrated; they are listed in \`dropped\`.`,
  readsAnswers: false,
  readsResponses: true,
  parameters,
  result: { summary: Summary, item: Row },
  example: {
    parameters: {},
    questions: EXAMPLE_QUESTIONS,
    responses: EXAMPLE_RESPONSES,
  },
  run,
  plot: plotTestInformation,
  plots: { wright_map: plotWrightMap },
  plotQuestion: plotItemCurve,
});
