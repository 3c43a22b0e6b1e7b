/**
 * How hard the questions are to read: what each text is made of, what the usual formulae for English say, and how
 * that goes with the difficulty of the questions. Whether a question is hard to answer is another matter.
 */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import { defineAnalysis, type Input, Item, type Outcome, type QuestionWithoutAnswers } from '../define.ts';
import { type Counts, CountTable, Reader } from './counts.ts';
import {
  binsOf,
  Distribution,
  distributionOf,
  fenceOf,
  gradeOf,
  marginOf,
  orderOf,
  type Scores,
  scoresOf,
} from './formulae.ts';
import { describeGrades, messageFor, seemsForeign, warningsFor } from './messages.ts';

const LEVELS = DIFFICULTIES.map(({ name }) => name);

/** The first ones ask for something to be done; they are read first, in this order. */
const FLAGS = [
  'too_hard_to_read',
  'harder_to_read_than_level',
  'long_question',
  'not_latin',
  'not_english',
  'unreliable_short_text',
] as const;
type Flag = (typeof FLAGS)[number];
const forEachFlag = <T>(make: (flag: Flag) => T) =>
  Object.fromEntries(FLAGS.map((flag) => [flag, make(flag)])) as Record<Flag, T>;

/** Bins of one grade; what lies outside is counted in the first or the last one. */
const BINS = { from: 0, step: 1, count: 20 };
/** How many characters are read between two reports of progress: some milliseconds. */
const BETWEEN_REPORTS = 2 ** 14;

const parameters = Type.Object(
  {
    max_grade: Type.Number({
      minimum: 0,
      maximum: 30,
      default: 13,
      description:
        'A question above this school grade (of the USA) is flagged `too_hard_to_read`. The default is the first grade after secondary school, where grades end at 12; of 5,250 public trivia questions 4 % lie above it. For the general public 8 is often advised.',
    }),
    min_words: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description:
        'A text with fewer words is flagged `unreliable_short_text`, and never as too hard. The formulae were made for samples of 100 words (Flesch 1948) and SMOG for 30 sentences (McLaughlin 1969). Drawing words from trivia questions at random moved the grade by 11 / √words: by 1 at 100 words, and at the default of 10 words by 3.5, about the length of a stage of school.',
    }),
    max_words: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 40,
      description:
        'A longer question is flagged `long_question`. The default takes 10 seconds to read at 238 words a minute (Brysbaert 2019); of 5,250 public trivia questions none is longer.',
    }),
    outlier_factor: Type.Number({
      minimum: 0,
      maximum: 10,
      default: 1.5,
      description:
        'A question is flagged `harder_to_read_than_level` if its grade lies above the upper quartile of its difficulty by this many interquartile ranges, and by a whole grade at least. The default is that of box plots (Tukey 1977).',
    }),
  },
  { additionalProperties: false },
);
type Parameters = Static<typeof parameters>;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Score = (description: string) => Nullable(Type.Number(), { description });

const countFields = {
  words: Count('Pieces of text between white space that have a letter or digit.'),
  tokens: Count('All pieces between white space, lone signs too; ARI divides by these.'),
  sentences: Count('Up to a full stop, question mark or exclamation mark; of three words at least.'),
  syllables: Count('By the CMU Pronouncing Dictionary, or by hyphenation where it lacks a word.'),
  letters: Count('Letters and digits.'),
  characters: Count('All but white space.'),
  polysyllables: Count('Words of three syllables or more.'),
  long_words: Count('Words of seven letters or more.'),
  difficult_words: Count('Words that are not on the Dale-Chall list of 3,000 easy ones.'),
  complex_words: Count('Difficult words of three syllables or more.'),
} satisfies Record<keyof Counts, unknown>;

const scoreFields = {
  flesch_reading_ease: Score('Flesch 1948. 100 is very easy, 0 very hard.'),
  flesch_kincaid_grade: Score('Kincaid and others 1975. A school grade.'),
  smog_index: Score('McLaughlin 1969. A school grade.'),
  gunning_fog: Score('Gunning 1952. A school grade.'),
  coleman_liau_index: Score('Coleman and Liau 1975. A school grade.'),
  automated_readability_index: Score('ARI, Smith and Senter 1967. A school grade.'),
  dale_chall_readability_score: Score(
    'Dale and Chall 1948. Below 5 is grade 4 or easier, above 10 is for graduates.',
  ),
  lix: Score('Björnsson 1968. Below 30 is easy, above 50 hard.'),
} satisfies Record<keyof Scores, unknown>;
const NO_SCORES = Object.fromEntries(Object.keys(scoreFields).map((name) => [name, null])) as Record<
  keyof Scores,
  null
>;

const item = Item(FLAGS, {
  difficulty: Type.Integer({ minimum: 0, maximum: 2 }),
  grade: Score(
    'The school grade (of the USA) whose pupils can read it: the median of Flesch-Kincaid, Gunning fog, Coleman-Liau and ARI. Null without Latin letters.',
  ),
  margin: Score(
    'By how much the grade is uncertain for the small number of words alone: one standard error, 11 / √words.',
  ),
  ...countFields,
  ...scoreFields,
});
type Row = Static<typeof item>;

