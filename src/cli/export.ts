/** `quaestor export`: writes the questions of a bank to a file. */
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FORMATS } from '../formats/index.ts';
import { EXPORT_TYPES, type ExportFormat } from '../schemas/transfer.ts';
import { openBank } from './bank.ts';
import { type Outcome, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';
import { runInterruptibly } from './interrupt.ts';
import { ProgressLine } from './progress.ts';
import { getBankSettings } from './settings.ts';

interface Options {
  readonly format?: string | undefined;
  readonly filter?: string | undefined;
  readonly url?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export async function exportFile([file]: string[], options: Options): Promise<Outcome> {
  const { format: named, filter = '' } = options;
  const format = await chooseFormat(file, named);
  const bank = await openBank(getBankSettings(options), 'read');
  try {
    const isPiped = file === undefined || file === '-';
    const message = `Interrupted. ${isPiped ? 'The output is incomplete.' : `${file} was not written.`}`;
    const losses = await runInterruptibly(message, (signal) =>
      bank.exportFile(format, filter, (chunks) => {
        // Progress and questions on the same terminal would be mixed.
        const counted = isPiped && process.stdout.isTTY ? chunks : showBytes(chunks);
        if (isPiped) return pipeline(counted, process.stdout, { end: false, signal });
        return writeWhole(file, counted, signal);
      }),
    );
    const lost = losses.map(({ code, count }) => `${count} × ${code}`).join(', ');
    const note = lost
      ? `The format ${format} does not keep everything: ${lost}. See docs/formats.md.`
      : undefined;
    const data = { file: file ?? '-', format, losses };
    const text = isPiped ? '' : `Written to ${file} as ${format}.\n`;
    return { data, text, usesStdout: isPiped, ...(note !== undefined && { note }) };
  } finally {
    await bank.close();
  }
}

async function* showBytes(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const progress = new ProgressLine();
  let done = 0;
  try {
    for await (const chunk of chunks) {
      done += chunk.length;
      progress.show({ phase: 'exporting', done, unit: 'bytes' });
      yield chunk;
    }
  } finally {
    progress.end();
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
