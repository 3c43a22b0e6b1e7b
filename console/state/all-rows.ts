/** All rows of a result, read in pages. */
import type { Row, RunWithResult } from './analysis.ts';
import { api } from './api.ts';

const PAGE_ROWS = 1000;

/** At most `max` rows, and whether there are more. */
export async function readAllRows(id: string, max = Infinity): Promise<{ rows: Row[]; hasMore: boolean }> {
  const rows: Row[] = [];
  let hasMore = true;
  while (hasMore && rows.length < max) {
    const query = { limit: PAGE_ROWS, offset: rows.length };
    const { result } = await api.get<RunWithResult>(`/analysis/${id}`, query);
    rows.push(...result!.items);
    hasMore = result!.pagination.has_more && result!.items.length > 0;
  }
  return { rows, hasMore };
}
