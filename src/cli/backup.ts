/** `quaestor backup` and `restore`: one file with a whole bank of SQLite. */
import { resolve } from 'node:path';
import { loadBackups } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import type { Outcome } from './command.ts';
import { runInterruptibly } from './interrupt.ts';
import { formatCount, ProgressLine } from './progress.ts';
import { getAddress } from './settings.ts';
import { verifyDatabase } from './verify.ts';
import { readVersion } from './version.ts';

interface Options {
  readonly 'data-dir'?: string | undefined;
}

const POSTGRES_BACKUP =
  'The bank is on PostgreSQL. Back it up with the tools of the server: ' +
  'pg_dump --format=custom --file=FILE "$QUAESTOR_DATABASE_URL" for a bank of moderate size, ' +
  'pg_basebackup and WAL archiving for a large one. ' +
  'A folder of SQLite is backed up with --data-dir.';
const POSTGRES_RESTORE =
  'The bank is on PostgreSQL. Restore it with the tools of the server, to an empty database: ' +
  'pg_restore --no-owner --exit-on-error --dbname="$QUAESTOR_DATABASE_URL" FILE. ' +
  'A folder of SQLite is restored with --data-dir.';

export async function backUp([file]: string[], options: Options): Promise<Outcome> {
  const folder = requireFolder(options, POSTGRES_BACKUP);
  const { writeBackup } = await loadBackups();
  const info = await runInterruptibly('Interrupted. No backup was written.', (signal) =>
    writeBackup({ folder, file: file!, version: readVersion(), ...watch('copying', 'pages', signal) }),
  );
  const path = resolve(file!);
  return {
    data: { file: path, ...info },
    text: `Written to ${path} and verified: ${formatCount(info.bytes)} bytes, schema version ${info.schema}.\n`,
    note: 'It contains all answers and hashed credentials: keep it as safe as the bank.',
  };
}

export async function restore([file]: string[], options: Options): Promise<Outcome> {
  const folder = requireFolder(options, POSTGRES_RESTORE);
  const { restoreBackup } = await loadBackups();
  const info = await runInterruptibly('Interrupted. Nothing was restored.', (signal) =>
    restoreBackup({ folder, file: file!, ...watch('restoring', 'bytes', signal) }),
  );
  const path = resolve(folder);
  return {
    data: { folder: path, ...info },
    text: `Restored to ${path} and verified. The backup is of ${info.created_at}.\n`,
    note:
      'Clients, secrets and keys are those of that time: revoke again what was revoked since ' +
      '(`quaestor token list`).',
  };
}

function requireFolder(options: Options, message: string): string {
  const { dataDir, databaseUrl } = getAddress(options);
  if (databaseUrl) throw new StartError(message);
  return dataDir;
}

/** What the copy calls: the verification, and the report of its progress. */
function watch(phase: string, unit: string, signal: AbortSignal) {
  const progress = new ProgressLine();
  return {
    report: (done: number, total: number) => {
      signal.throwIfAborted();
      progress.show({ phase, done, total, unit });
    },
    verify: async (path: string) => {
      progress.end();
      const { damage } = await verifyDatabase({ path }, signal);
      if (damage.length > 0) throw new StartError(`${damage.slice(0, MAX_SHOWN).join('\n')}\n${DAMAGED}`);
    },
  };
}

const MAX_SHOWN = 10;
const DAMAGED =
  'The bank is damaged, so nothing was written. `quaestor verify` lists what is damaged. ' +
  'To keep a copy of it as it is, stop the service and copy its files.';
