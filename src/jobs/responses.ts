/** What was answered to the questions of a run, from packed rows to the table that analyses read. */
import { createHash, type Hash } from 'node:crypto';
import { CORRECT, NO_OPTION, type Responses, WRONG } from '../analyses/define.ts';
import type { Db } from '../store/db.ts';
import { buildMatcher, isFirstAlone, type Key, optionsOf } from '../store/questions/scoring.ts';
import { GIVEN, ResponseReader, type SittingRow, sittingsWith } from '../store/responses/sittings.ts';
import type { View } from '../store/view.ts';

/** A question as far as scoring needs it. */
export interface Scorable {
  slot: number;
  key: Key;
  choices: readonly string[];
}

/** Which responses, and what is a case. */
export interface Choice {
  cases: 'respondent' | 'session';
  session: string | null;
}

export interface Loaded {
  responses: Responses;
  /** For each case the id of a row in which its name stands. */
  sittings: Float64Array;
  /** Of all that was read, and of the same without who chose which option. */
  sha256: Record<View, string>;
}

/** Reads the responses; what share of them it has read is told now and then. Call it within a snapshot. */
export async function loadResponses(
  db: Db,
  questions: readonly Scorable[],
  choice: Choice,
  progress: (share: number) => Promise<void>,
): Promise<Loaded> {
  const table = new Table(questions, choice);
  const slots = questions.map(({ slot }) => slot);
  for await (const { rows, share } of sittingsWith(db, slots)) {
    for (const row of rows) {
      table.add(row);
      await progress(share);
    }
  }
  return table.end();
}

/** A typed array that grows. */
class Column<A extends Uint8Array | Uint32Array | Int32Array | Float64Array> {
  #values: A;
  length = 0;

  constructor(values: A) {
    this.#values = values;
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const Kind = this.#values.constructor as new (buffer: ArrayBuffer) => A;
      const buffer = this.#values.buffer as ArrayBuffer;
      this.#values = new Kind(buffer.transfer(buffer.byteLength * 2));
    }
    this.#values[this.length++] = value;
  }

  get values(): A {
    return this.#values.subarray(0, this.length) as A;
  }
}

const FIRST = 1024;
/** Different answers whose scores are remembered: to one question, and to all. */
const REMEMBERED = 10_000;
const REMEMBERED_IN_ALL = 500_000;

/** A response on its way into the table. */
interface Answered {
  /** The question's. */
  place: number;
  /** What came of it, and 256 times which option it is. */
  code: number;
  at: number;
}

/** One case on its way there. */
interface Case {
  sitting: number;
  respondent: string;
  group: string | null;
  /** When the last response was given in the session that the group is from. */
  groupAt: number;
  /** In the order of the questions. */
  answered: Answered[];
}

/** Both in the order of the questions; of two answers to one, the earlier. */
function merged(one: Answered[], other: Answered[]): Answered[] {
  const all: Answered[] = [];
  let j = 0;
  for (const each of one) {
    while (j < other.length && other[j]!.place < each.place) all.push(other[j++]!);
    const twice = other[j]?.place === each.place ? other[j++] : undefined;
    all.push(twice && twice.at < each.at ? twice : each);
  }
  return [...all, ...other.slice(j)];
}

/** What comes of the answers to a question, and 256 times which of its choices each is. */
function codesOf({ key, choices }: Scorable): (answer: string) => number {
  const options = optionsOf(key);
  const read = buildMatcher(options);
  const places = options.map((option) => choices.indexOf(option));
  return (answer) => {
    const found = read(answer);
    const place = found.length === 1 ? places[found[0]!]! : -1;
    return (isFirstAlone(found) ? CORRECT : WRONG) + 256 * (place < 0 ? NO_OPTION : place);
  };
}

