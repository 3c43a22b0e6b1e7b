/** How questions are spread over categories, difficulties and topics, in figures and lists of limited length. */
import { association, goodnessOfFit } from '../../statistics/contingency.ts';
import { entropy, evenness } from '../../statistics/descriptive.ts';
import { type Category, LEVELS, largestFirst, sumOf, type Tally } from './tally.ts';

/** How much of a long list is told; the rest is counted. */
export const SHOWN = { categories: 50, topics: 10, gaps: 50 };

/** What is told about the whole bank, whatever is wanted of it. */
export function summarise(tally: Tally, sparseBelow: number) {
  const categories = largestFirst(tally.categories);
  const table = categories.map(({ counts }) => counts);
  const byDifficulty = LEVELS.map((_, level) => sumOf(table.map((counts) => counts[level]!)));
  const questions = sumOf(byDifficulty);
  const rest = table.slice(SHOWN.categories);
  return {
    questions,
    categories: categories.length,
    topics: sumOf(categories.map(({ topics }) => topics?.size ?? 0)),
    without_topic: sumOf(categories.map(({ withoutTopic }) => withoutTopic)),
    by_difficulty: byDifficulty,
    evenness: {
      categories: spread(table.map(sumOf)),
      difficulties: spread(byDifficulty),
      cells: spread(table.flat()),
    },
    association: association(table),
    largest: categories.slice(0, SHOWN.categories).map((category) => ({
      category: category.name,
      questions: sumOf(category.counts),
      share: sumOf(category.counts) / questions,
      by_difficulty: category.counts,
      topics: category.topics?.size ?? 0,
      without_topic: category.withoutTopic,
      largest_topics: largestFirst(category.topics?.values() ?? [])
        .slice(0, SHOWN.topics)
        .map(({ name, counts }) => ({ topic_focus: name, questions: sumOf(counts), by_difficulty: counts })),
    })),
    others: {
      categories: rest.length,
      questions: sumOf(rest.map(sumOf)),
      by_difficulty: LEVELS.map((_, level) => sumOf(rest.map((counts) => counts[level]!))),
    },
    gaps: gapsIn(categories, sparseBelow),
  };
}

const spread = (counts: number[]) => ({
  classes: counts.length,
  entropy: entropy(counts),
  evenness: evenness(counts),
  ...goodnessOfFit(
    counts,
    counts.map(() => 1),
  ),
});

/** `categories` are the largest first, and so are those with equally large gaps. */
function gapsIn(categories: readonly Category[], sparseBelow: number) {
  const found = new Uint32Array(sparseBelow);
  const first = Array.from(found, (): { category: string; difficulty: number; questions: number }[] => []);
  for (const { name, counts } of categories) {
    for (const [difficulty, questions] of counts.entries()) {
      if (questions >= sparseBelow) continue;
      if (found[questions]!++ < SHOWN.gaps) first[questions]!.push({ category: name, difficulty, questions });
    }
  }
  const [empty = 0, ...sparse] = found;
  return { empty, sparse: sumOf(sparse), cells: first.flat().slice(0, SHOWN.gaps) };
}
