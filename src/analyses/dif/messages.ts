/** Why a question, or none of them, could be judged. */
import { quoted } from './groups.ts';
import { FEWEST_TO_JUDGE, isTiny, type MantelHaenszel } from './mantel-haenszel.ts';

interface Names {
  reference: string;
  focal: string;
}

type Hindrance = 'not_asked' | 'all_right' | 'all_wrong' | 'never_both' | 'too_few';

/** What keeps a question from getting a class; null where it has one. */
function hindranceOf(found: MantelHaenszel): Hindrance | null {
  const { cases, right, p_value } = found;
  if (cases[0] === 0 || cases[1] === 0) return 'not_asked';
  if (right[0] + right[1] === cases[0] + cases[1]) return 'all_right';
  if (right[0] + right[1] === 0) return 'all_wrong';
  if (p_value === null) return 'never_both';
  return isTiny(found) ? 'too_few' : null;
}

/** Why there is no class or, where there is one, no Δ. */
export function reasonOf(found: MantelHaenszel, names: Names): string | null {
  const hindrance = hindranceOf(found);
  if (hindrance !== null) return REASONS[hindrance](found, names);
  if (found.delta !== null) return null;
  const ahead = found.lean > 0 ? names.focal : names.reference;
  return `At every score, either all of ${quoted(ahead)} are right or all of the other group are wrong, so that the odds ratio has no bound.`;
}

const REASONS: Record<Hindrance, (found: MantelHaenszel, names: Names) => string> = {
  not_asked: ({ cases }, { reference, focal }) => {
    if (cases[0] + cases[1] === 0) return 'Nobody of either group has a score for it.';
    return `Nobody of ${quoted(cases[0] === 0 ? reference : focal)} has a score for it.`;
  },
  all_right: () => 'All answers are right.',
  all_wrong: () => 'All answers are wrong.',
  never_both: () => 'At no score are there cases of both groups, and both right and wrong answers.',
  too_few: ({ cases }, { reference, focal }) => {
    const [name, n] = cases[0] < cases[1] ? [reference, cases[0]] : [focal, cases[1]];
    return `Only ${n} of ${quoted(name)} ${n === 1 ? 'was' : 'were'} asked it, and it takes ${FEWEST_TO_JUDGE} to judge.`;
  },
};

const CLAUSES: Record<Hindrance, string> = {
  not_asked: 'nobody of one of the groups has a score',
  all_right: 'all answers are right',
  all_wrong: 'all answers are wrong',
  never_both: 'at no score are there cases of both groups, and both right and wrong answers',
  too_few: `fewer than ${FEWEST_TO_JUDGE} cases of one of the groups were asked`,
};

/** Why none of the questions could be judged; null where one could. */
export function reasonForNone(found: readonly MantelHaenszel[]): string | null {
  const counts = new Map<Hindrance, number>();
  for (const each of found) {
    const hindrance = hindranceOf(each);
    if (hindrance === null) return null;
    counts.set(hindrance, (counts.get(hindrance) ?? 0) + 1);
  }
  if (found.length === 1) return 'There is a single question with scores: it takes others to match cases by.';
  const clauses = [...counts].map(([hindrance, n]) =>
    counts.size === 1 ? CLAUSES[hindrance] : `${CLAUSES[hindrance]} (${questions(n)})`,
  );
  return `No question could be judged: ${clauses.join('; ')}.`;
}

export const questions = (count: number) => `${count} ${count === 1 ? 'question' : 'questions'}`;
