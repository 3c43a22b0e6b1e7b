/**
 * Duplicates from beginning to end: read, compare, group, report; once with a look at the answers and once
 * without.
 */
import type { Input, QuestionWithAnswers } from '../define.ts';
import { Bank } from './bank.ts';
import { findEdges } from './candidates.ts';
import { CLASSIFIER_WITHOUT_ANSWERS, classifierWithAnswers, type PairClassifier } from './classification.ts';
import { groupQuestions } from './clustering.ts';
import { buildReport, type Report } from './report.ts';
import { TextIndex } from './text-index.ts';

const BETWEEN_REPORTS = 1000;
/** The parts of the work, as they take time in a bank of a hundred thousand. */
const READ = 0.35;
const LINKED = 0.9;

export interface Settings {
  similarity: number;
  variants: boolean;
}

/** The report for those who may see answers, and that for those who may not. */
export async function detectDuplicates(
  { count, questions, progress }: Input<QuestionWithAnswers>,
  { similarity, variants }: Settings,
): Promise<{ with_answers: Report; without_answers: Report }> {
  const bank = new Bank();
  const texts = new TextIndex(bank);
  for await (const batch of questions) {
    for (const question of batch) {
      bank.add(question);
      texts.add();
      if (bank.ids.length % BETWEEN_REPORTS === 0)
        await progress((bank.ids.length / Math.max(1, count)) * READ);
    }
  }
  const { links, work } = await findEdges(bank, texts, similarity, (share) =>
    progress(READ + share * (LINKED - READ)),
  );
  const report = async (judge: PairClassifier, answers: boolean, from: number, to: number) => {
    const groups = await groupQuestions(texts, links, judge, variants, (share) =>
      progress(from + share * (to - from)),
    );
    return buildReport(bank, groups, work, answers);
  };
  const with_answers = await report(classifierWithAnswers(bank), true, LINKED, (LINKED + 1) / 2);
  const without_answers = await report(CLASSIFIER_WITHOUT_ANSWERS, false, (LINKED + 1) / 2, 1);
  await progress(1);
  return { with_answers, without_answers };
}
