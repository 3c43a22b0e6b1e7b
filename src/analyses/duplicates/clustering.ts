/**
 * Clusters questions around leaders (leader algorithm; Hartigan 1975).
 *
 * The oldest question of a group is its leader, and every other member was compared with the
 * leader: there is no chaining through a third question. Questions that ask the same are grouped
 * first; then groups that likely ask the same are joined; each group then takes part in the groups
 * of variants by its leader only. So a question is in at most one group that is not of variants.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { type Budget, CellLists, Cells } from './cells.ts';
import type { Class, PairClassifier } from './classification.ts';
import { AdjacencyList, type EdgeList } from './edges.ts';
import { joinLikelyGroups } from './likely-groups.ts';
import type { RewordingFinder } from './reworded-pairs.ts';
import type { TextIndex } from './text-index.ts';
import type { Wording } from './wording.ts';

export interface Member {
  question: number;
  /** Its relation to the leader; null for the leader. */
  class: Class | null;
  /** The similarity of its text to the leader's. */
  similarity: number;
}

export interface Group {
  class: Class;
  /** The leader first, then by age. */
  members: Member[];
}

const SAME_TEXT: Wording = { relation: 'same', overlap: 1, uncertain: false };
const NONE = 0xffffffff;
const CLASS_ORDER: Class[] = ['conflict', 'duplicate', 'likely', 'variant'];
/** The class of a group is that of the member which requires most attention, the last of these. */
const ATTENTION: Class[] = ['duplicate', 'likely', 'conflict'];
/**
 * How often the comparison of a leader with others may fail before its search ends: the limit for
 * all leaders together, and the least and greatest limit for one. Ordinary banks stay far below.
 */
const MAX_FAILURES = 1e6;
const MIN_FAILURES_PER_LEADER = 100;
const MAX_FAILURES_PER_LEADER = 5000;
const UNLIMITED: Budget = { left: Number.POSITIVE_INFINITY };

/** The texts, their similarity graph, and their questions as one classifier distinguishes them. */
interface Graph {
  texts: TextIndex;
  edges: EdgeList;
  cells: Cells;
  classifier: PairClassifier;
  /** Leaders whose search ended early. */
  bounded: Set<number>;
}

/**
 * Groups are ordered by class, then by their highest similarity, then by age. `bounded` counts the
 * questions that were not compared with all that have similar wording.
 */
export async function groupQuestions(
  texts: TextIndex,
  edges: EdgeList,
  classifier: PairClassifier,
  finder: RewordingFinder | null,
  includeVariants: boolean,
  ticker: Ticker,
): Promise<{ groups: Group[]; bounded: number }> {
  const cells = new Cells(texts, classifier);
  const graph = { texts, edges, cells, classifier, bounded: new Set<number>() };
  const certain = mergeReworded(graph, await assignLeaders(graph, ticker.part(0, 0.3)));
  const leaders = finder
    ? await joinLikelyGroups(cells, certain, classifier, finder, edges, ticker.part(0.3, 0.8))
    : certain;
  const variants = includeVariants ? await buildVariantGroups(graph, leaders, ticker.part(0.8, 1)) : [];
  const groups = sortGroups([...buildGroups(graph, leaders, certain), ...variants]);
  return { groups, bounded: graph.bounded.size };
}

function sortGroups(groups: Group[]): Group[] {
  const findMaxSimilarity = ({ members }: Group) =>
    members.reduce((max, { similarity }, i) => (i ? Math.max(max, similarity) : 0), 0);
  return groups
    .map((group) => ({
      group,
      rank: CLASS_ORDER.indexOf(group.class),
      similarity: findMaxSimilarity(group),
    }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        b.similarity - a.similarity ||
        a.group.members[0]!.question - b.group.members[0]!.question,
    )
    .map(({ group }) => group);
}

/** Assigns each cell to a leader with the same words, by a search along edges of that relation. */
async function assignLeaders(graph: Graph, ticker: Ticker): Promise<Uint32Array> {
  const { texts, edges, cells, classifier } = graph;
  const leaders = new Uint32Array(cells.count).fill(NONE);
  const adjacency = new AdjacencyList(edges, texts.count, (edge) => edges.relation(edge) === 'same');
  const unassigned = new CellLists(cells, () => true);
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== NONE) continue;
    leaders[leader] = leader;
    const budget = createBudget(leaders.length);
    /** Whether a cell of the text joins the leader. */
    const join = (text: number, wording: Wording): boolean => {
      let joined = false;
      unassigned.removeIf(text, budget, (cell) => {
        if (leaders[cell] !== NONE) return true;
        if (!asksSame(classifier, cells.firstQuestion(leader), cells.firstQuestion(cell), wording))
          return false;
        leaders[cell] = leader;
        joined = true;
        return true;
      });
      return joined;
    };
    const leaderText = cells.textOf(leader);
    join(leaderText, SAME_TEXT);
    const reached = new Set([leaderText]);
    const compared = new Set<number>();
    for (const text of reached) {
      for (const edge of adjacency.edgesOf(text)) {
        if (budget.left <= 0) break;
        const other = edges.opposite(edge, text);
        if (reached.has(other) || compared.has(other) || unassigned.isEmpty(other)) {
          budget.left--;
          continue;
        }
        if (text !== leaderText) compared.add(other);
        const wording = text === leaderText ? edges.wording(edge) : texts.compareWording(leaderText, other);
        if (join(other, wording)) reached.add(other);
      }
    }
    if (budget.left <= 0) graph.bounded.add(leader);
  }
  return leaders;
}

