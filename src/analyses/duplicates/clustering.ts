/**
 * Groups of questions from pairs of them.
 *
 * A group has a first question, the oldest, and every other was compared with that one: nothing gets in by
 * way of a third. Questions that ask the same are grouped first. Each such group then stands for one question
 * when variants are grouped, by its first; so a question can be in one group of each kind.
 */

import type { Ticker } from '../../concurrency/ticker.ts';
import { GrowingArray } from '../shared/growing-array.ts';
import type { Class, PairClassifier } from './classification.ts';
import { AdjacencyList, type EdgeList } from './edges.ts';
import type { TextIndex } from './text-index.ts';
import type { Wording } from './wording.ts';

export interface Member {
  question: number;
  /** What it is to the first one; null for the first itself. */
  class: Class | null;
  similarity: number;
}

export interface Group {
  class: Class;
  members: Member[];
}

const SAME_TEXT: Wording = { relation: 'same', overlap: 1, uncertain: false };
/** A text with more different answers than that is not sorted out any further. */
const MOST_CELLS = 500;
const NONE = 0xffffffff;
const ORDER: Class[] = ['conflict', 'duplicate', 'variant'];

/** Questions of the same text that are identical as judged; numbered by their first question. */
class Cells {
  readonly cellOfQuestion: Uint32Array;
  readonly firsts = new GrowingArray(Uint32Array);
  readonly #nodes: Uint32Array;
  readonly #heads: Uint32Array;
  readonly #next = new GrowingArray(Uint32Array);

  constructor(texts: TextIndex, judge: PairClassifier) {
    this.#nodes = texts.textOfQuestion.view();
    this.cellOfQuestion = new Uint32Array(this.#nodes.length);
    this.#heads = new Uint32Array(texts.firstQuestions.length).fill(NONE);
    for (let question = 0; question < this.#nodes.length; question++) {
      const found = this.cellsOf(this.#nodes[question]!).find((cell) =>
        judge.areIdentical(this.firstQuestion(cell), question),
      );
      this.cellOfQuestion[question] = found ?? this.#add(question);
    }
  }

  #add(question: number): number {
    const cell = this.firsts.length;
    const node = this.#nodes[question]!;
    this.firsts.push(question);
    this.#next.push(this.#heads[node]!);
    this.#heads[node] = cell;
    return cell;
  }

  firstQuestion(cell: number): number {
    return this.firsts.at(cell);
  }

  textOf(cell: number): number {
    return this.#nodes[this.firstQuestion(cell)]!;
  }

  /** The cells of a text, newest first. */
  cellsOf(node: number): number[] {
    const cells: number[] = [];
    for (
      let cell = this.#heads[node]!;
      cell !== NONE && cells.length < MOST_CELLS;
      cell = this.#next.at(cell)
    ) {
      cells.push(cell);
    }
    return cells;
  }
}

export async function groupQuestions(
  texts: TextIndex,
  links: EdgeList,
  judge: PairClassifier,
  withVariants: boolean,
  ticker: Ticker,
): Promise<Group[]> {
  const cells = new Cells(texts, judge);
  const neighbours = new AdjacencyList(links, texts.firstQuestions.length);
  const leaders = await groupSame(texts, links, judge, cells, neighbours, ticker.part(0, 0.5));
  const same = groupsOfSame(texts, judge, cells, leaders);
  const variants = withVariants
    ? await groupsOfVariants(texts, links, cells, neighbours, leaders, ticker.part(0.5, 1))
    : [];
  const likeness = (group: Group) =>
    group.members.reduce((most, { similarity }, i) => (i ? Math.max(most, similarity) : 0), 0);
  return [...same, ...variants]
    .map((group) => ({ group, rank: ORDER.indexOf(group.class), likeness: likeness(group) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        b.likeness - a.likeness ||
        a.group.members[0]!.question - b.group.members[0]!.question,
    )
    .map(({ group }) => group);
}

/**
 * For each cell the one that leads its group. First the same words, then other words for the same: what is
 * said in the same words must not be torn apart by a third question that only one of them resembles enough.
 */
async function groupSame(
  texts: TextIndex,
  links: EdgeList,
  judge: PairClassifier,
  cells: Cells,
  neighbours: AdjacencyList,
  ticker: Ticker,
): Promise<Uint32Array> {
  const leaders = new Uint32Array(cells.firsts.length).fill(NONE);
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== NONE) continue;
    leaders[leader] = leader;
    const join = (cell: number, wording: Wording): boolean => {
      if (
        leaders[cell] !== NONE ||
        !isSame(judge, cells.firstQuestion(leader), cells.firstQuestion(cell), wording)
      )
        return false;
      leaders[cell] = leader;
      return true;
    };
    const own = cells.textOf(leader);
    for (const cell of cells.cellsOf(own)) join(cell, SAME_TEXT);
    const reached = new Set([own]);
    for (const node of reached) {
      for (const link of neighbours.edgesOf(node)) {
        const other = links.opposite(link, node);
        if (links.relation(link) !== 'same' || reached.has(other)) continue;
        const wording = node === own ? links.wording(link) : texts.compareWording(own, other);
        if (cells.cellsOf(other).filter((cell) => join(cell, wording)).length > 0) reached.add(other);
      }
    }
  }
  return mergeReworded(links, judge, cells, neighbours, leaders);
}

