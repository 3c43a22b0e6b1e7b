/**
 * Moves the responses of merged questions to the survivor, and back. A sitting that answered the
 * survivor keeps that response; otherwise it keeps the latest one to a merged question. An answer
 * keeps its text if the survivor's key scores it as the merged question's key does; otherwise only
 * its score is kept. What was moved is recorded, so that it can be moved back.
 */
import type { Tx } from '../db.ts';
import { addMerged } from '../questions/merged.ts';
import { isCorrect, type Key } from '../questions/scoring.ts';
import { MOVED_RESPONSES } from '../responses/moved.ts';
import {
  ANSWERED,
  ANSWERED_QUESTIONS,
  GIVEN,
  type Given,
  pack,
  SITTINGS,
  type SittingRow,
  unpack,
} from '../responses/sittings.ts';
import type { NewRow, RowOf } from '../table.ts';
import { type Chunk, emptyChunk } from './chunk.ts';
import type { ChangeRow, Effect, QuestionRef } from './row.ts';

type ResponseEffect = Extract<Effect, { type: 'responses' }>;

/** Sittings of a chunk. */
const CHUNK_SITTINGS = 200;
/** Responses in the sittings of a chunk. */
const CHUNK_RESPONSES = 5000;

/** Moves responses of the next merged question; the position is its index. */
export async function joinResponses(
  tx: Tx,
  { id, next_position: position }: ChangeRow,
  { survivor, merged }: ResponseEffect,
): Promise<Chunk> {
  const from = merged[position];
  if (!from) return emptyChunk();
  // One that was restored meanwhile keeps its responses.
  if (await exists(tx, from)) return emptyChunk(position + 1);
  await addMerged(tx, [from.id], survivor.id);
  const found = await tx.all<{ sitting: number }>(
    `SELECT sitting FROM answered WHERE question = $1 ORDER BY sitting LIMIT ${CHUNK_SITTINGS}`,
    from.slot,
  );
  if (found.length === 0) return emptyChunk(position + 1);
  const sittings = await lockSittings(
    tx,
    found.map(({ sitting }) => sitting),
  );
  const records = await readRecords(
    tx,
    id,
    sittings.map((sitting) => sitting.id),
  );
  const keys = { from: await readLastKey(tx, from.id), survivor: await readLastKey(tx, survivor.id) };
  const changed: SittingRow[] = [];
  const moved: RowOf<typeof MOVED_RESPONSES>[] = [];
  for (const sitting of sittings) {
    const bySlot = toMap(unpack(sitting.responses));
    const response = bySlot.get(from.slot);
    if (!response) continue;
    const record = records.get(sitting.id);
    const original = record ? unpack(record.original) : [];
    const kept = bySlot.get(survivor.slot);
    if (!record && kept) original.push(kept);
    original.push(response);
    bySlot.delete(from.slot);
    // Without a record, the survivor's response is its own, and stays.
    const replaces = !kept || (record && !hasSlot(record.original, survivor.slot) && kept.at < response.at);
    if (replaces) bySlot.set(survivor.slot, { ...convert(response, keys), slot: survivor.slot });
    changed.push(toSitting(sitting, bySlot));
    moved.push({
      change_id: id,
      sitting: sitting.id,
      original: pack(original.sort(bySlotOrder)),
      moved: pack([bySlot.get(survivor.slot)!]),
    });
  }
  await writeSittings(tx, changed);
  await tx.insert(ANSWERED_QUESTIONS, [survivor], 'ON CONFLICT (slot) DO NOTHING');
  await removeAnswered(
    tx,
    from.slot,
    sittings.map((sitting) => sitting.id),
  );
  await tx.insert(
    ANSWERED,
    changed.map(({ id: sitting }) => ({ question: survivor.slot, sitting })),
    'ON CONFLICT (question, sitting) DO NOTHING',
  );
  await tx.insert(
    MOVED_RESPONSES,
    moved,
    'ON CONFLICT (change_id, sitting) DO UPDATE SET original = excluded.original, moved = excluded.moved',
  );
  return { ...emptyChunk(position), responses: changed.length };
}

