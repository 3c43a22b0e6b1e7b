/** The commands and queries that may run in an engine's thread, which finds them by name. */

import { createLink, endSession, extendSession, redeemLink } from './access/browser-sessions.ts';
import { changeSecret, createClient, deleteClient, updateClient } from './access/clients.ts';
import { createDrawToken, revokeDrawTokens } from './access/draw-tokens.ts';
import { createFirstClient } from './access/first-client.ts';
import { addRateCounts } from './access/rate-counters.ts';
import {
  createKey,
  deleteExpiredTokens,
  deleteKey,
  issueTokens,
  refreshTokens,
  revokeToken,
} from './access/tokens.ts';
import { createAnalysis, endAnalysis, listAnalyses } from './analyses/analyses.ts';
import { listAttention } from './analyses/attention.ts';
import { dismissFinding, listDismissals, withdrawDismissal } from './analyses/dismissals.ts';
import { findLatestRuns } from './analyses/question-findings.ts';
import {
  claimAnalysis,
  expireLeases,
  finishAnalysis,
  releaseAnalysis,
  renewLease,
} from './analyses/queue.ts';
import { findRows } from './analyses/row-index.ts';
import { advanceChange } from './changes/advance.ts';
import { cancelChange, createChange, undoChange } from './changes/changes.ts';
import { mergeCategories, mergeQuestions } from './changes/merge.ts';
import { previewChange } from './changes/preview.ts';
import { claimChange, releaseChange } from './changes/queue.ts';
import { listRemedied } from './changes/selection.ts';
import type { CommandName, QueryName } from './command-names.ts';
import type { Command, Query } from './db.ts';
import { storeDraw } from './draws/draws.ts';
import { recordDraw } from './draws/responses.ts';
import { deleteOldDraws } from './draws/row.ts';
import { selectDraw } from './draws/selection.ts';
import { deleteOldEvents } from './events.ts';
import { discardFindings } from './findings/finding-sets.ts';
import { deleteExpiredKeys, storeStatus } from './idempotency.ts';
import { advanceImport } from './imports/advance.ts';
import { createImport, deleteStaleChunks, discardChunks, storeChunk } from './imports/imports.ts';
import { beginMigration, completeMigration, insertCopied } from './migrate/commands.ts';
import { digestSearch, digestTable } from './migrate/digest.ts';
import { listTriviaCategories, selectTrivia } from './opentdb/selection.ts';
import {
  advanceOpentdbToken,
  createOpentdbToken,
  deleteIdleOpentdbTokens,
  resetOpentdbToken,
} from './opentdb/tokens.ts';
import { createCategory, deleteCategory, updateCategory } from './questions/categories.ts';
import { listChanges, listDeleted } from './questions/deleted-lists.ts';
import { selectExport } from './questions/export.ts';
import { countFacets } from './questions/facet-counts.ts';
import { fillChecksums } from './questions/fill-checksums.ts';
import { fillContentHashes } from './questions/fill-content-hashes.ts';
import { fillFacets } from './questions/fill-facets.ts';
import { fillKinds } from './questions/fill-kinds.ts';
import { listQuestions } from './questions/listing.ts';
import { withdrawPending } from './questions/pending.ts';
import { createQuestions, deleteQuestion, updateQuestion } from './questions/questions.ts';
import { listRandom } from './questions/random-list.ts';
import { restoreQuestion } from './questions/revisions.ts';
import { searchQuestions } from './questions/search.ts';
import { countSelected, resolveIds, selectMembers } from './questions/selection.ts';
import { findSimilar } from './questions/similar.ts';
import { reportQuestion, resolveReport } from './reports/reports.ts';
import { listResponses } from './responses/list.ts';
import { deleteRespondent, recordResponses } from './responses/responses.ts';

import { createComment, deleteComment, updateComment } from './review/comments.ts';
import { reviewQuestion } from './review/reviews.ts';
import { changeStatus } from './review/transitions.ts';
import { setRequiredReviews } from './review-policy.ts';

export const commands = {
  createQuestions,
  updateQuestion,
  deleteQuestion,
  restoreQuestion,
  createCategory,
  updateCategory,
  deleteCategory,
  storeStatus,
  deleteExpiredKeys,
  fillChecksums,
  fillFacets,
  fillKinds,
  fillContentHashes,
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
  createLink,
  redeemLink,
  endSession,
  extendSession,
  deleteKey,
  addRateCounts,
  createAnalysis,
  endAnalysis,
  expireLeases,
  claimAnalysis,
  renewLease,
  finishAnalysis,
  releaseAnalysis,
  discardFindings,
  dismissFinding,
  withdrawDismissal,
  deleteOldEvents,
  createChange,
  cancelChange,
  undoChange,
  mergeQuestions,
  mergeCategories,
  claimChange,
  advanceChange,
  releaseChange,
  storeChunk,
  discardChunks,
  deleteStaleChunks,
  createImport,
  advanceImport,
  recordResponses,
  deleteRespondent,
  setRequiredReviews,
  withdrawPending,
  changeStatus,
  reviewQuestion,
  createComment,
  updateComment,
  deleteComment,
  reportQuestion,
  resolveReport,
  storeDraw,
  recordDraw,
  deleteOldDraws,
  createDrawToken,
  revokeDrawTokens,
  createOpentdbToken,
  resetOpentdbToken,
  advanceOpentdbToken,
  deleteIdleOpentdbTokens,
  beginMigration,
  insertCopied,
  completeMigration,
} satisfies { [N in CommandName]: Command<never, unknown, N> };

/** Commands without a time limit: no request waits for them, and their data may be large. */
export const untimed: ReadonlySet<unknown> = new Set([finishAnalysis]);

export const queries = {
  listQuestions,
  searchQuestions,
  listRandom,
  listDeleted,
  listChanges,
  countFacets,
  findSimilar,
  resolveIds,
  countSelected,
  listAnalyses,
  findRows,
  findLatestRuns,
  listDismissals,
  listAttention,
  selectMembers,
  listRemedied,
  previewChange,
  listResponses,
  selectDraw,
  selectTrivia,
  listTriviaCategories,
  digestTable,
  digestSearch,
  selectExport,
} satisfies { [N in QueryName]: Query<never, unknown, N> };
