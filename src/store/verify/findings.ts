/** Compares the sets of findings with the runs that they are made from. */
import type { Db } from '../db.ts';
import {
  FINDING_SETS,
  type FindingRun,
  listViews,
  readCovered,
  readFound,
} from '../findings/finding-sets.ts';
import { SlotSet } from '../index/slots.ts';
import type { RowOf } from '../table.ts';
import type { View } from '../view.ts';

type SetRow = RowOf<typeof FINDING_SETS>;

const VIEWS: View[] = ['with_answers', 'without_answers'];

/** Runs within a snapshot. Describes the sets that differ, one line each. */
export async function verifyFindings(db: Db): Promise<string[]> {
  const runs = await db.all<FindingRun>(
    `SELECT id, type, reads_answers, reveals_answers, definition_version AS version FROM analyses
     WHERE status = 'succeeded' AND definition_version IS NOT NULL ORDER BY finished_at DESC, id DESC`,
  );
  const stored = await db.all<Pick<SetRow, 'type' | 'view'>>(
    `SELECT DISTINCT type, view FROM ${FINDING_SETS.name}`,
  );
  const faults: string[] = [];
  for (const type of new Set([...runs, ...stored].map((row) => row.type)))
    for (const view of VIEWS) {
      const expected = await buildSets(
        db,
        runs.filter((run) => run.type === type),
        view,
      );
      faults.push(...(await compareSets(db, { type, view }, expected)));
    }
  return faults;
}

/** The sets of a type. Of each question, the first run that covers it counts: the latest one. */
async function buildSets(db: Db, runs: FindingRun[], view: View): Promise<Map<string, SlotSet>> {
  const sets = new Map<string, SlotSet>();
  let seen = new SlotSet([]);
  for (const run of runs) {
    const source = listViews(run).find((each) => each.view === view);
    if (!source) continue;
    const covered = await readCovered(db, run.id);
    const latest = SlotSet.difference(covered, seen);
    for (const [name, slots] of await readFound(db, run.id, source.of)) {
      const found = SlotSet.intersection([latest, slots]);
      sets.set(name, SlotSet.union(sets.get(name) ?? new SlotSet([]), found));
    }
    seen = SlotSet.union(seen, covered);
  }
  return sets;
}

async function compareSets(
  db: Db,
  { type, view }: Pick<SetRow, 'type' | 'view'>,
  expected: Map<string, SlotSet>,
): Promise<string[]> {
  const rows = await db.all<Pick<SetRow, 'name' | 'block' | 'n' | 'members'>>(
    `SELECT name, block, n, members FROM ${FINDING_SETS.name} WHERE type = $1 AND view = $2 AND n > 0
     ORDER BY name, block`,
    type,
    view,
  );
  const stored = Map.groupBy(rows, ({ name }) => name);
  return [...new Set([...stored.keys(), ...expected.keys()])].flatMap((name) => {
    const [actual, wanted] = [stored.get(name) ?? [], expected.get(name)?.blocks ?? []];
    const isSame =
      actual.length === wanted.length &&
      actual.every(({ block, n, members }, i) => {
        const other = wanted[i]!;
        return block === other.block && n === other.n && Buffer.compare(members, other.members) === 0;
      });
    return isSame ? [] : [`finding ${type}:${name} (${view}): differs from the results of the latest runs`];
  });
}
