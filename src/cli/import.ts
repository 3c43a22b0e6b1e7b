/** `quaestor import`: imports a file of questions into a bank, and prints the report. */
import { createReadStream, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ImportQuery } from '../schemas/import.ts';
import type { ImportOptions, PresentedImport } from '../store/imports/row.ts';
import { type Bank, openBank } from './bank.ts';
import { type Outcome, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';
import { parseInput } from './input.ts';
import { runInterruptibly } from './interrupt.ts';
import { ProgressLine } from './progress.ts';
import { getBankSettings } from './settings.ts';

interface ImportArguments {
  readonly format?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly mode?: string | undefined;
  readonly 'on-match'?: string | undefined;
  readonly category?: string | undefined;
  readonly difficulty?: string | undefined;
  readonly map?: string[] | undefined;
  readonly 'create-categories'?: boolean | undefined;
  readonly encoding?: string | undefined;
  readonly media?: string | undefined;
  readonly 'html-to'?: string | undefined;
  readonly lenient?: boolean | undefined;
  readonly rejects?: string | undefined;
  readonly url?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export async function importFile(args: string[], given: ImportArguments): Promise<Outcome> {
  const file = args[0]!;
  const request = parseRequest(file, given);
  if (file !== '-' && !existsSync(file)) throw new UsageError(`${file} does not exist.`);
  const bank = await openBank(getBankSettings(given), 'write');
  try {
    const message = 'Interrupted: what had been imported is undone.';
    const { id, done } = await runInterruptibly(message, async (signal) => {
      const source = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
      const id = await bank.startImport(source, request);
      return { id, done: await follow(bank, id, signal) };
    });
    if (given.rejects !== undefined && done.rejected > 0) await saveRejects(bank, id, given.rejects);
    const isComplete = done.status === 'succeeded' && done.rejected === 0;
    return { data: done, text: renderReport(done), exitCode: isComplete ? 0 : 1 };
  } finally {
    await bank.close();
  }
}

function parseRequest(file: string, given: ImportArguments) {
  const {
    format,
    file_name,
    category_map: _,
    ...options
  } = parseInput(ImportQuery, {
    ...(given.format !== undefined && { format: given.format }),
    ...(file !== '-' && { file_name: basename(file) }),
    dry_run: given['dry-run'] ?? false,
    mode: given.mode ?? 'skip_bad',
    on_match: given['on-match'] ?? 'skip',
    create_categories: given['create-categories'] ?? false,
    ...(given.category !== undefined && { category: given.category }),
    ...(given.difficulty !== undefined && { difficulty: Number(given.difficulty) }),
    ...(given.encoding !== undefined && { encoding: given.encoding }),
    ...(given.media !== undefined && { media: given.media }),
    ...(given['html-to'] !== undefined && { html_to: given['html-to'] }),
    ...(given.lenient !== undefined && { lenient: given.lenient }),
  });
  const category_map = given.map && Object.fromEntries(given.map.map(parseMapping));
  return {
    format,
    file_name,
    options: { ...options, ...(category_map && { category_map }) } as ImportOptions,
  };
}

function parseMapping(text: string): [string, string] {
  const [from, to] = text.split(/=(?=[^=]*$)/);
  if (from && to) return [from, to];
  throw new UsageError('--map must be CATEGORY OF THE FILE=CATEGORY OF THE BANK.');
}

const POLL_MS = 200;

/** Follows an import to its end. An interruption undoes it. */
async function follow(bank: Bank, id: string, signal: AbortSignal): Promise<PresentedImport> {
  const progress = new ProgressLine();
  for (;;) {
    if (signal.aborted) {
      progress.end();
      await bank.revertImport(id);
      throw signal.reason;
    }
    const now = await bank.getImport(id);
    const hasEnded = !['queued', 'running'].includes(now.status);
    if (hasEnded) {
      progress.end();
      return now;
    }
    // The number of items is estimated by the share of the file that was read.
    const total = now.progress > 0 ? Math.max(now.read, now.read / now.progress) : undefined;
    progress.show({ phase: 'importing', done: now.read, total, unit: 'items' });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function saveRejects(bank: Bank, id: string, path: string): Promise<void> {
  await writeWhole(path, await bank.readRejects(id));
}

function renderReport(done: PresentedImport): string {
  const { status, options, created, updated, unchanged, skipped, rejected, reasons, error } = done;
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${rejected} rejected`;
  const verdict = status === 'succeeded' ? (options.dry_run ? 'Dry run' : 'Imported') : `Import ${status}`;
  const lines = [`${verdict}: ${counts} (read as ${done.format}).`];
  if (error) lines.push(error.detail);
  if (!options.dry_run && created + updated > 0) lines.push(`Undo it with POST /changes/${done.id}/undo.`);
  for (const { outcome, code, detail, count, examples } of reasons) {
    const positions = examples
      .slice(0, 5)
      .map(({ line, column, path }) =>
        [path, `line ${line}`, column !== undefined && `column ${column}`].filter(Boolean).join(', '),
      );
    lines.push(
      `  ${count} × ${outcome}, ${code}: ${detail}`,
      `    ${positions.join('; ')}${count > 5 ? '; …' : ''}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