const createBudget = (cells: number): Budget => ({
  left: Math.min(
    MAX_FAILURES_PER_LEADER,
    Math.max(MIN_FAILURES_PER_LEADER, Math.floor(MAX_FAILURES / cells)),
  ),
});

function asksSame(classifier: PairClassifier, a: number, b: number, wording: Wording): boolean {
  const found = classifier.classify(a, b, wording, false);
  return found === 'duplicate' || found === 'conflict';
}

/**
 * Merges groups whose leaders are rewordings of each other, under the older leader. A second pass,
 * so that a rewording cannot separate questions with the same words.
 */
function mergeReworded(graph: Graph, leaders: Uint32Array): Uint32Array {
  const { texts, edges, cells, classifier } = graph;
  const merged = leaders.slice();
  const adjacency = new AdjacencyList(edges, texts.count, (edge) => edges.relation(edge) === 'reworded');
  const unmerged = new CellLists(cells, (cell) => leaders[cell] === cell);
  for (let leader = 0; leader < leaders.length; leader++) {
    if (merged[leader] !== leader) continue;
    const leaderText = cells.textOf(leader);
    const budget = createBudget(leaders.length);
    for (const edge of adjacency.edgesOf(leaderText)) {
      const wording = edges.wording(edge);
      unmerged.removeIf(edges.opposite(edge, leaderText), budget, (cell) => {
        if (merged[cell] !== cell) return true;
        if (cell < leader) return false;
        if (!asksSame(classifier, cells.firstQuestion(leader), cells.firstQuestion(cell), wording))
          return false;
        merged[cell] = leader;
        return true;
      });
    }
    if (budget.left <= 0) graph.bounded.add(leader);
  }
  return leaders.map((leader) => merged[leader]!);
}

/**
 * The groups of duplicates, conflicts and likely duplicates. `certain`: the leaders before groups
 * were joined as likely duplicates.
 */
function buildGroups(
  { texts, cells, classifier }: Graph,
  leaders: Uint32Array,
  certain: Uint32Array,
): Group[] {
  const sizes = new Uint32Array(leaders.length);
  for (const cell of cells.cellOfQuestion) sizes[leaders[cell]!]!++;
  const groups = new Map<number, Group>();
  cells.cellOfQuestion.forEach((cell, question) => {
    const leader = leaders[cell]!;
    if (sizes[leader]! < 2) return;
    const group = groups.get(leader);
    if (!group) {
      groups.set(leader, { class: 'duplicate', members: [{ question, class: null, similarity: 1 }] });
      return;
    }
    const agrees = cell === leader || classifier.answersAgree(cells.firstQuestion(leader), question);
    const kind = certain[cell] !== leader ? 'likely' : agrees ? 'duplicate' : 'conflict';
    if (ATTENTION.indexOf(kind) > ATTENTION.indexOf(group.class)) group.class = kind;
    const similarity = texts.similarity(cells.textOf(leader), cells.textOf(cell));
    group.members.push({ question, class: kind, similarity });
  });
  return [...groups.values()];
}

async function buildVariantGroups(
  { texts, edges, cells }: Graph,
  leaders: Uint32Array,
  ticker: Ticker,
): Promise<Group[]> {
  const adjacency = new AdjacencyList(edges, texts.count, (edge) => edges.isSimilar(edge));
  const ungrouped = new CellLists(cells, (cell) => leaders[cell] === cell);
  const grouped = new Uint8Array(leaders.length);
  const groups: Group[] = [];
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== leader || grouped[leader]) continue;
    const text = cells.textOf(leader);
    if (texts.isGeneric(text)) continue;
    const variants: number[] = [];
    const take = (cell: number) => {
      if (cell === leader) return false;
      if (!grouped[cell]) variants.push(cell);
      grouped[cell] = 1;
      return true;
    };
    ungrouped.removeIf(text, UNLIMITED, take);
    for (const edge of adjacency.edgesOf(text)) {
      const other = edges.opposite(edge, text);
      if (!texts.isGeneric(other)) ungrouped.removeIf(other, UNLIMITED, take);
    }
    if (variants.length === 0) continue;
    grouped[leader] = 1;
    const members = variants
      .sort((a, b) => a - b)
      .map(
        (cell): Member => ({
          question: cells.firstQuestion(cell),
          class: 'variant',
          similarity: texts.similarity(text, cells.textOf(cell)),
        }),
      );
    groups.push({
      class: 'variant',
      members: [{ question: cells.firstQuestion(leader), class: null, similarity: 1 }, ...members],
    });
  }
  return groups;
}
