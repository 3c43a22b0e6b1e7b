/**
 * Finds questions with a similar text through the full-text index.
 *
 * Two similar texts share most of their words, but any word may be the one that differs. So the
 * index is asked for the smallest combinations of the text's rarest words that few questions
 * contain: pairs where they are rare enough, else three words, and so on; for short texts, also
 * single words. What is read hardly grows with the bank. The questions found are ranked by the words
 * they share with the text, and the best are returned. Only words that every caller may search are
 * used, so that the result does not depend on answers.
 */
import { type Db, defineQuery } from '../db.ts';
import type { View } from '../view.ts';
import { term } from './facets.ts';
import { parseMembers } from './members.ts';
import { readQuestions } from './read-questions.ts';
import { readWordSample, type WordSample } from './word-sample.ts';
import { tokenize } from './words.ts';

/** The rarest words of a text that are combined. */
const MAX_COMBINED_WORDS = 5;
/** Texts of so many different words are also searched by single words. */
const MAX_SHORT_WORDS = 6;
const MIN_COMBINATIONS = 2;
const MAX_COMBINATIONS = 10;
/** The entries of the index that combinations read, by estimate: their cost. */
const MAX_POSTINGS = 25_000;
/** The expected matches from which a combination gets another word. */
const MAX_EXPECTED_MATCHES = 100;
/** The matches of all combinations that are read. */
const MAX_MATCHES = 400;
/** The share of common words below which only the first few questions are returned. */
const MIN_SHARE = 0.25;
const MIN_RETURNED = 4;
/** Characters of a question that are read to rank it: the topic and most texts. */
const RANKED_CHARS = 2_000;

/** The words of a text, each with the words that count as the same. */
export type Alternatives = readonly (readonly string[])[];

export interface SimilarSearch {
  texts: Alternatives[];
  view: View;
  /** The questions returned for each text. */
  limit: number;
  /** Questions that are left out: those created by one request. */
  except?: string[] | undefined;
}

export interface SimilarQuestions {
  /** JSON texts of questions in the view, those with most words in common first. */
  questions: string[];
  /** By word of the text and of the questions: in how many questions it is, roughly. */
  counts: Record<string, number>;
  /** The number of questions in the bank, roughly. */
  total: number;
}

/** May take long for many texts. */
export const findSimilar = defineQuery(
  'findSimilar',
  (db: Db, { texts, view, limit, except }: SimilarSearch): Promise<SimilarQuestions[]> =>
    db.snapshot(async (tx) => {
      const sample = await readWordSample(tx);
      const created = except ? await readSlotRange(tx, except) : undefined;
      const results: SimilarQuestions[] = [];
      for (const alternatives of texts) {
        const slots = await findMatches(tx, sample, alternatives, created);
        const ranked = await rankByWords(tx, sample, alternatives, slots, limit);
        const rows = await readQuestions(
          tx,
          view,
          ranked.map(({ slot }) => slot),
        );
        const bodies = new Map(rows.map(({ slot, body }) => [slot, body]));
        const words = new Set([...alternatives, ...ranked.map((each) => each.words)].flat());
        results.push({
          questions: ranked.flatMap(({ slot }) => bodies.get(slot) ?? []),
          counts: Object.fromEntries([...words].map((word) => [word, sample.count(word)])),
          total: sample.total,
        });
      }
      return results;
    }),
);

interface SlotRange {
  first: number;
  last: number;
}

const NO_SLOTS: SlotRange = { first: -1, last: -1 };

/** The slots of the questions of one create, which are consecutive. */
async function readSlotRange(db: Db, ids: string[]): Promise<SlotRange | undefined> {
  const row = await db.get<{ first: number | null; last: number | null }>(
    `SELECT min(created_slot) AS first, max(created_slot) AS last FROM questions
     WHERE id IN ${db.dialect.values('$1', 'uuid')}`,
    JSON.stringify(ids),
  );
  return row?.first == null || row.last == null ? undefined : { first: row.first, last: row.last };
}

/** The slots that match a combination of words, those that match several words first. */
async function findMatches(
  db: Db,
  sample: WordSample,
  alternatives: Alternatives,
  except: SlotRange | undefined,
): Promise<number[]> {
  const slot = `search.${db.dialect.slotColumn}`;
  const { first, last } = except ?? NO_SLOTS;
  const found = new Set<number>();
  for (const combinations of combineWords(sample, alternatives)) {
    if (combinations.length === 0 || found.size >= MAX_MATCHES) continue;
    // Without an order: PostgreSQL would otherwise walk through all slots and compare their terms.
    const rows = await db.all<{ slot: number }>(
      `SELECT ${slot} AS slot FROM search WHERE ${db.dialect.matches('$1')}
       AND NOT ${slot} BETWEEN CAST($2 AS bigint) AND CAST($3 AS bigint) AND ${db.dialect.withinDeadline}
       LIMIT ${MAX_MATCHES}`,
      db.dialect.matchExpression({
        any: combinations.map((all) => all.map((words) => words.map(term.word))),
        none: [term.notFirst],
      }),
      first,
      last,
    );
    for (const { slot } of rows) found.add(slot);
  }
  return [...found].slice(0, MAX_MATCHES);
}

