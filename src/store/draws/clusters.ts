/** The clusters of a run of `duplicates`: questions that are not to be drawn together. */
import { errors } from '../../errors.ts';
import { readAllRows } from '../analyses/result-rows.ts';
import { type AnalysisRow, getResultView } from '../analyses/row.ts';
import type { Db } from '../db.ts';
import { canonicalId } from '../ids.ts';
import type { View, Visibility } from '../view.ts';

const CLUSTERED_TYPE = 'duplicates';

/** The number of the cluster of each slot. Questions in no cluster are left out. */
export type Clusters = ReadonlyMap<number, number>;

/** The size of an entry in memory. */
const ENTRY_BYTES = 50;

/** Reads the clusters of a run that the caller may read. Groups that share a question are one cluster. */
export async function readClusters(
  db: Db,
  given: string,
  { view, visibility }: { view: View; visibility: Visibility },
): Promise<Clusters> {
  const run = await requireDuplicatesRun(db, given, { view, visibility });
  const cacheKey = `clusters: ${run.id} ${run.view}`;
  const known = db.cache.get<Clusters>(cacheKey);
  if (known) return known;
  const groups = new Map<number, string[]>();
  for await (const rows of readAllRows<{ group: number; question_id: string }>(db, run))
    for (const { group, question_id } of rows) groups.getOrInsertComputed(group, () => []).push(question_id);
  const ids = joinGroups(groups.values());
  const clusters = new Map<number, number>();
  const all = [...ids.keys()];
  for (let i = 0; i < all.length; i += LOOKUP_BATCH_SIZE) {
    const rows = await db.all<{ id: string; created_slot: number }>(
      `SELECT id, created_slot FROM questions WHERE id IN ${db.dialect.values('$1', 'uuid')}`,
      JSON.stringify(all.slice(i, i + LOOKUP_BATCH_SIZE)),
    );
    for (const { id, created_slot } of rows) clusters.set(created_slot, ids.get(id)!);
  }
  db.cache.set(cacheKey, clusters, clusters.size * ENTRY_BYTES);
  return clusters;
}

/** Ids looked up by one statement. */
const LOOKUP_BATCH_SIZE = 5000;

async function requireDuplicatesRun(
  db: Db,
  given: string,
  { view, visibility }: { view: View; visibility: Visibility },
): Promise<{ id: string; view: View }> {
  const id = canonicalId(given);
  const row =
    id &&
    (await db.get<AnalysisRow>(
      'SELECT type, status, reads_answers, reveals_answers, unapproved FROM analyses WHERE id = $1',
      id,
    ));
  const isHidden = (run: AnalysisRow) =>
    (run.reveals_answers === 1 && view === 'without_answers') ||
    (run.unapproved === 1 && visibility === 'approved');
  if (!row || isHidden(row)) throw errors.noSuchAnalysis(given);
  if (row.type !== CLUSTERED_TYPE)
    throw errors.invalidBody([
      { pointer: '/apart_by', code: 'not_duplicates', detail: `must be a run of ${CLUSTERED_TYPE}` },
    ]);
  if (row.status !== 'succeeded') throw errors.noResult(given, row.status);
  return { id, view: getResultView(row, view) };
}

/** The cluster of each id: a forest of disjoint sets. */
function joinGroups(groups: Iterable<string[]>): Map<string, number> {
  const clusterOf = new Map<string, number>();
  const parents: number[] = [];
  const find = (cluster: number): number => {
    let root = cluster;
    while (parents[root] !== root) root = parents[root]!;
    parents[cluster] = root;
    return root;
  };
  for (const ids of groups) {
    const known = ids.flatMap((id) => (clusterOf.has(id) ? [find(clusterOf.get(id)!)] : []));
    const root = known[0] ?? parents.push(parents.length) - 1;
    for (const other of known) parents[other] = root;
    for (const id of ids) clusterOf.getOrInsert(id, root);
  }
  return new Map([...clusterOf].map(([id, cluster]) => [id, find(cluster)]));
}
