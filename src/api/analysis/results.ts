/** What is shown of a run that has ended: a page of its rows, its pictures, and the people it measured. */
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Definition } from '../../analyses/define.ts';
import { findAnalysis } from '../../analyses/index.ts';
import type { Figure } from '../../charts/figure.ts';
import { errors } from '../../errors.ts';
import type { AnalysisPlotQuery } from '../../schemas/analysis.ts';
import { getAbilities, getAnalysis, getFigures, readBlocks } from '../../store/analyses/analyses.ts';
import type { Engine } from '../../store/db.ts';
import { canonicalId } from '../../store/ids.ts';
import { findRespondents } from '../../store/responses/list.ts';
import type { View } from '../../store/view.ts';
import { paginated } from '../paging.ts';
import { viewOf } from '../requests.ts';
import { refuseGuess } from './guesses.ts';

const unpack = promisify(inflateRaw);

const linesIn = async (block: Uint8Array) => (await unpack(block)).toString().split('\n');

/** A run and a page of its rows as JSON. */
export async function recordOf(
  engine: Engine,
  request: FastifyRequest,
  page: { id: string; limit: number; offset: number },
) {
  const { limit, offset } = page;
  const { etag, type, record, result } = await getAnalysis(engine.db, { ...page, view: viewOf(request) });
  refuseGuess(request, type);
  if (!result) return { etag, body: `{${record},"result":null}`, pagination: undefined };
  const lines: string[] = [];
  for (const block of result.blocks) lines.push(...(await linesIn(block)));
  const rows = lines.slice(result.skip, result.skip + limit);
  const pagination = paginated({ limit, offset, n: rows.length, total: result.items });
  const shown =
    `${result.head.slice(0, -1)},"summary":${result.summary},"items":[${rows.join(',')}],` +
    `"pagination":${JSON.stringify(pagination)}}`;
  return { etag, body: `{${record},"result":${shown}}`, pagination };
}

/** The picture that is asked for. */
export async function figureFor(
  engine: Engine,
  request: FastifyRequest,
  id: string,
  { figure: name, question_id }: AnalysisPlotQuery,
): Promise<Figure> {
  if (name !== undefined && question_id !== undefined) {
    const detail = 'is the picture of the whole result, question_id that of one question: leave one out';
    throw errors.invalidQuery([{ pointer: '?figure', code: 'conflict', detail }]);
  }
  const of = { id, view: viewOf(request) };
  const { type, figure, figures } = await getFigures(engine.db, of);
  refuseGuess(request, type);
  if (question_id !== undefined) return figureOfQuestion(engine, of, type, question_id);
  if (name === undefined) return JSON.parse(figure);
  const named = JSON.parse(figures)[name];
  if (!named) throw errors.noSuchFigure(`The result of ${type} has no picture called ${name}.`);
  return named;
}

async function figureOfQuestion(
  engine: Engine,
  of: { id: string; view: View },
  type: string,
  questionId: string,
): Promise<Figure> {
  const none = (why: string) => errors.noSuchFigure(`There is no picture of question ${questionId}: ${why}.`);
  const definition: Definition | undefined = findAnalysis(type);
  if (!definition?.plotQuestion) throw none(`${type} makes none of single questions`);
  const id = canonicalId(questionId);
  if (!id) throw none('no question can have this id');
  for await (const block of readBlocks(engine.db, of))
    for (const line of await linesIn(block)) {
      const item: { question_id: string } | undefined = line.includes(id) ? JSON.parse(line) : undefined;
      if (!item || item.question_id !== id) continue;
      const figure = definition.plotQuestion(item);
      if (!figure) throw none('the result has too little about it, or it is not for you to see');
      return figure;
    }
  throw none('the result says nothing of it');
}

type Ability = [sitting: number, answered: number, correct: number, ability: number, standard_error: number];

/** A page of the abilities that a run found, with the names of those who have not been forgotten. */
export async function abilitiesOf(
  engine: Engine,
  page: { id: string; view: View; limit: number; offset: number },
) {
  const { total, blocks, skip, bySession } = await getAbilities(engine.db, page);
  const lines: string[] = [];
  for (const block of blocks) lines.push(...(await linesIn(block)));
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
