/**
 * The errors that the API responds with, by name. The message is public: it says what is wrong and
 * what to do. `cause` is for the log only. schemas/problems.ts documents each code.
 */

/** One fault of a request. */
export interface Fault {
  /** A JSON Pointer into the body, or `?name` for a query parameter. */
  pointer: string;
  code: string;
  /** Completes a sentence that starts with the name of the field. */
  detail: string;
  /** A value that was probably meant. */
  suggestion?: string;
}

interface Extra {
  errors?: Fault[];
  /** Further members of the problem document. */
  members?: object;
  headers?: Record<string, string>;
  cause?: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Fault[] | undefined;
  readonly headers: Record<string, string>;
  readonly members: object | undefined;

  constructor(status: number, code: string, detail: string, extra: Extra = {}) {
    super(detail, { cause: extra.cause });
    this.status = status;
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
    this.members = extra.members;
  }
}

/** Whether the database is unreachable, overloaded or too slow: a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503;
}

const define = (status: number, code: string) => (detail: string, extra?: Extra) =>
  new ApiError(status, code, detail, extra);

/** Bounds the response to a body with many faults. */
export const MAX_FAULTS = 1000;

function defineFaulty(status: number, code: string, subject: string) {
  /** `n` is the number of faults if not all were collected; Infinity if they were not counted. */
  return (faults: Fault[], n = faults.length) => {
    const number = Number.isFinite(n) ? n : `more than ${MAX_FAULTS}`;
    const count = n === 1 ? 'one fault' : `${number} faults`;
    const cut = n > MAX_FAULTS ? ` The first ${MAX_FAULTS} are listed.` : '';
    return new ApiError(status, code, `${subject} has ${count}; see errors.${cut}`, { errors: faults });
  };
}

const retryAfter = (seconds: number) => ({ headers: { 'retry-after': String(seconds) } });

const GET_TOKEN = "Request one with POST /auth/token and your client's id and secret, or create a key.";
const UNAUTHORIZED = {
  missing: `A token is required, sent as Authorization: Bearer …. ${GET_TOKEN}`,
  malformed: `The Authorization header contains no token. Send it as Authorization: Bearer …. ${GET_TOKEN}`,
  invalid: `The token is unknown, expired or revoked. ${GET_TOKEN}`,
};

