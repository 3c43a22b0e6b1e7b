/** The input of a run: questions and responses as of one snapshot, and hashes over both. */
import { createHash, type Hash } from 'node:crypto';
import type { Definition, QuestionWithAnswers, QuestionWithoutAnswers } from '../analyses/define.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import { type Kind, listCorrect } from '../schemas/question-kinds.ts';
import type { Db } from '../store/db.ts';
import { SlotSet } from '../store/index/slots.ts';
import { readQuestions } from '../store/questions/read-questions.ts';
import type { Key } from '../store/questions/scoring.ts';
import type { View } from '../store/view.ts';
import { type Literals, stripMarkup } from '../text/markup.ts';
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
  readonly #literals: Literals;
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
    {
      readsAnswers,
      readsResponses,
      readsProse,
    }: Pick<Definition, 'readsAnswers' | 'readsResponses' | 'readsProse'>,
  ) {
    this.#snapshot = snapshot;
    this.#slots = slots;
    this.questions = new QuestionSlots(slots.total);
    this.#readsAnswers = readsAnswers;
    this.#literals = readsProse ? 'replace' : 'keep';
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
      : { ...loaded, responses: { ...loaded.responses, options: undefined, details: undefined } };
  }

  #toQuestion(slot: number, stored: StoredFields): QuestionWithoutAnswers | QuestionWithAnswers {
    this.#scorable?.push({ slot, key: stored, choices: stored.choices ?? [] });
    this.questions.add(stored.id, slot, stored.category);
    const { id, kind, category, difficulty, topic_focus, tags, text_format } = stored;
    const plain = text_format ? removeMarkup(stored, this.#literals) : stored;
    const { question_text, choices = [] } = plain;
    const withoutAnswers: QuestionWithoutAnswers = {
      ...{ id, kind, question_text, choices, category, difficulty, topic_focus, tags },
    };
    this.#hashes.without_answers.update(JSON.stringify(withoutAnswers));
    if (!this.#readsAnswers) return withoutAnswers;
    const { correct_answer, incorrect_answers, explanation } = plain;
    const { revision, accepted_answers, answer_matching, choices_order } = stored;
    const withAnswers: QuestionWithAnswers = {
      ...withoutAnswers,
      revision,
      correct_answer,
      incorrect_answers,
      explanation,
      ...(accepted_answers && { accepted_answers }),
      ...(answer_matching && { answer_matching }),
      ...(text_format && { had_markup: true }),
      ...(choices_order === 'as_given' && { choices_given: true }),
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

/**
 * A question as it is stored. In the view without answers, the fields of the key, the explanation and
 * the revision are absent.
 */
interface StoredFields extends Key {
  id: string;
  kind: Kind;
  category: string;
  difficulty: number;
  topic_focus: string | null;
  tags: string[];
  text_format?: 'markdown';
  choices_order?: string;
  question_text: string;
  choices?: string[];
  explanation: string | null;
  revision: number;
}

/** Options that would become equal keep their literals or, if that does not help, their markup. */
function removeMarkup(stored: StoredFields, literals: Literals): StoredFields {
  const { choices, correct_answer } = stored;
  const hasAnswers = correct_answer !== undefined;
  const strip = chooseStrip(choices ?? (hasAnswers ? listCorrect(correct_answer) : []), literals);
  return {
    ...stored,
    question_text: stripMarkup(stored.question_text, literals),
    ...(choices && { choices: choices.map(strip) }),
    ...(hasAnswers && removeAnswerMarkup(stored, strip, literals)),
  };
}

function removeAnswerMarkup(
  { correct_answer, incorrect_answers, explanation }: StoredFields,
  strip: (text: string) => string,
  literals: Literals,
): Pick<StoredFields, 'correct_answer' | 'incorrect_answers' | 'explanation'> {
  return {
    correct_answer: Array.isArray(correct_answer) ? correct_answer.map(strip) : strip(correct_answer),
    incorrect_answers: incorrect_answers.map(strip),
    explanation: explanation && stripMarkup(explanation, literals),
  };
}

function chooseStrip(options: readonly string[], literals: Literals): (text: string) => string {
  const strips = [literals, 'keep' as const].map((each) => (text: string) => stripMarkup(text, each) || text);
  const isDistinct = (strip: (text: string) => string) => new Set(options.map(strip)).size === options.length;
  return strips.find(isDistinct) ?? ((text) => text);
}
