/** `quaestor export`: writes the questions of a bank to a file. */
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FORMATS } from '../formats/index.ts';
import { EXPORT_TYPES, type ExportFormat } from '../schemas/transfer.ts';
import { openBank } from './bank.ts';
import { type Outcome, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';
import { getBankSettings } from './settings.ts';

interface Options {
  readonly format?: string | undefined;
  readonly filter?: string | undefined;
  readonly url?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export async function exportFile([file]: string[], options: Options): Promise<Outcome | undefined> {
  const { format: named, filter = '' } = options;
  const format = await chooseFormat(file, named);
  const bank = await openBank(getBankSettings(options), 'read');
  try {
    const isPiped = file === undefined || file === '-';
    const losses = await bank.exportFile(format, filter, (chunks) =>
      isPiped ? pipeline(chunks, process.stdout, { end: false }) : writeWhole(file, chunks),
    );
    const lost = losses.map(({ code, count }) => `${count} × ${code}`).join(', ');
    const note = lost
      ? `The format ${format} does not keep everything: ${lost}. See docs/formats.md.`
      : undefined;
    // Standard output has the file.
    if (isPiped && note !== undefined) process.stderr.write(`${note}\n`);
    if (isPiped) return undefined;
    const data = { file, format, losses };
    return { data, text: `Written to ${file} as ${format}.\n`, ...(note !== undefined && { note }) };
  } finally {
    await bank.close();
  }
}

async function chooseFormat(file: string | undefined, named: string | undefined): Promise<ExportFormat> {
  const names = Object.keys(EXPORT_TYPES) as ExportFormat[];
  if (named !== undefined) return named as ExportFormat;
  if (file === undefined || file === '-') return 'jsonl';
  for (const name of names)
    if ((await FORMATS[name]!()).extensions.includes(extname(file).toLowerCase())) return name;
  throw new UsageError(`Name the format of ${file} with --format: ${names.join(', ')}.`);
}
