/**
 * Loads the responses to the questions of a run: from the packed rows of sittings to the response
 * matrix (`Responses`) that analyses read. Responses are scored on the way, by the keys of the
 * questions as of the snapshot.
 */
import { createHash, type Hash } from 'node:crypto';
import { CORRECT, NO_OPTION, type Responses, WRONG } from '../analyses/define.ts';
import { GrowingArray } from '../analyses/shared/growing-array.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import type { Db } from '../store/db.ts';
import { buildMatcher, type Key, listOptions, matchesKeyAlone } from '../store/questions/scoring.ts';
import { GIVEN, ResponseReader, type SittingRow, sittingsWith } from '../store/responses/sittings.ts';
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
  /** The outcome, plus 256 times the index of the chosen option. */
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

/** Builds the function from an answer to its `ScoredResponse.code`. */
function createScorer({ key, choices }: Scorable): (answer: string) => number {
  const options = listOptions(key);
  const match = buildMatcher(options);
  const choiceIndices = options.map((option) => choices.indexOf(option));
  return (answer) => {
    const found = match(answer);
    const choice = found.length === 1 ? choiceIndices[found[0]!]! : -1;
    return (matchesKeyAlone(found) ? CORRECT : WRONG) + 256 * (choice < 0 ? NO_OPTION : choice);
  };
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
  readonly #scorers = new Map<number, (answer: string) => number>();
  readonly #starts = new GrowingArray(Uint32Array);
  readonly #asked = new GrowingArray(Uint32Array);
  readonly #outcomes = new GrowingArray(Uint8Array);
  readonly #options = new GrowingArray(Uint8Array);
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
      const code = kind === GIVEN.answer ? this.#scoreAnswer(question, reader) : kind + 256 * NO_OPTION;
      responses.push({ question, code, at });
    }
    return { responses, lastAt };
  }

  #scoreAnswer(question: number, reader: ResponseReader): number {
    const cache = this.#cache.getOrInsertComputed(question, () => new Map());
    const hash = reader.answerHash;
    const cached = cache.get(hash);
    if (cached && reader.answerIs(cached.bytes)) return cached.code;
    const { answer } = reader;
    const scorer = this.#scorers.getOrInsertComputed(question, () =>
      createScorer(this.#questions[question]!),
    );
    const code = scorer(answer);
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
      this.#asked.push(question);
      this.#outcomes.push(code % 256);
      this.#options.push(Math.floor(code / 256));
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
      groups: this.#groups.release(),
      groupNames: [...this.#groupNames.keys()],
    };
    const { starts, questions, outcomes, groups, groupNames } = responses;
    const withoutAnswers = createHash('sha256');
    for (const column of [starts, questions, outcomes, groups]) addBytes(withoutAnswers, column);
    withoutAnswers.update(JSON.stringify(groupNames));
    const withAnswers = withoutAnswers.copy();
    addBytes(withAnswers, responses.options!);
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
