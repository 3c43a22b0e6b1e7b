/** What responses tell of each question: how hard it is, whether it tells the able from the others, and how its options do. */

import { mean } from '../../statistics/descriptive.ts';
import { alphasOf } from '../classical/alpha.ts';
import { columnsOf } from '../classical/columns.ts';
import { effectiveWeights } from '../classical/indices.ts';
import { outcomeCounts } from '../classical/outcomes.ts';
import { caseScores, totalsOf } from '../classical/totals.ts';
import {
  defineAnalysis,
  type InputWithResponses,
  type Outcome,
  type QuestionWithAnswers,
  type ResultsByView,
} from '../define.ts';
import { counted } from '../shared/format.ts';
import { scored } from '../shared/responses.ts';
import { EXAMPLE } from './example.ts';
import { plot, plotQuestion } from './figures.ts';
import {
  FLAGS,
  item,
  type Parameters,
  parameters,
  type Row,
  type Summary,
  summary,
  VERDICTS,
} from './schemas.ts';
import { figuresMaker, type Question } from './statistics.ts';
import { type Figures, judge } from './verdict.ts';

/** Responses gone through between two looks at whether the run is still wanted. */
const AT_ONCE = 200_000;

async function run(
  input: InputWithResponses<QuestionWithAnswers>,
  parameters: Parameters,
): Promise<ResultsByView<Summary, Row>> {
  const questions: Question[] = [];
  for await (const batch of input.questions) {
    for (const { id, question_text, choices, correct_answer } of batch) {
      const options = choices.map((text) => ({ text, key: text === correct_answer }));
      questions.push({ id, question_text, options });
    }
    await input.progress((0.1 * questions.length) / Math.max(1, input.count));
  }
  const responses = await input.responses();
  const scores = scored(responses, questions.length, parameters);
  await input.progress(0.1);
  const totals = totalsOf(scores);
  const outcomes = outcomeCounts(responses, questions.length);
  const alphas = await alphasOf(scores, totals, (share) => input.progress(0.1 + 0.3 * share));
  const caseTotals = caseScores(totals);
  await input.progress(0.4);
  const figuresOf = figuresMaker(columnsOf(scores, totals.counts, responses), totals, caseTotals, outcomes);
  const all: Figures[] = [];
  const covariances: (number | null)[] = [];
  let since = 0;
  for (const [place, question] of questions.entries()) {
    if (!outcomes.given[place]) continue;
    const { figures, covariance } = figuresOf(question, place);
    all.push({ ...figures, alpha_if_deleted: alphas.without.get(place) ?? null });
    covariances.push(covariance);
    since += outcomes.given[place]!;
    if (since > AT_ONCE) {
      await input.progress(0.4 + (0.5 * place) / questions.length);
      since = 0;
    }
  }
  if (totals.complete) {
    for (const [i, weight] of effectiveWeights(covariances).entries()) all[i]!.effective_weight = weight;
  }
  const base = {
    questions: questions.length,
    questions_with_responses: outcomes.answered,
    questions_without_responses: questions.length - outcomes.answered,
    cases: totals.cases,
    responses: responses.questions.length,
    score: totals.complete ? ('number right' as const) : ('share right of the questions asked' as const),
    mean_score: mean(caseTotals.filter((_, c) => totals.asked[c]! > 0)),
    mean_facility: mean(all.flatMap(({ facility }) => facility ?? [])),
    mean_discrimination: mean(all.flatMap(({ corrected_point_biserial: r }) => r ?? [])),
    alpha: alphas.alpha,
    alpha_reason: alphas.reason,
    limits: {
      min_facility: parameters.min_facility,
      max_facility: parameters.max_facility,
      min_discrimination: parameters.min_discrimination,
    },
  };
  const warnings = warningsOf(base, parameters);
  await input.progress(0.95);
  const with_answers = report(all, base, warnings, parameters);
  const without_answers = report(all.map(withoutOptions), base, [...warnings, OPTIONS_LEFT_OUT], parameters);
  return { with_answers, without_answers };
}

const OPTIONS_LEFT_OUT =
  'What depends on the options is left out: how often each was chosen, dead ones, and whether another one looks like the key.';

const withoutOptions = (figures: Figures): Figures => ({
  ...figures,
  option_n: null,
  other_answers: null,
  options: null,
  score_groups: null,
  key_evidence: null,
});

type Base = Omit<Summary, 'verdicts' | 'flags'>;

/** Rows, what needs attention first; within that, the least discriminating. Sorting is stable. */
function report(
  all: readonly Figures[],
  base: Base,
  warnings: string[],
  parameters: Parameters,
): Outcome<Summary, Row> {
  const rows = all.map((figures): Row => ({ ...figures, ...judge(figures, parameters) }));
  rows.sort(
    (a, b) => rank(a) - rank(b) || (a.corrected_point_biserial ?? 2) - (b.corrected_point_biserial ?? 2),
  );
  const tally = <const T extends string>(names: readonly T[], has: (row: Row, name: T) => boolean) =>
    Object.fromEntries(names.map((name) => [name, rows.filter((row) => has(row, name)).length])) as Record<
      T,
      number
    >;
  return {
    summary: {
      ...base,
      verdicts: tally(VERDICTS, ({ verdict }, name) => verdict === name),
      flags: tally(FLAGS, ({ flags }, name) => flags.includes(name)),
    },
    items: rows,
    warnings,
  };
}

function rank({ verdict, flags }: Row): number {
  if (verdict === 'keep') return flags.length > 0 ? 2 : 4;
  return { check_key: 0, revise: 1, too_little_data: 3 }[verdict];
}

function warningsOf({ cases, score, alpha_reason, responses }: Base, { min_cases }: Parameters): string[] {
  if (responses === 0) return ['Nobody has answered any of these questions.'];
  const warnings: string[] = [];
  if (score !== 'number right') {
    warnings.push(
      'Not all cases were asked the same questions: the score is the share right of those a case was asked, and the rest score the same without the question at hand. ' +
        'Effective weights, which need a common total, are left out; if some were asked harder questions than others, discrimination is blurred.',
    );
  }
  if (cases > 0 && cases < min_cases)
    warnings.push(
      `There ${cases === 1 ? 'is' : 'are'} only ${counted(cases, 'case')}: questions are not judged below ${min_cases}.`,
    );
  if (alpha_reason) warnings.push(`There is no alpha. ${alpha_reason}`);
  return warnings;
}

export const itemStatistics = defineAnalysis({
  type: 'item_statistics',
  version: 1,
  title: 'Item statistics',
  description: `The classical statistics of each question: how many had it right, whether those who do well on the other questions have it
right more often (point-biserial and biserial correlations, upper less lower 27 %, Moodle's indices), alpha without it, and how each of
its options did. Every question gets a verdict — keep, revise, check the key, or too little data — and the reason. Figures come with 95 %
intervals, and no question is condemned while its interval still reaches into what is acceptable, nor for its
discrimination while fewer than 10 have it right or fewer than 10 wrong.

The figures are of these people: a question that is hard for beginners may be easy for others. That a question discriminates
little does not make it wrong; it may be the only one on its subject. For whoever may not see answers, all that depends on the
options is left out.`,
  readsAnswers: true,
  readsResponses: true,
  parameters,
  check: ({ min_facility, max_facility }) =>
    min_facility < max_facility
      ? []
      : [
          {
            pointer: '/max_facility',
            code: 'out_of_order',
            detail: 'must be greater than min_facility',
          },
        ],
  result: { summary, item },
  example: EXAMPLE,
  run,
  plot,
  plotQuestion,
});
