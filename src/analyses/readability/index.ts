/** Readability of the questions, by the standard formulas for English. */
import { defineAnalysis } from '../define.ts';
import { example } from './example.ts';
import { plotGrades } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const readability = defineAnalysis({
  type: 'readability',
  version: 3,
  title: 'Readability',
  description: `Computes how hard the texts of the questions are to read, by the standard formulas for English (Flesch reading ease,
Flesch-Kincaid, SMOG, Gunning fog, Coleman-Liau, ARI, Dale-Chall, LIX), with all the counts that go into them.

The \`grade\` of a question is the median of Flesch-Kincaid, Gunning fog, Coleman-Liau and ARI, so that no single formula
decides; it is a school grade of the USA. SMOG is left out, because it needs more than a sentence or two. The grade is
compared with a limit, and with the other questions of the same difficulty; a limit counts as exceeded if the grade
exceeds it by more than its standard error. Hard to read does not mean hard to
answer: a Basic question that reads like a law is badly worded.

Every question has a row. Flagged questions come first, the hardest to read on top; those too short for a reliable grade
(\`unreliable_short_text\`) come last. Texts that do not seem to be English are flagged \`not_english\`; texts that are
not mostly in Latin letters are flagged \`not_latin\` and have no grade. Answers are not read, and options only for the
names in them.

Words, syllables and letters are counted as the library textstat 0.7 does, so that results can be compared, with two
differences. Sentences do not end at abbreviations, initials, decimal points or within quotations, but at the lines of a
song. Names are never long or difficult words, and count as at most two syllables and six letters.`,
  readsProse: true,
  readsAnswers: false,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  findings: {
    ...({ too_hard_to_read: 'minor', harder_to_read_than_level: 'minor', long_question: 'minor' } as const),
    ...({ not_latin: 'info', not_english: 'info', unreliable_short_text: 'info' } as const),
  },
  sortKeys: { grade: ({ grade }) => grade, words: ({ words }) => words },
  example,
  async run(input, parameters) {
    const { computeReadability } = await import('./readability.ts');
    return computeReadability(input, parameters);
  },
  plot: ({ summary }) => plotGrades(summary),
});
