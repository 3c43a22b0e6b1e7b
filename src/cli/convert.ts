/** `quaestor convert`: reads questions from a file and writes them in another format, without a bank. */
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Format, PortableQuestion, Position } from '../formats/format.ts';
import { detectFormat, FORMATS, HEAD_BYTES } from '../formats/index.ts';
import { Tally, type TallyEntry } from '../transfer/tally.ts';
import { type Outcome, UsageError } from './command.ts';
import { runInterruptibly } from './interrupt.ts';
import { ProgressLine } from './progress.ts';
import { withInput } from './standard-input.ts';

/** Positions that the report shows for each reason. */
const MAX_POSITIONS = 5;

const formatPosition = ({ line, column, path }: Position) =>
  `${path === undefined ? '' : `${path}, `}line ${line}${column === undefined ? '' : `, column ${column}`}`;

interface FormatNames {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function convert(args: string[], names: FormatNames): Promise<Outcome> {
  const [input, output] = args as [string, string];
  const left = output === '-' ? 'The output is incomplete' : `${output} was not written`;
  return runInterruptibly(`Interrupted. ${left}.`, (signal) =>
    withInput(input, signal, (path) => convertFile(path, output, names, signal)),
  );
}

async function convertFile(
  input: string,
  output: string,
  names: FormatNames,
  signal: AbortSignal,
): Promise<Outcome> {
  const source = await findReader(input, names.from, '--from');
  const target = await findWriter(output, names.to);
  const rejects = new Tally<string>(MAX_POSITIONS);
  const losses = new Tally<string>(MAX_POSITIONS);
  let written = 0;
  const progress = new ProgressLine();

  async function* readQuestions(): AsyncIterable<PortableQuestion> {
    let opened: ReadStream | undefined;
    const stream = () => {
      opened = createReadStream(input);
      return opened;
    };
    const { size } = await stat(input);
    const file = { path: input, stream };
    for await (const { kind, value } of source.read!(file, {})) {
      // Archives are not read from their beginning to their end.
      if (opened) progress.show({ phase: 'converting', done: opened.bytesRead, total: size, unit: 'bytes' });
      else progress.show({ phase: 'converting', done: written, unit: 'questions' });
      if (kind === 'reject') rejects.add(value.code, value.detail, formatPosition(value.position));
      else if (kind === 'notice') losses.add(value.code, value.detail, formatPosition(value.position));
      else if (kind === 'question') {
        for (const { code, detail, position } of value.notices)
          losses.add(code, detail, formatPosition(position));
        written++;
        yield value.question;
      }
    }
  }

  const onNotice = ({ index, code, detail }: { index: number; code: string; detail: string }) =>
    losses.add(code, detail, `question ${index + 1}`);
  const usesStdout = output === '-';
  const chunks = target.write!(readQuestions(), { onNotice });
  await (usesStdout
    ? pipeline(chunks, process.stdout, { end: false, signal })
    : writeWhole(output, chunks, signal)
  ).finally(() => progress.end());
  const data = {
    from: source.name,
    to: target.name,
    written,
    rejected: listEntries(rejects),
    losses: listEntries(losses),
  };
  const exitCode = rejects.total > 0 ? 1 : 0;
  return { data, text: renderReport(data, rejects.total), exitCode, usesStdout };
}

const listEntries = (tally: Tally<string>) =>
  tally.list().map(({ examples, ...entry }: TallyEntry<string>) => ({ ...entry, positions: examples }));

/** Writes a file under another name first: an interrupted conversion leaves no partial file. */
export async function writeWhole(
  output: string,
  chunks: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const partial = `${output}.partial`;
  try {
    await pipeline(chunks, createWriteStream(partial), signal ? { signal } : {});
    await rename(partial, output);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The format to read a file in: the named one, or the one that is recognised. */
export async function findReader(
  input: string,
  name: string | undefined,
  option = '--format',
): Promise<Format> {
  const format = name === undefined ? await detect(input, option) : await load(name, option);
  if (!format.read) throw new UsageError(`Files in the format ${format.name} cannot be read.`);
  return format;
}

async function detect(input: string, option: string): Promise<Format> {
  const file = await open(input).catch((error: Error) => {
    throw new UsageError(`${input} cannot be read: ${error.message}.`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES));
    const format = await detectFormat(buffer.subarray(0, bytesRead), basename(input));
    if (format) return format;
  } finally {
    await file.close();
  }
  throw new UsageError(`The format of ${input} is not recognised. Name it with ${option}: ${listNames()}.`);
}

async function findWriter(output: string, name: string | undefined): Promise<Format> {
  const format = name === undefined ? await findByExtension(output) : await load(name, '--to');
  if (!format.write) throw new UsageError(`Files in the format ${format.name} cannot be written.`);
  return format;
}

async function findByExtension(output: string): Promise<Format> {
  const extension = extname(output).toLowerCase();
  for (const loadFormat of Object.values(FORMATS)) {
    const format = await loadFormat();
    if (format.write && format.extensions.includes(extension)) return format;
  }
  throw new UsageError(`Name the format of ${output} with --to: ${listNames()}.`);
}

async function load(name: string, option: string): Promise<Format> {
  const loadFormat = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!loadFormat) throw new UsageError(`${option} must be one of ${listNames()}.`);
  return loadFormat();
}

const listNames = () => Object.keys(FORMATS).join(', ');

function renderReport(
  {
    from,
    to,
    written,
    rejected,
    losses,
  }: { from: string; to: string; written: number } & Record<
    'rejected' | 'losses',
    ReturnType<typeof listEntries>
  >,
  rejectedTotal: number,
): string {
  const lines = [`${written} questions written as ${to}, ${rejectedTotal} rejected (read as ${from}).`];
  const describe = (title: string, entries: typeof rejected) => {
    if (entries.length > 0) lines.push('', title);
    for (const { code, detail, count, positions } of entries)
      lines.push(
        `  ${count} × ${code}: ${detail}`,
        `    ${positions.join('; ')}${count > positions.length ? '; …' : ''}`,
      );
  };
  describe('Rejected:', rejected);
  describe('Lost or changed:', losses);
  return `${lines.join('\n')}\n`;
}
