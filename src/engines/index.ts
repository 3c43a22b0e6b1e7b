import type { Engine } from '../store/db.ts';
import { openPostgres } from './postgres/engine.ts';
import { openSqlite } from './sqlite/engine.ts';

export { StartError } from './start-error.ts';

export interface Where {
  dataDir: string;
  databaseUrl?: string | undefined;
}

/** PostgreSQL where there is an address for it, else the embedded database in the data folder. */
export const openEngine = ({ dataDir, databaseUrl }: Where): Promise<Engine> =>
  databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataDir);
