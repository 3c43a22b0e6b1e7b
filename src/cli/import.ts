/** `quaestor import`: imports a file of questions into a bank, and prints the report. */
import { createReadStream, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { ImportQuery } from '../schemas/import.ts';
import type { ImportOptions, PresentedImport } from '../store/imports/row.ts';
import { type Bank, type BankSettings, openBank } from './bank.ts';
import { type Outcome, parseInput, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';
import { abortOnSignals } from './interrupt.ts';

export const IMPORT = {
  usage: 'FILE [--url URL] [--dry-run] [--rejects FILE] [options]',
  summary: 'imports a file of questions; FILE - is standard input',
};

export interface ImportArguments {
  format?: string | undefined;
  'dry-run'?: boolean | undefined;
  mode?: string | undefined;
  'on-match'?: string | undefined;
  category?: string | undefined;
  difficulty?: string | undefined;
  map?: string[] | undefined;
  'create-categories'?: boolean | undefined;
  encoding?: string | undefined;
  media?: string | undefined;
  'html-to'?: string | undefined;
  lenient?: boolean | undefined;
  rejects?: string | undefined;
}

export async function importFile(
  file: string,
  given: ImportArguments,
  settings: BankSettings,
): Promise<{ outcome: Outcome; complete: boolean }> {
  const request = parseRequest(file, given);
  if (file !== '-' && !existsSync(file)) throw new UsageError(`${file} does not exist.`);
  const bank = await openBank(settings, 'write');
  const interrupt = abortOnSignals('Interrupted: what had been imported is undone.');
  try {
    const source = file === '-' ? process.stdin : createReadStream(file);
    const id = await bank.startImport(source, request);
    const done = await follow(bank, id, interrupt.signal);
    if (given.rejects !== undefined && done.rejected > 0) await saveRejects(bank, id, given.rejects);
    const complete = done.status === 'succeeded' && done.rejected === 0;
    return { outcome: { data: done, text: renderReport(done) }, complete };
  } finally {
    interrupt.dispose();
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
  const isTerminal = process.stderr.isTTY;
  for (;;) {
    if (signal.aborted) {
      await bank.revertImport(id);
      throw signal.reason;
    }
    const now = await bank.getImport(id);
    const hasEnded = !['queued', 'running'].includes(now.status);
    if (isTerminal)
      process.stderr.write(
        `\r\x1b[K${hasEnded ? '' : `${Math.round(100 * now.progress)} %, ${now.read} items`}`,
      );
    if (hasEnded) return now;
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