/**
 * The smallest combinations of the rarest words that few questions contain: those of several words,
 * and of short texts the words that are rare by themselves. If many questions contain all of the
 * words, all of them.
 */
export function combineWords(
  sample: WordSample,
  alternatives: Alternatives,
): [several: Alternatives[], single: Alternatives[]] {
  const rarest = alternatives
    .map((words) => ({ words, postings: words.reduce((sum, word) => sum + sample.count(word), 0) }))
    .sort((a, b) => a.postings - b.postings || compareWords(a.words[0]!, b.words[0]!))
    .slice(0, MAX_COMBINED_WORDS)
    .map((word, i) => ({ ...word, bit: 1 << i, sampled: sample.select(word.words) }));
  const subsets = Array.from({ length: 2 ** rarest.length - 1 }, (_, i) => i + 1)
    .map((bits) => ({ bits, words: rarest.filter(({ bit }) => bits & bit) }))
    .filter(({ words }) => countMatches(sample, words) <= MAX_EXPECTED_MATCHES)
    .sort((a, b) => a.words.length - b.words.length || a.bits - b.bits);
  const several: typeof subsets = [];
  for (const subset of subsets) {
    const isSmallest = several.every(({ bits }) => (bits & subset.bits) !== bits);
    if (subset.words.length > 1 && isSmallest) several.push(subset);
  }
  const single =
    alternatives.length > MAX_SHORT_WORDS ? [] : subsets.filter(({ words }) => words.length === 1);
  const toAlternatives = ({ words }: { words: typeof rarest }) => words.map((word) => word.words);
  if (subsets.length === 0 && rarest.length > 0) return [[toAlternatives({ words: rarest })], []];
  return [selectCheapest(several).map(toAlternatives), single.map(toAlternatives)];
}

/** The combinations that read the fewest entries, as many as may be read. */
function selectCheapest<T extends { words: { postings: number }[] }>(combinations: T[]): T[] {
  let sum = 0;
  return combinations
    .map((combination) => ({ combination, postings: countPostings(combination.words) }))
    .sort((a, b) => a.postings - b.postings)
    .slice(0, MAX_COMBINATIONS)
    .filter(({ postings }, i) => {
      sum += postings;
      return i < MIN_COMBINATIONS || sum <= MAX_POSTINGS;
    })
    .map(({ combination }) => combination);
}

/** A search that includes a very rare word ends early. The bank may not have the word at all. */
const countPostings = (words: { postings: number }[]) =>
  words.some(({ postings }) => postings === 0) ? 0 : words.reduce((sum, word) => sum + word.postings, 0);

/** Long words first: they tend to be rarer. */
const compareWords = (a: string, b: string) => b.length - a.length || (a < b ? -1 : 1);

function countMatches(sample: WordSample, words: readonly { sampled: Uint32Array }[]): number {
  const [first, ...others] = words.map(({ sampled }) => sampled);
  return sample.countSelected(first!.map((bits, i) => others.reduce((all, other) => all & other[i]!, bits)));
}

interface RankedQuestion {
  slot: number;
  words: string[];
}

/** Ranks questions by the weighted share of words that they have in common with the text. */
async function rankByWords(
  db: Db,
  sample: WordSample,
  alternatives: Alternatives,
  slots: number[],
  limit: number,
): Promise<RankedQuestion[]> {
  if (slots.length === 0) return [];
  const rows = await db.all<{ slot: number; members: string }>(
    `SELECT created_slot AS slot, substr(public_json, 1, ${RANKED_CHARS}) AS members FROM questions
     WHERE created_slot IN ${db.dialect.values('$1', 'bigint')}`,
    JSON.stringify(slots),
  );
  const weights = alternatives.map((words) => sample.idf(words[0]!));
  const indices = new Map(alternatives.flatMap((words, i) => words.map((word) => [word, i])));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const ranked = rows.map(({ slot, members }) => {
    const words = [...new Set(tokenize((parseMembers(members).get('question_text') ?? []).join(' ')))];
    const shared = new Set<number>();
    let other = 0;
    for (const word of words) {
      const index = indices.get(word);
      if (index === undefined) other += sample.idf(word);
      else shared.add(index);
    }
    const common = [...shared].reduce((total, index) => total + weights[index]!, 0);
    return { slot, words, share: common / (sum + other) };
  });
  return ranked
    .sort((a, b) => b.share - a.share || a.slot - b.slot)
    .slice(0, limit)
    .filter(({ share }, i) => i < MIN_RETURNED || share >= MIN_SHARE);
}
