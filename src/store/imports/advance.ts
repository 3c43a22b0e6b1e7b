/** Executes one batch of an import, in one transaction with the position after it. */
import { toNameKey } from '../../schemas/names.ts';
import { insertChange } from '../changes/changes.ts';
import { emitAdvance } from '../changes/events.ts';
import { type ChangeState, toState } from '../changes/queue.ts';
import {
  CHANGE_COLUMNS,
  CHANGE_RESULTS,
  type ChangeRow,
  type Effect,
  type Phase,
  type Plan,
} from '../changes/row.ts';
import { defineCommand, type Tx } from '../db.ts';
import { categoriesIn, createCategory } from '../questions/categories.ts';
import { chooseStatuses } from '../questions/creation.ts';
import { insertQuestions } from '../questions/insert.ts';
import { packRevisions, type QuestionRevision } from '../questions/packed-revisions.ts';
import { prepareFields } from '../questions/prepared-fields.ts';
import { changeMany } from '../questions/revise.ts';
import { recordResponses } from '../responses/responses.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import type { AnyImportItem, ImportBatch, QuestionItem, ResponseItem } from './items.ts';
import { completeInput, type Planned, planQuestions } from './plan.ts';
import { type PlannedResponse, planResponses } from './plan-responses.ts';
import {
  type AnyImportOptions,
  addReason,
  EMPTY_REPORT,
  IMPORT_COLUMNS,
  IMPORT_REJECTS,
  type ImportOptions,
  type ImportReport,
  type ImportRow,
  type ResponseImportOptions,
} from './row.ts';

/** Rejects after which an import ends: the file is hardly of its format. */
const MAX_REJECTS = 100_000;

interface Failure {
  code: string;
  detail: string;
}

export interface ImportAdvance {
  id: string;
  lease: string;
  durationMs: number;
  options: AnyImportOptions;
  /** Where the import stands as far as the process knows. */
  from: Pick<ChangeState, 'phase' | 'position'>;
  /** Without one, the lease is renewed. */
  batch?: ImportBatch<AnyImportItem> | undefined;
  /** Why the file cannot be read any further. */
  failure?: Failure | undefined;
}

function* prepareBatch({ batch, options }: ImportAdvance): Iterable<void> {
  for (const item of batch?.items ?? []) {
    if (item.kind === 'question') prepareFields(completeInput(item.input, options as ImportOptions));
    yield;
  }
}

/**
 * Stores a batch, or only plans it while the file is checked. Undefined if the lease is lost. If the
 * import stands elsewhere, an earlier attempt at this batch was committed though its caller did not
 * learn of it, and nothing is done.
 */
export const advanceImport = defineCommand(
  'advanceImport',
  async (
    tx: Tx,
    { id, lease, durationMs, from, batch, failure }: ImportAdvance,
  ): Promise<ChangeState | undefined> => {
    const change = await tx.get<ChangeRow>(
      `SELECT ${CHANGE_COLUMNS} FROM changes WHERE id = $1 AND lease = $2 AND status = 'running' ${tx.dialect.forUpdate}`,
      id,
      lease,
    );
    if (!change) return undefined;
    if (change.phase !== from.phase || change.next_position !== from.position) return toState(change);
    const row = await tx.get<ImportRow>(`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1`, id);
    const execution = new Execution(tx, change, row!);
    if (batch) await execution.process(batch);
    if (failure) await execution.fail(failure);
    return toState(await execution.store(durationMs));
  },
  { prepare: prepareBatch },
);

/** What becomes of an item that is a question or a response. */
type Outcome = Planned | PlannedResponse;

class Execution {
  readonly #tx: Tx;
  readonly #next: { -readonly [K in keyof ChangeRow]: ChangeRow[K] };
  readonly #kind: ImportRow['kind'];
  readonly #options: AnyImportOptions;
  readonly #plan: Plan;
  #report: ImportReport;
  #rejectHead: Uint8Array | null;

  constructor(tx: Tx, change: ChangeRow, row: ImportRow) {
    this.#tx = tx;
    this.#next = { ...change };
    this.#kind = row.kind;
    this.#options = JSON.parse(row.options);
    this.#report = JSON.parse(row.report);
    this.#rejectHead = row.reject_head;
    this.#plan = JSON.parse(change.plan);
  }

