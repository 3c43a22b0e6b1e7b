/**
 * Counts the questions of each facet under a filter. The counts of a facet ignore the filter by the
 * facet itself. Everything is counted in the sets of the index; the names of topics, tags and
 * sources, of which it has digests, are those of a question in each set.
 */
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import type { QuestionFacets } from '../../schemas/question-facets.ts';
import { MISSING_FIELDS, type QuestionFilter } from '../../schemas/question-filter.ts';
import { KINDS } from '../../schemas/question-kinds.ts';
import { STATUSES } from '../../schemas/status.ts';
import { type Db, defineQuery } from '../db.ts';
import { listFindingSets } from '../findings/finding-sets.ts';
import { type CountedSet, findLargest } from '../index/named-sets.ts';
import { readStamp, type Stamp, sameStamp, select } from '../index/positions.ts';
import { SlotCounter } from '../index/slot-counter.ts';
import { SlotSet } from '../index/slots.ts';
import type { View } from '../view.ts';
import { categoriesByKey } from './categories.ts';
import { type DeletedRow, readDeletedContents } from './deleted.ts';
import { facet } from './facets.ts';
import { matchingSlots } from './listing.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { deletedSlots, searchWords } from './search.ts';

export interface FacetArgs {
  view: View;
  filter: QuestionCriteria;
  deleted: boolean;
  /** Whether findings are counted too. */
  findings: boolean;
  /** The maximum number of topics, tags, sources and findings. */
  limit: number;
}

type Facets = QuestionFacets['facets'];

/** The filters by a facet. */
const OWN_FILTERS: Record<keyof Facets, (keyof QuestionFilter)[]> = {
  category: ['category', 'not_category'],
  difficulty: ['difficulty', 'not_difficulty'],
  kind: ['kind', 'not_kind'],
  status: ['status', 'not_status'],
  topic_focus: ['topic_focus', 'not_topic_focus'],
  tag: ['tag', 'not_tag'],
  source: ['source', 'not_source'],
  missing: ['missing'],
  finding: ['finding'],
};

interface CachedFacets {
  stamp: Stamp;
  version: number | undefined;
  facets: QuestionFacets;
}

/**
 * Of at most this many questions, the values of named facets are counted in the questions themselves:
 * their sets are counted one by one, and there may be many thousand.
 */
const MAX_READ_QUESTIONS = 1000;

/** May take long: every match of a search is read. */
export const countFacets = defineQuery(
  'countFacets',
  (db: Db, args: FacetArgs): Promise<QuestionFacets> =>
    db.snapshot(async (tx) => {
      const stamp = await readStamp(tx);
      const key = `facets: ${JSON.stringify(args)}`;
      const known = db.cache.get<CachedFacets>(key);
      // What runs found changes without a change of the index, but not without a commit.
      const version = args.findings ? db.version() : 0;
      if (known && version !== undefined && known.version === version && sameStamp(known.stamp, stamp))
        return known.facets;
      const facets = await new FacetCounts(tx, stamp, args).count();
      db.cache.set(key, { stamp, version, facets }, 2 * JSON.stringify(facets).length);
      return facets;
    }),
);

class FacetCounts {
  readonly #db: Db;
  readonly #stamp: Stamp;
  readonly #args: FacetArgs;
  /** Selections by their filter: facets without filters of their own share one. */
  readonly #selections = new Map<string, Promise<SlotCounter>>();
  readonly #members = new Map<SlotCounter, Promise<PublicMembers[]>>();

  constructor(db: Db, stamp: Stamp, args: FacetArgs) {
    this.#db = db;
    this.#stamp = stamp;
    this.#args = args;
  }

