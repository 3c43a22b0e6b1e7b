/** Finds questions that are in the bank more than once, with the same or another answer. */
import { defineAnalysis } from '../define.ts';
import { example } from './example.ts';
import { plotGroups } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const duplicates = defineAnalysis({
  type: 'duplicates',
  version: 4,
  title: 'Duplicates and conflicts',
  description: `Finds groups of questions that ask the same or are similar in wording.

- **conflict**: the same question with another correct answer. One of them is wrong, or both should be accepted.
- **duplicate**: the same question with the same answer, up to spelling, word order, stopwords and known synonyms. All but one can be deleted.
- **likely**: probably the same question in other words: the same answer and most content words, weighted by rarity. Compare them before one is deleted.
- **variant**: similar wording, but another question ("highest peak in North America", "… South America") or the opposite one. No action is needed.

A different number, name, negation or opposite makes two questions different, however similar they are otherwise. "World War 2" and
"World War II" are the same. Where a word was replaced by one that is not a known synonym, two questions are duplicates only if answer and options
agree; otherwise they can be likely duplicates, from \`min_word_similarity\` on. Pairs are found by the Jaccard similarity of their character 5-grams, by their words, by their options and by their answers. Every pair at or above
\`min_similarity\` is found, unless a warning says that searches were ended early, as in very large banks. Each group is led by its oldest
question. A question is in at most one group besides a group of variants; the first question of such a group can also be in a group of variants.
A text that says nothing by itself ("Name the composer.") makes no variants.

The word lists are English. In other languages spelling, numbers and names are compared, but not synonyms and opposites.`,
  readsAnswers: true,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  findings: {
    ...({ conflict: 'major', duplicate: 'minor', likely: 'minor', variant: 'info' } as const),
    // Repeats an older question with the same answer, and could be deleted.
    redundant: 'minor',
    // Without answers there are no classes.
    ...({ same_wording: 'info', alike: 'info' } as const),
  },
  listFindings: ({ class: kind, flags }) =>
    kind === null ? flags : [kind, ...(flags.includes('duplicate') ? ['redundant'] : [])],
  sortKeys: { similarity: ({ similarity }) => similarity },
  example,
  async run(input, parameters) {
    // Loaded on demand: the word lists are needed in worker processes only.
    const { detectDuplicates } = await import('./detection.ts');
    return detectDuplicates(input, parameters);
  },
  plot: plotGroups,
});
