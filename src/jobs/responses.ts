/**
 * Loads the responses to the questions of a run: from the packed rows of sittings to the response
 * matrix (`Responses`) that analyses read. Responses are scored on the way, by the keys of the
 * questions as of the snapshot.
 */
import { createHash, type Hash } from 'node:crypto';
import { CORRECT, MAX_WRONG_TEXTS, NO_OPTION, type Responses, WRONG } from '../analyses/define.ts';
import { GrowingArray } from '../analyses/shared/growing-array.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import { kindOf } from '../schemas/question-kinds.ts';
import type { Db } from '../store/db.ts';
import { buildScorer, type GivenAnswer, type Key, listOptions } from '../store/questions/scoring.ts';
import {
  decodeAnswer,
  GIVEN,
  hasText,
  ResponseReader,
  type SittingRow,
  sittingsWith,
} from '../store/responses/sittings.ts';
import type { View } from '../store/view.ts';

/** A question as far as scoring needs it. */
export interface Scorable {
  slot: number;
  key: Key;
  choices: readonly string[];
}

/** The parameters that select responses and define a case. */
export interface CaseOptions {
  cases: 'respondent' | 'session';
  session: string | null;
}

export interface LoadedResponses {
  responses: Responses;
  /** For each case the id of a sitting that names its respondent. */
  sittings: Float64Array;
  /** Without answers, the hash leaves out which option was chosen. */
  sha256: Record<View, string>;
}

/** Call it within a snapshot. */
export async function loadResponses(
  db: Db,
  questions: readonly Scorable[],
  options: CaseOptions,
  ticker: Ticker,
): Promise<LoadedResponses> {
  const builder = new MatrixBuilder(questions, options);
  const slots = questions.map(({ slot }) => slot);
  for await (const { rows, share } of sittingsWith(db, slots)) {
    for (const row of rows) {
      builder.add(row);
      if (ticker.due()) await ticker.yield(share);
    }
  }
  return builder.build();
}

/** Distinct answers whose scores are cached: to one question, and to all. */
const MAX_CACHED_PER_QUESTION = 10_000;
const MAX_CACHED = 500_000;

interface ScoredResponse {
  /** The index of the question in the run. */
  question: number;
  /** The outcome and what was chosen, as one number (`encode`). */
  code: number;
  at: number;
}

interface Case {
  sitting: number;
  respondent: string;
  group: string | null;
  /** The time of the last response in the session that the group is taken from. */
  groupAt: number;
  /** Ordered by question. */
  responses: ScoredResponse[];
}

/** Merges two lists ordered by question; of two responses to one question the earlier counts. */
function mergeResponses(left: ScoredResponse[], right: ScoredResponse[]): ScoredResponse[] {
  const merged: ScoredResponse[] = [];
  let j = 0;
  for (const response of left) {
    while (j < right.length && right[j]!.question < response.question) merged.push(right[j++]!);
    const repeated = right[j]?.question === response.question ? right[j++] : undefined;
    merged.push(repeated && repeated.at < response.at ? repeated : response);
  }
  return [...merged, ...right.slice(j)];
}

/**
 * The outcome in the lowest 8 bits, then the index of the chosen option in 8, then a detail (see
 * `ResponseDetails`) plus one, or 0 without one. Below 2^48, so a number holds it exactly.
 */
const encode = (outcome: number, option: number, detail: number | undefined) =>
  outcome + 2 ** 8 * option + 2 ** 16 * (detail === undefined ? 0 : detail + 1);

const decode = (code: number) => ({
  outcome: code % 2 ** 8,
  option: Math.floor(code / 2 ** 8) % 2 ** 8,
  detail: Math.floor(code / 2 ** 16) - 1,
});

/**
 * Builds the function from an answer to its `ScoredResponse.code`. Wrong answers to a question
 * without options are added to `wrongTexts`.
 */
function createScorer(
  { key, choices }: Scorable,
  wrongTexts: Map<string, number>,
): (answer: GivenAnswer) => number {
  const score = buildScorer(key);
  const kind = kindOf(key);
  const choiceIndices = listOptions(key).map((option) => choices.indexOf(option));
  return (answer) => {
    const { correct, chosen } = score(answer);
    const outcome = correct ? CORRECT : WRONG;
    const indices = chosen.map((option) => choiceIndices[option]!).filter((index) => index >= 0);
    if (kind === 'multiple_response') {
      const set = indices.reduce((bits, index) => bits + 2 ** index, 0);
      return encode(outcome, NO_OPTION, set > 0 ? set : undefined);
    }
    if (kind === 'short_answer' && !correct && typeof answer === 'string')
      return encode(outcome, NO_OPTION, addText(wrongTexts, answer));
    return encode(outcome, indices.length === 1 ? indices[0]! : NO_OPTION, undefined);
  };
}

/** The index of a text among those of its question; undefined if there are too many. */
function addText(texts: Map<string, number>, text: string): number | undefined {
  const known = texts.get(text);
  if (known !== undefined || texts.size === MAX_WRONG_TEXTS) return known;
  texts.set(text, texts.size);
  return texts.size - 1;
}

/** Rows are added in the order of respondent and session: sessions of a respondent are adjacent. */
class MatrixBuilder {
  readonly #questions: readonly Scorable[];
  readonly #caseOptions: CaseOptions;
  /** The index of a question by its slot. */
  readonly #indexOfSlot: Map<number, number>;
  /** Codes by question and hash of the answer: scoring every answer anew takes far longer. */
  readonly #cache = new Map<number, Map<number, { bytes: Uint8Array; code: number }>>();
  #cacheSize = 0;
  readonly #scorers = new Map<number, (answer: GivenAnswer) => number>();
  /** By question: wrong texts with their indices. */
  readonly #wrongTexts = new Map<number, Map<string, number>>();
  readonly #starts = new GrowingArray(Uint32Array);
  readonly #asked = new GrowingArray(Uint32Array);
  readonly #outcomes = new GrowingArray(Uint8Array);
  readonly #options = new GrowingArray(Uint8Array);
  readonly #detailsAt = new GrowingArray(Uint32Array);
  readonly #details = new GrowingArray(Uint32Array);
  readonly #groups = new GrowingArray(Int32Array);
  readonly #sittings = new GrowingArray(Float64Array);
  readonly #groupNames = new Map<string, number>();
  #current: Case | undefined;

