/**
 * The names under which an engine's thread finds commands and queries. A command that has no name
 * here does not compile, and neither does a name without its command in commands.ts.
 */
export type CommandName =
  | 'createQuestions'
  | 'updateQuestion'
  | 'deleteQuestion'
  | 'restoreQuestion'
  | 'createCategory'
  | 'updateCategory'
  | 'deleteCategory'
  | 'storeStatus'
  | 'deleteExpiredKeys'
  | 'createFirstClient'
  | 'createClient'
  | 'updateClient'
  | 'deleteClient'
  | 'changeSecret'
  | 'issueTokens'
  | 'refreshTokens'
  | 'revokeToken'
  | 'deleteExpiredTokens'
  | 'createKey'
  | 'deleteKey'
  | 'addRateCounts'
  | 'createAnalysis'
  | 'endAnalysis'
  | 'expireLeases'
  | 'claimAnalysis'
  | 'renewLease'
  | 'finishAnalysis'
  | 'releaseAnalysis'
  | 'deleteOldEvents'
  | 'recordResponses'
  | 'deleteRespondent'
  | 'beginMigration'
  | 'insertCopied'
  | 'completeMigration';

export type QueryName =
  | 'listQuestions'
  | 'searchQuestions'
  | 'resolveIds'
  | 'countSelected'
  | 'listAnalyses'
  | 'listResponses'
  | 'digestTable'
  | 'digestSearch';
