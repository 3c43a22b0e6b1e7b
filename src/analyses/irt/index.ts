/** Item response theory: how hard questions are and how well they tell people apart, on the scale of people's ability. */
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
import { curvePicture, informationPicture, wrightMap } from './figures.ts';
import { warningsOf } from './messages.ts';
import { type Bank, report } from './report.ts';
import { type Sample, sampleOf } from './sample.ts';
import { Row, Summary } from './schemas.ts';

const parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    model: Type.Enum(['1pl', '2pl', '3pl'], {
      default: '2pl',
      description:
        '`1pl`: questions differ in difficulty alone, with one slope for all. `2pl`: each has a slope of its own. `3pl`: each also has a share ' +
        'of right answers by guessing, which takes far more answers. `2pl` by default: slopes are what tells good questions from bad ones.',
    }),
    tolerance: Type.Number({
      minimum: 1e-8,
      maximum: 1e-3,
      default: 1e-6,
      description:
        'The estimation has come to rest when no parameter changes by more than this in a cycle. The default is far below any standard error.',
    }),
    max_iterations: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 500,
      description:
        'Cycles after which it is given up. Usual data takes 10 to 40; what takes more than 500 has, as a rule, too few answers for the model.',
    }),
    guessing_alpha: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 5,
      description:
        'First parameter of the Beta distribution that shares of guessing are taken to come from (3PL only). 5 and 17 are the defaults of BILOG-MG ' +
        'for five options: most likely 0.2, with the weight of 20 answers. For four options take 6 and 16.',
    }),
    guessing_beta: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 17,
      description: 'Second parameter of that distribution (3PL only).',
    }),
    min_per_outcome: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      description:
        'A question is calibrated if it has at least so many right and so many wrong answers. 1 by default, as in other programs: its standard error then tells how little is known. With 2, nothing rests on a single person.',
    }),
    min_responses: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
      default: null,
      description:
        'Fewer cases, or answers to a question, are warned of. null for what is usually advised: 100 for the 1PL (Linacre 1994), 250 for the 2PL (Harwell & ' +
        'Janosky 1991) and 1,000 for the 3PL (Hulin, Lissak & Drasgow 1982).',
    }),
    min_discrimination: Type.Number({
      minimum: 0,
      maximum: 5,
      default: 0.35,
      description:
        'Lower slopes are flagged `low_slope`. Below 0.35 Baker (2001) calls discrimination very low.',
    }),
    max_discrimination: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'Higher slopes are flagged `steep_slope`. De Ayala (2009) gives 0.8 to 2.5 as the range of good questions; beyond 4 it is mostly chance, or questions that repeat each other.',
    }),
    significance: Type.Number({
      minimum: 0.0001,
      maximum: 0.5,
      default: 0.05,
      description:
        'A question is flagged `misfit` if its S-X² has an adjusted p-value below this, and an RMSEA above `max_rmsea`. 0.05 is the convention.',
    }),
    max_rmsea: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.06,
      description:
        'With many cases every small deviation is significant: only those with a larger RMSEA are flagged. 0.06 is the cut-off of Hu & Bentler (1999) for structural models, often borrowed for S-X²; there is none of its own.',
    }),
    max_mean_square: Type.Number({
      minimum: 1,
      maximum: 10,
      default: 1.3,
      description:
        'A larger infit or outfit, with z above 1.96, is flagged. 1.3 is what Wright & Linacre (1994) give for run-of-the-mill multiple-choice tests (1.2 for high stakes).',
    }),
    max_abs_difficulty: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'Difficulties farther from 0 are flagged `extreme_difficulty`. Of a normal population, 6 in 100,000 are more than 4 standard deviations from the mean.',
    }),
    max_difficulty_se: Type.Number({
      minimum: 0.01,
      maximum: 10,
      default: 0.5,
      description:
        'A larger standard error of the difficulty is flagged `imprecise`. 0.5 is ± 1 logit with 95 % confidence, the wider of the two margins that Linacre (1994) considers.',
    }),
    max_ability_se: Type.Number({
      minimum: 0.01,
      maximum: 2,
      default: 0.5,
      description:
        'Abilities with a standard error up to this count as measured well enough. 0.5 goes with a reliability of 0.75 in a population of standard deviation 1 (1 − 0.5²).',
    }),
  },
  { additionalProperties: false },
);
type Parameters = Static<typeof parameters>;

