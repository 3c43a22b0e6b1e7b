/** How far a test would order people the same way again: alpha and its kin, and the distribution of the scores. */

import { distributionOf, histogramOfCounts, histogramOfShares } from '../classical/distribution.ts';
import { outcomeCounts } from '../classical/outcomes.ts';
import { caseScores, type Totals, totalsOf } from '../classical/totals.ts';
import {
  defineAnalysis,
  type InputWithResponses,
  type Outcome,
  type QuestionWithoutAnswers,
} from '../define.ts';
import { capitalised } from '../shared/format.ts';
import { scored } from '../shared/responses.ts';
import { aboutQuestion, aboutScores } from './messages.ts';
import { item, type Parameters, parameters, type Row, type Summary, summary } from './schemas.ts';
import { judge, type Reliability, reliabilityOf } from './statistics.ts';

const BINS = 50;
const SHARE_BINS = 20;

interface Question {
  id: string;
  question_text: string;
}

async function run(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const questions: Question[] = [];
  for await (const batch of input.questions) {
    for (const { id, question_text } of batch) questions.push({ id, question_text });
    await input.progress((0.1 * questions.length) / Math.max(1, input.count));
  }
  const responses = await input.responses();
  const scores = scored(responses, questions.length, parameters);
  const totals = totalsOf(scores);
  const meanAsked = totals.cases === 0 ? null : scores.item.length / totals.cases;
  await input.progress(0.2);
  const reliability = await reliabilityOf(scores, totals, meanAsked ?? 0, (share) =>
    input.progress(0.2 + 0.7 * share),
  );
  const { coefficients, covariances } = reliability;
  const { given, answered } = outcomeCounts(responses, questions.length);
  const rows = questions
    .flatMap((question, place) =>
      given[place] ? [rowOf(question, place, totals, reliability, parameters)] : [],
    )
    .sort((a, b) => rank(a) - rank(b) || (b.alpha_rise ?? 0) - (a.alpha_rise ?? 0));
  await input.progress(1);
  return {
    summary: {
      questions: questions.length,
      questions_with_responses: answered,
      questions_without_responses: questions.length - answered,
      questions_used: covariances?.questions.length ?? 0,
      questions_without_variance: rows.filter(({ flags }) => flags.includes('no_variance')).length,
      responses: responses.questions.length,
      cases: totals.cases,
      cases_used: covariances?.cases ?? 0,
      method: covariances?.method ?? null,
      least_shared_cases: covariances?.leastShared ?? null,
      mean_asked: meanAsked,
      ...judge(reliability, parameters.min_cases),
      ...coefficients,
      score: scoreOf(totals, reliability),
    },
    items: rows,
    warnings: warningsOf(reliability, totals),
  };
}

/** What lowers alpha comes first, then what adds nothing. */
const rank = ({ flags }: Row) => (flags.includes('lowers_alpha') ? 0 : flags.includes('no_variance') ? 1 : 2);

function rowOf(
  { id, question_text }: Question,
  place: number,
  totals: Totals,
  { coefficients, covariances, parts }: Reliability,
  { notable_rise, min_cases }: Parameters,
): Row {
  const n = totals.counts[place]!;
  const right = totals.rightCounts[place]!;
  const constant = covariances ? covariances.constant.includes(place) : right === 0 || right === n;
  const part = parts.get(place);
  const without = part?.alphaWithout ?? null;
  const rise = without === null || coefficients.alpha === null ? null : without - coefficients.alpha;
  const enough = (covariances?.leastShared ?? 0) >= min_cases;
  const notable = rise !== null && rise > 0 && rise >= notable_rise;
  const lowers = notable && enough;
  return {
    question_id: id,
    flags: [
      ...(lowers ? (['lowers_alpha'] as const) : []),
      ...(n > 0 && constant ? (['no_variance'] as const) : []),
    ],
    message: aboutQuestion({
      n,
      right,
      constant,
      corrected: part?.corrected ?? null,
      alpha: coefficients.alpha,
      without,
      notable,
      enough,
    }),
    question_text,
    n,
    facility: n > 0 ? right / n : null,
    used: covariances?.questions.includes(place) ?? false,
    alpha_if_deleted: without,
    alpha_rise: rise,
    corrected_correlation: part?.corrected ?? null,
    squared_multiple_correlation: part?.multiple ?? null,
  };
}

