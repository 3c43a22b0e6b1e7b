/** One run from its questions to its stored result: what a worker does. It reads; whoever holds the lease writes. */
import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type {
  Definition,
  Outcome,
  QuestionWithAnswers,
  QuestionWithoutAnswers,
  RespondentAbility,
  ResultsByView,
} from '../analyses/define.ts';
import type { Analysis } from '../analyses/index.ts';
import { Ticker } from '../concurrency/ticker.ts';
import { ITEMS_PER_BLOCK } from '../store/analyses/analyses.ts';
import type { StoredResult } from '../store/analyses/queue.ts';
import type { Run } from '../store/analyses/row.ts';
import type { Db } from '../store/db.ts';
import type { SlotSet } from '../store/index/slots.ts';
import { type Members, membersOf, readQuestions, slotsOfRun } from '../store/questions/selection.ts';
import type { View } from '../store/view.ts';
import { type Choice, type Loaded, loadResponses, type Scorable } from './responses.ts';

export interface Done {
  question_count: number;
  members: Members[] | undefined;
  results: StoredResult[];
}

export interface Listener {
  /** How many questions there are, and how much of the work is done, from 0 to 1. */
  progress(share: number, question_count: number): void;
}

const BATCH = 1000;
/** What reading responses, where there are any to read, and storing the result take of the whole. */
const LOADING = 0.15;
const STORING = 0.05;
const SLICE_MS = 50;

export async function execute(definition: Analysis, db: Db, run: Run, listener: Listener): Promise<Done> {
  const snapshot = await hold(db);
  try {
    const { slots, missing } = await slotsOfRun(snapshot.db, run);
    const ticker = new Ticker({
      sliceMs: SLICE_MS,
      report: (share) => listener.progress(share, slots.total),
    });
    listener.progress(0, slots.total);
    const source = new Source(snapshot, slots, definition);
    let loaded: Loaded | undefined;
    const loading = definition.readsResponses ? LOADING : 0;
    const computing = ticker.part(loading, 1 - STORING);
    const input = {
      count: slots.total,
      questions: source.batches(),
      responses: async () => {
        loaded = await source.responses(run.parameters as Choice, (share) => ticker.yield(share * loading));
        return loaded.responses;
      },
      ticker: computing,
      progress: (share: number) => computing.yield(share),
    };
    const sides = sidesOf(await definition.run(input as never, run.parameters as never));
    const results: StoredResult[] = [];
    for (const [view, shown] of sides) {
      if (slots.total === 0)
        shown.warnings.push('No question was selected, so there was nothing to look at.');
      else if (loaded?.responses.cases === 0) shown.warnings.push(NOBODY);
      if (missing > 0) shown.warnings.push(missingSentence(missing));
      const head = {
        analysis_type: definition.type,
        version: definition.version,
        parameters: run.parameters,
        questions: { count: slots.total, sha256: source.digest(view) },
        ...(loaded && { responses: responsesRead(loaded, view) }),
        warnings: shown.warnings,
      };
      const { n, blocks } = await packed(shown.items, ticker);
      const { figure, figures } = drawnOf(definition, shown);
      results.push({
        view,
        head: JSON.stringify(head),
        summary: JSON.stringify(shown.summary),
        items: n,
        figure,
        figures,
        blocks,
      });
    }
    const people = sides[0]![1].abilities;
    if (people && loaded) results.push(await packedPeople(people, loaded, ticker));
    return { question_count: slots.total, members: run.filter && membersOf(slots), results };
  } finally {
    await snapshot.release();
  }
}

const missingSentence = (n: number) =>
  n === 1
    ? 'One of the questions asked for was deleted before the run began; it is left out.'
    : `${n} of the questions asked for were deleted before the run began; they are left out.`;

const NOBODY = 'Nobody has answered any of these questions, so there was nothing to analyse.';

/** What was read, for those who see so much of it: a hash over options, and all would be known by trying. */
const responsesRead = ({ responses, sha256 }: Loaded, view: View) => ({
  count: responses.questions.length,
  cases: responses.cases,
  sha256: sha256[view],
});

/** The main picture of a result and its further ones, as JSON. */
function drawnOf(definition: Analysis, shown: AnyOutcome): { figure: string; figures: string } {
  const plots = (definition.plots ?? {}) as Record<string, (outcome: AnyOutcome) => unknown>;
  const further = Object.entries(plots).map(([name, plot]) => [name, plot(shown)]);
  return {
    figure: JSON.stringify(definition.plot(shown as never)),
    figures: JSON.stringify(Object.fromEntries(further)),
  };
}

