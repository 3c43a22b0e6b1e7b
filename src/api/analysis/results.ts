/**
 * Renders the results of finished runs: pages of rows, figures and the abilities of respondents.
 */
import { createInflateRaw } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Definition } from '../../analyses/define.ts';
import { findAnalysis } from '../../analyses/index.ts';
import type { Figure } from '../../charts/figure.ts';
import { errors } from '../../errors.ts';
import type { AnalysisPlotQuery, AnalysisRowsQuery } from '../../schemas/analysis.ts';
import { findPlotFaults } from '../../schemas/analysis-rules.ts';
import { getAbilities, getAnalysis, getFigures, readBlocks } from '../../store/analyses/analyses.ts';
import { ITEMS_PER_BLOCK } from '../../store/analyses/row.ts';
import { findRows } from '../../store/analyses/row-index.ts';
import type { Engine } from '../../store/db.ts';
import { canonicalId } from '../../store/ids.ts';
import { joinTexts, limitBytes, type Sized, toSized } from '../../store/page-bytes.ts';
import { findRespondents } from '../../store/responses/list.ts';
import type { View, Visibility } from '../../store/view.ts';
import { buildPagination, refuseQuery } from '../paging.ts';
import { getCallOptions, getReader } from '../requests.ts';
import { refuseHiddenType } from './guesses.ts';
import { parseRowSelection, selectsRows } from './rows.ts';

const INFLATED_CHUNK_BYTES = 64 * 1024;

/** Decompresses a block of rows, a part of its lines at a time. */
async function* readLines(block: Uint8Array): AsyncGenerator<string[]> {
  const inflated = createInflateRaw({ chunkSize: INFLATED_CHUNK_BYTES });
  inflated.end(block);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of inflated) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield lines;
  }
  yield [rest];
}

interface PageOfRows {
  id: string;
  limit: number;
  offset: number;
  /** The maximum length of the rows in UTF-8. A page has at least one row. */
  maxBytes: number;
  /** Filters and order of the rows. */
  selection?: AnalysisRowsQuery;
}

/** Reads the rows of a page, and decompresses no more than it needs. */
async function readRows(
  blocks: Uint8Array[],
  { skip, limit, maxBytes }: { skip: number; limit: number; maxBytes: number },
): Promise<Sized[]> {
  const rows: Sized[] = [];
  let skipped = 0;
  let bytes = 0;
  for (const block of blocks)
    for await (const lines of readLines(block))
      for (const line of lines) {
        if (skipped < skip) {
          skipped++;
          continue;
        }
        const row = toSized(line);
        bytes += row.bytes + 1;
        rows.push(row);
        if (rows.length === limit || bytes > maxBytes + 1) return limitBytes(rows, maxBytes);
      }
  return rows;
}

/** Renders a run with a page of its rows as JSON. */
export async function renderRun(engine: Engine, request: FastifyRequest, page: PageOfRows) {
  const { limit, offset } = page;
  // Selected rows are read by their numbers.
  const blocks = page.selection && selectsRows(page.selection) ? { limit: 0, offset: 0 } : { limit, offset };
  const run = { id: page.id, ...getReader(request), ...blocks };
  const { etag, type, record, result } = await getAnalysis(engine.db, run);
  refuseHiddenType(request, type);
  if (!result) return { etag, body: `{${record},"result":null}`, page: undefined };
  const { rows, total } = await readPage(engine, request, { ...page, type }, result);
  const n = rows.length;
  const pagination = buildPagination({ limit, offset, n, total });
  // Results that an earlier release stored repeat the parameters of the run.
  const { parameters: _, ...head } = JSON.parse(result.head);
  const json =
    `${JSON.stringify(head).slice(0, -1)},"summary":${result.summary},"items":[${joinTexts(rows)}],` +
    `"pagination":${JSON.stringify(pagination)}}`;
  return { etag, body: `{${record},"result":${json}}`, page: { pagination, n, total, offset } };
}