const summary = Type.Object(
  {
    questions: Count('How many questions were read.'),
    flagged: Type.Object(
      forEachFlag(() => Count('Questions with this flag.')),
      { additionalProperties: false },
    ),
    known_words_share: Score('Which share of all words is in the dictionary of English.'),
    words: Distribution('How many words the questions have.'),
    grades: Distribution('The grades of all questions that have one.'),
    bin_from: Type.Number({
      description: 'The grade where the first bin begins; what is below is in it, too.',
    }),
    bin_step: Type.Number({ description: 'How many grades a bin is wide; the last one has all above, too.' }),
    levels: Type.Array(
      Type.Object(
        {
          difficulty: Type.Integer({ minimum: 0, maximum: 2 }),
          name: Type.String(),
          grades: Distribution('The grades of the questions of this difficulty.'),
          bins: Type.Array(Count('Questions in this bin.')),
        },
        { additionalProperties: false },
      ),
      { description: 'One for each difficulty.' },
    ),
  },
  { additionalProperties: false },
);
type Summary = Static<typeof summary>;
type Level = Summary['levels'][number];

/** What is kept of the questions, by their place. */
interface Columns {
  ids: string[];
  difficulties: Uint8Array;
  counts: CountTable;
  words: Float64Array;
  /** NaN where there is none. */
  grades: Float64Array;
  flags: Uint8Array;
  knownWords: number;
}

async function read(input: Input<QuestionWithoutAnswers>): Promise<Columns> {
  const { factsOf } = await import('./syllables.ts');
  const reader = new Reader(factsOf);
  const columns: Columns = {
    ids: [],
    difficulties: new Uint8Array(input.count),
    counts: new CountTable(input.count),
    words: new Float64Array(input.count),
    grades: new Float64Array(input.count),
    flags: new Uint8Array(input.count),
    knownWords: 0,
  };
  let unreported = 0;
  for await (const batch of input.questions) {
    for (const { id, difficulty, question_text } of batch) {
      const place = columns.ids.push(id) - 1;
      const { counts, latin, known } = reader.read(question_text);
      columns.difficulties[place] = difficulty;
      columns.counts.set(place, counts);
      columns.words[place] = counts.words;
      columns.grades[place] = latin ? gradeOf(scoresOf(counts)) : Number.NaN;
      if (latin && seemsForeign(counts.words, known)) columns.flags[place] = bit('not_english');
      columns.knownWords += known;
      unreported += question_text.length;
      if (unreported < BETWEEN_REPORTS) continue;
      unreported = 0;
      await input.progress((0.8 * place) / input.count);
    }
  }
  return columns;
}

function levelOf({ difficulties, grades }: Columns, difficulty: number): Level {
  const own = grades.filter((grade, i) => difficulties[i] === difficulty && !Number.isNaN(grade));
  return { difficulty, name: LEVELS[difficulty]!, grades: distributionOf(own), bins: binsOf(own, BINS) };
}

const bit = (flag: Flag): number => 1 << FLAGS.indexOf(flag);
const flagsIn = (bits: number): Flag[] => FLAGS.filter((flag) => bits & bit(flag));

/** Comparisons with NaN are false, as they should be: what has no grade is neither hard nor unreliable. */
function flagsFor(words: number, grade: number, fence: number, parameters: Parameters): number {
  const { max_grade, min_words, max_words } = parameters;
  const long = words >= min_words;
  return (
    (long && grade > max_grade ? bit('too_hard_to_read') : 0) |
    (long && grade > fence ? bit('harder_to_read_than_level') : 0) |
    (words > max_words ? bit('long_question') : 0) |
    (Number.isNaN(grade) ? bit('not_latin') : long ? 0 : bit('unreliable_short_text'))
  );
}

function setFlags(columns: Columns, levels: readonly Level[], parameters: Parameters): void {
  const { difficulties, words, grades, flags } = columns;
  const fences = levels.map((level) => fenceOf(level.grades, parameters.outlier_factor));
  for (let i = 0; i < flags.length; i++) {
    const found = flagsFor(words[i]!, grades[i]!, fences[difficulties[i]!]!, parameters);
    // What a formula for English says of another language is not held against it.
    flags[i] = flags[i] ? flags[i]! | (found & bit('long_question')) : found;
  }
}

function countFlag(flags: Uint8Array, flag: Flag): number {
  const mask = bit(flag);
  return flags.reduce((count, bits) => (bits & mask ? count + 1 : count), 0);
}

/** What asks for something to be done, then what is unremarkable, then what is too short to tell. */
function rankOf(bits: number): number {
  const first = FLAGS.findIndex((_, i) => bits & (1 << i));
  if (first < 0) return FLAGS.length - 1;
  return FLAGS[first] === 'unreliable_short_text' ? FLAGS.length : first;
}

