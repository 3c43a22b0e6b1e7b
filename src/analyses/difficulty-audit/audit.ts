/** Compares the difficulty labels of questions with their facilities. */
import type { Ticker } from '../../concurrency/ticker.ts';
import { mean, quantile } from '../../statistics/descriptive.ts';
import { kappa, kendall, quadraticKappa, spearman } from '../../statistics/ranks.ts';
import { normalQuantile } from '../../statistics/special.ts';
import {
  type InputWithResponses,
  NOT_REACHED,
  OMITTED,
  type Outcome,
  type QuestionWithoutAnswers,
  type Responses,
} from '../define.ts';
import { summariseCompletion } from '../shared/completion.ts';
import { collectQuestions } from '../shared/questions.ts';
import { type Scores, scoreResponses } from '../shared/responses.ts';
import { findBand, getBand, LEVELS } from './bands.ts';
import { judgeLabel, type Settings, sortByUrgency } from './judgement.ts';
import { buildWarnings } from './messages.ts';
import { buildRow, type Question } from './rows.ts';
import type { Parameters, Row, Summary } from './schemas.ts';

/** By question: scored responses, and of these the correct ones. */
interface Tally {
  scored: Uint32Array;
  correct: Uint32Array;
}

export async function auditDifficulty(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const questions = await collectQuestions(
    input,
    ({ id, question_text, difficulty }): Question => ({ question_id: id, question_text, difficulty }),
    ticker.part(0, 0.5),
  );
  const responses = await input.responses();
  const scores = scoreResponses(responses, questions.length, parameters);
  const tally = await tallyScores(scores, ticker.part(0.5, 0.8));
  const unanswered = countUnanswered(responses, questions.length, parameters);
  const indices = findWithResponses(responses, questions.length);
  const confidence = 1 - parameters.significance;
  const settings: Settings = { ...parameters, confidence, z: normalQuantile(0.5 + confidence / 2) };
  const order = sortByUrgency(indices, (index) =>
    judgeLabel(questions[index]!.difficulty, tally.scored[index]!, tally.correct[index]!, settings),
  );
  await ticker.yield(0.9);
  const cases = countCases(scores);
  const withScores = indices.filter((index) => tally.scored[index]! > 0).length;
  const summary: Summary = {
    questions: questions.length,
    cases,
    responses: scores.item.length,
    same_questions: scores.item.length === cases * withScores,
    ...summarise(questions, indices, tally, settings),
  };
  const items = {
    *[Symbol.iterator]() {
      for (const index of order) {
        const counts = {
          n: tally.scored[index]!,
          correct: tally.correct[index]!,
          unanswered: unanswered[index]!,
        };
        yield buildRow(questions[index]!, counts, settings);
      }
    },
  };
  return {
    summary,
    items,
    warnings: buildWarnings(summary, summariseCompletion(responses, questions.length), parameters),
  };
}

async function tallyScores({ cases, items, starts, item, right }: Scores, ticker: Ticker): Promise<Tally> {
  const scored = new Uint32Array(items);
  const correct = new Uint32Array(items);
  for (let c = 0; c < cases; c++) {
    if (ticker.due()) await ticker.yield(c / cases);
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      scored[item[i]!]!++;
      correct[item[i]!]! += right[i]!;
    }
  }
  return { scored, correct };
}

/** By question: responses without an answer that are scored as wrong. */
function countUnanswered(
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

/** The indices of the questions with a response of any outcome. */
function findWithResponses({ questions }: Responses, count: number): number[] {
  const hasResponse = new Uint8Array(count);
  for (let i = 0; i < questions.length; i++) hasResponse[questions[i]!] = 1;
  return [...hasResponse.keys()].filter((index) => hasResponse[index]);
}

function countCases({ cases, starts }: Scores): number {
  let count = 0;
  for (let c = 0; c < cases; c++) if (starts[c + 1]! > starts[c]!) count++;
  return count;
}

function summarise(
  questions: readonly Question[],
  indices: readonly number[],
  { scored, correct }: Tally,
  settings: Settings,
): Omit<Summary, 'questions' | 'cases' | 'responses' | 'same_questions'> {
  const confusion = LEVELS.map(() => LEVELS.map(() => 0));
  const levels = LEVELS.map(() => ({ questions: 0, harder: 0, easier: 0, facilities: [] as number[] }));
  const labels: number[] = [];
  const facilities: number[] = [];
  for (const index of indices) {
    const { difficulty } = questions[index]!;
    const judgement = judgeLabel(difficulty, scored[index]!, correct[index]!, settings);
    if (!judgement) continue;
    const level = levels[difficulty]!;
    level.questions++;
    if (judgement.verdict === 'too_few') continue;
    if (judgement.verdict !== 'as_labelled') level[judgement.verdict]++;
    level.facilities.push(judgement.facility);
    confusion[difficulty]![findBand(judgement.facility, settings)]!++;
    labels.push(difficulty);
    facilities.push(judgement.facility);
  }
  const misrated_harder = levels.reduce((sum, { harder }) => sum + harder, 0);
  const misrated_easier = levels.reduce((sum, { easier }) => sum + easier, 0);
  const misrated = misrated_harder + misrated_easier;
  const x = Float64Array.from(labels);
  const y = Float64Array.from(facilities);
  const { confidence } = settings;
  return {
    questions_with_responses: indices.length,
    judged: labels.length,
    too_few: indices.length - labels.length,
    misrated,
    misrated_harder,
    misrated_easier,
    misrated_share: labels.length === 0 ? null : misrated / labels.length,
    spearman: spearman(x, y, confidence),
    kendall_tau_b: kendall(x, y, confidence),
    kappa_quadratic: quadraticKappa(confusion, confidence),
    kappa: kappa(confusion, confidence),
    confusion,
    levels: levels.map((level, difficulty) => {
      const [min_facility, max_facility] = getBand(difficulty, settings);
      return {
        difficulty,
        name: LEVELS[difficulty]!,
        min_facility,
        max_facility,
        questions: level.questions,
        judged: level.facilities.length,
        misrated_harder: level.harder,
        misrated_easier: level.easier,
        ...describeFacilities(level.facilities),
      };
    }),
  };
}

function describeFacilities(facilities: readonly number[]) {
  const sorted = Float64Array.from(facilities).sort();
  return {
    mean_facility: mean(sorted),
    lower_quartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper_quartile: quantile(sorted, 0.75),
  };
}