/** RFC 9110 requires one with every 401. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="quaestor"' };

export const errors = {
  malformedJson: define(400, 'malformed_json'),
  malformedText: define(400, 'malformed_text'),
  malformedUrl: define(400, 'malformed_url'),
  malformedRequest: define(400, 'malformed_request'),
  invalidQuery: defineFaulty(400, 'invalid_query', 'The query string'),
  invalidHeader: define(400, 'invalid_header'),
  invalidBody: defineFaulty(422, 'invalid_body', 'The body'),
  unauthorized: (reason: keyof typeof UNAUTHORIZED) =>
    new ApiError(401, 'unauthorized', UNAUTHORIZED[reason] ?? '', {
      headers: {
        'www-authenticate': `Bearer realm="quaestor"${reason === 'invalid' ? ', error="invalid_token"' : ''}`,
      },
    }),
  invalidCredentials: () =>
    new ApiError(401, 'invalid_credentials', 'The client id is unknown, or the secret is wrong.', {
      headers: CHALLENGE,
    }),
  invalidLink: () =>
    new ApiError(
      401,
      'invalid_link',
      'The link has been used or replaced, or has expired. Ask for a new one, or sign in with a secret.',
      { headers: CHALLENGE },
    ),
  crossOrigin: () =>
    new ApiError(403, 'cross_origin', 'Only a page of this service may sign in to the console.'),
  insufficientScope: (missing: readonly string[], subject = 'This operation') =>
    new ApiError(
      403,
      'insufficient_scope',
      `${subject} requires the scope ${missing.join(' and ')}, which your token does not have.`,
      {
        headers: {
          'www-authenticate': `Bearer realm="quaestor", error="insufficient_scope", scope="${missing.join(' ')}"`,
        },
      },
    ),
  quotaExceeded: (questions: number, bytes: number) => {
    const limits = [questions > 0 && `${questions} questions`, bytes > 0 && `${bytes} bytes`].filter(Boolean);
    return new ApiError(
      403,
      'quota_exceeded',
      `With this request you would exceed what a client may store: ${limits.join(' and ')}. Delete something first.`,
    );
  },
  keyCannotCreateKeys: () =>
    new ApiError(
      403,
      'key_cannot_create_keys',
      'A key cannot create keys. Use an access token from /auth/token, or a key with the scope clients:manage.',
    ),
  tokenBound: () =>
    new ApiError(
      403,
      'token_bound',
      'This token is for the draws of a respondent: it reads them, checks answers to their questions and records responses.',
    ),
  noSuchRoute: (path: string, reason = `There is no route ${path}.`) =>
    new ApiError(404, 'no_such_route', `${reason} /openapi.json lists all routes.`),
  noSuchQuestion: (id: string) => new ApiError(404, 'no_such_question', `There is no question ${id}.`),
  noSuchRevision: (id: string, revision: number) =>
    new ApiError(
      404,
      'no_such_revision',
      `Question ${id} has no revision ${revision}, or that revision has no content to restore.`,
    ),
  noPendingChange: (id: string) =>
    new ApiError(404, 'no_pending_change', `No change of question ${id} waits for approval.`),
  noSuchReport: (id: string) => new ApiError(404, 'no_such_report', `There is no report ${id}.`),
  noSuchCategory: (id: string) => new ApiError(404, 'no_such_category', `There is no category ${id}.`),
  noSuchClient: (id: string) => new ApiError(404, 'no_such_client', `There is no client ${id}.`),
  noSuchKey: (id: string) => new ApiError(404, 'no_such_key', `You have no key ${id}.`),
  noSuchChange: (id: string) => new ApiError(404, 'no_such_change', `There is no change ${id}.`),
  noSuchImport: (id: string) => new ApiError(404, 'no_such_import', `There is no import ${id}.`),
  noSuchAnalysis: (id: string) => new ApiError(404, 'no_such_analysis', `There is no analysis ${id}.`),
  noSuchFigure: (detail: string) => new ApiError(404, 'no_such_figure', detail),
  methodNotAllowed: (method: string, allow: string[]) =>
    new ApiError(
      405,
      'method_not_allowed',
      `The method ${method} is not allowed here. Use ${allow.join(', ')}.`,
      { headers: { allow: allow.join(', ') } },
    ),
  requestTimeout: define(408, 'request_timeout'),
  externalIdTaken: (faults: Fault[]) =>
    new ApiError(
      409,
      'external_id_taken',
      'Another question has this external_id, which must be unique; see errors.',
      { errors: faults },
    ),
  categoryExists: (name: string) =>
    new ApiError(409, 'category_exists', `The category ${name} already exists.`),
  categoryFixed: (name: string) =>
    new ApiError(
      409,
      'category_fixed',
      `${name} is a built-in category. It cannot be renamed, deleted or merged into another one.`,
    ),
  categoryInUse: (name: string) =>
    new ApiError(409, 'category_in_use', `The category ${name} has questions. Move or delete them first.`),
  categoryDeleted: (name: string) =>
    new ApiError(
      409,
      'category_deleted',
      `The category ${name} of that revision no longer exists. Create it first.`,
    ),
  countMismatch: (expected: number, matching: number) =>
    new ApiError(
      409,
      'count_mismatch',
      `You expect ${expected} questions, but ${matching} match. Nothing was changed; check the selection.`,
    ),
  changeRunning: (id: string, status: string) =>
    new ApiError(
      409,
      'change_running',
      `Change ${id} cannot be undone yet: its status is ${status}. Wait until it has ended, or cancel it.`,
    ),
  differentKind: (id: string, kind: string, survivor: string) =>
    new ApiError(
      409,
      'different_kind',
      `Question ${id} is of the kind ${kind}, and the one to merge it into is ${survivor}. Both must be of one kind.`,
    ),
  merged: (id: string, survivor: string) =>
    new ApiError(410, 'merged', `Question ${id} was merged into question ${survivor}.`, {
      headers: { location: `/questions/${survivor}` },
    }),
  lastAdmin: (id: string) =>
    new ApiError(
      409,
      'last_admin',
      `${id} is the only client with the role admin. Give another client that role first.`,
    ),
  alreadyCurrent: define(409, 'already_current'),
  noResult: (id: string, status: string) =>
    new ApiError(
      409,
      'no_result',
      `Analysis ${id} has no result: its status is ${status}. Only succeeded runs have results.`,
    ),
  revisionChanged: (id: string, revision: number) =>
    new ApiError(
      409,
      'revision_changed',
      `Question ${id} has revision ${revision} now. Fetch it, and judge the finding again.`,
    ),
  notIndexed: (id: string) =>
    new ApiError(
      409,
      'not_indexed',
      `The rows of analysis ${id} cannot be filtered or sorted: it finished before rows were indexed. Run it again.`,
    ),
  idempotencyInFlight: () =>
    new ApiError(
      409,
      'idempotency_in_flight',
      'A request with this Idempotency-Key is still in progress. Try again shortly.',
      retryAfter(1),
    ),
  preconditionFailed: (etag: string) =>
    new ApiError(
      412,
      'precondition_failed',
      `The resource has changed: its ETag is now ${etag}. Fetch it again and repeat the change.`,
    ),
  bodyTooLarge: define(413, 'body_too_large'),
  urlTooLong: define(414, 'url_too_long'),
  unsupportedMediaType: define(415, 'unsupported_media_type'),
  expectationFailed: define(417, 'expectation_failed'),
  unreadableFile: define(422, 'unreadable_file'),
  idempotencyMismatch: () =>
    new ApiError(
      422,
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request. Use a new key.',
    ),
  tooManyRequests: (limit: string, max: number, seconds: number) =>
    new ApiError(
      429,
      'too_many_requests',
      `The ${limit} limit of ${max} requests per minute is exceeded. Try again in ${seconds} s.`,
      retryAfter(seconds),
    ),
  tooManyQueued: (max: number) =>
    new ApiError(
      429,
      'too_many_queued',
      `You have ${max} queued analyses, the maximum. Wait until some have run, or cancel some.`,
      retryAfter(10),
    ),
  tooManyChanges: (max: number) =>
    new ApiError(
      429,
      'too_many_changes',
      `You have ${max} bulk changes that have not ended, the maximum. Wait until one has, or cancel one.`,
      retryAfter(10),
    ),
  tooManyStreams: (max: number) =>
    new ApiError(
      429,
      'too_many_streams',
      `You have ${max} open event streams, the maximum per client. Close some first.`,
      retryAfter(10),
    ),
  tooManySecretAttempts: (seconds: number) =>
    new ApiError(
      429,
      'too_many_secret_attempts',
      `Too many attempts with a wrong secret for this client. Try again in ${seconds} s.`,
      retryAfter(seconds),
    ),
  headersTooLarge: define(431, 'headers_too_large'),
  internal: (cause: unknown) =>
    new ApiError(500, 'internal', 'An internal error occurred. Quote the request_id to find it in the log.', {
      cause,
    }),
  notImplemented: define(501, 'not_implemented'),
  damagedData: (subject: string) =>
    new ApiError(
      500,
      'damaged_data',
      `${subject} is damaged: what the database returned does not match its checksum. Restore a backup; a ` +
        'damaged question can also be deleted, or restored to an earlier revision.',
    ),
  damagedDatabase: (cause?: unknown) =>
    new ApiError(
      500,
      'damaged_database',
      'The database file is damaged, and writes are refused. Stop the service, run quaestor verify, and restore a backup.',
      { cause },
    ),
  overloaded: () =>
    new ApiError(503, 'overloaded', 'Too many requests are in progress. Try again in 1 s.', retryAfter(1)),
  tooManyConnections: () =>
    new ApiError(
      503,
      'too_many_connections',
      'Too many connections are open, in total or from your address. Close some, or try again shortly.',
      retryAfter(2),
    ),
  queueFull: () =>
    new ApiError(
      503,
      'queue_full',
      'Too many analyses are queued. Nothing was queued; try again shortly.',
      retryAfter(10),
    ),
  unavailable: (detail: string, cause?: unknown) =>
    new ApiError(503, 'unavailable', detail, { cause, ...retryAfter(1) }),
  /** `never started`: the request waited until its time was over and has no effect. */
  tooSlow: (cause?: unknown, state: 'started' | 'never started' = 'started') =>
    new ApiError(
      503,
      'too_slow',
      state === 'never started'
        ? 'The request waited longer than its time limit and was not executed. Try again shortly.'
        : 'The request exceeded its time limit. Try again shortly, or request less. A write may have been applied.',
      { cause, ...retryAfter(2) },
    ),
  insufficientStorage: define(507, 'insufficient_storage'),
  diskFull: (cause?: unknown) =>
    new ApiError(
      507,
      'disk_full',
      'The disk is full and nothing was written. Reads still work; try again when there is space.',
      { cause },
    ),
};
