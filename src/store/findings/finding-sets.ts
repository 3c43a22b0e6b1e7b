/**
 * Sets of questions by what the latest runs of analyses found in them.
 *
 * A finding is named by an analysis type and a name of that type, such as `quality` and `spacing`.
 * Its set has the created slots of the questions in which the latest run of the type that covered
 * the question found it. When a run over the questions S succeeds, each set of its type becomes
 * (set \ S) ∪ found, in the transaction that stores the result. When a run is deleted, the questions
 * for which it was the latest one fall back to the latest run before it.
 *
 * Each set exists once per view. A set without answers is made from results without answers, and
 * not by runs whose selection of questions reveals answers: its changes would show the selection.
 * Only runs of the current version of an analysis count.
 *
 * A set may have slots of deleted questions: intersect it with the questions of the bank. Types
 * that read responses are hidden from some callers (api/analysis/guesses.ts).
 */
import { type Db, defineCommand, type Tx } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks } from '../index/bitmaps.ts';
import { type Block, SlotSet } from '../index/slots.ts';
import { bigint, bytea, defineTable, integer, type RowOf, text, uuid } from '../table.ts';
import type { View } from '../view.ts';
import { readDismissed } from './dismissals.ts';

/** What each run found. */
export const ANALYSIS_FINDINGS = defineTable(
  'analysis_findings',
  { analysis_id: uuid, view: text<View>(), name: text(), block: bigint, n: integer, members: bytea },
  'analysis_id',
  'view',
  'name',
  'block',
);

/** What the latest runs found. */
export const FINDING_SETS = defineTable(
  'finding_sets',
  {
    type: text(),
    view: text<View>(),
    name: text(),
    block: bigint,
    /** The version of the analysis. */
    version: integer,
    n: integer,
    members: bytea,
  },
  'type',
  'view',
  'name',
  'block',
);

type SetRow = RowOf<typeof FINDING_SETS>;

/** The questions in which a run found something, in the result of one view. */
export interface FoundSet {
  view: View;
  name: string;
  blocks: Block[];
}

/** The questions with a finding that is not dismissed. */
export async function readFindingSet(db: Db, type: string, name: string, view: View): Promise<SlotSet> {
  const slots = new SlotSet(
    await db.all<Block>(
      `SELECT block, n, members FROM finding_sets
       WHERE type = $1 AND view = $2 AND name = $3 AND n > 0 ORDER BY block`,
      type,
      view,
      name,
    ),
  );
  if (view === 'without_answers') return slots;
  return withoutDismissed({ type, name, slots }, await readDismissed(db, { type, name })).slots;
}

function withoutDismissed(set: FindingSet, dismissed: Map<string, SlotSet>): FindingSet {
  const removed = dismissed.get(`${set.type}:${set.name}`);
  return removed ? { ...set, slots: SlotSet.difference(set.slots, removed) } : set;
}

export interface FindingSet {
  type: string;
  name: string;
  slots: SlotSet;
}

type SetBlock = Pick<SetRow, 'type' | 'name'> & Block;

/** All sets that are not empty, by type and name, without what is dismissed. */
export async function listFindingSets(db: Db, view: View): Promise<FindingSet[]> {
  const rows = await db.all<SetBlock>(
    `SELECT type, name, block, n, members FROM finding_sets WHERE view = $1 AND n > 0
     ORDER BY type, name, block`,
    view,
  );
  return toSets(rows, view === 'with_answers' ? await readDismissed(db) : new Map());
}

/** The sets of some findings, with answers, as far as they are not empty. */
export async function readFindingSets(
  db: Db,
  findings: { type: string; name: string }[],
): Promise<FindingSet[]> {
  const rows: SetBlock[] = [];
  for (const [type, some] of Map.groupBy(findings, (finding) => finding.type))
    rows.push(
      ...(await db.all<SetBlock>(
        `SELECT type, name, block, n, members FROM finding_sets
         WHERE type = $1 AND view = 'with_answers' AND name IN ${db.dialect.values('$2', 'text')} AND n > 0
         ORDER BY name, block`,
        type,
        JSON.stringify(some.map(({ name }) => name)),
      )),
    );
  return toSets(rows, await readDismissed(db));
}

