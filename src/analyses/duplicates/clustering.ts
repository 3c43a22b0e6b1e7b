/**
 * Clusters questions around leaders (leader algorithm; Hartigan 1975).
 *
 * The oldest question of a group is its leader, and every other member was compared with the
 * leader: there is no chaining through a third question. Questions that ask the same are grouped
 * first; each such group then takes part in the groups of variants by its leader only. So a
 * question is in at most one group of each kind.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { GrowingArray } from '../shared/growing-array.ts';
import type { Class, PairClassifier } from './classification.ts';
import { AdjacencyList, type EdgeList } from './edges.ts';
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
/** Of a text with more different answers, only the newest cells are compared. */
const MAX_CELLS_PER_TEXT = 500;
const NONE = 0xffffffff;
const CLASS_ORDER: Class[] = ['conflict', 'duplicate', 'variant'];

/** A cell is the questions of one text that the classifier does not distinguish. */
class Cells {
  /** By question. */
  readonly cellOfQuestion: Uint32Array;
  readonly #firstQuestions = new GrowingArray(Uint32Array);
  readonly #textOfQuestion: Uint32Array;
  /** By text: its newest cell; by cell: the next older one. */
  readonly #heads: Uint32Array;
  readonly #next = new GrowingArray(Uint32Array);

  constructor(texts: TextIndex, classifier: PairClassifier) {
    this.#textOfQuestion = texts.textOfQuestion.view();
    this.cellOfQuestion = new Uint32Array(this.#textOfQuestion.length);
    this.#heads = new Uint32Array(texts.count).fill(NONE);
    for (let question = 0; question < this.cellOfQuestion.length; question++) {
      const known = this.cellsOf(this.#textOfQuestion[question]!).find((cell) =>
        classifier.areIdentical(this.firstQuestion(cell), question),
      );
      this.cellOfQuestion[question] = known ?? this.#add(question);
    }
  }

  #add(question: number): number {
    const cell = this.count;
    const text = this.#textOfQuestion[question]!;
    this.#firstQuestions.push(question);
    this.#next.push(this.#heads[text]!);
    this.#heads[text] = cell;
    return cell;
  }

  get count(): number {
    return this.#firstQuestions.length;
  }

  firstQuestion(cell: number): number {
    return this.#firstQuestions.at(cell);
  }

  textOf(cell: number): number {
    return this.#textOfQuestion[this.firstQuestion(cell)]!;
  }

  /** The cells of a text, newest first. */
  cellsOf(text: number): number[] {
    const cells: number[] = [];
    for (
      let cell = this.#heads[text]!;
      cell !== NONE && cells.length < MAX_CELLS_PER_TEXT;
      cell = this.#next.at(cell)
    ) {
      cells.push(cell);
    }
    return cells;
  }
}

/** The texts, their similarity graph, and their questions as one classifier distinguishes them. */
interface Graph {
  texts: TextIndex;
  edges: EdgeList;
  adjacency: AdjacencyList;
  cells: Cells;
  classifier: PairClassifier;
}

/** Groups are ordered by class, then by their highest similarity, then by age. */
export async function groupQuestions(
  texts: TextIndex,
  edges: EdgeList,
  classifier: PairClassifier,
  includeVariants: boolean,
  ticker: Ticker,
): Promise<Group[]> {
  const cells = new Cells(texts, classifier);
  const adjacency = new AdjacencyList(edges, texts.count);
  const graph = { texts, edges, adjacency, cells, classifier };
  const leaders = mergeReworded(graph, await assignLeaders(graph, ticker.part(0, 0.5)));
  const groups = buildGroups(graph, leaders);
  if (includeVariants) groups.push(...(await buildVariantGroups(graph, leaders, ticker.part(0.5, 1))));
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
async function assignLeaders(
  { texts, edges, adjacency, cells, classifier }: Graph,
  ticker: Ticker,
): Promise<Uint32Array> {
  const leaders = new Uint32Array(cells.count).fill(NONE);
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== NONE) continue;
    leaders[leader] = leader;
    const join = (cell: number, wording: Wording): boolean => {
      if (leaders[cell] !== NONE) return false;
      if (!asksSame(classifier, cells.firstQuestion(leader), cells.firstQuestion(cell), wording))
        return false;
      leaders[cell] = leader;
      return true;
    };
    const leaderText = cells.textOf(leader);
    for (const cell of cells.cellsOf(leaderText)) join(cell, SAME_TEXT);
    const reached = new Set([leaderText]);
    for (const text of reached) {
      for (const edge of adjacency.edgesOf(text)) {
        const other = edges.opposite(edge, text);
        if (edges.relation(edge) !== 'same' || reached.has(other)) continue;
        const wording = text === leaderText ? edges.wording(edge) : texts.compareWording(leaderText, other);
        if (cells.cellsOf(other).filter((cell) => join(cell, wording)).length > 0) reached.add(other);
      }
    }
  }
  return leaders;
}

function asksSame(classifier: PairClassifier, a: number, b: number, wording: Wording): boolean {
  const found = classifier.classify(a, b, wording, false);
  return found === 'duplicate' || found === 'conflict';
}

/**
 * Merges groups whose leaders are rewordings of each other, under the older leader. A second pass,
 * so that a rewording cannot separate questions with the same words.
 */
function mergeReworded({ edges, adjacency, cells, classifier }: Graph, leaders: Uint32Array): Uint32Array {
  const merged = leaders.slice();
  for (let leader = 0; leader < leaders.length; leader++) {
    if (merged[leader] !== leader) continue;
    const leaderText = cells.textOf(leader);
    for (const edge of adjacency.edgesOf(leaderText)) {
      if (edges.relation(edge) !== 'reworded') continue;
      const wording = edges.wording(edge);
      for (const cell of cells.cellsOf(edges.opposite(edge, leaderText))) {
        const isYoungerLeader = cell > leader && merged[cell] === cell;
        if (!isYoungerLeader) continue;
        if (asksSame(classifier, cells.firstQuestion(leader), cells.firstQuestion(cell), wording))
          merged[cell] = leader;
      }
    }
  }
  return leaders.map((leader) => merged[leader]!);
}

/** The groups of duplicates and conflicts. */
function buildGroups({ texts, cells, classifier }: Graph, leaders: Uint32Array): Group[] {
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
    if (!agrees) group.class = 'conflict';
    const similarity = texts.similarity(cells.textOf(leader), cells.textOf(cell));
    group.members.push({ question, class: agrees ? 'duplicate' : 'conflict', similarity });
  });
  return [...groups.values()];
}

async function buildVariantGroups(
  { texts, edges, adjacency, cells }: Graph,
  leaders: Uint32Array,
  ticker: Ticker,
): Promise<Group[]> {
  const grouped = new Uint8Array(leaders.length);
  const groups: Group[] = [];
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== leader || grouped[leader]) continue;
    const text = cells.textOf(leader);
    const similar = [...adjacency.edgesOf(text)].filter((edge) => edges.isSimilar(edge));
    const variants = [text, ...new Set(similar.map((edge) => edges.opposite(edge, text)))]
      .flatMap((other) => cells.cellsOf(other))
      .filter((cell) => cell !== leader && leaders[cell] === cell && !grouped[cell])
      .sort((a, b) => a - b);
    if (variants.length === 0) continue;
    grouped[leader] = 1;
    for (const cell of variants) grouped[cell] = 1;
    const members = variants.map(
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
