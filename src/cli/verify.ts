/** `quaestor verify`: checks the files, every row and the index of a bank, without changing it. */
import { join, resolve } from 'node:path';
import { openReader } from '../engines/index.ts';
import { ApiError } from '../errors.ts';
import type { Db, ReaderSpec } from '../store/db.ts';
import { QUESTIONS } from '../store/questions/row.ts';
import { verifyIndex } from '../store/verify/bank-index.ts';
import { verifyFindings } from '../store/verify/findings.ts';
import { verifyRows } from '../store/verify/rows.ts';
import type { Outcome } from './command.ts';
import { runInterruptibly } from './interrupt.ts';
import { ProgressLine } from './progress.ts';
import { getAddress } from './settings.ts';
import { renderTable } from './table.ts';

/** What is damaged. Printed in full with --json, else up to this many lines. */
const MAX_PRINTED = 100;

interface Report {
  tables: { table: string; rows: number; damaged: number }[];
  damage: string[];
  warnings: string[];
}

export async function verify(
  _args: string[],
  options: { readonly 'data-dir'?: string | undefined },
): Promise<Outcome> {
  const { databaseUrl: url, dataDir } = getAddress(options);
  const spec = url ? { url } : { path: join(resolve(dataDir), 'quaestor.db') };
  const report = await runInterruptibly('Interrupted. The bank is unchanged.', (signal) =>
    verifyDatabase(spec, signal),
  );
  return { ...formatReport(report), exitCode: report.damage.length > 0 ? 1 : 0 };
}

/** A signal ends it between two batches of rows. */
export async function verifyDatabase(spec: ReaderSpec, signal?: AbortSignal): Promise<Report> {
  const report: Report = { tables: [], damage: [], warnings: [] };
  const progress = new ProgressLine();
  const show = (line: string) => {
    signal?.throwIfAborted();
    progress.showText('verifying', line);
  };
  try {
    const { db, close } = await openReader(spec);
    try {
      await verifyBank(db, report, show);
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'damaged_database') throw error;
    report.damage.push(`database file: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  } finally {
    progress.end();
  }
  return report;
}

async function verifyBank(db: Db, report: Report, progress: (line: string) => void): Promise<void> {
  for (const { warning } of await db.all<{ warning: string }>(db.dialect.storageWarnings))
    report.warnings.push(warning);
  progress('checking the structure of the files');
  for (const { fault } of await db.all<{ fault: string }>(db.dialect.structureFaults))
    report.damage.push(`database file: ${fault}`);
  const tables = new Map<string, Report['tables'][number]>();
  for await (const { table, rows, damage } of verifyRows(db)) {
    const entry = tables.getOrInsertComputed(table, () => ({ table, rows: 0, damaged: 0 }));
    entry.rows += rows;
    entry.damaged += damage.length;
    report.damage.push(...damage);
    report.tables = [...tables.values()];
    progress(`${table}: ${entry.rows} rows`);
  }
  progress('comparing findings with the runs');
  report.damage.push(...(await db.snapshot(verifyFindings)));
  if (tables.get(QUESTIONS.name)?.damaged)
    report.warnings.push('The index was not compared with the questions, because some of them are damaged');
  else report.damage.push(...(await db.snapshot((tx) => verifyIndex(tx, progress))));
}

function formatReport({ tables, damage, warnings }: Report): Outcome {
  const table = renderTable(
    ['TABLE', 'ROWS', 'DAMAGED'],
    tables.map(({ table, rows, damaged }) => [table, String(rows), String(damaged)]),
  );
  const lines = damage.slice(0, MAX_PRINTED).map((line) => `${line}\n`);
  const notes = [
    ...warnings.map((warning) => `Warning: ${warning}.`),
    damage.length === 0 ? 'Nothing is damaged.' : `${damage.length} faults. ${ADVICE}`,
  ];
  return { data: { tables, damage, warnings }, text: table + lines.join(''), note: notes.join('\n') };
}

const ADVICE =
  'Restore a backup of before the damage. Without one: delete damaged questions, or restore an earlier revision of them, ' +
  'while the service runs; faults of the file or of the index cannot be repaired in place.';
