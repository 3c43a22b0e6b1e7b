/** Groups of questions as rows, figures and sentences. */

import type { Bank } from './bank.ts';
import type { CandidateCounts } from './candidates.ts';
import type { Class } from './classification.ts';
import type { Group, Member } from './clustering.ts';

type Flag = 'first' | Class | 'same_wording' | 'alike' | 'other_options';

export interface Row {
  question_id: string;
  flags: Flag[];
  message: string;
  group: number;
  class: Class | null;
  similarity: number;
  first_question_id: string;
  question_text: string;
  correct_answer: string | null;
}

interface Count {
  groups: number;
  questions: number;
}

export interface Report {
  summary: {
    questions: number;
    groups: number;
    grouped_questions: number;
    classes: Record<Class, Count> | null;
    redundant_questions: number | null;
    most_similar: { group: number; class: Class | null; similarity: number; first: string; other: string }[];
    compared_pairs: number;
    bounded_searches: number;
  };
  items: Iterable<Row>;
  warnings: string[];
}

const EXAMPLES = 5;
/** Characters of a text within a sentence. */
const QUOTED = 120;

/** `answers` is false for readers who may not see them: then there are no classes, only wordings. */
export function buildReport(
  bank: Bank,
  groups: readonly Group[],
  work: CandidateCounts,
  answers: boolean,
): Report {
  const items = {
    *[Symbol.iterator]() {
      for (const [i, group] of groups.entries()) {
        for (const member of group.members) yield rowOf(bank, group, i + 1, member, answers);
      }
    },
  };
  const redundant = groups
    .flatMap(({ members }) => members)
    .filter((member) => member.class === 'duplicate').length;
  return {
    summary: {
      questions: bank.ids.length,
      groups: groups.length,
      grouped_questions: new Set(groups.flatMap(({ members }) => members.map(({ question }) => question)))
        .size,
      classes: answers ? countsOf(groups) : null,
      redundant_questions: answers ? redundant : null,
      most_similar: examplesOf(bank, groups, answers),
      compared_pairs: work.compared,
      bounded_searches: work.bounded,
    },
    items,
    warnings: warningsOf(bank, work),
  };
}

function countsOf(groups: readonly Group[]): Record<Class, Count> {
  const counts = {
    conflict: { groups: 0, questions: 0 },
    duplicate: { groups: 0, questions: 0 },
    variant: { groups: 0, questions: 0 },
  };
  for (const group of groups) {
    counts[group.class].groups++;
    counts[group.class].questions += group.members.length;
  }
  return counts;
}

function examplesOf(bank: Bank, groups: readonly Group[], answers: boolean) {
  return groups.slice(0, EXAMPLES).map(({ class: kind, members: [first, other] }, i) => ({
    group: i + 1,
    class: answers ? kind : null,
    similarity: other!.similarity,
    first: cut(bank.texts[first!.question]!),
    other: cut(bank.texts[other!.question]!),
  }));
}

function warningsOf(bank: Bank, { bounded, maxChars }: CandidateCounts): string[] {
  const warnings: string[] = [];
  if (bank.ids.length < 2)
    warnings.push('There are fewer than two questions, so there was nothing to compare.');
  if (bounded > 0) {
    warnings.push(
      `${bounded} searches were ended early, because too many questions are worded like each other; some pairs may be missing.`,
    );
  }
  if (maxChars !== null)
    warnings.push(`The likeness of long texts was measured on their first ${maxChars} characters.`);
  return warnings;
}

function rowOf(bank: Bank, group: Group, number: number, member: Member, answers: boolean): Row {
  const { question, similarity } = member;
  const first = group.members[0]!.question;
  return {
    question_id: bank.ids[question]!,
    flags: flagsOf(bank, first, member, answers),
    message: answers ? messageOf(bank, group, member) : openMessageOf(bank, group, member),
    group: number,
    class: answers ? group.class : null,
    similarity,
    first_question_id: bank.ids[first]!,
    question_text: bank.texts[question]!,
    correct_answer: answers ? bank.answers[question]! : null,
  };
}

function flagsOf(bank: Bank, first: number, member: Member, answers: boolean): Flag[] {
  if (member.class === null) return ['first'];
  const wording = member.class === 'variant' ? 'alike' : 'same_wording';
  const flags: Flag[] = [answers ? member.class : wording];
  if (!bank.haveSameOptions(first, member.question)) flags.push('other_options');
  return flags;
}

const quote = (text: string) => `“${cut(text)}”`;

const cut = (text: string) => {
  const characters = [...text.slice(0, 2 * QUOTED + 1)];
  return characters.length > QUOTED ? `${characters.slice(0, QUOTED).join('')}…` : text;
};

const percent = (similarity: number) => `${Math.floor(similarity * 100)} %`;

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

function messageOf(bank: Bank, { class: kind, members }: Group, member: Member): string {
  const first = members[0]!.question;
  const [text, answer, here] = [bank.texts[first]!, bank.answers[first]!, bank.answers[member.question]!];
  switch (member.class) {
    case 'duplicate':
      return here === answer
        ? `Asks the same as ${quote(text)} and gives the same answer, ${quote(here)}: one of them can go.`
        : `Asks the same as ${quote(text)} and gives nearly the same answer, ${quote(here)} here and ${quote(answer)} there: decide which, and one of them can go.`;
    case 'conflict':
      return `Asks the same as ${quote(text)}, but gives another answer: ${quote(here)} here, ${quote(answer)} there. One is wrong, or both should be accepted.`;
    case 'variant':
      return variantMessage(bank, first, member);
  }
  const others = members.length - 1;
  if (kind === 'variant')
    return `Is worded almost like ${others} other question${others > 1 ? 's' : ''} of this group.`;
  if (kind === 'duplicate') {
    const same = members.every(({ question }) => bank.answers[question] === here);
    return `Is asked ${times(others)} more with ${same ? '' : 'nearly '}the same answer, ${quote(here)}.`;
  }
  const other = members.find((each) => each.class === 'conflict')!;
  return `Is asked again with another answer: ${quote(here)} here, ${quote(bank.answers[other.question]!)} there. One is wrong, or both should be accepted.`;
}

function variantMessage(bank: Bank, first: number, { question, similarity }: Member): string {
  if (similarity === 1) return `Has the same wording as ${quote(bank.texts[first]!)}, but other options.`;
  return `Is worded almost like ${quote(bank.texts[first]!)} (${percent(similarity)} alike; this one: ${quote(bank.texts[question]!)}), but does not seem to ask the same. Fine to keep, unless one was to replace the other.`;
}

function openMessageOf(bank: Bank, { members }: Group, member: Member): string {
  const first = quote(bank.texts[members[0]!.question]!);
  if (member.class === null) {
    const others = members.length - 1;
    return `Is worded like ${others} other question${others > 1 ? 's' : ''} of this group.`;
  }
  const like = `${first} (${percent(member.similarity)} alike)`;
  return member.class === 'variant'
    ? `Is worded almost like ${like}.`
    : `Asks the same as ${like}, by its wording.`;
}
