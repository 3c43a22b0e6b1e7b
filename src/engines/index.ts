import { INCOMPLETE_MESSAGE, isIncomplete } from '../store/bank-state.ts';
import type { Db, Engine, Reader, ReaderSpec } from '../store/db.ts';
import type { PostgresOptions } from './postgres/engine.ts';
import { StartError } from './start-error.ts';

export interface Where {
  dataDir: string;
  databaseUrl?: string | undefined;
  /** Also while another process has the data folder. Such an engine writes nothing that needs a slot: no questions. */
  beside?: boolean;
  /** Also a bank that is half moved, to finish it. */
  half?: boolean;
  /** What concerns PostgreSQL alone. */
  postgres?: Pick<PostgresOptions, 'connections' | 'wait'>;
}

/** PostgreSQL where there is an address for it, else the embedded database in the data folder. Loads only the one. */
export async function openEngine({ half = false, ...where }: Where): Promise<Engine> {
  const engine = await openAny(where, half);
  try {
    if (!half) await refuseHalf(engine.db);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function openAny(
  { dataDir, databaseUrl, beside = false, postgres }: Where,
  patient: boolean,
): Promise<Engine> {
  if (databaseUrl)
    return (await import('./postgres/engine.ts')).openPostgres(databaseUrl, { beside, patient, ...postgres });
  return (await import('./sqlite/engine.ts')).openSqlite(dataDir, beside);
}

/** Keeps everybody from writing to a bank for as long as the work takes. Changes nothing in it, its schema included. */
export async function lockBank<R>(
  { dataDir, databaseUrl }: Pick<Where, 'dataDir' | 'databaseUrl'>,
  work: (db: Db) => Promise<R>,
): Promise<R> {
  const checked = async (db: Db) => {
    await refuseHalf(db);
    return work(db);
  };
  if (databaseUrl) return (await import('./postgres/lock-bank.ts')).lockPostgresBank(databaseUrl, checked);
  return (await import('./sqlite/lock-bank.ts')).lockSqliteBank(dataDir, checked);
}

async function refuseHalf(db: Db): Promise<void> {
  if (await isIncomplete(db)) throw new StartError(INCOMPLETE_MESSAGE);
}

/** Opens the data of an engine that is open elsewhere, to read it. */
export async function openReader(spec: ReaderSpec): Promise<Reader> {
  if ('url' in spec) return (await import('./postgres/engine.ts')).openPostgresReader(spec.url);
  return (await import('./sqlite/engine.ts')).openSqliteReader(spec.path);
}
