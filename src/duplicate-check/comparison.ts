/**
 * Compares a new question with similar ones, as the analysis `duplicates` does. Without answers,
 * nothing in the result depends on which option is the key.
 */
import { Bank } from '../analyses/duplicates/bank.ts';
import {
  type Class,
  classifierWithAnswers,
  classifierWithoutAnswers,
} from '../analyses/duplicates/classification.ts';
import { toCanonicalSpelling } from '../analyses/duplicates/lexicon.ts';
import { foldText } from '../analyses/duplicates/normalization.ts';
import { computePairSimilarity } from '../analyses/duplicates/pair-similarity.ts';
import { RewordingJudge } from '../analyses/duplicates/rewording-judge.ts';
import { stem } from '../analyses/duplicates/stemming.ts';
import { TextIndex, type WordStatistics } from '../analyses/duplicates/text-index.ts';
import type { DuplicateMatch } from '../schemas/duplicate-check.ts';
import type { CorrectAnswer } from '../schemas/question-kinds.ts';
import type { View } from '../store/view.ts';

const MAX_MATCHES = 10;
/**
 * From here on, questions are reported by their wording alone. Lower than the default of the
 * analysis: one question is looked at, not a whole bank, and a typo in a short text costs much.
 */
const MIN_SIMILARITY = 0.7;

/** A question as far as it is compared. Without answers, `correct_answer` is empty. */
export interface ComparedQuestion {
  id: string | null;
  /** Its index in the request; null for a question of the bank. */
  index: number | null;
  question_text: string;
  correct_answer: CorrectAnswer;
  choices: string[];
}

/** In how many questions of the bank a word is, roughly. */
export interface WordCounts {
  counts: Record<string, number>;
  total: number;
}

/** By severity. */
const CLASSES: Class[] = ['conflict', 'duplicate', 'likely', 'variant'];
const CLASSES_WITHOUT_ANSWERS: Record<Class, DuplicateMatch['class']> = {
  conflict: 'same_wording',
  duplicate: 'same_wording',
  likely: 'alike',
  variant: 'alike',
};

export function findDuplicates(
  question: ComparedQuestion,
  candidates: readonly ComparedQuestion[],
  words: WordCounts,
  view: View,
): DuplicateMatch[] {
  const bank = new Bank();
  const texts = new TextIndex(bank, toStatistics(words));
  for (const { id, question_text, correct_answer, choices } of [question, ...candidates]) {
    bank.add({ id: id ?? '', question_text, correct_answer, choices, category: '' });
    texts.add();
  }
  const createClassifier = view === 'with_answers' ? classifierWithAnswers : classifierWithoutAnswers;
  const classifier = createClassifier(bank, texts);
  const judge = new RewordingJudge(bank, texts);
  const isReworded = (index: number, similarTexts: boolean) =>
    view === 'with_answers' &&
    judge.isShort(0) &&
    judge.isShort(index) &&
    judge.judge(0, index, { similarTexts }) !== undefined;
  const folded = bank.texts.map(foldText);
  const textOf = (index: number) => texts.textOfQuestion.at(index);
  const matches = candidates.flatMap((candidate, i) => {
    const similarity = computePairSimilarity(folded[0]!, folded[i + 1]!);
    const wording = texts.compareWording(textOf(0), textOf(i + 1));
    const similarTexts = similarity >= MIN_SIMILARITY;
    const byWording = classifier.classify(0, i + 1, wording, similarTexts);
    const isCertain = byWording === 'conflict' || byWording === 'duplicate';
    const found: Class | null = !isCertain && isReworded(i + 1, similarTexts) ? 'likely' : byWording;
    return found ? [{ candidate, similarity, class: found }] : [];
  });
  return matches
    .sort((a, b) => CLASSES.indexOf(a.class) - CLASSES.indexOf(b.class) || b.similarity - a.similarity)
    .slice(0, MAX_MATCHES)
    .map(({ candidate: { id, index, question_text, correct_answer }, similarity, class: found }) => ({
      id,
      index,
      class: view === 'with_answers' ? found : CLASSES_WITHOUT_ANSWERS[found],
      similarity: Math.floor(similarity * 1000) / 1000,
      question_text,
      ...(view === 'with_answers' && { correct_answer }),
    }));
}

/** The index counts words, the comparison stems. */
function toStatistics({ counts, total }: WordCounts): WordStatistics {
  const byStem = new Map<string, number>();
  for (const [word, count] of Object.entries(counts)) {
    const key = stem(toCanonicalSpelling(word));
    byStem.set(key, Math.max(byStem.get(key) ?? 1, count));
  }
  return { total, countTexts: (key) => byStem.get(key) ?? 1 };
}
