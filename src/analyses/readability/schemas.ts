/** Parameters and result of the readability analysis. */
import type { Static } from 'typebox';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { Count, closed, Statistic } from '../shared/schema-parts.ts';
import type { Counts } from './counts.ts';
import type { Scores } from './formulas.ts';

/** In the order of the rows: flags that call for a revision come first. */
export const FLAGS = [
  'too_hard_to_read',
  'harder_to_read_than_level',
  'long_question',
  'not_latin',
  'not_english',
  'unreliable_short_text',
] as const;
export type Flag = (typeof FLAGS)[number];

export const mapFlags = <T>(compute: (flag: Flag) => T) =>
  Object.fromEntries(FLAGS.map((flag) => [flag, compute(flag)])) as Record<Flag, T>;

export const Parameters = Type.Object(
  {
    max_grade: Type.Number({
      minimum: 0,
      maximum: 30,
      default: 13,
      description:
        'A question whose grade exceeds this school grade (USA) by more than its standard error is flagged `too_hard_to_read`. The default is the first grade after secondary school, which ends at 12; 1 in 300 of 5,250 public trivia questions is flagged. For the general public, 8 is often recommended.',
    }),
    min_words: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description:
        'A text with fewer words is flagged `unreliable_short_text`, and never as too hard. The formulas were made for samples of 100 words (Flesch 1948), SMOG for 30 sentences (McLaughlin 1969). The standard error of a grade was 11 / √words for words drawn at random from trivia questions: 1 grade at 100 words, and 3.5 grades at the default of 10 words.',
    }),
    max_words: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 40,
      description:
        'A longer question is flagged `long_question`. The default takes 10 seconds to read at 238 words per minute (Brysbaert 2019); none of 5,250 public trivia questions is longer.',
    }),
    max_iqr_multiple: Type.Number({
      minimum: 0,
      maximum: 10,
      default: 1.5,
      description:
        'A question is flagged `harder_to_read_than_level` if its grade, less its standard error, exceeds the upper quartile of its difficulty by more than this multiple of the interquartile range, and by more than one grade. The default is that of box plots (Tukey 1977).',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const countFields = {
  words: Count('Tokens with at least one letter or digit.'),
  names: Count(
    'Words that are names: capitalized within a sentence, or in the options. Each counts as at most two syllables and six letters, and never as a long, difficult or complex word.',
  ),
  tokens: Count('Sequences of characters between white space; the denominator of ARI.'),
  sentences: Count(
    'Sequences of three words or more up to a full stop, question mark or exclamation mark that is not part of an abbreviation, number, name or quotation, or up to the end of a line of a song; at least 1.',
  ),
  syllables: Count('By the CMU Pronouncing Dictionary, or by hyphenation for words that it lacks.'),
  letters: Count('Letters and digits.'),
  characters: Count('All characters except white space.'),
  polysyllables: Count('Words of three syllables or more.'),
  long_words: Count('Words of seven letters or more.'),
  difficult_words: Count('Words that are not on the Dale-Chall list of 3,000 easy words.'),
  complex_words: Count('Difficult words of three syllables or more.'),
} satisfies Record<keyof Counts, unknown>;

const scoreFields = {
  flesch_reading_ease: Statistic('Flesch 1948. 100 is very easy, 0 very hard.'),
  flesch_kincaid_grade: Statistic('Kincaid et al. 1975. A school grade.'),
  smog_index: Statistic('McLaughlin 1969. A school grade.'),
  gunning_fog: Statistic('Gunning 1952. A school grade.'),
  coleman_liau_index: Statistic('Coleman & Liau 1975. A school grade.'),
  automated_readability_index: Statistic('ARI, Smith & Senter 1967. A school grade.'),
  dale_chall_readability_score: Statistic(
    'Dale & Chall 1948. Below 5 is grade 4 or easier, above 10 is for graduates.',
  ),
  lix: Statistic('Björnsson 1968. Below 30 is easy, above 50 hard.'),
} satisfies Record<keyof Scores, unknown>;

export const NO_SCORES = Object.fromEntries(Object.keys(scoreFields).map((name) => [name, null])) as Record<
  keyof Scores,
  null
>;

export const Row = Item(FLAGS, {
  difficulty: Type.Integer({ minimum: 0, maximum: 2 }),
  grade: Statistic(
    'School grade (USA) of the text: the median of Flesch-Kincaid, Gunning fog, Coleman-Liau and ARI. Null if the text is not mostly in Latin letters.',
  ),
  standard_error: Statistic(
    'Standard error of the grade due to the small number of words alone: 11 / √words.',
  ),
  ...countFields,
  ...scoreFields,
});
export type Row = Static<typeof Row>;

const Distribution = (description: string) =>
  Type.Object(
    {
      count: Count('Number of values.'),
      min: Statistic('Minimum.'),
      lower_quartile: Statistic('25th percentile.'),
      median: Statistic('50th percentile.'),
      upper_quartile: Statistic('75th percentile.'),
      max: Statistic('Maximum.'),
    },
    { ...closed, description },
  );
export type Distribution = Static<ReturnType<typeof Distribution>>;

export const Summary = Type.Object(
  {
    questions: Count('Number of questions.'),
    flagged: Type.Object(
      mapFlags(() => Count('Questions with this flag.')),
      closed,
    ),
    known_words_share: Statistic('Share of all words that are in the English dictionary.'),
    words: Distribution('Words per question.'),
    grades: Distribution('Grades of all questions that have one.'),
    bin_from: Type.Number({ description: 'Lower bound of the first bin, which also has all lower grades.' }),
    bin_step: Type.Number({
      description: 'Width of a bin in grades. The last bin also has all higher grades.',
    }),
    levels: Type.Array(
      Type.Object(
        {
          difficulty: Type.Integer({ minimum: 0, maximum: 2 }),
          name: Type.String(),
          grades: Distribution('Grades of the questions of this difficulty.'),
          bins: Type.Array(Count('Questions in this bin.')),
        },
        closed,
      ),
      { description: 'By difficulty.' },
    ),
  },
  closed,
);
export type Summary = Static<typeof Summary>;
export type Level = Summary['levels'][number];
