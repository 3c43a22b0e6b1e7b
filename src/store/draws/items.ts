/** The questions of a draw: their revisions, and the order in which their options are shown. */
import { errors } from '../../errors.ts';
import { computeChecksum } from '../checksum.ts';
import type { Db } from '../db.ts';
import { buildSeed } from '../questions/checksums.ts';
import { shuffleChoices } from '../questions/choices.ts';
import type { QuestionRow } from '../questions/row.ts';
import type { DrawnItem } from './row.ts';

export interface SelectedItem extends DrawnItem {
  slot: number;
  /** The size of what every caller sees. */
  bytes: number;
}

interface Row
  extends Pick<QuestionRow, 'id' | 'revision' | 'category_id' | 'public_json' | 'public_checksum'> {
  slot: number;
  category: string;
}

/** Reads the questions at these slots, in the order of the slots. Runs within a snapshot. */
export async function selectItems(db: Db, seed: string, slots: number[]): Promise<SelectedItem[]> {
  const rows = await db.all<Row>(
    `SELECT q.created_slot AS slot, q.id, q.revision, q.category_id, c.name AS category, q.public_json, q.public_checksum
     FROM ${db.dialect.values('$1', 'bigint')} v
     JOIN questions q ON q.created_slot = v.value JOIN categories c ON c.id = q.category_id`,
    JSON.stringify(slots),
  );
  const bySlot = new Map(rows.map((row) => [row.slot, row]));
  // Index and questions are read in one state.
  if (bySlot.size < slots.length) throw errors.damagedData('The index of questions');
  return slots.map((slot) => toItem(seed, bySlot.get(slot)!));
}

function toItem(seed: string, { slot, id, revision, category, ...row }: Row): SelectedItem {
  const { public_json, category_id, public_checksum } = row;
  if (computeChecksum(public_json, buildSeed(id, category_id)) !== public_checksum)
    throw errors.damagedData(`Question ${id}`);
  const order = orderChoices(`${seed} ${id}`, JSON.parse(`{${public_json}}`));
  return { slot, id, revision, category, order, bytes: Buffer.byteLength(public_json) };
}

/**
 * Shuffles the options by the seed, unless the question fixes their order. Which of them are correct
 * has no influence.
 */
function orderChoices(
  key: string,
  { choices, choices_order }: { choices?: string[]; choices_order?: string | null },
): number[] | null {
  if (!choices) return null;
  const shown =
    choices_order === 'sorted' || choices_order === 'as_given' ? choices : shuffleChoices(key, choices);
  return shown.map((text) => choices.indexOf(text));
}
