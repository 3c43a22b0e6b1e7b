/**
 * Finds the edges of the similarity graph. Candidate pairs come from three sources: a similarity
 * join on shingles, one on content words, and equal sets of options. None of them depends on which
 * option is correct.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Bank } from './bank.ts';
import { EdgeList } from './edges.ts';
import { type JoinCounts, type JoinLimits, joinSimilarSets } from './similarity-join.ts';
import type { TextIndex } from './text-index.ts';
import { DIFFERENT } from './wording.ts';

/** In texts with fewer shingles, one typo lowers the similarity below the default threshold. */
const SHORT_TEXT_SHINGLES = 55;
/** The similarity that remains after a typo in most short texts. */
const MIN_SIMILARITY_SHORT = 0.6;
/** Pairs that differ only by an opposite are reported from this similarity on. */
const MIN_SIMILARITY_OPPOSED = 0.4;
/** One of three content words may differ, two of eight. */
const minWordSimilarity = (size: number) => (size <= 5 ? 0.5 : 0.6);
/** Reworded questions with less overlap are not kept. */
const MIN_OVERLAP = 0.5;
/** Among more questions with the same options, not all pairs are compared. */
const MAX_SAME_OPTIONS = 40;

export interface CandidateCounts {
  /** Pairs that were compared. */
  compared: number;
  /** Candidate pairs that were not compared. */
  skipped: number;
  /** Texts that were not compared with all their candidates. */
  bounded: number;
  /** The length to which long texts were cut for comparison, in characters; null if none was. */
  maxChars: number | null;
}

const SHINGLE_LOOKUPS = 500;
/** Fewer, because a word is more selective than a shingle. */
const WORD_LOOKUPS = 200;
/** Fewer still: they are among the questions with one answer. */
export const ANSWER_LOOKUPS = 30;
/**
 * The characters that a join compares in all: one to two seconds. A text has an equal share of
 * them, so that a group of near-duplicates of any size takes time in proportion to its size.
 */
const MAX_COMPARED_CHARS = 5e7;
/** A text is compared with this many others at least, and at most. */
const MIN_PAIRS = 20;
const MAX_PAIRS = 1000;

/** Ordinary banks stay far below these limits. */
export const limitsFor = (texts: TextIndex, lookups: number): JoinLimits => ({
  // With `lookups` of 500: 200 million in all up to 40,000 texts, 500 million from 100,000 on.
  maxLookups: lookups * Math.max(1, Math.min(1e6 / texts.count, Math.max(10, 4e5 / texts.count))),
  maxPairs: (text) => {
    const share = MAX_COMPARED_CHARS / texts.count / texts.countChars(text);
    return Math.min(MAX_PAIRS, Math.max(MIN_PAIRS, Math.floor(share)));
  },
});

/** Finds all pairs of texts that are similar in their shingles or ask the same in their words. */
export async function findEdges(
  bank: Bank,
  texts: TextIndex,
  minSimilarity: number,
  ticker: Ticker,
): Promise<{ edges: EdgeList; sources: JoinCounts[]; maxChars: number | null }> {
  const edges = new EdgeList();
  const addPair = (a: number, b: number, similarity: number) => {
    const wording = texts.mayAskTheSame(a, b) ? texts.compareWording(a, b) : DIFFERENT;
    const { relation, overlap } = wording;
    const opposed = relation === 'opposed';
    const similar = similarity >= (opposed ? Math.min(minSimilarity, MIN_SIMILARITY_OPPOSED) : minSimilarity);
    const asksSame = relation === 'same' || (relation === 'reworded' && overlap >= MIN_OVERLAP);
    if (asksSame || similar) edges.push(a, b, wording, similar);
  };
  const { sets, maxChars } = await texts.buildShingleSets(ticker.part(0, 0.25));
  const byShingles = await joinSimilarSets(
    sets,
    (size) => (size < SHORT_TEXT_SHINGLES ? Math.min(minSimilarity, MIN_SIMILARITY_SHORT) : minSimilarity),
    addPair,
    ticker.part(0.25, 0.7),
    limitsFor(texts, SHINGLE_LOOKUPS),
  );
  // The join on shingles has added the pairs above the threshold already.
  const addBelowThreshold = (a: number, b: number) => {
    const similarity = texts.similarity(a, b);
    if (similarity < minSimilarity) addPair(a, b, similarity);
  };
  const wordSets = await texts.buildWordSets(ticker.part(0.7, 0.75));
  const byWords = await joinSimilarSets(
    wordSets,
    minWordSimilarity,
    addBelowThreshold,
    ticker.part(0.75, 1),
    limitsFor(texts, WORD_LOOKUPS),
  );
  const byOptions = findPairsWithSameOptions(bank, texts, addBelowThreshold);
  return { edges, sources: [byShingles, byWords, byOptions], maxChars };
}

export const countCandidates = (
  sources: readonly JoinCounts[],
  maxChars: number | null,
): CandidateCounts => ({
  compared: sources.reduce((sum, { compared }) => sum + compared, 0),
  skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0),
  bounded: new Set(sources.flatMap(({ bounded }) => bounded)).size,
  maxChars,
});

function findPairsWithSameOptions(
  bank: Bank,
  texts: TextIndex,
  emit: (a: number, b: number) => void,
): JoinCounts {
  const questionsByOptions = new Map<string, number[]>();
  const counts: JoinCounts = { compared: 0, skipped: 0, bounded: [] };
  const textOf = texts.textOfQuestion.view();
  for (let question = 0; question < textOf.length; question++) {
    if (!bank.hasDistinctiveOptions(question)) continue;
    const key = bank.optionHashes(question).join();
    const earlier = questionsByOptions.get(key);
    if (!earlier) {
      questionsByOptions.set(key, [question]);
      continue;
    }
    if (earlier.length >= MAX_SAME_OPTIONS) {
      counts.skipped += earlier.length;
      counts.bounded.push(textOf[question]!);
      continue;
    }
    for (const other of earlier) {
      if (textOf[other] === textOf[question]) continue;
      counts.compared++;
      emit(Math.min(textOf[other]!, textOf[question]!), Math.max(textOf[other]!, textOf[question]!));
    }
    earlier.push(question);
  }
  return counts;
}
