/** Messages about questions and warnings about the result. */
import type { BlueprintResult, Summary } from './schemas.ts';
import { LEVELS } from './tally.ts';

export const NO_BLUEPRINT_LINE = 'It matches no line of the blueprint.';

export function describeSparseCell(
  category: string,
  difficulty: number,
  questions: number,
  minPerCell: number,
): string {
  const share = questions === 1 ? 'the only question' : `one of only ${questions} questions`;
  return `It is ${share} in ${category} at level ${LEVELS[difficulty]}; the minimum is ${minPerCell}.`;
}

export const describeSurplus = (line: BlueprintResult['lines'][number]): string =>
  `The blueprint asks for ${line.wanted} in ${formatLine(line)}, and there are ${line.observed}: ${line.surplus} too many.`;

export const describeNoTopic = (category: string, withTopic: number, questions: number): string =>
  `It has no topic, although ${withTopic} of the ${questions} questions in ${category} have one.`;

const formatLine = ({ category, topic_focus, difficulty }: BlueprintResult['lines'][number]): string =>
  [category, topic_focus, difficulty === null ? null : LEVELS[difficulty]]
    .filter((part) => part !== null)
    .join(', ');

const MAX_NAMES = 5;

export const warnOfEmptyDifficulties = (difficulties: readonly number[]): string =>
  `No question has the difficulty ${difficulties.map((difficulty) => LEVELS[difficulty]).join(' or ')}.`;

export function warnOfEmptyCategories({ count, names }: Summary['empty_categories']): string {
  const shown = names.slice(0, MAX_NAMES);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return `Categories without questions: ${shown.join(', ')}${more}.`;
}

export const warnOfRescaledShares = (shareSum: number): string =>
  `The shares of the blueprint sum to ${Number(shareSum.toPrecision(6))}. They were rescaled to sum to 1.`;

export const warnOfUnknownCategory = (category: string): string =>
  `No question is in category ${category}, which the blueprint names. Check its spelling.`;

export const warnOfSmallExpectedCounts = (comparison: string): string =>
  `The p-value of the comparison ${comparison} is not reliable: too many expected counts are small.`;
