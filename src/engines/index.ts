import type { Engine, Reader, ReaderSpec } from '../store/db.ts';

export interface Where {
  dataDir: string;
  databaseUrl?: string | undefined;
  /** Also while another process has the data folder. Such an engine writes nothing that needs a slot: no questions. */
  beside?: boolean;
}

/** PostgreSQL where there is an address for it, else the embedded database in the data folder. Loads only the one. */
export async function openEngine({ dataDir, databaseUrl, beside = false }: Where): Promise<Engine> {
  if (databaseUrl) return (await import('./postgres/engine.ts')).openPostgres(databaseUrl, beside);
  return (await import('./sqlite/engine.ts')).openSqlite(dataDir, beside);
}

/** Opens the data of an engine that is open elsewhere, to read it. */
export async function openReader(spec: ReaderSpec): Promise<Reader> {
  if ('url' in spec) return (await import('./postgres/engine.ts')).openPostgresReader(spec.url);
  return (await import('./sqlite/engine.ts')).openSqliteReader(spec.path);
}