  async process(batch: ImportBatch<AnyImportItem>): Promise<void> {
    const known = new Set(this.#report.new_categories);
    const { outcomes, write } = await (this.#kind === 'responses'
      ? this.#planResponses(batch)
      : this.#planQuestions(batch, known));
    const isRejected = (item: AnyImportItem) =>
      item.kind === 'reject' || outcomes.get(item)?.outcome === 'rejected';
    const rejected = batch.items.filter(isRejected);
    const isStored = this.#next.phase === 'questions';
    if (isStored && this.#options.mode === 'all_or_nothing' && rejected.length > 0) {
      this.#report.new_categories = [...known];
      for (const item of rejected) this.#count(item, outcomes);
      await this.#failWhole();
      return;
    }
    if (isStored) await write();
    for (const item of batch.items) this.#count(item, outcomes);
    await this.#tx.insert(
      IMPORT_REJECTS,
      rejected.flatMap(({ n, raw }) => (raw ? [{ import_id: this.#next.id, n, data: raw }] : [])),
    );
    this.#rejectHead ??= batch.reject_head ?? null;
    this.#report.bytes_read = batch.bytes_read;
    this.#next.next_position = batch.next;
    if (this.#report.rejected > MAX_REJECTS)
      await this.fail({
        code: 'too_many_rejects',
        detail: `More than ${MAX_REJECTS} items are rejected. Check that the file is of the format ${this.#format()}.`,
      });
    else if (batch.done) await this.#endPhase();
  }

  async #planQuestions(batch: ImportBatch<AnyImportItem>, known: ReadonlySet<string>) {
    const questions = batch.items.filter((item): item is QuestionItem => item.kind === 'question');
    const options = this.#options as ImportOptions;
    const context = { change_id: this.#next.id, options, report: this.#report };
    const planned = await planQuestions(this.#tx, questions, context);
    return {
      outcomes: new Map<AnyImportItem, Outcome>(questions.map((item, i) => [item, planned[i]!])),
      write: async () => {
        await this.#createCategories(this.#report.new_categories.filter((name) => !known.has(name)));
        await this.#write(questions, planned);
      },
    };
  }

  async #planResponses(batch: ImportBatch<AnyImportItem>) {
    const responses = batch.items.filter((item): item is ResponseItem => item.kind === 'response');
    const options = this.#options as ResponseImportOptions;
    const planned = await planResponses(this.#tx, responses, { options, report: this.#report });
    return {
      outcomes: new Map<AnyImportItem, Outcome>(responses.map((item, i) => [item, planned[i]!])),
      write: async () => {
        const inputs = planned.flatMap((each) => ('input' in each ? [each.input] : []));
        const { created_at: at } = this.#next;
        const { visibility } = options;
        if (inputs.length > 0) await recordResponses(this.#tx, { inputs, many: true, at, visibility });
      },
    };
  }

  #format(): string {
    return (JSON.parse(this.#next.request) as { format: string }).format;
  }

  async #createCategories(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    for (const name of names) await createCategory(this.#tx, { name });
    const categories = await categoriesIn(this.#tx);
    const effect = this.#plan.effect as Extract<Effect, { type: 'new_categories' }> | null;
    this.#plan.effect = {
      type: 'new_categories',
      categories: [...(effect?.categories ?? []), ...names.map((name) => categories.get(toNameKey(name))!)],
      joined: true,
    };
  }

  async #write(items: readonly QuestionItem[], planned: readonly Planned[]): Promise<void> {
    const { id, client_id: client, key_id: key } = this.#next;
    const origin = { by: { client, key }, change_id: id };
    const categories = await categoriesIn(this.#tx);
    const revisions = planned.flatMap((each, i) => {
      if (each.outcome !== 'updated') return [];
      const { category } = items[i]!.input;
      const target = category === undefined ? undefined : categories.get(toNameKey(category));
      return [{ ...each.revision, category: target ?? each.revision.category }];
    });
    const changed = await changeMany(this.#tx, revisions, { action: 'updated', ...origin });
    const inputs = planned.flatMap((each) => (each.outcome === 'created' ? [each.input] : []));
    const statuses = chooseStatuses(inputs, false, await requiredReviewsIn(this.#tx));
    const creates = inputs.map((input) => ({
      input,
      category: categories.get(toNameKey(input.category))!,
    }));
    const created = await insertQuestions(this.#tx, creates, statuses, origin);
    const held = changed.filter(({ pending }) => pending);
    for (const { id: question_id } of held)
      addReason(
        this.#report,
        { outcome: 'noticed', code: 'waits_for_approval', detail: 'The update waits for approval.' },
        { line: 0, question_id },
      );
    const made: QuestionRevision[] = [...created, ...changed.filter(({ pending }) => !pending)].map(
      ({ id: question, revision }) => ({ id: question, revision }),
    );
    if (made.length === 0) return;
    const block = this.#next.result_blocks++;
    await this.#tx.insert(CHANGE_RESULTS, [{ change_id: id, block, revisions: packRevisions(made) }]);
  }

  /** Counts an item in the report. */
  #count(item: AnyImportItem, outcomes: ReadonlyMap<AnyImportItem, Outcome>): void {
    const report = this.#report;
    const { position } = item;
    if (item.kind === 'notice') {
      addReason(report, { ...item, outcome: 'noticed' }, position);
      return;
    }
    report.read++;
    if (item.kind !== 'question' && item.kind !== 'response') {
      const outcome = item.kind === 'reject' ? 'rejected' : 'skipped';
      report[outcome]++;
      addReason(report, { ...item, outcome }, position);
      return;
    }
    const planned = outcomes.get(item)!;
    report[planned.outcome]++;
    if (planned.outcome === 'rejected' || planned.outcome === 'skipped') {
      const { question_id } = planned;
      addReason(report, planned, { ...position, ...(question_id !== undefined && { question_id }) });
      if (planned.outcome === 'rejected') return;
    }
    if (item.kind === 'response') return;
    if (planned.outcome === 'created' && 'sameText' in planned && planned.sameText !== undefined)
      addReason(
        report,
        { outcome: 'noticed', code: 'same_text_in_bank', detail: SAME_TEXT },
        { ...position, question_id: planned.sameText },
      );
    for (const notice of item.notices) addReason(report, { ...notice, outcome: 'noticed' }, notice.position);
  }

  async #endPhase(): Promise<void> {
    const { dry_run } = this.#options;
    if (this.#next.phase === 'questions' || dry_run) {
      this.#next.status = 'succeeded';
      return;
    }
    if (this.#report.rejected > 0) {
      await this.#failWhole();
      return;
    }
    const phase: Phase = 'questions';
    Object.assign(this.#next, { phase, next_position: 0 });
    this.#report = structuredClone(EMPTY_REPORT);
  }

  /** Ends an import of all or nothing because of rejected items. */
  #failWhole(): Promise<void> {
    const { rejected, read, created, updated } = this.#report;
    // The bank has changed since the file was checked. Responses are not undone.
    if (this.#kind === 'responses' && this.#next.phase === 'questions')
      return this.fail({
        code: 'items_rejected',
        detail: `${rejected} responses are rejected since the check. The ${created + updated} before them are imported.`,
      });
    return this.fail({
      code: 'items_rejected',
      detail: `${rejected} of ${read} items are rejected, so nothing is imported. Correct them, or import with \`mode\` skip_bad.`,
    });
  }

  async fail(failure: Failure): Promise<void> {
    Object.assign(this.#next, { status: 'failed', error: JSON.stringify(failure) });
    if (this.#options.mode !== 'all_or_nothing' || this.#next.result_blocks === 0) return;
    const { id, client_id: client, key_id: key } = this.#next;
    await this.#tx.run(`UPDATE changes SET status = 'failed' WHERE id = $1`, id);
    const { effect } = this.#plan;
    const undo = await insertChange(this.#tx, {
      by: { client, key },
      kind: 'undo',
      request: { undo_of: id },
      plan: { step: { type: 'revert', of: id }, effect: effect && { ...effect, joined: false } },
      phase: 'questions',
      question_count: this.#report.created + this.#report.updated,
    });
    this.#report.undo_id = undo.id;
  }

  async store(durationMs: number): Promise<ChangeRow> {
    const { read, created, updated, unchanged, skipped, rejected } = this.#report;
    const next = this.#next;
    const isRunning = next.status === 'running';
    const { now } = this.#tx.dialect;
    await this.#tx.run(
      'UPDATE imports SET report = $2, reject_head = $3 WHERE id = $1',
      next.id,
      JSON.stringify(this.#report),
      this.#rejectHead,
    );
    await this.#tx.run(
      `UPDATE changes SET status = $2, phase = $3, next_position = $4, question_count = $5, processed = $5, changed = $6,
              unchanged = $7, refused = $8, result_blocks = $9, error = $10, plan = $11,
              lease = ${isRunning ? 'lease' : 'NULL'},
              lease_until = ${isRunning ? `${now} + CAST($12 AS bigint)` : 'NULL'},
              finished_at = ${isRunning ? 'NULL' : now}
       WHERE id = $1`,
      next.id,
      next.status,
      next.phase,
      next.next_position,
      read,
      this.#options.dry_run ? 0 : created + updated,
      unchanged + skipped,
      rejected,
      next.result_blocks,
      next.error,
      JSON.stringify(this.#plan),
      ...(isRunning ? [durationMs] : []),
    );
    if (!isRunning) {
      this.#tx.notify('changes');
      await emitAdvance(this.#tx, next, next);
    }
    return next;
  }
}

const SAME_TEXT = 'A question of the bank has the same text and other answers.';
