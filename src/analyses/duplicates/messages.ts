/** The sentences of the result: one per row, and the warnings. */
import type { Bank } from './bank.ts';
import type { CandidateCounts } from './candidates.ts';
import type { Group, Member } from './clustering.ts';

const MAX_QUOTED_CHARS = 120;

/** Cuts a text to what fits into a sentence, by code points. */
export const truncate = (text: string) => {
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARS + 1)];
  return characters.length > MAX_QUOTED_CHARS ? `${characters.slice(0, MAX_QUOTED_CHARS).join('')}…` : text;
};

const quote = (text: string) => `“${truncate(text)}”`;

/** Rounded down, so that only equal texts are 100 % similar. */
export const formatSimilarity = (similarity: number) => `${Math.floor(similarity * 100)} % similar`;

const formatTimes = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

const formatOthers = (count: number) => `${count} other question${count > 1 ? 's' : ''} of this group`;

const formatSharedAnswer = (own: string, other: string) =>
  own === other
    ? `the answer is the same, ${quote(own)}`
    : `the answers are nearly the same, ${quote(own)} here and ${quote(other)} there`;

const RESOLVE_CONFLICT = 'One of them is wrong, or both should be accepted.';

export function formatMessage(bank: Bank, group: Group, member: Member): string {
  const first = group.members[0]!.question;
  const [text, answer, ownAnswer] = [
    bank.texts[first]!,
    bank.answers[first]!,
    bank.answers[member.question]!,
  ];
  switch (member.class) {
    case null:
      return formatFirst(bank, group, ownAnswer);
    case 'duplicate':
      return ownAnswer === answer
        ? `Duplicate of ${quote(text)} with the same answer, ${quote(ownAnswer)}. One of them can be deleted.`
        : `Duplicate of ${quote(text)} with nearly the same answer: ${quote(ownAnswer)} here, ${quote(answer)} there. Choose one answer; one of the questions can be deleted.`;
    case 'likely':
      return `Probably asks the same as ${quote(text)} in other words: ${formatSharedAnswer(ownAnswer, answer)}, and most content words are shared. Compare the two; if they ask the same, one can be deleted.`;
    case 'conflict':
      return `Asks the same as ${quote(text)} with another answer: ${quote(ownAnswer)} here, ${quote(answer)} there. ${RESOLVE_CONFLICT}`;
    case 'variant':
      return formatVariant(bank, first, member);
  }
}

function formatFirst(bank: Bank, { class: kind, members }: Group, answer: string): string {
  const others = members.length - 1;
  if (kind === 'variant') return `Similar in wording to ${formatOthers(others)}.`;
  if (kind === 'likely') {
    const likely = members.filter((member) => member.class === 'likely').length;
    return `Probably asked ${formatTimes(likely)} more in other words, with the answer ${quote(answer)}. Compare the questions of this group before one is deleted.`;
  }
  if (kind === 'duplicate') {
    const same = members.every(({ question }) => bank.answers[question] === answer);
    return `Asked ${formatTimes(others)} more with ${same ? '' : 'nearly '}the same answer, ${quote(answer)}.`;
  }
  const conflict = members.find((member) => member.class === 'conflict')!;
  return `Asked again with another answer: ${quote(answer)} here, ${quote(bank.answers[conflict.question]!)} there. ${RESOLVE_CONFLICT}`;
}

function formatVariant(bank: Bank, first: number, { question, similarity }: Member): string {
  if (similarity === 1) return `Same wording as ${quote(bank.texts[first]!)}, with other options.`;
  return `Similar in wording to ${quote(bank.texts[first]!)} (${formatSimilarity(similarity)}; this one: ${quote(bank.texts[question]!)}), but asks something else. No action is needed unless one was meant to replace the other.`;
}

export function formatMessageWithoutAnswers(bank: Bank, { members }: Group, member: Member): string {
  if (member.class === null) return `Similar in wording to ${formatOthers(members.length - 1)}.`;
  const first = `${quote(bank.texts[members[0]!.question]!)} (${formatSimilarity(member.similarity)})`;
  return member.class === 'variant'
    ? `Similar in wording to ${first}.`
    : `Asks the same as ${first}, judged by the wording.`;
}

export function formatWarnings(
  questions: number,
  { bounded, skipped, maxChars }: CandidateCounts,
  boundedComparisons: number,
): string[] {
  const warnings: string[] = [];
  if (questions < 2) warnings.push('Fewer than two questions were given: there was nothing to compare.');
  if (bounded > 0) {
    warnings.push(
      `${bounded} texts are similar to so many others that they were compared with only a part of them, the oldest first: ${skipped} pairs were not compared. Groups may be split, and single pairs may be missing.`,
    );
  }
  if (boundedComparisons > 0) {
    warnings.push(
      `${boundedComparisons} questions have the same wording as so many others that their answers were compared with only a part of them. Groups may be split.`,
    );
  }
  if (maxChars !== null)
    warnings.push(`The similarity of long texts was computed on their first ${maxChars} characters.`);
  return warnings;
}
