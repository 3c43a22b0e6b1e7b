/** Difficulty audit: whether questions are as hard as they are labelled. */
import Type, { type Static } from 'typebox';
import { normalQuantile } from '../../statistics/special.ts';
import {
  defineAnalysis,
  type InputWithResponses,
  NOT_REACHED,
  OMITTED,
  type Outcome,
  type QuestionWithoutAnswers,
  type Responses,
} from '../define.ts';
import { RESPONSE_PARAMETERS, type Scores, scored } from '../shared/responses.ts';
import { EXAMPLE } from './example.ts';
import { plot } from './figures.ts';
import { judge, orderOf, type Question, rowOf, summaryOf, type Tally } from './report.ts';
import { Row, Summary } from './schemas.ts';

const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    basic_from: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.7,
      description:
        'Questions that at least this share has right are Basic. A convention, not a law: item analysis commonly calls facilities above 0.7 easy and below 0.3 or 0.4 hard. Set it to what your labels are meant to say.',
    }),
    advanced_below: Type.Number({
      minimum: 0.01,
      maximum: 0.99,
      default: 0.4,
      description:
        'Questions that less than this share has right are Advanced; what is between is Intermediate. A convention, as `basic_from`.',
    }),
    confidence: Type.Number({
      minimum: 0.5,
      maximum: 0.999,
      default: 0.95,
      description:
        'The confidence of all intervals. 0.95 by default, as is usual: of 100 questions on the very bound of their band about 3 are called misrated by chance; well inside it, hardly one.',
    }),
    min_responses: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10,
      description:
        'Questions with fewer scored responses are not judged. 10 by default: from there on the 95 % interval of a facility is never wider than about half the scale, so that the worst labels can be told.',
    }),
  },
  { additionalProperties: false },
);
type Parameters = Static<typeof Parameters>;

const bandsInOrder = ({ advanced_below, basic_from }: Parameters) =>
  advanced_below < basic_from
    ? []
    : [{ pointer: '/advanced_below', code: 'out_of_order', detail: 'must be less than basic_from' }];

/** Responses between two looks at whether the run is still wanted. */
const AT_ONCE = 3_000_000;

async function run(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const questions: Question[] = [];
  for await (const batch of input.questions) {
    for (const { id, question_text, difficulty } of batch) {
      questions.push({ question_id: id, question_text, difficulty });
    }
    await input.progress((0.5 * questions.length) / (input.count + 1));
  }
  const responses = await input.responses();
  const scores = scored(responses, questions.length, parameters);
  const tally = await tallyOf(scores, input);
  const unanswered = unansweredIn(responses, questions.length, parameters);
  const places = placesIn(responses.questions, questions.length);
  const settings = { ...parameters, z: normalQuantile(0.5 + parameters.confidence / 2) };
  const at = (place: number) =>
    judge(questions[place]!.difficulty, tally.answered[place]!, tally.correct[place]!, settings);
  const order = orderOf(places, at);
  await input.progress(0.9);
  const cases = casesIn(scores);
  const asked = places.filter((place) => tally.answered[place]! > 0).length;
  const summary: Summary = {
    questions: questions.length,
    cases,
    responses: scores.item.length,
    same_questions: scores.item.length === cases * asked,
    ...summaryOf(questions, places, tally, settings),
  };
  await input.progress(1);
  const items = {
    *[Symbol.iterator]() {
      for (const place of order) {
        const counts = {
          n: tally.answered[place]!,
          correct: tally.correct[place]!,
          unanswered: unanswered[place]!,
        };
        yield rowOf(questions[place]!, counts, settings);
      }
    },
  };
  return { summary, items, warnings: warningsOf(summary, parameters) };
}

async function tallyOf(scores: Scores, input: InputWithResponses<QuestionWithoutAnswers>): Promise<Tally> {
  const answered = new Uint32Array(scores.items);
  const correct = new Uint32Array(scores.items);
  for (let i = 0; i < scores.item.length; i++) {
    answered[scores.item[i]!]!++;
    correct[scores.item[i]!]! += scores.right[i]!;
    if (i % AT_ONCE === AT_ONCE - 1) await input.progress(0.5 + (0.3 * i) / scores.item.length);
  }
  return { answered, correct };
}

/** What has no answer and counts as wrong, by question. */
function unansweredIn(
  { questions, outcomes }: Responses,
  count: number,
  parameters: Parameters,
): Uint32Array {
  const unanswered = new Uint32Array(count);
  const omitted = parameters.omitted === 'wrong' ? OMITTED : undefined;
  const notReached = parameters.not_reached === 'wrong' ? NOT_REACHED : undefined;
  for (let i = 0; i < outcomes.length; i++) {
    if (outcomes[i] === omitted || outcomes[i] === notReached) unanswered[questions[i]!]!++;
  }
  return unanswered;
}

function placesIn(responded: Uint32Array, count: number): number[] {
  const has = new Uint8Array(count);
  for (let i = 0; i < responded.length; i++) has[responded[i]!] = 1;
  return [...has.keys()].filter((place) => has[place]);
}

function casesIn({ cases, starts }: Scores): number {
  let count = 0;
  for (let c = 0; c < cases; c++) if (starts[c + 1]! > starts[c]!) count++;
  return count;
}

function warningsOf(summary: Summary, { min_responses }: Parameters): string[] {
  const { questions_with_responses: answered, judged, too_few, same_questions } = summary;
  if (answered === 0) return ['There are no responses to these questions: nothing was judged.'];
  const warnings: string[] = [];
  if (!same_questions) {
    warnings.push(
      'Not all were asked the same questions. The facility of a question depends on who was asked: if some questions went to abler people, they look easier than they are.',
    );
  }
  if (too_few > 0) {
    warnings.push(
      `Not judged for having fewer scored responses than ${min_responses}: ${too_few} of ${answered} ${answered === 1 ? 'question' : 'questions'}.`,
    );
  }
  if (judged > 0 && summary.spearman.coefficient === null) {
    warnings.push(`Labels and facilities could not be correlated. ${summary.spearman.reason}`);
  }
  return warnings;
}

export const difficultyAudit = defineAnalysis({
  type: 'difficulty_audit',
  version: 1,
  title: 'Difficulty audit',
  description: `Compares the difficulty that questions are labelled with (Basic, Intermediate, Advanced) with their facility: the share of responses that
are right. Each label stands for a band of facility, which can be set. A question is called misrated only where the **whole** interval of its facility
(Wilson 1927) lies outside the band of its label, and then the band in which the facility lies is suggested; otherwise the label may
stand.

For the whole set: how well the order of the labels agrees with the order of the facilities (Spearman, Kendall’s τ-b) and the labels
with the observed bands (Cohen’s κ, weighted and not), with p-values and intervals, the table of both, and the spread of
facilities by label.

Facility depends on who was asked: it is the difficulty for these people. Answers are not looked at.`,
  readsAnswers: false,
  readsResponses: true,
  parameters: Parameters,
  check: bandsInOrder,
  result: { summary: Summary, item: Row },
  example: EXAMPLE,
  run,
  plot,
});