/** Rows come in the order of respondent and session, so that a person's sessions come together. */
class Table {
  readonly #questions: readonly Scorable[];
  readonly #choice: Choice;
  /** From a slot to the question's place. */
  readonly #places: Map<number, number>;
  /** By the question's place and the answer's hash. */
  readonly #known = new Map<number, Map<number, { bytes: Uint8Array; code: number }>>();
  #remembered = 0;
  readonly #codes = new Map<number, (answer: string) => number>();
  readonly #starts = new Column(new Uint32Array(FIRST));
  readonly #asked = new Column(new Uint32Array(FIRST));
  readonly #outcomes = new Column(new Uint8Array(FIRST));
  readonly #options = new Column(new Uint8Array(FIRST));
  readonly #groups = new Column(new Int32Array(FIRST));
  readonly #sittings = new Column(new Float64Array(FIRST));
  readonly #groupNames = new Map<string, number>();
  #open: Case | undefined;

  constructor(questions: readonly Scorable[], choice: Choice) {
    this.#questions = questions;
    this.#choice = choice;
    this.#places = new Map(questions.map(({ slot }, place) => [slot, place]));
    this.#starts.push(0);
  }

  add(row: SittingRow): void {
    if (this.#choice.session !== null && row.session !== this.#choice.session) return;
    const { answered, last } = this.#read(row);
    // What else a person did elsewhere has no part in it, their group of that time included.
    if (answered.length === 0) return;
    const same = this.#choice.cases === 'respondent' && this.#open?.respondent === row.respondent;
    if (!same) this.#close();
    const { id: sitting, respondent } = row;
    if (this.#open) this.#open.answered = merged(this.#open.answered, answered);
    else this.#open = { sitting, respondent, group: null, groupAt: -Infinity, answered };
    if (row.in_group !== null && last >= this.#open.groupAt) {
      this.#open.sitting = sitting;
      this.#open.group = row.in_group;
      this.#open.groupAt = last;
    }
  }

  /** What a row says of the questions, and when the last of its responses was given. */
  #read(row: SittingRow): { answered: Answered[]; last: number } {
    const answered: Answered[] = [];
    let last = -Infinity;
    for (const each = new ResponseReader(row.responses); each.next(); ) {
      const { at, kind } = each;
      if (at > last) last = at;
      const place = this.#places.get(each.slot);
      if (place === undefined) continue;
      const code = kind === GIVEN.answer ? this.#scored(place, each) : kind + 256 * NO_OPTION;
      answered.push({ place, code, at });
    }
    return { answered, last };
  }

  #scored(place: number, each: ResponseReader): number {
    const known = this.#known.getOrInsertComputed(place, () => new Map());
    const hash = each.answerHash;
    const before = known.get(hash);
    if (before && each.answerIs(before.bytes)) return before.code;
    const { answer } = each;
    const code = this.#codes.getOrInsertComputed(place, () => codesOf(this.#questions[place]!))(answer);
    if (!before && known.size < REMEMBERED && this.#remembered < REMEMBERED_IN_ALL) {
      known.set(hash, { bytes: Buffer.from(answer), code });
      this.#remembered++;
    }
    return code;
  }

  #close(): void {
    const closed = this.#open;
    this.#open = undefined;
    if (!closed) return;
    for (const { place, code } of closed.answered) {
      this.#asked.push(place);
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

  end(): Loaded {
    this.#close();
    const responses: Responses = {
      cases: this.#sittings.length,
      starts: this.#starts.values,
      questions: this.#asked.values,
      outcomes: this.#outcomes.values,
      options: this.#options.values,
      groups: this.#groups.values,
      groupNames: [...this.#groupNames.keys()],
    };
    const { starts, questions, outcomes, groups, groupNames } = responses;
    const withoutAnswers = createHash('sha256');
    for (const column of [starts, questions, outcomes, groups]) addBytes(withoutAnswers, column);
    withoutAnswers.update(JSON.stringify(groupNames));
    const withAnswers = withoutAnswers.copy();
    addBytes(withAnswers, responses.options!);
    const sha256 = { without_answers: withoutAnswers.digest('hex'), with_answers: withAnswers.digest('hex') };
    return { responses, sittings: this.#sittings.values, sha256 };
  }
}

/** As much as a hash takes at once is less than there may be. */
const AT_ONCE = 2 ** 28;

function addBytes(hash: Hash, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  for (let at = 0; at < byteLength; at += AT_ONCE)
    hash.update(new Uint8Array(buffer, byteOffset + at, Math.min(AT_ONCE, byteLength - at)));
}
