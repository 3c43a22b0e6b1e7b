/** Everything that may run in an engine's own thread, found there by name. */

import {
  changeSecret,
  createClient,
  createFirstClient,
  deleteClient,
  updateClient,
} from './access/clients.ts';
import { addSpent } from './access/rate-counters.ts';
import {
  createKey,
  deleteExpiredTokens,
  deleteKey,
  issueTokens,
  refreshTokens,
  revokeToken,
} from './access/tokens.ts';
import { createAnalysis, endAnalysis, listAnalyses } from './analyses/analyses.ts';
import {
  advanceAnalysis,
  claimAnalysis,
  dropAnalysis,
  finishAnalysis,
  releaseAll,
} from './analyses/queue.ts';
import { deleteOldEvents } from './events.ts';
import { deleteExpiredKeys } from './idempotency.ts';
import { beginMove, endMove, moveRows, removeRows, startOver } from './migrate/commands.ts';
import { sumMatches, sumRows } from './migrate/digest.ts';
import { createCategory, deleteCategory, updateCategory } from './questions/categories.ts';
import { listQuestions } from './questions/listing.ts';
import { createQuestions, deleteQuestion, updateQuestion } from './questions/questions.ts';
import { restoreQuestion } from './questions/revisions.ts';
import { searchQuestions } from './questions/search.ts';
import { countSelected, resolveIds } from './questions/selection.ts';
import { listResponses } from './responses/list.ts';
import { deleteRespondent, recordResponses } from './responses/responses.ts';

export const commands = {
  createQuestions,
  updateQuestion,
  deleteQuestion,
  restoreQuestion,
  createCategory,
  updateCategory,
  deleteCategory,
  deleteExpiredKeys,
  createFirstClient,
  createClient,
  updateClient,
  deleteClient,
  changeSecret,
  issueTokens,
  refreshTokens,
  revokeToken,
  deleteExpiredTokens,
  createKey,
  deleteKey,
  addSpent,
  createAnalysis,
  endAnalysis,
  releaseAll,
  claimAnalysis,
  advanceAnalysis,
  finishAnalysis,
  dropAnalysis,
  deleteOldEvents,
  recordResponses,
  deleteRespondent,
  beginMove,
  moveRows,
  startOver,
  removeRows,
  endMove,
};

/** What nobody waits for: it may take as long as it takes, a large result for instance. */
export const unhurried: ReadonlySet<unknown> = new Set([finishAnalysis]);

export const searches = {
  listQuestions,
  searchQuestions,
  resolveIds,
  countSelected,
  listAnalyses,
  listResponses,
  sumRows,
  sumMatches,
};