function isSame(judge: PairClassifier, a: number, b: number, wording: Wording): boolean {
  const found = judge.classify(a, b, wording, false);
  return found === 'duplicate' || found === 'conflict';
}

/** Groups whose first questions are rewordings of each other become one, led by the older one. */
function mergeReworded(
  links: EdgeList,
  judge: PairClassifier,
  cells: Cells,
  neighbours: AdjacencyList,
  leaders: Uint32Array,
): Uint32Array {
  const merged = leaders.slice();
  for (let leader = 0; leader < leaders.length; leader++) {
    if (merged[leader] !== leader) continue;
    const own = cells.textOf(leader);
    for (const link of neighbours.edgesOf(own)) {
      if (links.relation(link) !== 'reworded') continue;
      const wording = links.wording(link);
      for (const cell of cells.cellsOf(links.opposite(link, own))) {
        const free = cell > leader && merged[cell] === cell;
        if (free && isSame(judge, cells.firstQuestion(leader), cells.firstQuestion(cell), wording))
          merged[cell] = leader;
      }
    }
  }
  return leaders.map((leader) => merged[leader]!);
}

function groupsOfSame(texts: TextIndex, judge: PairClassifier, cells: Cells, leaders: Uint32Array): Group[] {
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
    const own =
      cell === leader || judge.answersAgree(cells.firstQuestion(leader), question) ? 'duplicate' : 'conflict';
    if (own === 'conflict') group.class = 'conflict';
    const similarity = texts.similarity(cells.textOf(leader), cells.textOf(cell));
    group.members.push({ question, class: own, similarity });
  });
  return [...groups.values()];
}

async function groupsOfVariants(
  texts: TextIndex,
  links: EdgeList,
  cells: Cells,
  neighbours: AdjacencyList,
  leaders: Uint32Array,
  ticker: Ticker,
): Promise<Group[]> {
  const taken = new Uint8Array(leaders.length);
  const groups: Group[] = [];
  for (let leader = 0; leader < leaders.length; leader++) {
    if (ticker.due()) await ticker.yield(leader / leaders.length);
    if (leaders[leader] !== leader || taken[leader]) continue;
    const node = cells.textOf(leader);
    const alike = [...neighbours.edgesOf(node)].filter((link) => links.isSimilar(link));
    const others = [node, ...new Set(alike.map((link) => links.opposite(link, node)))]
      .flatMap((other) => cells.cellsOf(other))
      .filter((cell) => cell !== leader && leaders[cell] === cell && !taken[cell])
      .sort((a, b) => a - b);
    if (others.length === 0) continue;
    taken[leader] = 1;
    for (const cell of others) taken[cell] = 1;
    const members = others.map((cell): Member => {
      return {
        question: cells.firstQuestion(cell),
        class: 'variant',
        similarity: texts.similarity(node, cells.textOf(cell)),
      };
    });
    groups.push({
      class: 'variant',
      members: [{ question: cells.firstQuestion(leader), class: null, similarity: 1 }, ...members],
    });
  }
  return groups;
}
