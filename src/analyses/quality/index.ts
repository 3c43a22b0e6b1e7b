/** Quality: item-writing flaws that can be detected before a question has been answered. */
import { defineAnalysis } from '../define.ts';
import { example } from './example.ts';
import { plotFindings } from './figures.ts';
import { RULES } from './rules/index.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const quality = defineAnalysis({
  type: 'quality',
  version: 3,
  title: 'Quality of writing',
  description: `Detects item-writing flaws before a question has been answered, after the 31 guidelines of Haladyna, Downing & Rodriguez
(2002, Applied Measurement in Education 15(3), 309–334): negative stems, answers that the stem or their length gives
away, options that overlap, repeat, mean the same or refer to each other, pictures that are not there, wording that goes
out of date, and errors of typing or import.
Each finding says where it is, why it matters and how to fix it; if there is one safe remedy, such as a restored
apostrophe, \`change\` is the body of a \`PATCH\` that applies it. For the bank as a whole, a test shows whether the correct
answer is the longest option more often than by chance.

Rules about wording apply to questions in English only. The order of options is not judged, since options are shuffled.
Ambiguous cases are not reported, so a question without findings is not necessarily a good one.`,
  readsProse: true,
  readsAnswers: true,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  findings: Object.fromEntries(RULES.map(({ name, severity }) => [name, severity])),
  flagsAreRules: true,
  sortKeys: { findings: ({ findings }) => findings.length },
  example,
  async run(input, parameters) {
    const { assessQuality } = await import('./quality.ts');
    return assessQuality(input, parameters);
  },
  plot: ({ summary }) => plotFindings(summary),
});
