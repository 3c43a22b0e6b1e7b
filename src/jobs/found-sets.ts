/** Collects the questions in which a run found something, by the name of the finding. */
import { type Definition, listFindings } from '../analyses/define.ts';
import type { FoundSet } from '../store/findings/finding-sets.ts';
import { SlotSet } from '../store/index/slots.ts';
import type { View } from '../store/view.ts';
import type { QuestionSlots } from './question-slots.ts';

export class FoundSets {
  readonly #definition: Definition;
  readonly #questions: QuestionSlots;
  readonly #found: FoundSet[] = [];

  constructor(definition: Definition, questions: QuestionSlots) {
    this.#definition = definition;
    this.#questions = questions;
  }

  /** Passes rows on, and collects their findings; the sets of the view are complete at the end. */
  *collect(view: View, rows: Iterable<object>): Generator<object> {
    const slots = new Map<string, number[]>();
    for (const row of rows) {
      const slot = this.#questions.get((row as { question_id: string }).question_id);
      if (slot !== undefined)
        for (const name of listFindings(this.#definition, row))
          slots.getOrInsertComputed(name, () => []).push(slot);
      yield row;
    }
    for (const [name, found] of slots)
      this.#found.push({ view, name, blocks: [...SlotSet.of(found).blocks] });
  }

  get all(): FoundSet[] {
    return this.#found;
  }
}
