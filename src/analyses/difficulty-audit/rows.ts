/** Renders the judgement of one question as a row. */
import { findBand, LEVELS } from './bands.ts';
import { type Counts, judgeLabel, type Settings, type Verdict } from './judgement.ts';
import { describeJudgement, describeUnanswered } from './messages.ts';
import type { Row } from './schemas.ts';

export interface Question {
  question_id: string;
  question_text: string;
  difficulty: number;
}

const FLAGS: Record<Verdict, Row['flags']> = {
  harder: ['misrated_harder'],
  easier: ['misrated_easier'],
  too_few: ['too_few'],
  as_labelled: [],
};

const NO_SCORED_RESPONSE: Omit<Row, keyof Question> = {
  flags: ['too_few'],
  message: 'Not judged: no response was scored.',
  n: 0,
  correct: 0,
  unanswered: 0,
  facility: null,
  low: null,
  high: null,
  observed_difficulty: null,
  suggested_difficulty: null,
  suggestion_certain: null,
  distance_from_band: null,
};

export function buildRow(question: Question, counts: Counts, settings: Settings): Row {
  const { n, correct, unanswered } = counts;
  const judgement = judgeLabel(question.difficulty, n, correct, settings);
  if (!judgement) return { ...question, ...NO_SCORED_RESPONSE };
  const { verdict, facility, low, high, distance } = judgement;
  const observed = findBand(facility, settings);
  const isMisrated = verdict === 'harder' || verdict === 'easier';
  const bands = [findBand(low, settings), findBand(high, settings)];
  /** The bands, easiest first, that the interval extends into besides the observed one. */
  const others = LEVELS.keys()
    .filter((level) => level >= bands[1]! && level <= bands[0]! && level !== observed)
    .toArray();
  return {
    ...question,
    flags: FLAGS[verdict],
    message: [
      describeJudgement(question.difficulty, n, judgement, { observed, others }, settings),
      ...describeUnanswered(counts, settings),
    ].join(' '),
    n,
    correct,
    unanswered,
    facility,
    low,
    high,
    observed_difficulty: observed,
    suggested_difficulty: isMisrated ? observed : null,
    suggestion_certain: isMisrated ? others.length === 0 : null,
    distance_from_band: verdict === 'too_few' ? null : distance,
  };
}
