/** `quaestor analyze`: analyses a bank or files, as a table, JSON, a figure or one HTML page. */
import { basename, extname } from 'node:path';
import { type Analysis, analyses, withDefaults } from '../analyses/index.ts';
import { renderFigure } from '../charts/render.ts';
import { renderPage, renderText } from './analysis-report.ts';
import {
  type AnalysisResult,
  type AnalysisSource,
  fromBank,
  fromFiles,
  fromService,
} from './analysis-sources.ts';
import { type Outcome, UsageError } from './command.ts';
import { writeWhole } from './convert.ts';
import { FileQuestions } from './file-questions.ts';
import { parseInput } from './input.ts';
import { ProgressLine } from './progress.ts';
import { getBankSettings } from './settings.ts';
import { findClosest } from './suggest.ts';

interface Options {
  readonly file?: string[] | undefined;
  readonly filter?: string | undefined;
  readonly parameters?: string | undefined;
  readonly format?: string | undefined;
  readonly output?: string | undefined;
  readonly url?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

const FORMATS_BY_ENDING: Record<string, string> = { '.html': 'html', '.json': 'json', '.svg': 'svg' };

export async function analyze(names: string[], options: Options): Promise<Outcome> {
  const { output, format = FORMATS_BY_ENDING[extname(output ?? '').toLowerCase()] ?? 'text' } = options;
  const given = parseParameters(options.parameters);
  const files = options.file ?? [];
  const chosen = chooseAnalyses(names, files.length > 0);
  if (chosen.length > 1 && (format === 'svg' || options.parameters !== undefined))
    throw new UsageError('A figure, and parameters, are of one analysis: name one.');
  for (const analysis of chosen) requireValid(analysis, given);
  const source = await openSource(files, options);
  const results: AnalysisResult[] = [];
  const progress = new ProgressLine();
  try {
    for (const analysis of chosen)
      results.push(
        await source.run(analysis, given, (share) =>
          progress.show({ phase: analysis.title, done: Math.round(share * 100), total: 100, unit: '%' }),
        ),
      );
  } finally {
    progress.end();
    await source.close();
  }
  const subject = files.length > 0 ? files.map((file) => basename(file)).join(', ') : 'the bank';
  const text = render(results, format, subject);
  if (output === undefined || output === '-') return { data: results, text };
  await writeWhole(output, toChunks(text));
  return { data: { file: output, format }, text: `Written to ${output}.\n` };
}

async function* toChunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function render(results: AnalysisResult[], format: string, subject: string): string {
  if (format === 'json') return `${JSON.stringify(results.length === 1 ? results[0] : results, null, 2)}\n`;
  if (format === 'svg') return renderFigure(results[0]!.figures[0]!);
  if (format === 'html') return renderPage({ subject, at: new Date(), results });
  return results.map(renderText).join('\n');
}

/** `all` are those that the source has data for. */
function chooseAnalyses(names: string[], areFiles: boolean): Analysis[] {
  if (names.includes('all')) return analyses.filter(({ readsResponses }) => !areFiles || !readsResponses);
  if (names.length === 0) throw new UsageError('Name an analysis, or all.');
  return names.map((name) => {
    const found = analyses.find(({ type }) => type === name.replaceAll('-', '_'));
    if (found) return found;
    const types = analyses.map(({ type }) => type);
    const nearest = findClosest(name, types);
    throw new UsageError(
      `There is no analysis ${name}.${nearest ? ` Did you mean ${nearest}?` : ''} Types: ${types.join(', ')}, all.`,
    );
  });
}

function parseParameters(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--parameters must be a JSON object, such as '{"min_similarity": 0.9}'.`);
}

function requireValid(analysis: Analysis, given: object): void {
  const parameters = parseInput(analysis.parameters, withDefaults(analysis, given));
  const [fault] = analysis.check?.(parameters as never) ?? [];
  if (fault) throw new UsageError(`${fault.pointer.slice(1)} ${fault.detail}.`);
}

async function openSource(files: readonly string[], options: Options): Promise<AnalysisSource> {
  const { filter = '' } = options;
  if (files.length > 0) {
    const read = new FileQuestions();
    for (const file of files) await read.read(file, undefined);
    for (const { at, detail } of read.notices) process.stderr.write(`${at.file}:${at.line}: ${detail}\n`);
    return fromFiles(read);
  }
  const settings = getBankSettings(options);
  return settings.url === undefined ? fromBank(settings, filter) : fromService(settings, filter);
}