/** Moves back what change `of` moved; the position is the sitting after the last chunk. */
export async function splitResponses(
  tx: Tx,
  { next_position: position }: ChangeRow,
  { survivor, merged, of }: ResponseEffect,
): Promise<Chunk> {
  const records = await tx.all<RowOf<typeof MOVED_RESPONSES>>(
    `SELECT * FROM moved_responses WHERE change_id = $1 AND sitting >= $2 ORDER BY sitting LIMIT ${CHUNK_SITTINGS}`,
    of,
    position,
  );
  if (records.length === 0) return emptyChunk();
  const present = new Set<number>();
  for (const question of merged) if (await exists(tx, question)) present.add(question.slot);
  const byId = new Map(records.map((record) => [record.sitting, record]));
  const sittings = await lockSittings(tx, [...byId.keys()]);
  const changed: SittingRow[] = [];
  const added: NewRow<typeof ANSWERED>[] = [];
  const emptied: number[] = [];
  let responses = 0;
  for (const sitting of sittings) {
    const record = byId.get(sitting.id)!;
    const bySlot = toMap(unpack(sitting.responses));
    const original = unpack(record.original);
    const [moved] = unpack(record.moved);
    for (const response of original) {
      if (!present.has(response.slot) || bySlot.has(response.slot)) continue;
      bySlot.set(response.slot, response);
      added.push({ question: response.slot, sitting: sitting.id });
      responses++;
    }
    const complete = original.every(({ slot }) => slot === survivor.slot || present.has(slot));
    const own = original.find(({ slot }) => slot === survivor.slot);
    // A response that the respondent has changed since stays with the survivor.
    if (complete && !own && isSame(bySlot.get(survivor.slot), moved)) {
      bySlot.delete(survivor.slot);
      emptied.push(sitting.id);
    }
    changed.push(toSitting(sitting, bySlot));
  }
  await writeSittings(tx, changed);
  await tx.insert(ANSWERED, added, 'ON CONFLICT (question, sitting) DO NOTHING');
  await removeAnswered(tx, survivor.slot, emptied);
  // Sittings of deleted respondents are missing.
  const last = sittings.length > 0 ? Math.max(...sittings.map(({ id }) => id)) : records.at(-1)!.sitting;
  await tx.run('DELETE FROM moved_responses WHERE change_id = $1 AND sitting <= $2', of, last);
  return { ...emptyChunk(last + 1), responses };
}

const bySlotOrder = (a: Given, b: Given) => a.slot - b.slot;
const toMap = (responses: Given[]) => new Map(responses.map((response) => [response.slot, response]));
const hasSlot = (packed: Uint8Array, slot: number) => unpack(packed).some((each) => each.slot === slot);
const isSame = (a: Given | undefined, b: Given | undefined) => JSON.stringify(a) === JSON.stringify(b);

function toSitting(sitting: SittingRow, bySlot: Map<number, Given>): SittingRow {
  const all = [...bySlot.values()].sort(bySlotOrder);
  return { ...sitting, n: all.length, responses: pack(all) };
}

/** Replaces an answer that the keys score differently by its score. */
function convert(response: Given, keys: { from: Key | undefined; survivor: Key | undefined }): Given {
  if (response.kind !== GIVEN.answer || !keys.from || !keys.survivor) return response;
  const correct = isCorrect(keys.from, response.answer);
  if (correct === isCorrect(keys.survivor, response.answer)) return response;
  return { ...response, kind: correct ? GIVEN.correct : GIVEN.wrong, answer: '' };
}

async function exists(tx: Tx, { slot }: QuestionRef): Promise<boolean> {
  return (await tx.get('SELECT 1 AS found FROM questions WHERE created_slot = $1', slot)) !== undefined;
}

/** The key of a question; of a deleted one, that before its deletion. */
async function readLastKey(tx: Tx, id: string): Promise<Key | undefined> {
  const row = await tx.get<{ answer_json: string }>(
    `SELECT answer_json FROM questions WHERE id = $1
     UNION ALL
     SELECT answer_json FROM (SELECT answer_json FROM revisions
       WHERE question_id = $1 AND answer_json IS NOT NULL ORDER BY revision DESC LIMIT 1) r`,
    id,
  );
  return row && JSON.parse(`{${row.answer_json}}`);
}

/** Locks sittings in the order in which all transactions lock them, as many as a chunk may have. */
async function lockSittings(tx: Tx, ids: number[]): Promise<SittingRow[]> {
  const sizes = await tx.all<{ id: number; n: number }>(
    `SELECT id, n FROM sittings WHERE id IN ${tx.dialect.values('$1', 'bigint')} ORDER BY id`,
    JSON.stringify(ids),
  );
  let n = 0;
  const end = sizes.findIndex((size, i) => {
    n += size.n;
    return i > 0 && n > CHUNK_RESPONSES;
  });
  const chosen = end < 0 ? sizes : sizes.slice(0, end);
  return tx.all<SittingRow>(
    `SELECT * FROM sittings WHERE id IN ${tx.dialect.values('$1', 'bigint')}
     ORDER BY respondent, session ${tx.dialect.forUpdate}`,
    JSON.stringify(chosen.map(({ id }) => id)),
  );
}

async function readRecords(tx: Tx, change: string, sittings: number[]) {
  const rows = await tx.all<RowOf<typeof MOVED_RESPONSES>>(
    `SELECT * FROM moved_responses WHERE change_id = $1 AND sitting IN ${tx.dialect.values('$2', 'bigint')}`,
    change,
    JSON.stringify(sittings),
  );
  return new Map(rows.map((row) => [row.sitting, row]));
}

async function writeSittings(tx: Tx, rows: SittingRow[]): Promise<void> {
  await tx.insert(
    SITTINGS,
    rows,
    'ON CONFLICT (id) DO UPDATE SET n = excluded.n, responses = excluded.responses',
  );
}

async function removeAnswered(tx: Tx, slot: number, sittings: number[]): Promise<void> {
  await tx.run(
    `DELETE FROM answered WHERE question = $1 AND sitting IN ${tx.dialect.values('$2', 'bigint')}`,
    slot,
    JSON.stringify(sittings),
  );
}
