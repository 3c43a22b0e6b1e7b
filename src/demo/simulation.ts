/**
 * Simulated responses to the demo bank. The probability of a right answer follows a two-parameter
 * logistic model. All respondents take the same placement test, which has the questions whose fault
 * shows in responses; then each practises with a sample of the others.
 */
import { listCorrect } from '../schemas/question-kinds.ts';
import type { ResponseInput } from '../schemas/response.ts';
import { MISSPELLED } from './faults.ts';
import type { DemoQuestion } from './questions.ts';
import { Random } from './random.ts';

const SEED = 20_260_301;
export const RESPONDENTS = 2000;
/** Every n-th question is in the placement test. */
const PLACEMENT_INTERVAL = 6;
const PRACTICE_QUESTIONS = 40;
const START_MS = Date.UTC(2026, 2, 2, 9);
const MS_PER_RESPONDENT = 60_000;
const MS_PER_ANSWER = 20_000;
const OMITTED_SHARE = 0.01;
const MISSPELLED_SHARE = 0.25;
/** Two sites, the second with a slightly lower mean ability, which is no bias of a question. */
const GROUPS = [
  { name: 'Leeds', mean: 0.1 },
  { name: 'Boston', mean: -0.1 },
];

/** The range of the proportion correct, by difficulty: inside the bands of `difficulty_audit`. */
const FACILITIES: readonly [low: number, high: number][] = [
  [0.74, 0.8],
  [0.47, 0.63],
  [0.29, 0.36],
];

interface Behaviour {
  facility?: number;
  /** The answer that the able give, where the key is another one. */
  truth?: string;
  /** An option that is never chosen. */
  avoided?: string;
  /** Added to the difficulty for the respondents of the second group. */
  shift?: number;
}

/** How respondents answer questions with a planted fault. */
const BEHAVIOUR: Readonly<Record<string, Behaviour>> = {
  'planted-misrated-advanced': { facility: 0.86 },
  'planted-misrated-basic': { facility: 0.3 },
  'planted-wrong-key': { facility: 0.6, truth: 'Nitrogen' },
  'planted-dead-option': { avoided: 'Atlantis' },
  'planted-dif': { shift: 1.6 },
  'planted-spelling': {},
};

interface Item {
  id: string;
  question: DemoQuestion;
  discrimination: number;
  difficulty: number;
  behaviour: Behaviour;
  right: string | string[];
  wrong: readonly (string | string[])[];
}

/** Yields the responses of one respondent after the other. `ids` are those of the questions. */
export function* simulateResponses(
  questions: readonly DemoQuestion[],
  ids: readonly string[],
): Generator<ResponseInput[]> {
  const random = new Random(SEED);
  const items = questions.map((question, i) => buildItem(question, ids[i]!, questions, random));
  const isPlacement = (item: Item, i: number) =>
    item.question.external_id in BEHAVIOUR || i % PLACEMENT_INTERVAL === 0;
  const placement = items.filter(isPlacement);
  const others = items.filter((item, i) => !isPlacement(item, i));
  for (let r = 0; r < RESPONDENTS; r++) {
    const group = r % GROUPS.length;
    const ability = GROUPS[group]!.mean + random.normal();
    const sessions = { placement, practice: random.sample(others, PRACTICE_QUESTIONS) };
    let at = START_MS + r * MS_PER_RESPONDENT;
    yield Object.entries(sessions).flatMap(([session, asked]) =>
      asked.map((item): ResponseInput => {
        at += MS_PER_ANSWER;
        return {
          question_id: item.id,
          respondent: `r-${String(r + 1).padStart(4, '0')}`,
          session,
          group: GROUPS[group]!.name,
          answered_at: new Date(at).toISOString(),
          ...answer(item, ability, group, random),
        };
      }),
    );
  }
}

/** The factor of the approximation of a logistic by a normal curve, squared: 16·√3 / 15π. */
const LOGISTIC_NORMAL = ((16 * Math.sqrt(3)) / (15 * Math.PI)) ** 2;

function buildItem(
  question: DemoQuestion,
  id: string,
  questions: readonly DemoQuestion[],
  random: Random,
): Item {
  const behaviour = BEHAVIOUR[question.external_id] ?? {};
  const discrimination = random.between(1, 1.7);
  const facility = behaviour.facility ?? random.between(...FACILITIES[question.difficulty]!);
  // The difficulty at which a standard normal population has this facility.
  const difficulty =
    (-Math.log(facility / (1 - facility)) * Math.sqrt(1 + LOGISTIC_NORMAL * discrimination ** 2)) /
    discrimination;
  const right = behaviour.truth ?? question.correct_answer;
  return {
    id,
    question,
    discrimination,
    difficulty,
    behaviour,
    right,
    wrong: listWrong(question, questions),
  };
}

/** Wrong answers of about equal popularity. */
function listWrong(question: DemoQuestion, questions: readonly DemoQuestion[]): (string | string[])[] {
  const { correct_answer, incorrect_answers, numeric, external_id, category } = question;
  const { truth, avoided } = BEHAVIOUR[external_id] ?? {};
  if (numeric) {
    const value = Number(correct_answer);
    return [value + 2, value * 2, value * 10, Math.abs(value - 3)].map(String);
  }
  const distractors = (incorrect_answers ?? []).filter((option) => option !== avoided && option !== truth);
  if (Array.isArray(correct_answer))
    return distractors.map((distractor, i) => correct_answer.with(i % correct_answer.length, distractor));
  if (truth !== undefined) return [correct_answer, ...distractors];
  if (distractors.length > 0) return distractors;
  // For a short answer, the answers of other short answers in the category.
  return questions
    .filter((other) => other.category === category && other.external_id !== external_id)
    .filter((other) => !other.numeric && !other.incorrect_answers)
    .flatMap((other) => listCorrect(other.correct_answer));
}

function answer(item: Item, ability: number, group: number, random: Random): Partial<ResponseInput> {
  const { discrimination, difficulty, behaviour, question, right, wrong } = item;
  const shift = group === 1 ? (behaviour.shift ?? 0) : 0;
  const p = 1 / (1 + Math.exp(-discrimination * (ability - difficulty - shift)));
  const isRight = random.next() < p;
  const detail = random.next();
  const chosen = random.pick(wrong);
  if (!isRight) return detail < OMITTED_SHARE ? { missing: 'omitted' } : { answer: chosen };
  const isMisspelled = question.external_id === MISSPELLED.question && detail < MISSPELLED_SHARE;
  return { answer: isMisspelled ? MISSPELLED.answer : right };
}
