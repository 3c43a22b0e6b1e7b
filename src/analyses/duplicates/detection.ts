/** Detects duplicates: indexes the texts, finds similar pairs, groups them, reports per view. */
import type { Input, QuestionWithAnswers } from '../define.ts';
import { Bank } from './bank.ts';
import { ANSWER_LOOKUPS, countCandidates, findEdges, limitsFor } from './candidates.ts';
import { classifierWithAnswers, classifierWithoutAnswers } from './classification.ts';
import { groupQuestions } from './clustering.ts';
import { buildReport, type Report } from './report.ts';
import { RewordingFinder } from './reworded-pairs.ts';
import type { Parameters } from './schemas.ts';
import { TextIndex } from './text-index.ts';

/** The progress after each step, as measured on a bank of 100,000 questions. */
const PROGRESS_READ = 0.35;
const PROGRESS_EDGES = 0.9;
const PROGRESS_WITH_ANSWERS = 0.95;

export async function detectDuplicates(
  { count, questions, ticker }: Input<QuestionWithAnswers>,
  { min_similarity, min_word_similarity, variants }: Parameters,
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
  const { edges, sources, maxChars } = await findEdges(
    bank,
    texts,
    min_similarity,
    ticker.part(PROGRESS_READ, PROGRESS_EDGES),
  );
  const finder = new RewordingFinder(bank, texts, min_word_similarity, limitsFor(texts, ANSWER_LOOKUPS));
  const groupsWithAnswers = await groupQuestions(
    texts,
    edges,
    classifierWithAnswers(bank, texts),
    finder,
    variants,
    ticker.part(PROGRESS_EDGES, PROGRESS_WITH_ANSWERS),
  );
  // The counts of the finder depend on answers.
  const with_answers = buildReport(
    bank,
    groupsWithAnswers,
    countCandidates([...sources, finder.counts], maxChars),
    true,
  );
  const groupsWithoutAnswers = await groupQuestions(
    texts,
    edges,
    classifierWithoutAnswers(bank, texts),
    null,
    variants,
    ticker.part(PROGRESS_WITH_ANSWERS, 1),
  );
  const without_answers = buildReport(bank, groupsWithoutAnswers, countCandidates(sources, maxChars), false);
  await ticker.yield(1);
  return { with_answers, without_answers };
}
