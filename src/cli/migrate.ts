/** `quaestor migrate`: copies a bank to another database of either engine. */
import { basename, dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { type BankAddress, lockBank, openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { type MigratedTable, migrateBank, type Progress } from '../store/migrate/migrate.ts';
import { type Outcome, UsageError } from './command.ts';
import { abortOnSignals } from './interrupt.ts';
import { formatCount, ProgressLine } from './progress.ts';
import { readSettings } from './settings.ts';
import { renderTable } from './table.ts';

interface Options {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const migrate = (_args: string[], options: Options): Promise<Outcome> =>
  migrateBetween(options, readSettings({}));

export async function migrateBetween({ from, to }: Options, config: Config): Promise<Outcome> {
  if (from === undefined || to === undefined)
    throw new UsageError('quaestor migrate --from ADDRESS --to ADDRESS');
  const [sourceAddress, targetAddress] = [
    parseAddress('--from', from, config),
    parseAddress('--to', to, config),
  ];
  if (JSON.stringify(sourceAddress) === JSON.stringify(targetAddress))
    throw new UsageError('--from and --to are the same bank.');
  const progress = new ProgressLine({ logsStart: true });
  const interrupt = abortOnSignals(
    'Interrupted. The target is incomplete and cannot be used. Run the same command again; it starts over.',
  );
  try {
    const { tables, location } = await lockBank(sourceAddress, async (source) => {
      const target = await openEngine({ ...targetAddress, mode: 'migrate-target' });
      try {
        const { signal } = interrupt;
        const report = ({ phase, table, done, total }: Progress) =>
          progress.show({ phase, label: `${phase} ${table}`, done, total, unit: 'rows' });
        return { tables: await migrateBank({ source, target, signal, report }), location: target.location };
      } finally {
        await target.close();
      }
    });
    progress.end();
    return {
      data: { location, tables },
      text: formatTables(tables),
      note: `Copied to ${location} and verified. The source is unchanged: use one of the two from now on.`,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(
      `${error.message} The target is incomplete: run the command again, and it starts over.`,
    );
  } finally {
    progress.end();
    interrupt.dispose();
  }
}

/**
 * Settings can come from a file; a password in an argument is visible to every user of the machine.
 */
function parseAddress(option: string, address: string, config: Config): BankAddress {
  if (address === 'postgres') {
    if (config.QUAESTOR_DATABASE_URL) return { dataDir: '', databaseUrl: config.QUAESTOR_DATABASE_URL };
    throw new UsageError(`${option} postgres needs QUAESTOR_DATABASE_URL or QUAESTOR_DATABASE_URL_FILE.`);
  }
  if (/^postgres(ql)?:\/\//.test(address)) return { dataDir: '', databaseUrl: address };
  const folder = address === 'sqlite' ? config.QUAESTOR_DATA_DIR : /^sqlite:(.+)$/s.exec(address)?.[1];
  if (folder === undefined)
    throw new UsageError(`${option} must be sqlite:FOLDER, postgres://…, sqlite or postgres.`);
  const path = resolve(folder);
  return { dataDir: basename(path) === 'quaestor.db' ? dirname(path) : path, databaseUrl: undefined };
}

const formatTables = (tables: MigratedTable[]) =>
  renderTable(
    ['TABLE', 'ROWS', 'SHA-256'],
    tables.map(({ table, rows, sha256 }) => [table, formatCount(rows), sha256.slice(0, 12)]),
  );
