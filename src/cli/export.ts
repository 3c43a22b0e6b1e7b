/** `quaestor export`: writes the questions of a bank to a file. */
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FORMATS } from '../formats/index.ts';
import { EXPORT_TYPES, type ExportFormat } from '../schemas/transfer.ts';
import { type BankSettings, openBank } from './bank.ts';
import { type Outcome, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';

export const EXPORT = {
  usage: '[FILE] [--url URL] [--format FORMAT] [--filter QUERY]',
  summary:
    'writes questions to a file, or to standard output; QUERY as in GET /questions: category=Science&tag=x',
};

export async function exportFile(
  file: string | undefined,
  { format: named, filter = '' }: { format?: string | undefined; filter?: string | undefined },
  settings: BankSettings,
): Promise<Outcome> {
  const format = await chooseFormat(file, named);
  const bank = await openBank(settings, 'read');
  try {
    const isPiped = file === undefined || file === '-';
    const losses = await bank.exportFile(format, filter, (chunks) =>
      isPiped ? pipeline(chunks, process.stdout, { end: false }) : writeWhole(file, chunks),
    );
    const lost = losses.map(({ code, count }) => `${count} × ${code}`).join(', ');
    const note = lost
      ? `The format ${format} does not keep everything: ${lost}. See docs/formats.md.`
      : undefined;
    return {
      data: { file: file ?? '-', format, losses },
      text: isPiped ? '' : `Written to ${file} as ${format}.\n`,
      ...(note !== undefined && { note }),
    };
  } finally {
    await bank.close();
  }
}

async function chooseFormat(file: string | undefined, named: string | undefined): Promise<ExportFormat> {
  const names = Object.keys(EXPORT_TYPES) as ExportFormat[];
  if (named !== undefined) {
    const found = names.find((name) => name === named);
    if (found) return found;
    throw new UsageError(`--format must be one of ${names.join(', ')}.`);
  }
  if (file === undefined || file === '-') return 'jsonl';
  for (const name of names)
    if ((await FORMATS[name]!()).extensions.includes(extname(file).toLowerCase())) return name;
  throw new UsageError(`Name the format of ${file} with --format: ${names.join(', ')}.`);
}
