/** Joins the groups whose leaders are rewordings of each other, judged by their answers and words. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Cells } from './cells.ts';
import type { PairClassifier } from './classification.ts';
import type { EdgeList } from './edges.ts';
import type { RewordingFinder } from './reworded-pairs.ts';

/**
 * Returns the leader of each cell. Groups join the one with the oldest leader, unless their own
 * answers conflict. A rewording of such a leader joins, too, if it is close to it or nearly a
 * rewording of the oldest leader.
 */
export async function joinLikelyGroups(
  cells: Cells,
  leaders: Uint32Array,
  classifier: PairClassifier,
  finder: RewordingFinder,
  edges: EdgeList,
  ticker: Ticker,
): Promise<Uint32Array> {
  const conflicting = new Set<number>();
  const questions: number[] = [];
  leaders.forEach((leader, cell) => {
    const question = cells.firstQuestion(cell);
    if (leader === cell) questions.push(question);
    else if (!classifier.answersAgree(cells.firstQuestion(leader), question)) conflicting.add(leader);
  });
  const neighbours = new Map<number, { cell: number; isClose: boolean }[]>();
  const connect = (from: number, cell: number, isClose: boolean) =>
    neighbours.getOrInsertComputed(from, () => []).push({ cell, isClose });
  for (const { a, b, isClose } of await finder.find(questions, edges, ticker)) {
    const [cellA, cellB] = [cells.cellOfQuestion[a]!, cells.cellOfQuestion[b]!];
    connect(cellA, cellB, isClose);
    connect(cellB, cellA, isClose);
  }
  const joined = leaders.slice();
  for (const leader of [...neighbours.keys()].sort((a, b) => a - b)) {
    if (joined[leader] !== leader) continue;
    const mayJoin = (cell: number) => cell > leader && joined[cell] === cell && !conflicting.has(cell);
    const direct = neighbours.get(leader)!.filter(({ cell }) => mayJoin(cell));
    for (const { cell } of direct) joined[cell] = leader;
    for (const { cell: member } of direct) {
      for (const { cell, isClose } of neighbours.get(member)!) {
        if (!mayJoin(cell)) continue;
        if (isClose || finder.mayJoin(cells.firstQuestion(leader), cells.firstQuestion(cell)))
          joined[cell] = leader;
      }
    }
  }
  return leaders.map((leader) => joined[leader]!);
}
