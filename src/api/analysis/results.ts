/**
 * Renders the results of finished runs: pages of rows, figures and the abilities of respondents.
 */
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Definition } from '../../analyses/define.ts';
import { findAnalysis } from '../../analyses/index.ts';
import type { Figure } from '../../charts/figure.ts';
import { errors } from '../../errors.ts';
import type { AnalysisPlotQuery } from '../../schemas/analysis.ts';
import { findPlotFaults } from '../../schemas/analysis-rules.ts';
import { getAbilities, getAnalysis, getFigures, readBlocks } from '../../store/analyses/analyses.ts';
import type { Engine } from '../../store/db.ts';
import { canonicalId } from '../../store/ids.ts';
import { findRespondents } from '../../store/responses/list.ts';
import type { View } from '../../store/view.ts';
import { buildPagination, refuseQuery } from '../paging.ts';
import { getView } from '../requests.ts';
import { refuseHiddenType } from './guesses.ts';

const inflate = promisify(inflateRaw);

const readLines = async (block: Uint8Array) => (await inflate(block)).toString().split('\n');

/** Renders a run with a page of its rows as JSON. */
export async function renderRun(
  engine: Engine,
  request: FastifyRequest,
  page: { id: string; limit: number; offset: number },
) {
  const { limit, offset } = page;
  const { etag, type, record, result } = await getAnalysis(engine.db, { ...page, view: getView(request) });
  refuseHiddenType(request, type);
  if (!result) return { etag, body: `{${record},"result":null}`, pagination: undefined };
  const lines: string[] = [];
  for (const block of result.blocks) lines.push(...(await readLines(block)));
  const rows = lines.slice(result.skip, result.skip + limit);
  const pagination = buildPagination({ limit, offset, n: rows.length, total: result.items });
  const json =
    `${result.head.slice(0, -1)},"summary":${result.summary},"items":[${rows.join(',')}],` +
    `"pagination":${JSON.stringify(pagination)}}`;
  return { etag, body: `{${record},"result":${json}}`, pagination };
}

export async function findFigure(
  engine: Engine,
  request: FastifyRequest,
  id: string,
  query: AnalysisPlotQuery,
): Promise<Figure> {
  refuseQuery(findPlotFaults(query));
  const { figure: name, question_id } = query;
  const run = { id, view: getView(request) };
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
  run: { id: string; view: View; type: string; version: number },
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
    for (const line of await readLines(block)) {
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
 * Lists a page of the estimated abilities. Respondents that have been deleted since are left out.
 */
export async function listAbilities(
  engine: Engine,
  page: { id: string; view: View; limit: number; offset: number },
) {
  const { total, blocks, skip, bySession } = await getAbilities(engine.db, page);
  const lines: string[] = [];
  for (const block of blocks) lines.push(...(await readLines(block)));
  const rows: Ability[] = lines.slice(skip, skip + page.limit).map((line) => JSON.parse(line));
  const names = await findRespondents(
    engine.db,
    rows.map(([sitting]) => sitting),
  );
  const data = rows.flatMap(([sitting, answered, correct, ability, standard_error]) => {
    const name = names.get(sitting);
    if (!name) return [];
    const { respondent, session, in_group: group } = name;
    return [
      {
        respondent,
        session: bySession && session !== '' ? session : null,
        group,
        answered,
        correct,
        ability,
        standard_error,
      },
    ];
  });
  return { total, n: rows.length, data };
}
