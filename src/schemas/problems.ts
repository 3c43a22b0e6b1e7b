/** Documents every problem code: its status, its meaning and the routes that respond with it. */
import { CONFLICTS } from './conflict-problems.ts';
import type { ProblemKind } from './problem-kind.ts';
import { REVIEW_PROBLEMS } from './review-problems.ts';

const QUESTION_PATHS = [
  '/questions/:id/merge',
  '/questions/:id',
  '/questions/:id/check',
  '/questions/:id/revisions',
  '/questions/:id/restore',
  '/questions/:id/findings',
  '/questions/:id/findings/dismissals',
  '/questions/:id/reports',
  '/questions/:id/status',
  '/questions/:id/pending',
  '/questions/:id/reviews',
  '/questions/:id/comments',
];

/** Operations that are refused when a quota or the free space is exhausted. */
const STORING = [
  ...['POST /questions', 'POST /questions/bulk', 'POST /responses', 'POST /analysis/run'],
  ...['POST /questions/:id/reports', 'POST /questions/:id/comments', 'POST /draws'],
  'POST /draws/:id/responses',
  ...['POST /imports', 'POST /responses/import'],
];

export const PROBLEMS: Record<string, ProblemKind> = {
  malformed_json: {
    status: 400,
    meaning: 'The body is empty, is not valid JSON, repeats a key in an object, or is nested too deeply.',
    on: ['write'],
  },
  malformed_text: {
    status: 400,
    meaning: 'The request contains NUL, an unpaired surrogate, or bytes that are not valid UTF-8.',
    on: ['any'],
  },
  malformed_url: {
    status: 400,
    meaning: 'The URL contains an invalid percent-encoding or an unencoded character.',
    on: ['any'],
  },
  malformed_request: {
    status: 400,
    meaning: 'The request is incomplete or not valid HTTP/1.1.',
    on: ['any'],
  },
  invalid_query: {
    status: 400,
    meaning: 'A query parameter is unknown, duplicate or invalid; `errors` lists each.',
    on: ['any'],
  },
  invalid_header: {
    status: 400,
    meaning: '`If-Match`, `If-None-Match` or `Idempotency-Key` has an invalid format.',
    on: ['condition'],
  },
  unauthorized: {
    status: 401,
    meaning:
      'The token in `Authorization: Bearer` is missing, unknown, expired or revoked. Request one from /auth/token.',
    on: ['scoped'],
  },
  invalid_credentials: {
    status: 401,
    meaning: 'The client id is unknown, or the secret is wrong.',
    on: ['POST /session'],
  },
  invalid_link: {
    status: 401,
    meaning: 'The sign-in link has been used or replaced, or has expired.',
    on: ['POST /session'],
  },
  cross_origin: {
    status: 403,
    meaning: 'The request comes from a page of another site.',
    on: ['POST /session'],
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The token lacks a scope, which `detail` and `WWW-Authenticate` name.',
    on: ['scoped'],
  },
  quota_exceeded: {
    status: 403,
    meaning: 'You have stored as many questions or bytes as a client may. Nothing was written.',
    on: STORING,
  },
  key_cannot_create_keys: {
    status: 403,
    meaning:
      'A key without `clients:manage` cannot create keys, so that a stolen key cannot renew itself. Use an access token.',
    on: ['POST /auth/tokens'],
  },
  token_bound: {
    status: 403,
    meaning: 'A token for draws is accepted only to read them, to check answers and to record responses.',
    on: ['scoped'],
  },
  no_such_route: {
    status: 404,
    meaning: 'There is no route for this path.',
    on: [],
  },
  no_such_question: {
    status: 404,
    meaning: 'There is no question with this id, or it is deleted.',
    on: QUESTION_PATHS,
  },
  no_such_revision: {
    status: 404,
    meaning: 'The question has no such revision, or that revision has no content to restore.',
    on: ['POST /questions/:id/restore'],
  },
  no_such_draw: {
    status: 404,
    meaning: 'There is no draw with this id, or another client made it.',
    on: ['/draws/:id', '/draws/:id/responses', '/draws/:id/tokens', '/questions/:id/check'],
  },
  no_such_report: {
    status: 404,
    meaning: 'There is no report with this id.',
    on: ['/reports/:id/resolve'],
  },
  no_such_category: {
    status: 404,
    meaning: 'There is no category with this id.',
    on: ['/categories/:id', '/categories/:id/merge'],
  },
  no_such_client: {
    status: 404,
    meaning: 'There is no client with this id.',
    on: ['/auth/clients/:id', '/auth/clients/:id/secret', '/auth/clients/:id/link'],
  },
  no_such_key: {
    status: 404,
    meaning: 'There is no key with this id, or it belongs to another client.',
    on: ['/auth/tokens/:id'],
  },
  no_such_change: {
    status: 404,
    meaning: 'There is no bulk change with this id.',
    on: ['/changes/:id', '/changes/:id/cancel', '/changes/:id/undo'],
  },
  no_such_import: {
    status: 404,
    meaning: 'There is no import with this id.',
    on: ['/imports/:id', '/imports/:id/rejects', '/responses/imports/:id'],
  },
  unreadable_file: {
    status: 422,
    meaning: 'The file is empty, or its format is not recognised.',
    on: ['POST /imports', 'POST /responses/import'],
  },
  not_undoable: {
    status: 409,
    meaning: 'The bulk change is an import of responses, which cannot be undone.',
    on: ['/changes/:id/undo'],
  },
  no_such_analysis: {
    status: 404,
    meaning: 'There is no analysis with this id, it is deleted, or you may not see it.',
    on: [
      'POST /questions/bulk',
      'POST /draws',
      '/analysis/:id',
      '/analysis/:id/plot.svg',
      '/analysis/:id/plot.json',
      '/analysis/:id/respondents',
      'POST /analysis/run',
    ],
  },
  no_such_figure: {
    status: 404,
    meaning: 'The result has no such figure, or nothing to plot for the question.',
    on: ['/analysis/:id/plot.svg', '/analysis/:id/plot.json'],
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not support this method; `Allow` lists those it supports.',
    on: [],
  },
  request_timeout: {
    status: 408,
    meaning: 'The request took too long to arrive.',
    on: [],
  },
  ...CONFLICTS,
  ...REVIEW_PROBLEMS,
  body_too_large: {
    status: 413,
    meaning:
      'The body exceeds 1 MiB; 10 MiB for arrays of questions or responses, for bulk changes and for runs of analyses; 16 KiB for token requests; 64 MiB for files to import.',
    on: ['write'],
  },
  url_too_long: {
    status: 414,
    meaning: 'The URL is longer than 8,192 characters.',
    on: [],
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body must be `application/json` in UTF-8, or a file to import, without Content-Encoding.',
    on: ['write'],
  },
  invalid_body: {
    status: 422,
    meaning: 'The body is valid JSON but breaks a rule; `errors` lists every fault.',
    on: ['body'],
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'This `Idempotency-Key` was used for a different request. Use a new key.',
    on: ['keyed'],
  },
  too_many_requests: {
    status: 429,
    meaning: 'The rate limit is exceeded. Try again after `Retry-After`; `RateLimit` shows what remains.',
    on: ['limited'],
  },
  too_many_queued: {
    status: 429,
    meaning: 'You have the maximum number of queued analyses. Wait until some have run, or cancel some.',
    on: ['POST /analysis/run'],
  },
  too_many_changes: {
    status: 429,
    meaning:
      'You have the maximum number of bulk changes that have not ended. Wait until one has, or cancel one.',
    on: [
      ...['POST /questions/bulk', 'POST /imports', 'POST /responses/import'],
      ...['/questions/:id/merge', '/categories/:id/merge'],
      '/changes/:id/undo',
    ],
  },
  too_many_streams: {
    status: 429,
    meaning: 'You have the maximum number of open event streams. Close some first.',
    on: ['/events'],
  },
  too_many_secret_attempts: {
    status: 429,
    meaning: 'Too many wrong secrets were sent for this client. Try again after `Retry-After`.',
    on: ['/auth/token', '/auth/revoke', '/auth/introspect'],
  },
  expectation_failed: {
    status: 417,
    meaning: 'The `Expect` header has a value other than `100-continue`.',
    on: [],
  },
  headers_too_large: {
    status: 431,
    meaning: 'The request line and headers exceed 16 KiB.',
    on: [],
  },
  internal: {
    status: 500,
    meaning: 'An internal error occurred. Quote the `request_id` to find it in the log.',
    on: [],
  },
  not_implemented: {
    status: 501,
    meaning: 'The method is unknown, or the body has a `Transfer-Encoding` other than `chunked`.',
    on: [],
  },
  damaged_data: {
    status: 500,
    meaning:
      'Stored data does not match its checksum; `detail` names it. A damaged question can be deleted, or restored to an earlier revision.',
    on: [],
  },
  damaged_database: {
    status: 500,
    meaning: 'The database file is damaged. Writes are refused until a backup is restored.',
    on: [],
  },
  overloaded: {
    status: 503,
    meaning: 'Too many requests are in progress. Nothing was done; try again after `Retry-After`.',
    on: ['scoped', 'limited'],
  },
  too_many_connections: {
    status: 503,
    meaning: 'Too many connections are open, in total or from one address. Nothing was done.',
    on: [],
  },
  queue_full: {
    status: 503,
    meaning: 'Too many analyses are queued. Nothing was queued; try again after `Retry-After`.',
    on: ['POST /analysis/run'],
  },
  unavailable: {
    status: 503,
    meaning: 'The database is unavailable, or the service is stopping. Try again after `Retry-After`.',
    on: ['scoped', '/ready', '/auth/token', '/auth/revoke'],
  },
  too_slow: {
    status: 503,
    meaning:
      'The request exceeded its time limit. Try again after `Retry-After`, or request less. A write may have been applied: repeat it with the same `Idempotency-Key`.',
    on: ['scoped', '/auth/token', '/auth/revoke'],
  },
  insufficient_storage: {
    status: 507,
    meaning:
      'The disk has not enough free space for the request, or the bank has reached its size limit. Nothing was written.',
    on: STORING,
  },
  disk_full: {
    status: 507,
    meaning: 'The disk is full and nothing was written. Reads still work.',
    on: ['write'],
  },
};
