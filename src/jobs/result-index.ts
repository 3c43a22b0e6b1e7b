/**
 * Indexes the rows of a result while they are written: the questions by finding, the rows by what
 * they can be filtered and sorted by, and the rows of each question. See
 * store/analyses/row-index.ts for what is stored.
 */
import { type Definition, FINDING_SEVERITIES, listFindings } from '../analyses/define.ts';
import { GrowingArray } from '../analyses/shared/growing-array.ts';
import { ROWS_PER_PART, type RowIndexPart } from '../store/analyses/row-index.ts';
import type { FoundSet } from '../store/findings/finding-sets.ts';
import { SlotSet } from '../store/index/slots.ts';
import type { View } from '../store/view.ts';
import type { QuestionSlots } from './question-slots.ts';

interface AnyRow {
  question_id: string;
  flags: string[];
  verdict?: string;
  class?: string | null;
}

export class ResultIndex {
  readonly #definition: Definition;
  readonly #questions: QuestionSlots;
  readonly #view: View;
  readonly #found = new Map<string, number[]>();
  /** Row numbers by kind and value. */
  readonly #rows = new Map<string, { kind: RowIndexPart['kind']; name: string; rows: number[] }>();
  readonly #slots = new GrowingArray(Float64Array);
  readonly #sortValues: [
    name: string,
    compute: (row: never) => number | null,
    values: GrowingArray<Float64Array>,
  ][];

  constructor(definition: Definition, questions: QuestionSlots, view: View) {
    this.#definition = definition;
    this.#questions = questions;
    this.#view = view;
    this.#sortValues = Object.entries(definition.sortKeys ?? {}).map(([name, compute]) => [
      name,
      compute,
      new GrowingArray(Float64Array),
    ]);
  }

  /** Passes rows on, and indexes them. The index is complete after the last one. */
  *add(rows: Iterable<object>): Generator<object> {
    for (const row of rows) {
      this.#addRow(row as AnyRow);
      yield row;
    }
  }

  #addRow(row: AnyRow): void {
    const found = this.#questions.get(row.question_id);
    const number = this.#slots.length;
    const names = listFindings(this.#definition, row);
    if (found) for (const name of names) this.#found.getOrInsertComputed(name, () => []).push(found.slot);
    this.#slots.push(found?.slot ?? 0);
    for (const flag of row.flags) this.#mark('flag', flag, number);
    const severity = Math.max(
      ...names.map((name) => FINDING_SEVERITIES.indexOf(this.#definition.findings[name]!)),
    );
    if (severity >= 0) this.#mark('severity', FINDING_SEVERITIES[severity]!, number);
    const verdict = row.verdict ?? row.class;
    if (typeof verdict === 'string') this.#mark('verdict', verdict, number);
    if (found) this.#mark('category', found.category, number);
    for (const [, compute, values] of this.#sortValues) values.push(compute(row as never) ?? Number.NaN);
  }

  #mark(kind: RowIndexPart['kind'], name: string, row: number): void {
    this.#rows.getOrInsertComputed(`${kind} ${name}`, () => ({ kind, name, rows: [] })).rows.push(row);
  }

  get found(): FoundSet[] {
    return [...this.#found].map(([name, slots]) => ({
      view: this.#view,
      name,
      blocks: [...SlotSet.of(slots).blocks],
    }));
  }

  /** The parts of the index of rows. */
  *parts(): Generator<RowIndexPart> {
    for (const { kind, name, rows } of this.#rows.values())
      for (const { block, n, members } of SlotSet.of(rows).blocks)
        yield { kind, name, block, n, data: members };
    for (const [name, , values] of this.#sortValues) yield* this.#sortBy(name, values.release());
    yield* this.#byQuestion();
  }

  /** The numbers of the rows that have a value, ascending by value, then the others. */
  *#sortBy(name: string, values: Float64Array): Generator<RowIndexPart> {
    const order = Uint32Array.from(values, (_, i) => i);
    const rank = (row: number) => (Number.isNaN(values[row]!) ? Number.POSITIVE_INFINITY : values[row]!);
    order.sort((a, b) => compare(rank(a), rank(b)) || a - b);
    const n = values.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
    for (let i = 0; i < order.length; i += ROWS_PER_PART)
      yield {
        kind: 'sort',
        name,
        block: i / ROWS_PER_PART,
        n,
        data: toBytes(order.slice(i, i + ROWS_PER_PART)),
      };
  }

  /** Pairs of a slot, relative to the first one of the part, and a row. */
  *#byQuestion(): Generator<RowIndexPart> {
    const slots = this.#slots.release();
    const order = Uint32Array.from(slots, (_, i) => i).sort((a, b) => slots[a]! - slots[b]! || a - b);
    for (let start = 0; start < order.length; ) {
      let end = Math.min(order.length, start + ROWS_PER_PART);
      // All rows of a question are in one part.
      while (end < order.length && slots[order[end]!] === slots[order[end - 1]!]) end++;
      const first = slots[order[start]!]!;
      const pairs = new Uint32Array(2 * (end - start));
      for (let i = start; i < end; i++) pairs.set([slots[order[i]!]! - first, order[i]!], 2 * (i - start));
      yield { kind: 'question', name: '', block: first, n: end - start, data: toBytes(pairs) };
      start = end;
    }
  }
}

const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0);

const toBytes = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