function rowAt(columns: Columns, place: number, levels: readonly Level[], parameters: Parameters): Row {
  const difficulty = columns.difficulties[place]!;
  const counts = columns.counts.get(place);
  const grade = columns.grades[place]!;
  const graded = !Number.isNaN(grade);
  const row = {
    question_id: columns.ids[place]!,
    flags: flagsIn(columns.flags[place]!),
    message: '',
    difficulty,
    grade: graded ? grade : null,
    margin: graded ? marginOf(counts.words) : null,
    ...counts,
    ...(graded ? scoresOf(counts) : NO_SCORES),
  };
  row.message = messageFor(row, levels[difficulty]!, parameters);
  return row;
}

async function summarise(
  columns: Columns,
  levels: Level[],
  input: Input<QuestionWithoutAnswers>,
): Promise<Summary> {
  const words = distributionOf(columns.words);
  await input.progress(0.95);
  const total = columns.words.reduce((sum, count) => sum + count, 0);
  return {
    questions: columns.ids.length,
    flagged: forEachFlag((flag) => countFlag(columns.flags, flag)),
    known_words_share: total === 0 ? null : columns.knownWords / total,
    words,
    grades: distributionOf(columns.grades.filter((grade) => !Number.isNaN(grade))),
    bin_from: BINS.from,
    bin_step: BINS.step,
    levels,
  };
}

const ask = (question_text: string, difficulty: number) => ({
  question_text,
  correct_answer: 'See the key',
  category: 'Mixed',
  difficulty,
});

export const readability = defineAnalysis({
  type: 'readability',
  version: 1,
  title: 'Readability',
  description: `How hard the texts of the questions are to read, by the usual formulae for English (Flesch reading ease,
Flesch-Kincaid, SMOG, Gunning fog, Coleman-Liau, ARI, Dale-Chall, LIX), with all the counts that go into them.

The \`grade\` of a question is the median of Flesch-Kincaid, Gunning fog, Coleman-Liau and ARI, so that none of them decides
alone; it is a school grade of the USA. SMOG gives one, too, but needs more than a sentence or two. The grade is
compared with a limit, and with the other questions of the same difficulty. Being hard to read is not being hard to
answer: a Basic question that reads like a law is badly worded.

Every question gets a row. Those that ask for something to be done come first, the hardest to read first of all; those
too short to tell (\`unreliable_short_text\`) come last. What does not seem to be English is flagged \`not_english\`; what is not mostly in Latin letters is flagged \`not_latin\` and
gets no grade. Options are not read, and neither are answers.

Words, sentences and syllables are counted as the library textstat does (0.7), so that results can be compared.`,
  readsAnswers: false,
  parameters,
  result: { summary, item },
  example: {
    parameters: { max_grade: 12, max_words: 30 },
    questions: [
      ask('What is the name of the big river that runs through the middle of Egypt?', 0),
      ask('How many legs do a spider and an ant have if you count them all?', 0),
      ask('Which of these four birds can swim well but is not able to fly?', 0),
      ask('What do we call the time of day when the sun goes down in the west?', 0),
      ask('Which fruit has its seeds on the outside and turns red when it is ripe?', 0),
      ask(
        'Which international organisation is responsible for the regulation of telecommunications and for the allocation of radio frequencies?',
        0,
      ),
      ask('Which city was the capital of the country before the government moved to Ankara in 1923?', 1),
      ask('Name the photosynthetic organelle.', 1),
      ask(
        'A train leaves the first town at nine and goes at sixty miles an hour. A second train leaves the next town an hour later and goes at eighty. How far from the first town do they meet?',
        2,
      ),
      ask('東京はどこの国の首都ですか。', 2),
      ask('Welche österreichische Hauptstadt wurde im Jahre 1683 belagert?', 2),
    ],
  },

  async run(input, parameters): Promise<Outcome<Summary, Row>> {
    const columns = await read(input);
    const levels = LEVELS.map((_, difficulty) => levelOf(columns, difficulty));
    await input.progress(0.85);
    setFlags(columns, levels, parameters);
    await input.progress(0.9);
    const order = orderOf(columns.flags.map(rankOf), columns.grades);
    await input.progress(0.93);
    const result = await summarise(columns, levels, input);
    await input.progress(1);
    const items = {
      *[Symbol.iterator]() {
        for (const place of order) yield rowAt(columns, place, levels, parameters);
      },
    };
    return {
      summary: result,
      items,
      warnings: warningsFor(result.words, result.flagged.not_latin, result.known_words_share),
    };
  },

  plot: ({ summary: { levels, bin_from, bin_step } }) => ({
    chart: 'distributions',
    title: 'Reading grade by difficulty',
    description: describeGrades(levels),
    axis: 'School grade that the text of the question reads like',
    from: bin_from,
    step: bin_step,
    groups: levels.map(({ name, grades, bins }) => ({ label: name, counts: bins, mark: grades.median })),
  }),
});