/** Of the cases used, or where there are none, of all. */
function scoreOf(totals: Totals, { covariances }: Reliability): Summary['score'] {
  const listwise = covariances !== null && covariances.method !== 'pairs of questions';
  const countable = listwise || totals.complete;
  const all = countable ? Float64Array.from(totals.right) : caseScores(totals);
  const scores = all.filter((_, c) => (listwise ? covariances.used[c]! > 0 : totals.asked[c]! > 0));
  return {
    kind: countable ? 'number right' : 'share right of the questions asked',
    ...distributionOf(scores),
    histogram: countable
      ? histogramOfCounts(scores, totals.questions.length, BINS)
      : histogramOfShares(scores, SHARE_BINS),
  };
}

function warningsOf({ coefficients, covariances }: Reliability, totals: Totals): string[] {
  const warnings: string[] = [];
  if (coefficients.alpha_reason)
    warnings.push(`There is no coefficient of reliability. ${coefficients.alpha_reason}`);
  if (!covariances) return warnings;
  const { method, cases, leastShared, constant } = covariances;
  if (method === 'complete cases') {
    const left = totals.cases - cases;
    const [were, are] = left === 1 ? ['was', 'is'] : ['were', 'are'];
    warnings.push(
      `${left} of ${totals.cases} cases ${were} not asked every question and ${are} left out of everything but the counts.`,
    );
  }
  if (method === 'pairs of questions') {
    warnings.push(
      `Fewer than 80 % of the cases answered every question: each pair of questions was compared over the cases that answered both, at least ${leastShared}. ` +
        'The coefficients are those of a test of all these questions, which hardly anybody took; alpha_of_questions_asked is for a test of the usual length.',
    );
  }
  if (constant.length > 0) {
    const which = constant.length === 1 ? 'One question does' : `${constant.length} questions do`;
    warnings.push(
      `${which} not vary: flagged no_variance, counted in the scores, left out of the coefficients. With ${constant.length === 1 ? 'it' : 'them'} in the formula, alpha would be alpha_all_questions.`,
    );
  }
  if (coefficients.alpha !== null && coefficients.alpha < 0) {
    warnings.push(
      'Alpha is negative: the questions work against each other. Check the keys, with the analysis item_statistics.',
    );
  }
  return warnings;
}

function plot({ summary }: Outcome<Summary, Row>) {
  const { score } = summary;
  return {
    chart: 'distributions',
    title: 'Distribution of the scores',
    description: aboutScores(summary),
    axis: capitalised(score.kind),
    from: score.histogram.from,
    step: score.histogram.step,
    groups: [{ label: 'Cases', counts: score.histogram.counts, mark: score.median }],
  } as const;
}

const ask = (question_text: string, correct_answer: string, category: string, difficulty: number) => ({
  question_text,
  correct_answer,
  category,
  difficulty,
});

/** What each of 24 people had right: y or n by question. */
const SITTINGS =
  'yyyyyn yyyyyy yyyyyn yyyyny yyyynn yyyynn yyyyny yyynnn yyynny yyynnn yyynny yynynn ' +
  'yynnny yynnnn yynnny yynnnn ynnnny ynynnn ynnnnn ynnnny nynnnn nnnnnn nnnnny ynnnnn';

export const reliability = defineAnalysis({
  type: 'reliability',
  version: 1,
  title: 'Reliability',
  description: `Tells how consistently the questions order those who answered them: Cronbach's alpha with its 95 % interval (Feldt),
KR-20 and KR-21, standardized alpha, Guttman's λ2 and λ6, odd-even split half, and the standard error of measurement; with the distribution
of the scores. Rows tell of each question whether alpha would be higher without it.

Alpha is a figure of these questions and these people, not of the test as such; it grows with the number of questions, and does not
show that they measure one thing, let alone the right thing. Cases that were not asked every question are left out if they
are few; else each pair of questions is compared over the cases that answered both.`,
  readsAnswers: false,
  readsResponses: true,
  parameters,
  result: { summary, item },
  example: {
    parameters: { min_cases: 20 },
    questions: [
      ask('Which planet is closest to the Sun?', 'Mercury', 'Astronomy', 0),
      ask('How many minutes does light take from the Sun to the Earth?', '8', 'Astronomy', 1),
      ask('Which planet has the moon Titan?', 'Saturn', 'Astronomy', 1),
      ask('Which element is most abundant in the Sun?', 'Hydrogen', 'Astronomy', 1),
      ask('Who measured the distance of a star for the first time?', 'Friedrich Bessel', 'Astronomy', 2),
      ask('On which weekday did people first land on the Moon?', 'Sunday', 'Astronomy', 2),
    ],
    responses: SITTINGS.split(' ').map((answers, i) => ({
      respondent: `person-${i + 1}`,
      answers: [...answers].map((each) => each === 'y'),
    })),
  },
  run,
  plot,
});
