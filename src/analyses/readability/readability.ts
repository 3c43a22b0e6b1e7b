/**
 * Computes the readability of all questions. What is kept of a question is a few numbers in typed
 * arrays, so that large banks fit in memory; rows are built on demand.
 */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import type { Input, Outcome, QuestionWithoutAnswers } from '../define.ts';
import { CountTable, TextAnalyzer } from './counts.ts';
import { computeDistribution, computeUpperFence, countBins, sortByRankAndGrade } from './distribution.ts';
import { computeGrade, computeGradeStandardError, computeScores } from './formulas.ts';
import { buildWarnings, describeQuestion } from './messages.ts';
import {
  FLAGS,
  type Flag,
  type Level,
  mapFlags,
  NO_SCORES,
  type Parameters,
  type Row,
  type Summary,
} from './schemas.ts';

const LEVELS = DIFFICULTIES.map(({ name }) => name);
/** Bins of one grade, from 0 to 20. */
const BINS = { from: 0, step: 1, count: 20 };

/** By the index of the question. */
interface Columns {
  ids: string[];
  difficulties: Uint8Array;
  counts: CountTable;
  words: Float64Array;
  /** NaN if the question has none. */
  grades: Float64Array;
  /** Bit sets of FLAGS. */
  flags: Uint8Array;
  knownWords: number;
}

export async function computeReadability(
  input: Input<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { ticker } = input;
  const columns = await readQuestions(input);
  const levels = LEVELS.map((_, difficulty) => computeLevel(columns, difficulty));
  await ticker.yield(0.85);
  setFlags(columns, levels, parameters);
  await ticker.yield(0.9);
  const order = sortByRankAndGrade(columns.flags.map(computeRank), columns.grades);
  await ticker.yield(0.95);
  const summary = computeSummary(columns, levels);
  await ticker.yield(1);
  const items = {
    *[Symbol.iterator]() {
      for (const index of order) yield buildRow(columns, index, levels, parameters);
    },
  };
  const { words, flagged, known_words_share } = summary;
  return { summary, items, warnings: buildWarnings(words, flagged.not_latin, known_words_share) };
}

async function readQuestions({ count, questions, ticker }: Input<QuestionWithoutAnswers>): Promise<Columns> {
  // Loaded on demand: the dictionary takes 0.2 s and is needed in worker processes only.
  const { lookUpWord } = await import('./syllables.ts');
  const analyzer = new TextAnalyzer(lookUpWord);
  const columns: Columns = {
    ids: [],
    difficulties: new Uint8Array(count),
    counts: new CountTable(count),
    words: new Float64Array(count),
    grades: new Float64Array(count),
    flags: new Uint8Array(count),
    knownWords: 0,
  };
  for await (const batch of questions) {
    for (const { id, difficulty, question_text, choices } of batch) {
      const index = columns.ids.push(id) - 1;
      const { counts, isLatin, isForeign, knownWords } = analyzer.analyze(question_text, choices);
      columns.difficulties[index] = difficulty;
      columns.counts.set(index, counts);
      columns.words[index] = counts.words;
      columns.grades[index] = isLatin ? computeGrade(computeScores(counts)) : Number.NaN;
      if (isForeign) columns.flags[index] = toBit('not_english');
      columns.knownWords += knownWords;
      if (ticker.due()) await ticker.yield((0.8 * index) / count);
    }
  }
  return columns;
}

function computeLevel({ difficulties, grades }: Columns, difficulty: number): Level {
  const own = grades.filter((grade, i) => difficulties[i] === difficulty && !Number.isNaN(grade));
  return {
    difficulty,
    name: LEVELS[difficulty]!,
    grades: computeDistribution(own),
    bins: countBins(own, BINS),
  };
}

const toBit = (flag: Flag): number => 1 << FLAGS.indexOf(flag);
const toFlags = (bits: number): Flag[] => FLAGS.filter((flag) => bits & toBit(flag));

function setFlags(columns: Columns, levels: readonly Level[], parameters: Parameters): void {
  const { difficulties, words, grades, flags } = columns;
  const fences = levels.map((level) => computeUpperFence(level.grades, parameters.max_iqr_multiple));
  for (let i = 0; i < flags.length; i++) {
    const bits = computeFlags(words[i]!, grades[i]!, fences[difficulties[i]!]!, parameters);
    // A formula for English says nothing about text in another language.
    flags[i] = flags[i] ? flags[i]! | (bits & toBit('long_question')) : bits;
  }
}

/**
 * A limit is exceeded if the grade exceeds it by its standard error. Comparisons with NaN are false:
 * without a grade, a question is never too hard.
 */
function computeFlags(words: number, grade: number, fence: number, parameters: Parameters): number {
  const { max_grade, min_words, max_words } = parameters;
  const reliable = words >= min_words;
  const lowGrade = grade - computeGradeStandardError(words);
  return (
    (reliable && lowGrade > max_grade ? toBit('too_hard_to_read') : 0) |
    (reliable && lowGrade > fence ? toBit('harder_to_read_than_level') : 0) |
    (words > max_words ? toBit('long_question') : 0) |
    (Number.isNaN(grade) ? toBit('not_latin') : reliable ? 0 : toBit('unreliable_short_text'))
  );
}

/** Flagged questions by their first flag, then unflagged ones, then those too short for a grade. */
function computeRank(bits: number): number {
  const first = FLAGS.findIndex((_, i) => bits & (1 << i));
  if (first < 0) return FLAGS.length - 1;
  return FLAGS[first] === 'unreliable_short_text' ? FLAGS.length : first;
}

function buildRow(columns: Columns, index: number, levels: readonly Level[], parameters: Parameters): Row {
  const difficulty = columns.difficulties[index]!;
  const counts = columns.counts.get(index);
  const grade = columns.grades[index]!;
  const hasGrade = !Number.isNaN(grade);
  const row = {
    question_id: columns.ids[index]!,
    flags: toFlags(columns.flags[index]!),
    message: '',
    difficulty,
    grade: hasGrade ? grade : null,
    standard_error: hasGrade ? computeGradeStandardError(counts.words) : null,
    ...counts,
    ...(hasGrade ? computeScores(counts) : NO_SCORES),
  };
  row.message = describeQuestion(row, levels[difficulty]!, parameters);
  return row;
}

function computeSummary(columns: Columns, levels: Level[]): Summary {
  const totalWords = columns.words.reduce((sum, count) => sum + count, 0);
  return {
    questions: columns.ids.length,
    flagged: mapFlags((flag) => countFlag(columns.flags, flag)),
    known_words_share: totalWords === 0 ? null : columns.knownWords / totalWords,
    words: computeDistribution(columns.words),
    grades: computeDistribution(columns.grades.filter((grade) => !Number.isNaN(grade))),
    bin_from: BINS.from,
    bin_step: BINS.step,
    levels,
  };
}

function countFlag(flags: Uint8Array, flag: Flag): number {
  const mask = toBit(flag);
  return flags.reduce((count, bits) => (bits & mask ? count + 1 : count), 0);
}
