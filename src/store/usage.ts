import type { Db } from './db.ts';

/** What a client has stored. */
export interface Usage {
  questions: number;
  bytes: number;
}

/**
 * Reads the number and the size of a client's questions, from an index alone, and the size of the
 * results of its analyses. Responses are not counted: they belong to respondents.
 */
export async function readUsage(db: Db, client: string): Promise<Usage> {
  const row = await db.get<Usage>(
    `SELECT count(*) AS questions,
            CAST(coalesce(sum(content_bytes), 0) AS bigint)
              + (SELECT CAST(coalesce(sum(octet_length(i.lines)), 0) AS bigint)
                 FROM analyses a JOIN analysis_items i ON i.analysis_id = a.id WHERE a.client_id = $1) AS bytes
     FROM questions WHERE created_by = $1`,
    client,
  );
  return { questions: row!.questions, bytes: row!.bytes };
}
