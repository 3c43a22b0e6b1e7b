/** The input of a run: questions and responses as of one snapshot, and hashes over both. */
import { createHash, type Hash } from 'node:crypto';
import type { Definition, QuestionWithAnswers, QuestionWithoutAnswers } from '../analyses/define.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import type { Db } from '../store/db.ts';
import { SlotSet } from '../store/index/slots.ts';
import { readQuestions } from '../store/questions/read-questions.ts';
import type { View } from '../store/view.ts';
import { QuestionSlots } from './question-slots.ts';
import { type CaseOptions, type LoadedResponses, loadResponses, type Scorable } from './responses.ts';

const BATCH_QUESTIONS = 1000;

/** A transaction that reads one state of the bank until it is released. */
interface Snapshot {
  db: Db;
  release(): Promise<void>;
}

export async function openSnapshot(db: Db): Promise<Snapshot> {
  const opened = Promise.withResolvers<Db>();
  const released = Promise.withResolvers<void>();
  const transaction = db.snapshot((tx) => {
    opened.resolve(tx);
    return released.promise;
  });
  // The transaction rejects if it cannot be opened.
  await Promise.race([opened.promise, transaction]);
  return {
    db: await opened.promise,
    release: () => {
      released.resolve();
      return transaction;
    },
  };
}

/** Reads the questions, then the responses to them. Releases the snapshot after the last read. */
export class Source {
  readonly #snapshot: Snapshot;
  readonly #slots: SlotSet;
  readonly #readsAnswers: boolean;
  /** The questions read so far, where responses are to be scored. */
  readonly #scorable: Scorable[] | undefined;
  readonly #hashes: Record<View, Hash> = {
    without_answers: createHash('sha256'),
    with_answers: createHash('sha256'),
  };
  readonly #digests: Partial<Record<View, string>> = {};
  readonly #updatedSlots: number[] = [];
  /** The questions read so far. */
  readonly questions: QuestionSlots;

  constructor(
    snapshot: Snapshot,
    slots: SlotSet,
    { readsAnswers, readsResponses }: Pick<Definition, 'readsAnswers' | 'readsResponses'>,
  ) {
    this.#snapshot = snapshot;
    this.#slots = slots;
    this.questions = new QuestionSlots(slots.total);
    this.#readsAnswers = readsAnswers;
    this.#scorable = readsResponses ? [] : undefined;
  }

  async *batches(): AsyncGenerator<(QuestionWithoutAnswers | QuestionWithAnswers)[]> {
    const { total } = this.#slots;
    for (let offset = 0; offset < total; offset += BATCH_QUESTIONS) {
      const slots = this.#slots.slice(offset, BATCH_QUESTIONS);
      const view = this.#readsAnswers || this.#scorable ? 'with_answers' : 'without_answers';
      const rows = await readQuestions(this.#snapshot.db, view, slots);
      for (const { slot, updated_slot } of rows)
        if (updated_slot !== slot) this.#updatedSlots.push(updated_slot);
      yield rows.map(({ slot, body }) => this.#toQuestion(slot, JSON.parse(body)));
    }
    // A long computation must not keep the database from vacuuming.
    if (!this.#scorable) await this.#snapshot.release();
  }

  /** Call it after the last batch of questions. */
  async responses(options: CaseOptions, ticker: Ticker): Promise<LoadedResponses> {
    const loaded = await loadResponses(this.#snapshot.db, this.#scorable!, options, ticker);
    await this.#snapshot.release();
    return this.#readsAnswers
      ? loaded
      : { ...loaded, responses: { ...loaded.responses, options: undefined } };
  }

  #toQuestion(slot: number, stored: QuestionWithAnswers): QuestionWithoutAnswers | QuestionWithAnswers {
    const { revision, correct_answer, incorrect_answers, explanation } = stored;
    this.#scorable?.push({ slot, key: { correct_answer, incorrect_answers }, choices: stored.choices ?? [] });
    this.questions.add(stored.id, slot, stored.category);
    const { id, question_text, choices = [], category, difficulty, topic_focus, tags } = stored;
    const withoutAnswers: QuestionWithoutAnswers = {
      id,
      question_text,
      choices,
      category,
      difficulty,
      topic_focus,
      tags,
    };
    this.#hashes.without_answers.update(JSON.stringify(withoutAnswers));
    if (!this.#readsAnswers) return withoutAnswers;
    const withAnswers: QuestionWithAnswers = {
      ...withoutAnswers,
      revision,
      correct_answer,
      incorrect_answers,
      explanation,
    };
    this.#hashes.with_answers.update(JSON.stringify(withAnswers));
    return withAnswers;
  }

  /** The slots at which questions were last updated, where that is not their first slot. */
  get updatedSlots(): SlotSet {
    return SlotSet.of(this.#updatedSlots);
  }

  /** The hash of all questions; call it after the last batch. */
  digest(view: View): string {
    this.#digests[view] ??= this.#hashes[view].digest('hex');
    return this.#digests[view];
  }
}
