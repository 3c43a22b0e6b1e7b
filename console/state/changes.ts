/** Changes of many questions, which the service executes in the background and can undo. */
import { Problem } from '../../src/client/request.ts';
import { api } from './api.ts';
import { formatCount, plural, toWords } from './format.ts';
import { announce, announceFailure, announceProgress } from './messages.ts';
import { reloadAll } from './resource.ts';

export interface Change {
  id: string;
  kind: string;
  request: { undo_of?: string };
  created_at: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  question_count: number;
  progress: number;
  changed: number;
  unchanged: number;
  refused: number;
  reasons: { code: string; count: number }[];
  error: { detail: string } | null;
}

export interface BulkRequest {
  /** All questions that match, or those of a list. */
  filter?: Record<string, unknown>;
  question_ids?: string[];
  change?: Record<string, unknown>;
  delete?: true;
  /** Corrections of a run of `quality`. */
  apply_remedy?: { analysis_id: string };
  /** The number of questions that the person saw; another number refuses the change. */
  expected?: number;
}

const POLL_MS = 400;

export const changeQuestions = (request: BulkRequest): Promise<boolean> =>
  execute('/questions/bulk', request, 'changed');

export const mergeQuestions = (survivor: string, question_ids: string[]): Promise<boolean> =>
  execute(`/questions/${survivor}/merge`, { question_ids }, 'merged');

export const mergeCategories = (survivor: string, category_ids: string[]): Promise<boolean> =>
  execute(`/categories/${survivor}/merge`, { category_ids }, 'moved');

export const undoChange = (id: string): Promise<boolean> =>
  execute(`/changes/${id}/undo`, undefined, 'as before');

/** Waits for the end of a change, and announces its result with its undo; false if it failed. */
async function execute(path: string, body: unknown, done: string): Promise<boolean> {
  try {
    const change = await follow(await api.post<Change>(path, body));
    reloadAll();
    if (change.error) {
      announceFailure(new Error(change.error.detail));
      return false;
    }
    announce(describe(change, done), {
      label: 'Undo',
      run: () => void undoChange(change.id),
    });
    return change.refused === 0;
  } catch (error) {
    announceFailure(error instanceof Problem && error.status === 409 ? explainConflict(error) : error);
    return false;
  }
}

const explainConflict = (error: Problem): Error =>
  new Error(`${error.message} Look at the list again, then repeat the change.`);

async function follow(started: Change): Promise<Change> {
  let change = started;
  while (change.status === 'queued' || change.status === 'running') {
    announceProgress(
      `Working on ${plural(change.question_count, 'question')}, ${Math.round(change.progress * 100)} %`,
    );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    change = await api.get<Change>(`/changes/${change.id}`);
  }
  return change;
}

/** Such as "12 questions changed, 1 refused (too many)." */
function describe({ changed, unchanged, refused, reasons }: Change, done: string): string {
  const parts = [`${plural(changed, 'question')} ${done}`];
  if (unchanged > 0) parts.push(`${formatCount(unchanged)} needed no change`);
  if (refused > 0)
    parts.push(`${formatCount(refused)} refused (${reasons.map(({ code }) => toWords(code)).join(', ')})`);
  return `${parts.join(', ')}.`;
}