const ADVISED = { '1pl': 100, '2pl': 250, '3pl': 1000 };
/** With fewer questions there are fewer different sets of answers than parameters. */
const FEWEST_QUESTIONS = { '1pl': 2, '2pl': 3, '3pl': 4 };
/** How far the work is when all is read, and when all is measured. */
const READ = 0.05;
const MEASURED = 0.98;

async function run(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const bank = await readBank(input);
  const scores = scoreResponses(await input.responses(), bank.ids.length, parameters);
  const sample = await sampleOf(scores, parameters.min_per_outcome, () => input.progress(READ));
  const { model, tolerance, max_iterations, guessing_alpha: alpha, guessing_beta: beta } = parameters;
  const reason = whyNot(scores.item.length, sample, parameters);
  const options = { model, tolerance, max_iterations, guessing: { alpha, beta } };
  const { measure } = await import('./estimate.ts');
  const measures = reason
    ? null
    : await measure(sample, options, (share) => input.progress(READ + (MEASURED - READ) * share));
  const min_responses = parameters.min_responses ?? ADVISED[model];
  const limits = { ...parameters, min_responses };
  const outcome = await report(bank, sample, reason, measures, limits, () => input.progress(MEASURED));
  await input.progress(1);
  return { ...outcome, warnings: warningsOf(outcome.summary, limits) };
}

async function readBank({ questions, progress }: InputWithResponses<QuestionWithoutAnswers>): Promise<Bank> {
  const ids: string[] = [];
  const texts: string[] = [];
  for await (const batch of questions) {
    for (const { id, question_text } of batch) {
      ids.push(id);
      texts.push(question_text);
    }
    await progress(0);
  }
  return { ids, texts };
}

function whyNot(
  answers: number,
  { questions }: Sample,
  { model, min_per_outcome: each }: Parameters,
): string | null {
  if (answers === 0) return 'There are no answers that count.';
  if (questions.length >= FEWEST_QUESTIONS[model]) return null;
  return (
    `The ${model.toUpperCase()} takes at least ${FEWEST_QUESTIONS[model]} questions with ` +
    (each === 1
      ? 'right and wrong answers; '
      : `at least ${each} right and ${each} wrong answers each (\`min_per_outcome\`); `) +
    `there ${questions.length === 1 ? 'is' : 'are'} ${questions.length === 0 ? 'none' : questions.length}.`
  );
}

export const irt = defineAnalysis({
  type: 'irt',
  version: 1,
  title: 'Item response theory',
  description: `Calibrates questions on what people answered: how hard each is and how sharply it tells able people from others, on one scale with
the abilities of the people, whose mean is 0 and standard deviation 1. Unlike shares of right answers, these figures do not depend on who happened to
answer which question, so that tests can be compared that only share some questions. Models with one, two and three parameters (1PL, 2PL, 3PL),
by marginal maximum likelihood (Bock & Aitkin 1981), with standard errors.

Each question comes with its fit (S-X², infit, outfit), its information and its curve beside what was observed; the test with its information,
standard error and reliability; each person with an ability and its standard error. What to look at first comes first: questions
that able people get wrong more often than others, that do not follow the model, or that hardly tell anything.

It takes one ability that all questions depend on, and hundreds of people. Questions that all get right, or wrong, cannot be calibrated and are named.`,
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
  plot: informationPicture,
  plots: { wright_map: wrightMap },
  plotQuestion: curvePicture,
});
