/** Computes the coverage of a bank: one pass to count, then a row for each flagged question. */
import type { Input, Outcome, QuestionWithoutAnswers } from '../define.ts';
import { computeBalance } from './balance.ts';
import {
  compareWithBlueprint,
  createLineFinder,
  isExhaustive,
  listUnknownCategories,
  normalizeShares,
} from './blueprint.ts';
import {
  describeNoTopic,
  describeSparseCell,
  describeSurplus,
  NO_BLUEPRINT_LINE,
  warnOfEmptyCategories,
  warnOfEmptyDifficulties,
  warnOfRescaledShares,
  warnOfSmallExpectedCounts,
  warnOfUnknownCategory,
} from './messages.ts';
import type { Parameters, Row, Summary } from './schemas.ts';
import { type CategoryCounts, foldName, sum, Tally } from './tally.ts';

/** A question without a topic is flagged if more than this share of its category has one. */
const MIN_TOPIC_SHARE = 0.5;

/** A question. `line` is the index of its line in the blueprint, −1 if none matches. */
interface Entry {
  id: string;
  category: CategoryCounts;
  difficulty: number;
  hasTopic: boolean;
  line: number;
}

export async function computeCoverage(
  { count, scope, questions, ticker }: Input<QuestionWithoutAnswers>,
  { blueprint, min_per_cell }: Parameters,
): Promise<Outcome<Summary, Row>> {
  const { lines, shareSum } = normalizeShares(blueprint);
  const findLine = createLineFinder(lines);
  const observed = lines.map(() => 0);
  const tally = new Tally();
  for (const name of scope.categories) tally.addCategory(name);
  const entries: Entry[] = [];
  for await (const batch of questions) {
    for (const { id, category: name, difficulty, topic_focus } of batch) {
      const topicKey = topic_focus === null ? null : foldName(topic_focus);
      const category = tally.add(name, difficulty, topicKey, topic_focus);
      const line = findLine(category.key, difficulty, topicKey);
      if (line >= 0) observed[line]!++;
      entries.push({ id, category, difficulty, hasTopic: topicKey !== null, line });
    }
    await ticker.yield(entries.length / Math.max(count, entries.length));
  }

  const summary: Summary = {
    ...computeBalance(tally, scope.difficulties, min_per_cell),
    blueprint: lines.length === 0 ? null : compareWithBlueprint(lines, observed, entries.length),
  };
  const warnings = [
    ...(summary.empty_difficulties.length > 0 ? [warnOfEmptyDifficulties(summary.empty_difficulties)] : []),
    ...(summary.empty_categories.count > 0 ? [warnOfEmptyCategories(summary.empty_categories)] : []),
    ...(shareSum > 1 ? [warnOfRescaledShares(shareSum)] : []),
    ...listUnknownCategories(lines, (key) => tally.has(key)).map(warnOfUnknownCategory),
    ...(summary.association.doubtful ? [warnOfSmallExpectedCounts('of category and difficulty')] : []),
    ...(summary.blueprint?.doubtful ? [warnOfSmallExpectedCounts('with the blueprint')] : []),
  ];
  const exhaustive = isExhaustive(lines);
  const items = {
    *[Symbol.iterator]() {
      for (const entry of entries) {
        const row = buildRow(entry, summary.blueprint, exhaustive, min_per_cell);
        if (row.flags.length > 0) yield row;
      }
    },
  };
  return { summary, items, warnings };
}

function buildRow(
  { id, category, difficulty, hasTopic, line: lineIndex }: Entry,
  blueprint: Summary['blueprint'],
  exhaustive: boolean,
  minPerCell: number,
): Row {
  const { name, counts, withoutTopic } = category;
  const questions = sum(counts);
  const withTopic = questions - withoutTopic;
  const cellQuestions = counts[difficulty]!;
  const line = blueprint?.lines[lineIndex];
  const flags: Row['flags'] = [];
  const sentences: string[] = [];
  const add = (flag: Row['flags'][number], sentence: string) => {
    flags.push(flag);
    sentences.push(sentence);
  };
  if (cellQuestions < minPerCell) {
    add('sparse_cell', describeSparseCell(name, difficulty, cellQuestions, minPerCell));
  }
  if (line && line.surplus > 0) add('surplus_cell', describeSurplus(line));
  if (exhaustive && !line) add('outside_blueprint', NO_BLUEPRINT_LINE);
  if (!hasTopic && withTopic > MIN_TOPIC_SHARE * questions) {
    add('no_topic', describeNoTopic(name, withTopic, questions));
  }
  return {
    question_id: id,
    flags,
    message: sentences.join(' '),
    category: name,
    difficulty,
    cell_questions: cellQuestions,
    surplus: line?.surplus ?? null,
  };
}
