/** Everything that may run in an engine's own thread, found there by name. */
import { createAnalysis, endAnalysis, listAnalyses } from './analyses.ts';
import {
  advanceAnalysis,
  claimAnalysis,
  dropAnalysis,
  finishAnalysis,
  releaseAll,
} from './analysis-queue.ts';
import { createCategory, deleteCategory, updateCategory } from './categories.ts';
import { changeSecret, createClient, createFirstClient, deleteClient, updateClient } from './clients.ts';
import { forgetOldEvents } from './events.ts';
import { forgetOldKeys } from './idempotency.ts';
import { listQuestions } from './listing.ts';
import { beginMove, endMove, moveRows, removeRows, startOver } from './moving-commands.ts';
import { sumMatches, sumRows } from './moving-digest.ts';
import { createQuestions, deleteQuestion, updateQuestion } from './questions.ts';
import { listResponses } from './response-list.ts';
import { forgetRespondent, recordResponses } from './responses.ts';
import { restoreQuestion } from './revisions.ts';
import { searchQuestions } from './search.ts';
import { countSelected, resolveIds } from './selection.ts';
import { addSpent } from './spent.ts';
import { createKey, deleteKey, forgetOldTokens, issueTokens, refreshTokens, revokeToken } from './tokens.ts';

export const commands = {
  createQuestions,
  updateQuestion,
  deleteQuestion,
  restoreQuestion,
  createCategory,
  updateCategory,
  deleteCategory,
  forgetOldKeys,
  createFirstClient,
  createClient,
  updateClient,
  deleteClient,
  changeSecret,
  issueTokens,
  refreshTokens,
  revokeToken,
  forgetOldTokens,
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
  forgetOldEvents,
  recordResponses,
  forgetRespondent,
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
