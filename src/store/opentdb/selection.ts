/** The questions that the Open Trivia DB's API serves: their categories, and those of a query. */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import { type Db, defineQuery } from '../db.ts';
import { readStamp, type Stamp, sameStamp, select } from '../index/positions.ts';
import { SlotCounter } from '../index/slot-counter.ts';
import { SlotSet } from '../index/slots.ts';
import { readBound } from '../questions/bound.ts';
import { allCategories } from '../questions/categories.ts';
import { findCategoryFaults } from '../questions/criteria.ts';
import { facet } from '../questions/facets.ts';
import { matchingSlots } from '../questions/listing.ts';
import { readCursorKey } from '../questions/pages.ts';
import { buildOrder, findFrom } from '../questions/random-order.ts';
import { readQuestions } from '../questions/read-questions.ts';
import { searchWords } from '../questions/search.ts';
import { chooseNumber } from './category-numbers.ts';
import type { TriviaCriteria, Walk } from './row.ts';
import { findOpentdbToken } from './tokens.ts';

export interface TriviaCategory {
  /** The number in this API. */
  number: number;
  name: string;
  /** The id in the bank. */
  id: number;
  /** The number of questions of each difficulty. */
  counts: number[];
}

/**
 * The slots of the questions that are served: the approved ones of the filter with one correct
 * answer and options. None if the filter names a category that does not exist. Runs within a
 * snapshot.
 */
async function servedSlots(db: Db, filter: QuestionFilter): Promise<SlotSet> {
  if ((await findCategoryFaults(db, filter)).length > 0) return new SlotSet([]);
  return matchingSlots(db, { ...filter, kind: 'multiple_choice', visibility: 'approved' });
}

/** The categories that have served questions, by ascending numbers. */
export const listTriviaCategories = defineQuery(
  'listTriviaCategories',
  (db: Db, filter: QuestionFilter): Promise<TriviaCategory[]> =>
    db.snapshot((tx) => readCategories(tx, filter)),
);

/** Runs within a snapshot. */
async function readCategories(db: Db, filter: QuestionFilter): Promise<TriviaCategory[]> {
  const stamp = await readStamp(db);
  const key = `trivia categories: ${JSON.stringify(filter)}`;
  const known = db.cache.get<{ stamp: Stamp; categories: TriviaCategory[] }>(key);
  if (known && sameStamp(known.stamp, stamp)) return known.categories;
  const served = new SlotCounter(await servedSlots(db, filter));
  const categories: TriviaCategory[] = [];
  const taken = new Set<number>();
  for (const { id, uid, name } of await allCategories(db)) {
    const number = chooseNumber(name, uid, taken);
    const counts: number[] = [];
    for (const { level } of DIFFICULTIES)
      counts.push(
        served.count(await select(db, stamp, 'created', { all: [[facet.both(id, level)]], none: [] })),
      );
    // The name of a category without served questions is not public.
    if (counts.some((n) => n > 0)) categories.push({ number, name, id, counts });
  }
  categories.sort((a, b) => a.number - b.number);
  db.cache.set(key, { stamp, categories }, 200 * categories.length);
  return categories;
}

export interface TriviaQuery extends TriviaCriteria {
  amount: number;
  /** The questions that are served. */
  filter: QuestionFilter;
  /** The hash of the session token. */
  token: string | undefined;
  /** Determines the order of a query without a token. */
  seed: string;
  now: number;
}

export interface TriviaQuestion {
  category: string;
  difficulty: number;
  question_text: string;
  correct_answer: string;
  incorrect_answers: string[];
}

interface Outcome {
  outcome: 'found' | 'too_few' | 'exhausted';
  questions: TriviaQuestion[];
  /** What the token has returned, with these questions. */
  next: { version: number; walks: Walk[] } | undefined;
}
export type TriviaSelection = Outcome | { outcome: 'no_such_token' };

/** Positions that are looked at together. */
const STEP = 64;