/** The rows of a page, selected and sorted as the request asks. */
async function readPage(
  engine: Engine,
  request: FastifyRequest,
  page: PageOfRows & { type: string },
  result: NonNullable<Awaited<ReturnType<typeof getAnalysis>>['result']>,
): Promise<{ rows: Sized[]; total: number }> {
  const { selection = {}, maxBytes } = page;
  if (!selectsRows(selection))
    return { rows: await readRows(result.blocks, { ...page, skip: result.skip }), total: result.items };
  const run = { id: result.id, view: result.view, type: page.type };
  const query = await parseRowSelection(engine.db, run, selection);
  const { total, rows, blocks } = await engine.search(
    findRows,
    { ...run, ...query, limit: page.limit, offset: page.offset },
    getCallOptions(request),
  );
  return { rows: limitBytes(await readSelectedRows(rows, blocks), maxBytes), total };
}

/** Reads single rows, each block once. */
export async function readSelectedRows(
  rows: readonly number[],
  blocks: { block: number; lines: Uint8Array }[],
): Promise<Sized[]> {
  const wanted = new Set(rows);
  const texts = new Map<number, Sized>();
  for (const { block, lines } of blocks) {
    let row = block * ITEMS_PER_BLOCK;
    for await (const part of readLines(lines))
      for (const line of part) {
        if (wanted.has(row)) texts.set(row, toSized(line));
        row++;
      }
  }
  return rows.map((row) => texts.get(row)!);
}

export async function findFigure(
  engine: Engine,
  request: FastifyRequest,
  id: string,
  query: AnalysisPlotQuery,
): Promise<Figure> {
  refuseQuery(findPlotFaults(query));
  const { figure: name, question_id } = query;
  const run = { id, ...getReader(request) };
  const { type, version, figure, figures } = await getFigures(engine.db, run);
  refuseHiddenType(request, type);
  if (question_id !== undefined) return findQuestionFigure(engine, { ...run, type, version }, question_id);
  if (name === undefined) return JSON.parse(figure);
  const named = JSON.parse(figures)[name];
  if (!named) throw errors.noSuchFigure(`A result of ${type} has no figure ${name}.`);
  return named;
}

async function findQuestionFigure(
  engine: Engine,
  run: { id: string; view: View; visibility: Visibility; type: string; version: number },
  questionId: string,
): Promise<Figure> {
  const noFigure = (reason: string) =>
    errors.noSuchFigure(`There is no figure for question ${questionId}: ${reason}.`);
  const definition: Definition | undefined = findAnalysis(run.type);
  if (!definition?.plotQuestion) throw noFigure(`${run.type} does not plot single questions`);
  // Rows of another version may have other fields.
  if (run.version !== definition.version)
    throw noFigure('the result is of an earlier version of the analysis. Run it again');
  const id = canonicalId(questionId);
  if (!id) throw noFigure('the id is not valid');
  for await (const block of readBlocks(engine.db, run))
    for await (const lines of readLines(block))
      for (const line of lines) {
        const item: { question_id: string } | undefined = line.includes(id) ? JSON.parse(line) : undefined;
        if (!item || item.question_id !== id) continue;
        const figure = definition.plotQuestion(item);
        if (!figure) throw noFigure('the result has too little data about it, or it requires answers:read');
        return figure;
      }
  throw noFigure('the result does not include it');
}

type Ability = [sitting: number, answered: number, correct: number, ability: number, standard_error: number];

/**
 * Lists a page of the estimated abilities as JSON texts. Respondents that have been deleted since
 * are left out; `n` counts them.
 */
export async function listAbilities(
  engine: Engine,
  page: PageOfRows & { view: View; visibility: Visibility },
) {
  const { total, blocks, skip, bySession } = await getAbilities(engine.db, page);
  const rows = (await readRows(blocks, { ...page, skip })).map(({ text }): Ability => JSON.parse(text));
  const names = await findRespondents(
    engine.db,
    rows.map(([sitting]) => sitting),
  );
  const data = rows.map(([sitting, answered, correct, ability, standard_error]) => {
    const name = names.get(sitting);
    if (!name) return { text: '', bytes: 0 };
    const { respondent, session: given, in_group: group } = name;
    const session = bySession && given !== '' ? given : null;
    return toSized(
      JSON.stringify({ respondent, session, group, answered, correct, ability, standard_error }),
    );
  });
  const listed = limitBytes(data, page.maxBytes);
  return {
    items: joinTexts(listed.filter(({ text }) => text !== '')),
    n: listed.length,
    total,
    offset: page.offset,
    last: undefined,
  };
}
