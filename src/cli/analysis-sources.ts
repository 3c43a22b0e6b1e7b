/** Where `quaestor analyze` computes: on files, on a data folder or database, or in a running service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type Analysis, withDefaults } from '../analyses/index.ts';
import type { Figure } from '../charts/figure.ts';
import { Quaestor } from '../client/quaestor.ts';
import { openEngine } from '../engines/index.ts';
import { parseQuery } from '../http/query.ts';
import { execute } from '../jobs/execute.ts';
import { ExportQuery } from '../schemas/transfer.ts';
import type { Db } from '../store/db.ts';
import type { BankSettings } from './bank.ts';
import { UsageError } from './command.ts';
import type { FileQuestions } from './file-questions.ts';

export interface AnalysisResult {
  analysis_type: string;
  title: string;
  questions: number;
  warnings: string[];
  summary: Record<string, unknown>;
  items: Row[];
  /** The main figure first. */
  figures: Figure[];
}

export interface Row {
  question_id?: string;
  question_text?: string;
  message?: string;
  flags?: string[];
  [value: string]: unknown;
}

export interface AnalysisSource {
  run(analysis: Analysis, parameters: object, onProgress: (share: number) => void): Promise<AnalysisResult>;
  close(): Promise<void>;
}

/** The conditions of a query string as the filter of a run. */
function parseFilter(text: string): object {
  const { sort: _, format: __, dry_run: ___, ...filter } = parseQuery(ExportQuery, text) as ExportQuery;
  return filter;
}

export function fromFiles(files: FileQuestions): AnalysisSource {
  return {
    async run(analysis, parameters) {
      if (analysis.readsResponses)
        throw new UsageError(`${analysis.type} reads responses, which files of questions do not have.`);
      const outcome = await files.analyze(analysis, parameters);
      const texts = new Map(files.questions.map(({ id, question_text }) => [id, question_text]));
      const plots = Object.values(analysis.plots ?? {}) as ((outcome: object) => Figure)[];
      return {
        ...describe(analysis, files.questions.length),
        warnings: outcome.warnings,
        summary: outcome.summary as Record<string, unknown>,
        items: addTexts([...outcome.items] as Row[], texts),
        figures: [analysis.plot(outcome as never), ...plots.map((plot) => plot(outcome))],
      };
    },
    close: async () => {},
  };
}

const describe = ({ type, title }: Analysis, questions: number) => ({
  analysis_type: type,
  title,
  questions,
});

/** Rows of some analyses refer to questions by their ids alone. */
const addTexts = (rows: Row[], texts: ReadonlyMap<string, string>): Row[] =>
  rows.map((row) => {
    const question_text = row.question_text ?? texts.get(row.question_id ?? '');
    return question_text === undefined ? row : { ...row, question_text };
  });

async function readTexts(db: Db, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ question_id, question_text }) => (question_text ? [] : (question_id ?? [])));
  const found = await db.all<{ id: string; public_json: string }>(
    `SELECT id, public_json FROM questions WHERE id IN ${db.dialect.values('$1', 'uuid')}`,
    JSON.stringify(ids),
  );
  return new Map(found.map(({ id, public_json }) => [id, JSON.parse(`{${public_json}}`).question_text]));
}

const inflate = promisify(inflateRaw) as (block: Uint8Array) => Promise<Buffer>;

/** Computes in this process; the result is not stored. */
export async function fromBank(
  { dataDir, databaseUrl }: BankSettings,
  query: string,
): Promise<AnalysisSource> {
  const filter = parseFilter(query);
  const engine = await openEngine({ dataDir, databaseUrl, mode: 'admin' });
  return {
    async run(analysis, given, onProgress) {
      const parameters = withDefaults(analysis, given);
      const view = 'with_answers';
      const run = { id: '', type: analysis.type, parameters, filter, view, unapproved: true } as const;
      const { question_count, results } = await execute(analysis, engine.db, run, onProgress);
      const result = results.find((each) => each.view === view) ?? results[0]!;
      const items: Row[] = [];
      for (const block of result.blocks)
        for (const line of (await inflate(block)).toString().split('\n')) items.push(JSON.parse(line));
      return {
        ...describe(analysis, question_count),
        warnings: JSON.parse(result.head).warnings,
        summary: JSON.parse(result.summary),
        items: addTexts(items, await readTexts(engine.db, items)),
        figures: [JSON.parse(result.figure), ...Object.values<Figure>(JSON.parse(result.figures))],
      };
    },
    close: () => engine.close(),
  };
}

const POLL_MS = 300;
const PAGE_ROWS = 1000;

interface RemoteRun {
  id: string;
  status: string;
  progress: number;
  question_count: number;
  error: { detail?: string } | string | null;
  result: {
    warnings: string[];
    summary: Record<string, unknown>;
    items: Row[];
    pagination: { has_more: boolean };
  } | null;
}

/** The service computes, and keeps the result. */
export function fromService({ url, key }: BankSettings, query: string): AnalysisSource {
  if (!URL.canParse(url!)) throw new UsageError('--url must be an address such as http://127.0.0.1:3000.');
  if (!key) throw new UsageError('Set QUAESTOR_KEY to a key of the service.');
  // Waits where the limit of requests is reached.
  const bank = new Quaestor({ url: url!, token: key });
  const filter = parseFilter(query);

  const read = async (id: string, query: { limit: number; offset?: number }) =>
    (await bank.call('GET /analysis/{id}', { path: { id }, query })) as unknown as RemoteRun;

  async function waitForEnd(started: RemoteRun, onProgress: (share: number) => void): Promise<RemoteRun> {
    let run = started;
    while (run.status === 'queued' || run.status === 'running') {
      onProgress(run.progress);
      await sleep(POLL_MS);
      run = await read(run.id, { limit: 1 });
    }
    return run;
  }

  return {
    async run(analysis, parameters, onProgress) {
      const body = { analysis_type: analysis.type, parameters, filter } as never;
      const started = await bank.call('POST /analysis/run', { body, prefer: 'respond-async' });
      const { id, status, error, question_count } = await waitForEnd(
        started as unknown as RemoteRun,
        onProgress,
      );
      if (status !== 'succeeded')
        throw new UsageError(`The run has ${status}: ${typeof error === 'string' ? error : error?.detail}`);
      const items: Row[] = [];
      let page: RemoteRun['result'];
      do {
        const paging = { limit: PAGE_ROWS, offset: items.length };
        page = (await read(id, paging)).result!;
        items.push(...page.items);
      } while (page.pagination.has_more && page.items.length > 0);
      const figures = [undefined, ...Object.keys(analysis.plots ?? {})].map(
        (figure) =>
          bank.call('GET /analysis/{id}/plot.json', {
            path: { id },
            query: { figure: figure as never },
          }) as Promise<Figure>,
      );
      return {
        ...describe(analysis, question_count),
        warnings: page.warnings,
        summary: page.summary,
        items,
        figures: await Promise.all(figures),
      };
    },
    close: async () => {},
  };
}
