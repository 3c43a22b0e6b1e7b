/** Opens a bank as the service does at its start, and reads everything that the model knows. */

import type { Connection } from '../../src/engines/sqlite/connection.ts';
import { openFolder } from '../../src/engines/sqlite/folder.ts';
import { Writer } from '../../src/engines/sqlite/writer.ts';
import { fillChecksums } from '../../src/store/questions/fill-checksums.ts';
import { fillKinds } from '../../src/store/questions/fill-kinds.ts';
import { listQuestions } from '../../src/store/questions/listing.ts';
import type { Page } from '../../src/store/questions/pages.ts';
import { isStored, readParts } from '../../src/store/questions/stored-items.ts';
import type { Model, Observation } from './model.ts';
import { formatQuestion, readQuestionName } from './writers.ts';

const MAX_QUESTIONS = 1_000_000;

/** Compares a bank with the model: sound, migrated, and with all that was acknowledged by then. */
export async function checkImage(folder: string, model: Model, time: number): Promise<string[]> {
  let connection: Writer | undefined;
  let lock: { close(): void } | undefined;
  try {
    const opened = openFolder(folder, 'serve');
    lock = opened.lock;
    const writer = new Writer(opened.path, 'serve');
    connection = writer;
    while ((await writer.commit(() => fillChecksums(writer, null))) > 0);
    while ((await writer.commit(() => fillKinds(writer, null))) > 0);
    const faults = ['integrity_check', 'foreign_key_check'].flatMap((pragma) =>
      connection!.all(`PRAGMA ${pragma}`).map((row) => Object.values(row).join(' ')),
    );
    if (faults.join() !== 'ok') return faults.map((fault) => `the database is corrupt: ${fault}`);
    const { observation, violations } = await readBank(connection);
    const keys = connection.all<{ key: string }>('SELECT key FROM idempotency').map(({ key }) => key);
    return [
      ...violations,
      ...model.compare(observation, time),
      ...model.compareKeys(observation, new Set(keys)),
    ];
  } catch (error) {
    return [`the bank cannot be opened or read: ${(error as Error).message}`];
  } finally {
    connection?.close();
    lock?.close();
  }
}

async function readItems(db: Connection, items: Page['items']): Promise<string> {
  if (typeof items === 'string') return items;
  const parts = isStored(items) ? await Array.fromAsync(readParts(db, items)) : [items];
  return Buffer.concat(parts).toString();
}

async function readBank(db: Connection): Promise<{ observation: Observation; violations: string[] }> {
  const observation: Observation = new Map();
  const violations: string[] = [];
  for (const order of ['created', 'updated'] as const) {
    const { items, n, total } = await listQuestions(db, {
      ...{
        view: 'with_answers',
        filter: { visibility: 'all' },
        order,
        descending: false,
        byRelevance: false,
      },
      ...{ limit: MAX_QUESTIONS, maxBytes: Number.MAX_SAFE_INTEGER, start: { offset: 0 } },
    });
    const text = await readItems(db, items);
    for (const question of JSON.parse(`[${text}]`))
      observation.set(readQuestionName(question.question_text), formatQuestion(question));
    const { rows } = db.get<{ rows: number }>('SELECT count(*) AS rows FROM questions')!;
    const counts = { n, total, rows, names: observation.size };
    if (Object.values(counts).some((count) => count !== n))
      violations.push(`by ${order}: ${JSON.stringify(counts)}`);
  }
  // A question is indexed at both of its slots, a deleted one at one.
  const { slots, indexed } = db.get<{ slots: number; indexed: number }>(
    `SELECT (SELECT count(*) FROM search_docsize) AS indexed, (SELECT count(*) FROM
       (SELECT created_slot FROM questions UNION SELECT updated_slot FROM questions
        UNION ALL SELECT deleted_slot FROM deleted_questions)) AS slots`,
  )!;
  if (slots !== indexed) violations.push(`the search has ${indexed} instead of ${slots} slots`);
  const count = (sql: string, name: string) => {
    for (const { id, state } of db.all<{ id: string; state: string }>(sql))
      observation.set(`${name} ${id}`, state);
  };
  count('SELECT session AS id, CAST(count(*) AS TEXT) AS state FROM sittings GROUP BY session', 'session');
  count(
    `SELECT description AS id, name AS state FROM categories WHERE description GLOB 'c[0-9]*'`,
    'category',
  );
  count(`SELECT filter ->> '$.tag[0]' AS id, 'queued' AS state FROM analyses`, 'run');
  return { observation, violations };
}
