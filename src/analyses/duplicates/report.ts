/** Builds the result from the groups: summary, rows and warnings. */
import type { Outcome } from '../define.ts';
import type { Bank } from './bank.ts';
import type { CandidateCounts } from './candidates.ts';
import type { Class } from './classification.ts';
import type { Group, Member } from './clustering.ts';
import { formatMessage, formatMessageWithoutAnswers, formatWarnings, truncate } from './messages.ts';
import type { Row, Summary } from './schemas.ts';

export type Report = Outcome<Summary, Row>;

const MAX_EXAMPLES = 5;
const MAX_CATEGORIES = 10;

/** Without answers, classes and answers are null and flags describe the wording only. */
export function buildReport(
  bank: Bank,
  { groups, bounded }: { groups: readonly Group[]; bounded: number },
  counts: CandidateCounts,
  showAnswers: boolean,
): Report {
  const items = {
    *[Symbol.iterator]() {
      for (const [i, group] of groups.entries()) {
        for (const member of group.members) yield buildRow(bank, group, i + 1, member, showAnswers);
      }
    },
  };
  const members = groups.flatMap((group) => group.members);
  const grouped = new Set(members.map(({ question }) => question));
  const redundant = members.filter((member) => member.class === 'duplicate').length;
  return {
    summary: {
      questions: bank.ids.length,
      groups: groups.length,
      grouped_questions: grouped.size,
      classes: showAnswers ? countByClass(groups) : null,
      sizes: countSizes(groups),
      categories: countCategories(bank, grouped),
      redundant_questions: showAnswers ? redundant : null,
      most_similar: listExamples(bank, groups, showAnswers),
      compared_pairs: counts.compared,
      skipped_pairs: counts.skipped,
      bounded_searches: counts.bounded,
      bounded_comparisons: bounded,
    },
    items,
    warnings: formatWarnings(bank.ids.length, counts, bounded),
  };
}

function countByClass(groups: readonly Group[]): Summary['classes'] {
  const counts = {
    conflict: { groups: 0, questions: 0 },
    duplicate: { groups: 0, questions: 0 },
    likely: { groups: 0, questions: 0 },
    variant: { groups: 0, questions: 0 },
  };
  for (const group of groups) {
    counts[group.class].groups++;
    counts[group.class].questions += group.members.length;
  }
  return counts;
}

function countSizes(groups: readonly Group[]): Summary['sizes'] {
  const counts = new Map<number, number>();
  for (const { members } of groups) counts.set(members.length, (counts.get(members.length) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b).map(([questions, count]) => ({ questions, groups: count }));
}

function countCategories(bank: Bank, questions: ReadonlySet<number>): Summary['categories'] {
  const counts = new Map<string, number>();
  for (const question of questions) {
    const category = bank.categories[question]!;
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return [...counts]
    .map(([category, count]) => ({ category, questions: count }))
    .sort((a, b) => b.questions - a.questions || (a.category < b.category ? -1 : 1))
    .slice(0, MAX_CATEGORIES);
}

function listExamples(bank: Bank, groups: readonly Group[], showAnswers: boolean): Summary['most_similar'] {
  return groups.slice(0, MAX_EXAMPLES).map((group, i) => {
    const [first, other] = group.members;
    return {
      group: i + 1,
      class: showAnswers ? group.class : null,
      similarity: other!.similarity,
      first: truncate(bank.texts[first!.question]!),
      other: truncate(bank.texts[other!.question]!),
    };
  });
}

function buildRow(bank: Bank, group: Group, number: number, member: Member, showAnswers: boolean): Row {
  const { question, similarity } = member;
  const first = group.members[0]!.question;
  const format = showAnswers ? formatMessage : formatMessageWithoutAnswers;
  return {
    question_id: bank.ids[question]!,
    flags: findFlags(bank, first, member, showAnswers),
    message: format(bank, group, member),
    group: number,
    class: showAnswers ? group.class : null,
    similarity,
    first_question_id: bank.ids[first]!,
    question_text: bank.texts[question]!,
    correct_answer: showAnswers ? bank.keys[question]! : null,
  };
}

function findFlags(bank: Bank, first: number, member: Member, showAnswers: boolean): Row['flags'] {
  if (member.class === null) return ['first'];
  const wordingFlag: Record<Class, Row['flags'][number]> = {
    duplicate: 'same_wording',
    conflict: 'same_wording',
    likely: 'alike',
    variant: 'alike',
  };
  const flags: Row['flags'] = [showAnswers ? member.class : wordingFlag[member.class]];
  if (!bank.haveSameOptions(first, member.question)) flags.push('other_options');
  return flags;
}
