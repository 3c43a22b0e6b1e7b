/** Detects duplicates: indexes the texts, finds similar pairs, groups them, reports per view. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Input, QuestionWithAnswers } from '../define.ts';
import { Bank } from './bank.ts';
import { findEdges } from './candidates.ts';
import { CLASSIFIER_WITHOUT_ANSWERS, classifierWithAnswers, type PairClassifier } from './classification.ts';
import { groupQuestions } from './clustering.ts';
import { buildReport, type Report } from './report.ts';
import type { Parameters } from './schemas.ts';
import { TextIndex } from './text-index.ts';

/** The progress after each step, as measured on a bank of 100,000 questions. */
const PROGRESS_READ = 0.35;
const PROGRESS_EDGES = 0.9;
const PROGRESS_WITH_ANSWERS = 0.95;

export async function detectDuplicates(
  { count, questions, ticker }: Input<QuestionWithAnswers>,
  { min_similarity, variants }: Parameters,
): Promise<{ with_answers: Report; without_answers: Report }> {
  const bank = new Bank();
  const texts = new TextIndex(bank);
  for await (const batch of questions) {
    for (const question of batch) {
      if (ticker.due()) await ticker.yield((bank.ids.length / Math.max(1, count)) * PROGRESS_READ);
      bank.add(question);
      texts.add();
    }
  }
  const { edges, counts } = await findEdges(
    bank,
    texts,
    min_similarity,
    ticker.part(PROGRESS_READ, PROGRESS_EDGES),
  );
  const report = async (classifier: PairClassifier, showAnswers: boolean, part: Ticker) =>
    buildReport(bank, await groupQuestions(texts, edges, classifier, variants, part), counts, showAnswers);
  const afterEdges = ticker.part(PROGRESS_EDGES, PROGRESS_WITH_ANSWERS);
  const with_answers = await report(classifierWithAnswers(bank), true, afterEdges);
  const afterFirst = ticker.part(PROGRESS_WITH_ANSWERS, 1);
  const without_answers = await report(CLASSIFIER_WITHOUT_ANSWERS, false, afterFirst);
  await ticker.yield(1);
  return { with_answers, without_answers };
}
