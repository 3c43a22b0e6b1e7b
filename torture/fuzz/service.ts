/** A running service with a bank whose answers contain hidden words, and callers with few scopes. */
import { join } from 'node:path';
import type { OpenApi } from '../../src/api/docs/openapi-types.ts';
import {
  ALL_SCOPES,
  ALL_SCOPES_BUT_ANSWERS,
  LIMITED_SCOPES,
  newHiddenWord,
} from '../../test/support/crawl.ts';
import { type EngineName, sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase } from '../../test/support/postgres.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import { type Json, type SendOptions, send } from '../../test/support/requests.ts';
import { type ChangeCounter, watchPostgres, watchSqlite } from './changes.ts';
import type { FuzzBank } from './requests.ts';

export interface FuzzedService {
  service: ServiceProcess;
  document: OpenApi;
  bank: FuzzBank;
  changes: ChangeCounter;
  close(): Promise<void>;
}

const QUESTIONS = 60;

export async function startFuzzedService(engine: EngineName): Promise<FuzzedService> {
  const folder = tempFolder();
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  const service = await startService({
    ...(database ? { QUAESTOR_DATABASE_URL: database.url } : { QUAESTOR_DATA_DIR: folder }),
    QUAESTOR_ACCESS_LIFETIME: '1d',
    QUAESTOR_LOG_LEVEL: 'error',
    QUAESTOR_WORKERS: '1',
  });
  const call = async (method: string, path: string, options?: SendOptions): Promise<Json> => {
    const { status, body } = await send(service, method, path, options);
    if (status >= 300) throw new Error(`${status} to ${method} ${path}: ${body.detail}`);
    return body;
  };
  const document: OpenApi = await call('GET', '/openapi.json');
  const bank = await plant(call);
  const changes = database ? await watchPostgres(database.url) : watchSqlite(join(folder, 'quaestor.db'));
  return {
    service,
    document,
    bank,
    changes,
    close: async () => {
      await changes.close();
      await service.end('SIGTERM');
      await database?.drop();
      removeFolder(folder);
    },
  };
}

type Call = (method: string, path: string, options?: SendOptions) => Promise<Json>;

async function plant(call: Call): Promise<FuzzBank> {
  const hiddenWords: string[] = [];
  const hide = (text: string) => `${text} ${hiddenWords[hiddenWords.push(newHiddenWord()) - 1]}`;
  const body = Array.from({ length: QUESTIONS }, (_, i) =>
    sample({
      question_text: `Which lantern is number ${i}?`,
      correct_answer: hide('right'),
      incorrect_answers: i % 2 === 0 ? [hide('wrong'), hide('wrong')] : [],
      explanation: hide('because'),
      tags: ['harbour'],
    }),
  );
  const { data } = await call('POST', '/questions', { body });
  for (const { id } of data.slice(0, 20))
    await call('PUT', `/questions/${id}`, { body: { correct_answer: hide('right') } });
  for (const { id } of data.slice(10, 15)) await call('DELETE', `/questions/${id}`);
  const responses = data.slice(20).flatMap(({ id, correct_answer }: Json, i: number) =>
    ['ada', 'ben'].map((respondent) => ({
      question_id: id,
      respondent,
      answer: i % 3 ? correct_answer : 'no',
    })),
  );
  await call('POST', '/responses', { body: responses });
  const spare = {
    categories: await call('POST', '/categories', { body: { name: 'Spare' } }),
    clients: await call('POST', '/auth/clients', { body: { name: 'Spare', role: 'reader' } }),
    tokens: await call('POST', '/auth/tokens', { body: { name: 'Spare' } }),
    analysis: await call('POST', '/analysis/run', {
      body: { analysis_type: 'quality' },
      headers: { prefer: 'wait=30' },
    }),
  };
  return {
    ...(await createCallers(call)),
    hiddenWords,
    ids: {
      questions: data.map(({ id }: Json) => id),
      ...Object.fromEntries(Object.entries(spare).map(([kind, { id }]) => [kind, [id]])),
    },
  };
}

/** A client of its own, so that requests about the spare ones take no token away. */
async function createCallers(call: Call): Promise<Pick<FuzzBank, 'callers' | 'limited'>> {
  const create = async (name: string, scopes: readonly string[]) => {
    const { token } = await call('POST', '/auth/tokens', { body: { name, scopes } });
    return `Bearer ${token}`;
  };
  const callers: FuzzBank['callers'] = new Map([
    ['admin', await create('admin', ALL_SCOPES)],
    ['malformed', 'Bearer qsk_nonsense'],
  ]);
  const limited = { ...LIMITED_SCOPES, 'every other scope': ALL_SCOPES_BUT_ANSWERS };
  for (const [name, scopes] of Object.entries(limited))
    callers.set(name, scopes ? await create(name, scopes) : undefined);
  return { callers, limited: ['malformed', ...Object.keys(limited)] };
}