/** What was found about people, by the row that names each: whoever is forgotten is named no more. */
async function packedPeople(
  people: Iterable<RespondentAbility>,
  { sittings }: Loaded,
  ticker: Ticker,
): Promise<StoredResult> {
  const rows = function* () {
    for (const { case: place, answered, correct, ability, standard_error } of people)
      yield [sittings[place], answered, correct, ability, standard_error];
  };
  const { n, blocks } = await packed(rows(), ticker);
  return { view: 'abilities', head: '{}', summary: '{}', items: n, figure: 'null', figures: '{}', blocks };
}

type AnyOutcome = Outcome<object, object>;

/** The results to be stored: one for everybody or, where answers were looked at, one for each kind of caller. */
const sidesOf = (result: AnyOutcome | ResultsByView<object, object>): [View, AnyOutcome][] =>
  'with_answers' in result
    ? [
        ['with_answers', result.with_answers],
        ['without_answers', result.without_answers],
      ]
    : [['without_answers', result]];

/** One state of the bank, until it is released. */
interface Snapshot {
  db: Db;
  release(): Promise<void>;
}

async function hold(db: Db): Promise<Snapshot> {
  const opened = Promise.withResolvers<Db>();
  const ended = Promise.withResolvers<void>();
  const held = db.snapshot((tx) => {
    opened.resolve(tx);
    return ended.promise;
  });
  await Promise.race([opened.promise, held]);
  return {
    db: await opened.promise,
    release: () => {
      ended.resolve();
      return held;
    },
  };
}

/** The questions of a run, read in batches, and the hash of all that was read of them. */
class Source {
  readonly #snapshot: Snapshot;
  readonly #slots: SlotSet;
  readonly #answers: boolean;
  /** Filled where responses are to be scored. */
  readonly #scorable: Scorable[] | undefined;
  readonly #hashes: Record<View, Hash> = {
    without_answers: createHash('sha256'),
    with_answers: createHash('sha256'),
  };
  readonly #digests: Partial<Record<View, string>> = {};

  constructor(
    snapshot: Snapshot,
    slots: SlotSet,
    { readsAnswers, readsResponses }: Pick<Definition, 'readsAnswers' | 'readsResponses'>,
  ) {
    this.#snapshot = snapshot;
    this.#slots = slots;
    this.#answers = readsAnswers;
    this.#scorable = readsResponses ? [] : undefined;
  }

  async *batches(): AsyncGenerator<(QuestionWithoutAnswers | QuestionWithAnswers)[]> {
    const { total } = this.#slots;
    for (let offset = 0; offset < total; offset += BATCH) {
      const slots = this.#slots.slice(offset, BATCH);
      const view = this.#answers || this.#scorable ? 'with_answers' : 'without_answers';
      const rows = await readQuestions(this.#snapshot.db, view, slots);
      yield rows.map(({ slot, body }) => this.#take(slot, JSON.parse(body)));
    }
    // Whatever is computed after the last of what is read does not keep the database from tidying up.
    if (!this.#scorable) await this.#snapshot.release();
  }

  async responses(choice: Choice, progress: (share: number) => Promise<void>): Promise<Loaded> {
    const loaded = await loadResponses(this.#snapshot.db, this.#scorable!, choice, progress);
    await this.#snapshot.release();
    return this.#answers ? loaded : { ...loaded, responses: { ...loaded.responses, options: undefined } };
  }

  #take(slot: number, stored: QuestionWithAnswers): QuestionWithoutAnswers | QuestionWithAnswers {
    const { correct_answer, incorrect_answers, explanation } = stored;
    this.#scorable?.push({ slot, key: { correct_answer, incorrect_answers }, choices: stored.choices ?? [] });
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
    if (!this.#answers) return withoutAnswers;
    const withAnswers: QuestionWithAnswers = {
      ...withoutAnswers,
      correct_answer,
      incorrect_answers,
      explanation,
    };
    this.#hashes.with_answers.update(JSON.stringify(withAnswers));
    return withAnswers;
  }

  digest(view: View): string {
    this.#digests[view] ??= this.#hashes[view].digest('hex');
    return this.#digests[view];
  }
}

const pack = promisify(deflateRaw) as (lines: string, options: { level: number }) => Promise<Buffer>;
/** Quick rather than small: a row is a few hundred bytes that repeat those of the row before. */
const LEVEL = 3;

/** Rows as blocks of packed lines. */
async function packed(rows: Iterable<unknown>, ticker: Ticker): Promise<{ n: number; blocks: Uint8Array[] }> {
  const blocks: Uint8Array[] = [];
  let lines: string[] = [];
  let n = 0;
  const close = async () => {
    if (lines.length === 0) return;
    blocks.push(await pack(lines.join('\n'), { level: LEVEL }));
    lines = [];
    await ticker.yield(1 - STORING / 2);
  };
  for (const row of rows) {
    lines.push(JSON.stringify(row));
    n++;
    if (lines.length === ITEMS_PER_BLOCK) await close();
  }
  await close();
  return { n, blocks };
}
