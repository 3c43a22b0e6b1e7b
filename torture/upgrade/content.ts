/** Fills banks, and digests their content. */
import { type BankAddress, lockBank } from '../../src/engines/index.ts';
import { digestTable } from '../../src/store/migrate/digest.ts';
import { BANK_TABLES } from '../../src/store/migrate/tables.ts';
import { verifyIndex } from '../../src/store/verify/bank-index.ts';
import type { ServiceProcess } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { type Json, send } from '../../test/support/requests.ts';
import { ADDED_IN } from './downgrades.ts';

const BATCH_QUESTIONS = 1000;
const CATEGORIES = ['Astronomy', 'Geography', 'Cooking "à la carte"'];
/** Each is in many questions; text that JSON, SQL or a naive replacement could change is among them. */
const WORDS = [
  'lantern',
  'naïve',
  '🪐',
  '\\u0041',
  '","face":"',
  "it's",
  '"secret":"',
  'e\u0301',
  'tab\there',
];

/** Creates questions with revisions, deletions, responses and a stored result of a repeated request. */
export async function fillBank(service: ServiceProcess, questions: number, random: Random): Promise<void> {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Json> => {
    const answer = await send(service, 'POST', path, { body, headers });
    if (answer.status > 201) throw new Error(`${answer.status} to POST ${path}: ${answer.body.detail}`);
    return answer.body;
  };
  await post('/categories', { name: CATEGORIES[2] });
  for (let done = 0; done < questions; done += BATCH_QUESTIONS) {
    const n = Math.min(BATCH_QUESTIONS, questions - done);
    const inputs = Array.from({ length: n }, (_, i) => generateQuestion(done + i, random));
    const { data } = await post('/questions', inputs, { 'idempotency-key': `fill-${done}` });
    await changeSome(service, data, random);
    const answered = data.slice(3, 23).map(({ id, correct_answer }: Json) => ({
      ...{ question_id: id, respondent: `r-${done}`, answer: correct_answer },
    }));
    await post('/responses', answered);
  }
}

/** Updates, deletes and restores the first three questions of a batch. */
async function changeSome(service: ServiceProcess, [updated, deleted, restored]: Json[], random: Random) {
  const paths = [updated, deleted, restored].map(({ id }) => `/questions/${id}`);
  for (const source of ['first', 'second'])
    await send(service, 'PUT', paths[0]!, { body: { explanation: random.pick(WORDS), tags: [], source } });
  await send(service, 'DELETE', paths[1]!);
  await send(service, 'DELETE', paths[2]!);
  await send(service, 'POST', `${paths[2]}/restore`, { body: { revision: 1 } });
}

const generateQuestion = (n: number, random: Random) => ({
  question_text: `Question ${n}: which ${random.pick(WORDS)} is a ${random.pick(WORDS)}?`,
  correct_answer: `right ${random.pick(WORDS)}`,
  incorrect_answers: random.maybe(0.5) ? null : [`wrong ${random.pick(WORDS)}`, 'neither'],
  category: random.pick(CATEGORIES),
  difficulty: random.below(3),
  topic_focus: random.maybe(0.5) ? null : random.pick(WORDS),
  explanation: random.maybe(0.5) ? null : `because ${random.pick(WORDS)}`,
  tags: random.maybe(0.5) ? [] : [random.pick(WORDS), 'tag'],
  external_id: random.maybe(0.8) ? null : `external-${n}`,
});

/**
 * Signing in creates tokens, and the service deletes expired ones. An upgrade adds entries to the
 * index, which is compared with the questions instead.
 */
const TRANSIENT = ['tokens', 'postings'];

/** Digests of all tables that a bank had at a schema version, by name, with their row counts. */
export function digestBank(address: BankAddress, version: number): Promise<Map<string, string>> {
  return lockBank(address, async (db) => {
    const digests = new Map<string, string>();
    for (const { table } of BANK_TABLES) {
      if ((ADDED_IN[table.name] ?? 1) > version || TRANSIENT.includes(table.name)) continue;
      const { rows, sha256 } = await digestTable(db, table.name);
      digests.set(table.name, `${rows} rows, ${sha256}`);
    }
    const faults = await verifyIndex(db, () => {});
    return digests.set('index', faults.length > 0 ? faults.slice(0, 3).join('; ') : 'sound');
  });
}
