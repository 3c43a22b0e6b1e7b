/**
 * Executes one run in a worker process: selects its questions, computes the analysis and builds the
 * results to store. It only reads the database; the process that holds the lease writes.
 */
import type { Definition, Outcome, RespondentAbility, ResultsByView } from '../analyses/define.ts';
import type { Analysis } from '../analyses/index.ts';
import { Ticker } from '../concurrency/ticker.ts';
import type { StoredResult } from '../store/analyses/queue.ts';
import type { Run } from '../store/analyses/row.ts';
import type { Db } from '../store/db.ts';
import type { FoundSet } from '../store/findings/finding-sets.ts';
import { toBitmapBlocks } from '../store/index/bitmaps.ts';
import { readScope, slotsOfRun } from '../store/questions/selection.ts';
import type { View } from '../store/view.ts';
import { compressRows } from './blocks.ts';
import type { RunOutput } from './messages.ts';
import type { CaseOptions, LoadedResponses } from './responses.ts';
import { ResultIndex } from './result-index.ts';
import { openSnapshot, Source } from './source.ts';

/** The shares of progress that loading responses and storing the result account for. */
const LOADING_SHARE = 0.15;
const STORING_SHARE = 0.05;
const SLICE_MS = 50;

/** `onProgress` receives the share of the work that is done, from 0 to 1. */
export async function execute(
  definition: Analysis,
  db: Db,
  run: Run,
  onProgress: (share: number, question_count: number) => void,
): Promise<RunOutput> {
  const snapshot = await openSnapshot(db);
  try {
    const { slots, missing } = await slotsOfRun(snapshot.db, run);
    const ticker = new Ticker({ sliceMs: SLICE_MS, report: (share) => onProgress(share, slots.total) });
    onProgress(0, slots.total);
    const source = new Source(snapshot, slots, definition);
    let loaded: LoadedResponses | undefined;
    const loadingShare = definition.readsResponses ? LOADING_SHARE : 0;
    const computing = ticker.part(loadingShare, 1 - STORING_SHARE);
    const input = {
      count: slots.total,
      scope: await readScope(snapshot.db, run.filter),
      questions: source.batches(),
      responses: async () => {
        loaded = await source.responses(run.parameters as CaseOptions, ticker.part(0, loadingShare));
        return loaded.responses;
      },
      ticker: computing,
    };
    const outcomes = splitByView(await definition.run(input as never, run.parameters as never));
    const storing = ticker.part(1 - STORING_SHARE / 2, 1);
    const results: StoredResult[] = [];
    const found: FoundSet[] = [];
    for (const [view, outcome] of outcomes) {
      if (slots.total === 0) outcome.warnings.push(NO_QUESTIONS);
      else if (loaded?.responses.cases === 0) outcome.warnings.push(NO_RESPONSES);
      if (missing > 0) outcome.warnings.push(formatMissing(missing));
      const head = {
        analysis_type: definition.type,
        version: definition.version,
        questions: { count: slots.total, sha256: source.digest(view) },
        ...(loaded && { responses: describeResponses(loaded, view) }),
        warnings: outcome.warnings,
      };
      const index = new ResultIndex(definition as unknown as Definition, source.questions, view);
      const { n, blocks } = await compressRows(index.add(outcome.items), storing);
      found.push(...index.found);
      results.push({
        view,
        head: JSON.stringify(head),
        summary: JSON.stringify(outcome.summary),
        items: n,
        ...plotFigures(definition, outcome),
        blocks,
        index: [...index.parts()],
      });
    }
    const { abilities } = outcomes[0]![1];
    if (abilities && loaded) results.push(await buildAbilities(abilities, loaded, storing));
    const response_count = loaded?.responses.questions.length;
    return {
      question_count: slots.total,
      response_count,
      members: run.filter && toBitmapBlocks(slots),
      updated: toBitmapBlocks(source.updatedSlots),
      version: definition.version,
      found,
      results,
    };
  } finally {
    await snapshot.release();
  }
}

const NO_QUESTIONS = 'No questions were selected, so the result is empty.';
const NO_RESPONSES = 'There are no responses to these questions, so the result is empty.';

const formatMissing = (n: number) =>
  n === 1
    ? 'One of the requested questions was deleted before the run began and is not included.'
    : `${n} of the requested questions were deleted before the run began and are not included.`;

type AnyOutcome = Outcome<object, object>;

/** One outcome for all callers or, where the analysis reads answers, one per view. */
const splitByView = (result: AnyOutcome | ResultsByView<object, object>): [View, AnyOutcome][] =>
  'with_answers' in result
    ? [
        ['with_answers', result.with_answers],
        ['without_answers', result.without_answers],
      ]
    : [['without_answers', result]];

/** The hash differs by view: a hash over the chosen options would reveal them by trial. */
const describeResponses = ({ responses, sha256 }: LoadedResponses, view: View) => ({
  count: responses.questions.length,
  cases: responses.cases,
  sha256: sha256[view],
});

/** The main figure and the additional ones, as JSON. */
function plotFigures(definition: Analysis, outcome: AnyOutcome): { figure: string; figures: string } {
  const plots = (definition.plots ?? {}) as Record<string, (outcome: AnyOutcome) => unknown>;
  const figures = Object.entries(plots).map(([name, plot]) => [name, plot(outcome)]);
  return {
    figure: JSON.stringify(definition.plot(outcome as never)),
    figures: JSON.stringify(Object.fromEntries(figures)),
  };
}

/** Refers to respondents by the id of a sitting: a deleted respondent is no longer named. */
async function buildAbilities(
  abilities: Iterable<RespondentAbility>,
  { sittings }: LoadedResponses,
  ticker: Ticker,
): Promise<StoredResult> {
  const rows = function* () {
    for (const { case: index, answered, correct, ability, standard_error } of abilities)
      yield [sittings[index], answered, correct, ability, standard_error];
  };
  const { n, blocks } = await compressRows(rows(), ticker);
  return {
    view: 'abilities',
    head: '{}',
    summary: '{}',
    items: n,
    figure: 'null',
    figures: '{}',
    blocks,
    index: [],
  };
}