export const selectTrivia = defineQuery(
  'selectTrivia',
  (db: Db, query: TriviaQuery): Promise<TriviaSelection> =>
    db.snapshot(async (tx) => {
      const token =
        query.token === undefined ? undefined : await findOpentdbToken(tx, query.token, query.now);
      if (query.token !== undefined && !token) return { outcome: 'no_such_token' };
      const { amount, category, difficulty, type } = query;
      const walks: Walk[] = token ? JSON.parse(token.walks) : [];
      const bound = token?.bound ?? (await readBound(tx));
      const order = buildOrder(await readCursorKey(tx), token?.seed ?? query.seed, bound);
      const criteria = { category, difficulty, type };
      const sets = new TriviaSets(tx, query.filter);
      const slots = await sets.find(criteria);
      const returned = await Promise.all(
        walks.map(async (walk) => ({ walk, isMember: (await sets.find(walk)).tester() })),
      );
      const isReturned = (position: number, slot: number) =>
        returned.some(({ walk, isMember }) => position < walk.position && isMember(slot));
      const chosen: number[] = [];
      let position =
        walks.find((walk) => isWithin(walk, criteria) && isWithin(criteria, walk))?.position ?? 0;
      for (let more = true; more && chosen.length < amount; ) {
        const found = findFrom(slots, order, { bound, from: position, limit: STEP });
        more = found.length === STEP;
        for (const at of found) {
          if (chosen.length === amount) break;
          if (!isReturned(at, order.at(at))) chosen.push(at);
          position = at + 1;
        }
      }
      const next = (list: Walk[]) => token && { version: token.version, walks: list };
      if (chosen.length < amount) {
        const outcome = chosen.length === 0 && slots.rank(bound) > 0 ? 'exhausted' : 'too_few';
        return { outcome, questions: [], next: next(walks) };
      }
      const kept = walks.filter((walk) => !isWithin(walk, criteria) || walk.position > position);
      return {
        outcome: 'found',
        questions: await readTrivia(
          tx,
          chosen.map((at) => order.at(at)),
        ),
        next: next([...kept, { ...criteria, position }]),
      };
    }),
);

/** Whether the questions of some criteria are among those of others. */
const isWithin = (inner: TriviaCriteria, outer: TriviaCriteria): boolean =>
  (['category', 'difficulty', 'type'] as const).every(
    (name) => outer[name] === null || outer[name] === inner[name],
  );

/** In the order of the slots. */
async function readTrivia(db: Db, slots: number[]): Promise<TriviaQuestion[]> {
  const rows = await readQuestions(db, 'with_answers', slots);
  const bodies = new Map(rows.map(({ slot, body }) => [slot, body]));
  return slots.map((slot) => {
    const { category, difficulty, question_text, correct_answer, incorrect_answers } = JSON.parse(
      bodies.get(slot)!,
    );
    return { category, difficulty, question_text, correct_answer, incorrect_answers };
  });
}

/** The sets of questions by criteria, in one snapshot. */
class TriviaSets {
  readonly #db: Db;
  readonly #filter: QuestionFilter;

  constructor(db: Db, filter: QuestionFilter) {
    this.#db = db;
    this.#filter = filter;
  }

  async find({ category, difficulty, type }: TriviaCriteria): Promise<SlotSet> {
    const all: string[][] = [];
    if (category !== null) {
      const found = (await readCategories(this.#db, this.#filter)).find(({ number }) => number === category);
      if (!found) return new SlotSet([]);
      all.push([facet.category(found.id)]);
    }
    if (difficulty !== null) all.push([facet.difficulty(difficulty)]);
    let slots = await servedSlots(this.#db, this.#filter);
    if (all.length > 0) {
      const selected = await select(this.#db, await readStamp(this.#db), 'created', { all, none: [] });
      slots = SlotSet.intersection([slots, selected]);
    }
    if (type === null) return slots;
    const booleans = await this.#readBooleans();
    return type === 'boolean' ? SlotSet.intersection([slots, booleans]) : SlotSet.difference(slots, booleans);
  }

  /**
   * The served questions whose options are True and False. The full-text index finds candidates; the
   * members of the JSON decide.
   */
  async #readBooleans(): Promise<SlotSet> {
    const stamp = await readStamp(this.#db);
    const key = `boolean questions: ${JSON.stringify(this.#filter)}`;
    const known = this.#db.cache.get<{ stamp: Stamp; slots: SlotSet }>(key);
    if (known && sameStamp(known.stamp, stamp)) return known.slots;
    const words = { q: 'true false', view: 'with_answers', order: 'created' } as const;
    const candidates = SlotSet.intersection([
      await servedSlots(this.#db, this.#filter),
      await searchWords(this.#db, words),
    ]);
    const found: number[] = [];
    for (let i = 0; i < candidates.total; i += BATCH_SIZE) {
      const rows = await this.#db.all<{ created_slot: number }>(
        `SELECT created_slot FROM questions WHERE created_slot IN ${this.#db.dialect.values('$1', 'bigint')}
           AND (${hasText('"choices":["True","False"]')} OR ${hasText('"choices":["False","True"]')})
         ORDER BY created_slot`,
        JSON.stringify(candidates.slice(i, BATCH_SIZE)),
      );
      found.push(...rows.map(({ created_slot }) => created_slot));
    }
    const slots = SlotSet.of(found);
    this.#db.cache.set(key, { stamp, slots }, slots.bytes);
    return slots;
  }
}

/** Whether the JSON of a question has a member. LIKE ignores case on SQLite alone. */
const hasText = (text: string) => `replace(public_json, '${text}', '') <> public_json`;

/** Questions that one statement looks at. */
const BATCH_SIZE = 5_000;
