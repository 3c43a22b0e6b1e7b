/**
 * Which texts are worth comparing, and how they compare. Three ways lead to a pair: texts alike letter by
 * letter, texts that share most of their words, and the same set of options. None looks at which option is
 * right.
 */
import { type Bank, Numbers } from './bank.ts';
import { type JoinLimits, joinSimilarSets } from './similarity-join.ts';
import type { Progress, TextIndex } from './text-index.ts';
import { DIFFERENT, type Wording } from './wording.ts';

/**
 * In texts of fewer grams than this, a single slip of the pen costs more likeness than the default threshold
 * allows.
 */
const SHORT = 55;
/** What a slip leaves of the likeness of most short texts. */
const LEAST_ALIKE_SHORT = 0.6;
/**
 * Opposites are reported from here on, if nothing else differs: "the north of" and "the south of" something
 * short.
 */
const LEAST_ALIKE_OPPOSED = 0.4;
/** Of three words that matter one may be another, of eight two. */
const leastWordsShared = (size: number) => (size <= 5 ? 0.5 : 0.6);
/** Reworded questions that share less are not kept, whatever their answers. */
const LEAST_SHARE = 0.5;
/** So many questions with the same options are all compared with each other. */
const MOST_WITH_SAME_CHOICES = 40;

const RELATIONS = ['same', 'reworded', 'opposed', 'different'] as const;
const LOOSE = 4;
const ALIKE = 8;
const SHARE_STEPS = 1000;

/**
 * Pairs of nodes (texts of the same letters), each with how it compares packed into a number: there may be
 * millions.
 */
export class EdgeList {
  readonly #a = new Numbers();
  readonly #b = new Numbers();
  readonly #packed = new Numbers();

  get length(): number {
    return this.#a.length;
  }

  push(a: number, b: number, { relation, overlap, uncertain }: Wording, alike: boolean): void {
    this.#a.push(a);
    this.#b.push(b);
    const bits = RELATIONS.indexOf(relation) + (uncertain ? LOOSE : 0) + (alike ? ALIKE : 0);
    this.#packed.push(bits + 16 * Math.floor(overlap * SHARE_STEPS));
  }

  endpoints(link: number): [number, number] {
    return [this.#a.at(link), this.#b.at(link)];
  }

  /** The one at the other end. */
  opposite(link: number, node: number): number {
    const a = this.#a.at(link);
    return a === node ? this.#b.at(link) : a;
  }

  relation(link: number): Wording['relation'] {
    return RELATIONS[this.#packed.at(link) & 3]!;
  }

  wording(link: number): Wording {
    const packed = this.#packed.at(link);
    return {
      relation: this.relation(link),
      overlap: (packed >>> 4) / SHARE_STEPS,
      uncertain: (packed & LOOSE) !== 0,
    };
  }

  /** Whether both are to be reported for their wording alone. */
  isSimilar(link: number): boolean {
    return (this.#packed.at(link) & ALIKE) !== 0;
  }
}

export interface CandidateCounts {
  compared: number;
  bounded: number;
  /** Texts longer than this were compared by their beginning; null if there were none. */
  maxChars: number | null;
}

/**
 * What may be spent on one text, so that a bank made of a few frames does not take forever. Usual banks never
 * get there.
 */
const limitsFor = (count: number, lookups: number): JoinLimits => ({
  maxLookups: Math.min(1e6, Math.max(lookups, (lookups * 1e6) / count)),
  maxPairs: Math.min(1000, Math.max(20, 5e6 / count)),
});
const LETTER_LOOKUPS = 500;
/** A word says more than five letters do. */
const WORD_LOOKUPS = 200;

/** Letters read word by word in all, half a minute's worth: very long texts made of the same few words would take forever. */
const MOST_LETTERS = 1.5e9;

/** All pairs of nodes that are alike in letters or ask the same in words. */
export async function findEdges(
  bank: Bank,
  texts: TextIndex,
  threshold: number,
  progress: Progress,
): Promise<{ links: EdgeList; work: CandidateCounts }> {
  const links = new EdgeList();
  let [letters, unread] = [0, 0];
  const compare = (a: number, b: number) => {
    if (!texts.mayAskTheSame(a, b)) return DIFFERENT;
    letters += texts.countChars(a, b);
    if (letters <= MOST_LETTERS) return texts.compareWording(a, b);
    unread++;
    return DIFFERENT;
  };
  const consider = (a: number, b: number, similarity: number) => {
    const wording = compare(a, b);
    const { relation, overlap } = wording;
    const alike =
      similarity >= (relation === 'opposed' ? Math.min(threshold, LEAST_ALIKE_OPPOSED) : threshold);
    const asks = relation === 'same' || (relation === 'reworded' && overlap >= LEAST_SHARE);
    if (asks || alike) links.push(a, b, wording, alike);
  };
  const count = texts.firstQuestions.length;
  const { sets, cut: maxChars } = await texts.buildShingleSets((share) => progress(share * 0.25));
  const least = (size: number) => (size < SHORT ? Math.min(threshold, LEAST_ALIKE_SHORT) : threshold);
  const byLetters = await joinSimilarSets(
    sets,
    least,
    consider,
    (share) => progress(0.25 + share * 0.45),
    limitsFor(count, LETTER_LOOKUPS),
  );
  // What is alike has been considered already.
  const considerOthers = (a: number, b: number) => {
    const similarity = texts.similarity(a, b);
    if (similarity < threshold) consider(a, b, similarity);
  };
  const wordSets = await texts.buildWordSets((share) => progress(0.7 + share * 0.05));
  const byWords = await joinSimilarSets(
    wordSets,
    leastWordsShared,
    considerOthers,
    (share) => progress(0.75 + share * 0.25),
    limitsFor(count, WORD_LOOKUPS),
  );
  const byChoices = pairsWithSameChoices(bank, texts, considerOthers);
  const ways = [byLetters, byWords, byChoices];
  return {
    links,
    work: {
      compared: ways.reduce((sum, { compared }) => sum + compared, 0),
      bounded: ways.reduce((sum, { bounded }) => sum + bounded, unread),
      maxChars,
    },
  };
}

function pairsWithSameChoices(bank: Bank, texts: TextIndex, found: (a: number, b: number) => void) {
  const holders = new Map<string, number[]>();
  const work = { compared: 0, bounded: 0 };
  const nodes = texts.textOfQuestion.part();
  for (let question = 0; question < nodes.length; question++) {
    if (!bank.hasDistinctiveOptions(question)) continue;
    const key = bank.optionHashes(question).join();
    const earlier = holders.get(key);
    if (!earlier) {
      holders.set(key, [question]);
      continue;
    }
    if (earlier.length >= MOST_WITH_SAME_CHOICES) {
      work.bounded++;
      continue;
    }
    for (const other of earlier) {
      if (nodes[other] === nodes[question]) continue;
      work.compared++;
      found(Math.min(nodes[other]!, nodes[question]!), Math.max(nodes[other]!, nodes[question]!));
    }
    earlier.push(question);
  }
  return work;
}