  async count(): Promise<QuestionFacets> {
    const categories = [...(await categoriesByKey(this.#db)).values()];
    const levels = DIFFICULTIES.map(({ level }) => level);
    const category = await this.#countEach('category', categories, ({ id }) => facet.category(id));
    const shown = category.map(({ value, count }) => ({ value: value.name, count }));
    return {
      total: (await this.#select(this.#args.filter)).slots.total,
      facets: {
        category: shown.sort((a, b) => b.count - a.count),
        difficulty: await this.#countEach('difficulty', levels, facet.difficulty),
        kind: await this.#countEach('kind', [...KINDS], facet.kind),
        status: await this.#countStatuses(),
        topic_focus: await this.#findLargest('topic_focus', facet.topic),
        tag: await this.#findLargest('tag', facet.tag),
        source: await this.#findLargest('source', facet.source),
        missing: await this.#countMissing(),
        ...(this.#args.findings && { finding: await this.#countFindings() }),
      },
    };
  }

  async #countMissing(): Promise<Facets['missing']> {
    const { view } = this.#args;
    const fields = MISSING_FIELDS.filter((field) => view === 'with_answers' || field !== 'explanation');
    const { total } = (await this.#selectFor('missing')).slots;
    const counted = await this.#countEach('missing', fields, facet.missing);
    return counted.map(({ value, count }) => ({ value, count, present: total - count }));
  }

  async #countFindings(): Promise<NonNullable<Facets['finding']>> {
    const selection = await this.#selectFor('finding');
    return (await listFindingSets(this.#db, 'with_answers'))
      .map(({ type, name, slots }) => ({ value: `${type}:${name}`, count: selection.count(slots) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, this.#args.limit);
  }

  /** Approved questions have no facet of their own. */
  async #countStatuses(): Promise<Facets['status']> {
    const { total } = (await this.#selectFor('status')).slots;
    const others = STATUSES.filter((status) => status !== 'approved');
    const counted = await this.#countEach('status', others, facet.status);
    const approved = counted.reduce((rest, { count }) => rest - count, total);
    return STATUSES.map((value) => ({
      value,
      count: counted.find((each) => each.value === value)?.count ?? approved,
    }));
  }

  async #countEach<T>(
    name: keyof Facets,
    values: readonly T[],
    toFacet: (value: T) => string,
  ): Promise<{ value: T; count: number }[]> {
    const selection = await this.#selectFor(name);
    const counts: { value: T; count: number }[] = [];
    for (const value of values) {
      const order = this.#args.deleted ? 'deleted' : 'created';
      const set = await select(this.#db, this.#stamp, order, { all: [[toFacet(value)]], none: [] });
      counts.push({ value, count: selection.count(set) });
    }
    return counts;
  }

  /** Counts the values of a facet that are named by digests. `toFacet` computes the digest of a name. */
  async #findLargest(name: NamedFacet, toFacet: (name: string) => string): Promise<Facets[NamedFacet]> {
    const { deleted, limit } = this.#args;
    const selection = await this.#selectFor(name);
    if (selection.slots.total <= MAX_READ_QUESTIONS)
      return countNames(await this.#readSelection(selection), name, toFacet).slice(0, limit);
    const family = { letter: toFacet('').charAt(0), deleted };
    const largest = await findLargest(this.#db, this.#stamp, family, selection, limit);
    const names = await this.#readNames(name, toFacet, largest);
    return largest
      .map((set) => ({ value: names.get(set)!, count: set.count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  }

  /** Reads the names of sets, as they are written in the question at the slot of each. */
  async #readNames(
    name: NamedFacet,
    toFacet: (name: string) => string,
    found: CountedSet[],
  ): Promise<Map<CountedSet, string>> {
    const members = await this.#readMembers(found.map(({ slot }) => slot));
    return new Map(
      found.map((set) => {
        const { tags, [name === 'tag' ? 'topic_focus' : name]: single } = members.get(set.slot)!;
        const names = name === 'tag' ? tags : [single!];
        return [set, names.find((each) => toFacet(each) === set.name.split('/')[0])!];
      }),
    );
  }

  /** The members of all questions of a small selection, in the order of their slots. */
  #readSelection(selection: SlotCounter): Promise<PublicMembers[]> {
    return this.#members.getOrInsertComputed(selection, async () => {
      const slots = selection.slots.slice(0, selection.slots.total);
      const members = await this.#readMembers(slots);
      return slots.flatMap((slot) => members.get(slot) ?? []);
    });
  }

  async #readMembers(slots: number[]): Promise<Map<number, PublicMembers>> {
    const wanted = JSON.stringify([...new Set(slots)]);
    const among = this.#db.dialect.values('$1', 'bigint');
    const rows = this.#args.deleted
      ? await readDeletedContents(
          this.#db,
          await this.#db.all<DeletedRow>(
            `SELECT * FROM deleted_questions WHERE deleted_slot IN ${among}`,
            wanted,
          ),
        )
      : (
          await this.#db.all<{ slot: number; public_json: string }>(
            `SELECT created_slot AS slot, public_json FROM questions WHERE created_slot IN ${among}`,
            wanted,
          )
        ).map((row): [number, { public_json: string }] => [row.slot, row]);
    return new Map(Array.from(rows, ([slot, { public_json }]) => [slot, JSON.parse(`{${public_json}}`)]));
  }

  /** The questions that match the filters other than those by the facet. */
  #selectFor(name: keyof Facets): Promise<SlotCounter> {
    const own = new Set<string>(OWN_FILTERS[name]);
    const others = Object.entries(this.#args.filter).filter(([filter]) => !own.has(filter));
    const { visibility } = this.#args.filter;
    return this.#select({ ...Object.fromEntries(others), visibility });
  }

  #select(filter: QuestionCriteria): Promise<SlotCounter> {
    return this.#selections.getOrInsertComputed(
      JSON.stringify(filter),
      async () => new SlotCounter(await this.#readSlots(filter)),
    );
  }

  async #readSlots(filter: QuestionCriteria): Promise<SlotSet> {
    const { view, deleted } = this.#args;
    if (deleted) return deletedSlots(this.#db, { filter, view });
    const slots = await matchingSlots(this.#db, filter);
    if (filter.q === undefined) return slots;
    const found = await searchWords(this.#db, { q: filter.q, view, order: 'created' });
    return SlotSet.intersection([slots, found]);
  }
}

type NamedFacet = 'topic_focus' | 'tag' | 'source';

interface PublicMembers {
  topic_focus: string | null;
  source: string | null;
  tags: string[];
}

/** The values of a facet, the most frequent first. Values with one digest are named by the first. */
function countNames(
  members: readonly PublicMembers[],
  name: NamedFacet,
  toFacet: (name: string) => string,
): Facets[NamedFacet] {
  const found = new Map<string, { value: string; count: number }>();
  for (const each of members) {
    const values = name === 'tag' ? each.tags : [each[name] ?? []].flat();
    for (const value of values)
      found.getOrInsertComputed(toFacet(value), () => ({ value, count: 0 })).count++;
  }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