  constructor(questions: readonly Scorable[], options: CaseOptions) {
    this.#questions = questions;
    this.#caseOptions = options;
    this.#indexOfSlot = new Map(questions.map(({ slot }, index) => [slot, index]));
    this.#starts.push(0);
  }

  add(row: SittingRow): void {
    const { cases, session } = this.#caseOptions;
    if (session !== null && row.session !== session) return;
    const { responses, lastAt } = this.#score(row);
    // A session without any of the questions does not count, nor does its group.
    if (responses.length === 0) return;
    const sameCase = cases === 'respondent' && this.#current?.respondent === row.respondent;
    if (!sameCase) this.#closeCase();
    const { id: sitting, respondent } = row;
    if (this.#current) this.#current.responses = mergeResponses(this.#current.responses, responses);
    else this.#current = { sitting, respondent, group: null, groupAt: -Infinity, responses };
    if (row.in_group !== null && lastAt >= this.#current.groupAt) {
      this.#current.sitting = sitting;
      this.#current.group = row.in_group;
      this.#current.groupAt = lastAt;
    }
  }

  /** Scores the responses to questions of the run; `lastAt` is the time of the last of all. */
  #score(row: SittingRow): { responses: ScoredResponse[]; lastAt: number } {
    const responses: ScoredResponse[] = [];
    let lastAt = -Infinity;
    for (const reader = new ResponseReader(row.responses); reader.next(); ) {
      const { at, kind } = reader;
      if (at > lastAt) lastAt = at;
      const question = this.#indexOfSlot.get(reader.slot);
      if (question === undefined) continue;
      const code = hasText(kind) ? this.#scoreAnswer(question, reader) : encode(kind, NO_OPTION, undefined);
      responses.push({ question, code, at });
    }
    return { responses, lastAt };
  }

  #scoreAnswer(question: number, reader: ResponseReader): number {
    const cache = this.#cache.getOrInsertComputed(question, () => new Map());
    // A text can be equal to the encoding of a set.
    const hash = 2 * reader.answerHash + (reader.kind === GIVEN.chosen ? 1 : 0);
    const cached = cache.get(hash);
    if (cached && reader.answerIs(cached.bytes)) return cached.code;
    const { answer } = reader;
    const scorer = this.#scorers.getOrInsertComputed(question, () =>
      createScorer(
        this.#questions[question]!,
        this.#wrongTexts.getOrInsertComputed(question, () => new Map()),
      ),
    );
    const code = scorer(decodeAnswer(reader));
    if (!cached && cache.size < MAX_CACHED_PER_QUESTION && this.#cacheSize < MAX_CACHED) {
      cache.set(hash, { bytes: Buffer.from(answer), code });
      this.#cacheSize++;
    }
    return code;
  }

  #closeCase(): void {
    const closed = this.#current;
    this.#current = undefined;
    if (!closed) return;
    for (const { question, code } of closed.responses) {
      const { outcome, option, detail } = decode(code);
      if (detail >= 0) {
        this.#detailsAt.push(this.#asked.length);
        this.#details.push(detail);
      }
      this.#asked.push(question);
      this.#outcomes.push(outcome);
      this.#options.push(option);
    }
    const { group } = closed;
    this.#groups.push(
      group === null ? -1 : this.#groupNames.getOrInsertComputed(group, () => this.#groupNames.size),
    );
    this.#sittings.push(closed.sitting);
    this.#starts.push(this.#asked.length);
  }

  build(): LoadedResponses {
    this.#closeCase();
    const responses: Responses = {
      cases: this.#sittings.length,
      starts: this.#starts.release(),
      questions: this.#asked.release(),
      outcomes: this.#outcomes.release(),
      options: this.#options.release(),
      details: {
        at: this.#detailsAt.release(),
        values: this.#details.release(),
        wrongTexts: new Map(
          [...this.#wrongTexts].map(([question, texts]) => [question, [...texts.keys()]] as const),
        ),
      },
      groups: this.#groups.release(),
      groupNames: [...this.#groupNames.keys()],
    };
    const { starts, questions, outcomes, groups, groupNames } = responses;
    const withoutAnswers = createHash('sha256');
    for (const column of [starts, questions, outcomes, groups]) addBytes(withoutAnswers, column);
    withoutAnswers.update(JSON.stringify(groupNames));
    const withAnswers = withoutAnswers.copy();
    addBytes(withAnswers, responses.options!);
    addBytes(withAnswers, responses.details!.at);
    addBytes(withAnswers, responses.details!.values);
    for (const texts of responses.details!.wrongTexts.values()) withAnswers.update(JSON.stringify(texts));
    const sha256 = { without_answers: withoutAnswers.digest('hex'), with_answers: withAnswers.digest('hex') };
    return { responses, sittings: this.#sittings.release(), sha256 };
  }
}

/** A hash accepts less than 2^31 bytes at once. */
const MAX_HASH_BYTES = 2 ** 28;

function addBytes(hash: Hash, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  for (let at = 0; at < byteLength; at += MAX_HASH_BYTES)
    hash.update(new Uint8Array(buffer, byteOffset + at, Math.min(MAX_HASH_BYTES, byteLength - at)));
}
