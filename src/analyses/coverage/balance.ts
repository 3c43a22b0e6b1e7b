/**
 * Balance of a bank: evenness over categories and difficulties, association of the two, and gaps.
 * The lists in it are of limited length; what they omit is counted.
 */
import { association, goodnessOfFit } from '../../statistics/contingency.ts';
import { entropy, evenness } from '../../statistics/descriptive.ts';
import { MAX_CATEGORIES, MAX_GAPS, MAX_TOPICS } from './schemas.ts';
import { type CategoryCounts, LEVELS, sortByCount, sum, type Tally } from './tally.ts';

/** `difficulties` are those that the selection admits; others are not gaps. */
export function computeBalance(tally: Tally, difficulties: readonly number[], minPerCell: number) {
  const categories = sortByCount(tally.categories);
  const table = categories.map(({ counts }) => counts);
  const byDifficulty = LEVELS.map((_, level) => sum(table.map((counts) => counts[level]!)));
  const questions = sum(byDifficulty);
  const remaining = table.slice(MAX_CATEGORIES);
  const empty = categories.filter(({ counts }) => sum(counts) === 0);
  return {
    questions,
    categories: categories.length - empty.length,
    empty_categories: {
      count: empty.length,
      names: empty.slice(0, MAX_CATEGORIES).map(({ name }) => name),
    },
    topics: sum(categories.map(({ topics }) => topics?.size ?? 0)),
    without_topic: sum(categories.map(({ withoutTopic }) => withoutTopic)),
    by_difficulty: byDifficulty,
    empty_difficulties: questions === 0 ? [] : difficulties.filter((level) => byDifficulty[level] === 0),
    evenness: {
      categories: computeEvenness(table.map(sum)),
      difficulties: computeEvenness(difficulties.map((level) => byDifficulty[level]!)),
      cells: computeEvenness(table.flatMap((counts) => difficulties.map((level) => counts[level]!))),
    },
    association: association(table),
    top_categories: categories.slice(0, MAX_CATEGORIES).map((category) => ({
      category: category.name,
      questions: sum(category.counts),
      share: questions === 0 ? 0 : sum(category.counts) / questions,
      by_difficulty: category.counts,
      topics: category.topics?.size ?? 0,
      without_topic: category.withoutTopic,
      top_topics: sortByCount(category.topics?.values() ?? [])
        .slice(0, MAX_TOPICS)
        .map(({ name, counts }) => ({ topic_focus: name, questions: sum(counts), by_difficulty: counts })),
    })),
    other_categories: {
      categories: remaining.length,
      questions: sum(remaining.map(sum)),
      by_difficulty: LEVELS.map((_, level) => sum(remaining.map((counts) => counts[level]!))),
    },
    gaps: findGaps(categories, difficulties, minPerCell),
  };
}

const computeEvenness = (counts: number[]) => ({
  classes: counts.length,
  entropy: entropy(counts),
  evenness: evenness(counts),
  ...goodnessOfFit(
    counts,
    counts.map(() => 1),
  ),
});

/**
 * Cells with fewer than `minPerCell` questions, the emptiest first. `categories` are sorted by
 * size, and so are equally empty cells.
 */
function findGaps(
  categories: readonly CategoryCounts[],
  difficulties: readonly number[],
  minPerCell: number,
) {
  /** Both by the number of questions in the cell. */
  const cellCounts = new Uint32Array(minPerCell);
  const cells = Array.from(
    cellCounts,
    (): { category: string; difficulty: number; questions: number }[] => [],
  );
  for (const { name, counts } of categories) {
    for (const difficulty of difficulties) {
      const questions = counts[difficulty]!;
      if (questions >= minPerCell) continue;
      if (cellCounts[questions]!++ < MAX_GAPS) {
        cells[questions]!.push({ category: name, difficulty, questions });
      }
    }
  }
  const [empty = 0, ...sparse] = cellCounts;
  return { empty, sparse: sum(sparse), cells: cells.flat().slice(0, MAX_GAPS) };
}
