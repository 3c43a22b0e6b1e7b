/** What two results of a type have in common: findings that are new, gone, and in both. */
import { readAllRows } from './all-rows.ts';
import type { AnalysisType } from './analysis.ts';
import { listDismissible } from './mending.ts';

/** More rows are not compared: the browser would have to hold them. */
const MAX_ROWS = 20_000;

export interface ComparedFinding {
  question_id: string;
  question_text: string | undefined;
  name: string;
}

export interface Comparison {
  appeared: ComparedFinding[];
  gone: ComparedFinding[];
  kept: number;
  /** Whether a result has more rows than are compared. */
  isPartial: boolean;
}

export async function compareRuns(earlier: string, later: string, type: AnalysisType): Promise<Comparison> {
  const [before, after] = await Promise.all([readFindings(earlier, type), readFindings(later, type)]);
  const without = (some: Findings, others: Findings) =>
    [...some.byKey].filter(([key]) => !others.byKey.has(key)).map(([, finding]) => finding);
  const appeared = without(after, before);
  return {
    appeared,
    gone: without(before, after),
    kept: after.byKey.size - appeared.length,
    isPartial: before.hasMore || after.hasMore,
  };
}

interface Findings {
  byKey: Map<string, ComparedFinding>;
  hasMore: boolean;
}

async function readFindings(id: string, type: AnalysisType): Promise<Findings> {
  const { rows, hasMore } = await readAllRows(id, MAX_ROWS);
  const byKey = new Map<string, ComparedFinding>();
  for (const row of rows) {
    const { question_id, question_text } = row;
    if (question_id === undefined) continue;
    for (const name of listDismissible(row, type))
      byKey.set(`${question_id} ${name}`, { question_id, question_text, name });
  }
  return { byKey, hasMore };
}