function toSets(rows: SetBlock[], dismissed: Map<string, SlotSet>): FindingSet[] {
  const sets: { type: string; name: string; blocks: Block[] }[] = [];
  for (const { type, name, ...block } of rows) {
    const last = sets.at(-1);
    if (last?.type === type && last.name === name) last.blocks.push(block);
    else sets.push({ type, name, blocks: [block] });
  }
  return sets
    .map(({ type, name, blocks }) => withoutDismissed({ type, name, slots: new SlotSet(blocks) }, dismissed))
    .filter(({ slots }) => slots.total > 0);
}

/** A run whose findings are recorded or forgotten. */
export interface FindingRun {
  id: string;
  type: string;
  reads_answers: number;
  reveals_answers: number;
  /** The version of the analysis. */
  version: number;
}

/** The views whose sets a run changes, each with the view of the result it takes them from. */
export const listViews = ({ reads_answers, reveals_answers }: FindingRun): { view: View; of: View }[] => [
  { view: 'with_answers', of: reads_answers === 1 ? 'with_answers' : 'without_answers' },
  ...(reveals_answers === 1 ? [] : [{ view: 'without_answers' as const, of: 'without_answers' as const }]),
];

/** Rows inserted by one statement. */
const BATCH_ROWS = 250;

/** Serialises the changes of sets. Take it before the run gets its time of finishing. */
export const lockFindings = (tx: Tx) => tx.lock('findings');

/** Records what a run over the questions `covered` found. Call `lockFindings` before. */
export async function recordFindings(
  tx: Tx,
  run: FindingRun,
  covered: SlotSet,
  found: FoundSet[],
): Promise<void> {
  const rows = found.flatMap(({ view, name, blocks }) =>
    blocks.map(({ block, n, members }) => ({ analysis_id: run.id, view, name, block, n, members })),
  );
  for (let i = 0; i < rows.length; i += BATCH_ROWS)
    await tx.insert(ANALYSIS_FINDINGS, rows.slice(i, i + BATCH_ROWS));
  await discardOtherVersions(tx, run);
  for (const { view, of } of listViews(run)) {
    const sets = new Map<string, SlotSet>();
    for (const { view: foundIn, name, blocks } of found)
      if (foundIn === of) sets.set(name, new SlotSet(blocks));
    await replaceWithin(tx, { ...run, view }, covered, sets);
  }
}

/** Replaces the part of each set of the type that is within `covered`. */
async function replaceWithin(
  tx: Tx,
  { type, view, version }: { type: string; view: View; version: number },
  covered: SlotSet,
  found: ReadonlyMap<string, SlotSet>,
): Promise<void> {
  const rows = await tx.all<SetRow>(
    `SELECT name, block, n, members FROM finding_sets
     WHERE type = $1 AND view = $2 AND block IN ${tx.dialect.values('$3', 'bigint')}`,
    type,
    view,
    JSON.stringify(covered.blocks.map(({ block }) => block)),
  );
  const stored = new Map(rows.map((row) => [`${row.name} ${row.block}`, row as Block]));
  const coveredBlocks = new Map(covered.blocks.map((block) => [block.block, block]));
  const names = new Set([...rows.map(({ name }) => name), ...found.keys()]);
  const changed: SetRow[] = [];
  for (const name of names) {
    const foundBlocks = new Map((found.get(name)?.blocks ?? []).map((block) => [block.block, block]));
    for (const [block, within] of coveredBlocks) {
      const before = stored.get(`${name} ${block}`);
      const added = foundBlocks.get(block);
      if (!before && !added) continue;
      const after = before ? replaceBlock(before, within, added) : added!;
      if (!before || !isSame(before, after))
        changed.push({ type, view, name, block, version, n: after.n, members: after.members });
    }
  }
  for (let i = 0; i < changed.length; i += BATCH_ROWS)
    await tx.insert(
      FINDING_SETS,
      changed.slice(i, i + BATCH_ROWS),
      'ON CONFLICT (type, view, name, block) DO UPDATE SET n = excluded.n, members = excluded.members',
    );
}

