import type { Engine } from '../store/db.ts';

export interface Where {
  dataDir: string;
  databaseUrl?: string | undefined;
}

/** PostgreSQL where there is an address for it, else the embedded database in the data folder. Loads only the one. */
export async function openEngine({ dataDir, databaseUrl }: Where): Promise<Engine> {
  if (databaseUrl) return (await import('./postgres/engine.ts')).openPostgres(databaseUrl);
  return (await import('./sqlite/engine.ts')).openSqlite(dataDir);
}