function replaceBlock(before: Block, covered: Block, found: Block | undefined): Block {
  const kept = SlotSet.difference(new SlotSet([before]), new SlotSet([covered]));
  const after = found ? SlotSet.union(kept, new SlotSet([found])) : kept;
  return after.blocks[0] ?? { block: before.block, n: 0, members: new Uint8Array() };
}

const isSame = (a: Block, b: Block) => a.n === b.n && Buffer.compare(a.members, b.members) === 0;

/**
 * Removes what a run found from the sets, before its row is deleted. Questions for which it was the
 * latest run fall back to the run before.
 */
export async function forgetFindings(tx: Tx, run: FindingRun): Promise<void> {
  await lockFindings(tx);
  for (const { view, of } of listViews(run)) {
    const { uncovered, earlier } = await findUncovered(tx, run, view);
    if (uncovered.total === 0) continue;
    const found = new Map<string, SlotSet>();
    let rest = uncovered;
    for (const id of earlier) {
      if (rest.total === 0) break;
      const covered = SlotSet.intersection([rest, await readCovered(tx, id)]);
      if (covered.total === 0) continue;
      for (const [name, slots] of await readFound(tx, id, of)) {
        const added = SlotSet.intersection([covered, slots]);
        found.set(name, SlotSet.union(found.get(name) ?? new SlotSet([]), added));
      }
      rest = SlotSet.difference(rest, covered);
    }
    await replaceWithin(tx, { ...run, view }, uncovered, found);
  }
}

/** The questions for which a run is the latest one, and the runs before it, the latest first. */
async function findUncovered(tx: Tx, run: FindingRun, view: View) {
  const runs = await tx.all<{ id: string }>(
    `SELECT id FROM analyses WHERE type = $1 AND status = 'succeeded' AND definition_version = $2
       AND (reveals_answers = 0 OR $3 = 'with_answers') ORDER BY finished_at DESC, id DESC`,
    run.type,
    run.version,
    view,
  );
  const at = runs.findIndex(({ id }) => id === run.id);
  let uncovered = at < 0 ? new SlotSet([]) : await readCovered(tx, run.id);
  for (let i = 0; i < at && uncovered.total > 0; i++)
    uncovered = SlotSet.difference(uncovered, await readCovered(tx, runs[i]!.id));
  return { uncovered, earlier: runs.slice(at + 1).map(({ id }) => id) };
}

/** The questions of a run. */
export async function readCovered(db: Db, analysisId: string): Promise<SlotSet> {
  return fromBitmapBlocks(
    await db.all<BitmapBlock>(
      'SELECT block, members FROM analysis_questions WHERE analysis_id = $1 ORDER BY block',
      analysisId,
    ),
  );
}

export async function readFound(db: Db, analysisId: string, view: View): Promise<Map<string, SlotSet>> {
  const rows = await db.all<{ name: string } & Block>(
    `SELECT name, block, n, members FROM analysis_findings
     WHERE analysis_id = $1 AND view = $2 ORDER BY name, block`,
    analysisId,
    view,
  );
  const byName = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byName].map(([name, blocks]) => [name, new SlotSet(blocks)]));
}

/** Ends the findings of earlier versions of analyses, at the start of the service. */
export const discardFindings = defineCommand(
  'discardFindings',
  async (tx: Tx, current: { type: string; version: number }[]): Promise<null> => {
    await lockFindings(tx);
    for (const analysis of current) await discardOtherVersions(tx, analysis);
    return null;
  },
);

async function discardOtherVersions(tx: Tx, { type, version }: { type: string; version: number }) {
  await tx.run('DELETE FROM finding_sets WHERE type = $1 AND version <> $2', type, version);
  await tx.run(
    'UPDATE analyses SET definition_version = NULL WHERE type = $1 AND definition_version <> $2',
    type,
    version,
  );
}
