/**
 * The errors the API can answer with, by name. Each carries a public sentence that says what to do;
 * whatever caused it stays in `cause`, for the log alone.
 */

/** One thing wrong with a request: where (a JSON Pointer, or `?name` for a query parameter), what, and in words. */
export interface Fault {
  pointer: string;
  code: string;
  detail: string;
}

interface Extra {
  errors?: Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, detail: string, extra: Extra = {}) {
    super(detail, { cause: extra.cause });
    this.status = status;
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }
}

/** Whether the database is unreachable, overloaded or too slow: a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503;
}

const fail = (status: number, code: string) => (detail: string, extra?: Extra) =>
  new ApiError(status, code, detail, extra);

/** Several faults are told at once; this many at the most, so that a hostile body cannot ask for an endless answer. */
export const MOST_FAULTS = 1000;

function listed(status: number, code: string, what: string) {
  /** `n`: how many there are, where not all were collected; Infinity where they were not counted. */
  return (faults: Fault[], n = faults.length) => {
    const number = Number.isFinite(n) ? n : `more than ${MOST_FAULTS}`;
    const count = n === 1 ? 'one fault' : `${number} faults`;
    const cut = n > MOST_FAULTS ? ` The first ${MOST_FAULTS} are listed.` : '';
    return new ApiError(status, code, `${what} has ${count}; see errors.${cut}`, { errors: faults });
  };
}

/** Why a caller is nobody. What is wrong with a token that is not good is told to nobody. */
const NO_TOKEN = {
  missing: 'A token is needed: send it as Authorization: Bearer …',
  'no token': 'What came in Authorization is no token: send it as Bearer …',
  'not good': 'The token in Authorization is unknown, expired or revoked. Take a new one from /auth/token.',
};

export const errors = {
  malformedJson: fail(400, 'malformed_json'),
  malformedText: fail(400, 'malformed_text'),
  malformedUrl: fail(400, 'malformed_url'),
  malformedRequest: fail(400, 'malformed_request'),
  invalidQuery: listed(400, 'invalid_query', 'The query string'),
  invalidHeader: fail(400, 'invalid_header'),
  invalidBody: listed(422, 'invalid_body', 'The body'),
  unauthorized: (why: keyof typeof NO_TOKEN) =>
    new ApiError(401, 'unauthorized', NO_TOKEN[why] ?? '', {
      headers: {
        'www-authenticate': `Bearer realm="quaestor"${why === 'not good' ? ', error="invalid_token"' : ''}`,
      },
    }),
  insufficientScope: (missing: readonly string[], what = 'This') =>
    new ApiError(
      403,
      'insufficient_scope',
      `${what} needs the scope ${missing.join(' and ')}, which your token does not have.`,
      {
        headers: {
          'www-authenticate': `Bearer realm="quaestor", error="insufficient_scope", scope="${missing.join(' ')}"`,
        },
      },
    ),
  keysMakeNoKeys: () =>
    new ApiError(
      403,
      'key_cannot_create_keys',
      'A key cannot make keys. Take a token from /auth/token, or ask for the scope clients:manage.',
    ),
  noSuchRoute: (path: string) =>
    new ApiError(
      404,
      'no_such_route',
      `There is nothing at ${path}. The routes are listed in /openapi.json.`,
    ),
  noSuchQuestion: (id: string) => new ApiError(404, 'no_such_question', `There is no question ${id}.`),
  noSuchRevision: (id: string, revision: number) =>
    new ApiError(
      404,
      'no_such_revision',
      `Question ${id} has no revision ${revision} that could be restored.`,
    ),
  noSuchCategory: (id: string) => new ApiError(404, 'no_such_category', `There is no category ${id}.`),
  noSuchClient: (id: string) => new ApiError(404, 'no_such_client', `There is no client ${id}.`),
  noSuchKey: (id: string) => new ApiError(404, 'no_such_key', `There is no key ${id} that is yours.`),
  noSuchAnalysis: (id: string) => new ApiError(404, 'no_such_analysis', `There is no analysis ${id}.`),
  noSuchFigure: (detail: string) => new ApiError(404, 'no_such_figure', detail),
  methodNotAllowed: (method: string, allow: string[]) =>
    new ApiError(405, 'method_not_allowed', `${method} is not offered here. Use ${allow.join(', ')}.`, {
      headers: { allow: allow.join(', ') },
    }),
  requestTimeout: fail(408, 'request_timeout'),
  externalIdTaken: (faults: Fault[]) =>
    new ApiError(
      409,
      'external_id_taken',
      'An external_id is unique in the bank; see errors for who has it.',
      {
        errors: faults,
      },
    ),
  categoryExists: (name: string) =>
    new ApiError(409, 'category_exists', `There is a category ${name} already.`),
  categoryFixed: (name: string) =>
    new ApiError(
      409,
      'category_fixed',
      `${name} is one of the categories every bank has; it keeps its name and stays.`,
    ),
  categoryInUse: (name: string) =>
    new ApiError(409, 'category_in_use', `${name} has questions. Move or delete them first.`),
  categoryGone: (name: string) =>
    new ApiError(
      409,
      'category_gone',
      `That revision is in the category ${name}, which no longer exists. Add it first.`,
    ),
  lastAdmin: (id: string) =>
    new ApiError(
      409,
      'last_admin',
      `${id} is the only admin. Make another client admin first; without one nobody could.`,
    ),
  alreadyCurrent: fail(409, 'already_current'),
  noResult: (id: string, status: string) =>
    new ApiError(
      409,
      'no_result',
      `Analysis ${id} has no result: it is ${status}. Only one that succeeded has one.`,
    ),
  inFlight: () =>
    new ApiError(
      409,
      'idempotency_in_flight',
      'A request with this Idempotency-Key is under way. Try again shortly.',
      {
        headers: { 'retry-after': '1' },
      },
    ),
  stale: (now: string) =>
    new ApiError(
      412,
      'stale',
      `This has changed: its ETag is ${now} now. Fetch it again and repeat the change.`,
    ),
  tooLarge: fail(413, 'body_too_large'),
  urlTooLong: fail(414, 'url_too_long'),
  unsupportedMediaType: fail(415, 'unsupported_media_type'),
  expectationFailed: fail(417, 'expectation_failed'),
  idempotencyMismatch: () =>
    new ApiError(
      422,
      'idempotency_mismatch',
      'This Idempotency-Key was used for another request. Take a new key.',
    ),
  tooManyRequests: (budget: string, limit: number, seconds: number) =>
    new ApiError(
      429,
      'too_many_requests',
      `More than ${limit} ${budget} requests in a minute. Try again in ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    ),
  tooManyWaiting: (most: number) =>
    new ApiError(
      429,
      'too_many_waiting',
      `You have ${most} analyses waiting. Wait until some have run, or cancel them.`,
      { headers: { 'retry-after': '10' } },
    ),
  tooManyStreams: (most: number) =>
    new ApiError(
      429,
      'too_many_streams',
      `You have ${most} event streams open, as many as one client may. Close some first.`,
      { headers: { 'retry-after': '10' } },
    ),
  tooManyGuesses: (seconds: number) =>
    new ApiError(
      429,
      'too_many_guesses',
      `Wrong secrets were sent for this client too often. Try again in ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    ),
  headersTooLarge: fail(431, 'headers_too_large'),
  internal: (cause: unknown) =>
    new ApiError(500, 'internal', 'Something went wrong here. The request_id finds it in the log.', {
      cause,
    }),
  overloaded: () =>
    new ApiError(
      503,
      'overloaded',
      'More requests are under way than can be served well. Try again in a second.',
      { headers: { 'retry-after': '1' } },
    ),
  queueFull: () =>
    new ApiError(
      503,
      'queue_full',
      'Too many analyses are waiting. Nothing was started; try again shortly.',
      {
        headers: { 'retry-after': '10' },
      },
    ),
  unavailable: (detail: string, cause?: unknown) =>
    new ApiError(503, 'unavailable', detail, { cause, headers: { 'retry-after': '1' } }),
  tooSlow: (cause?: unknown) =>
    new ApiError(
      503,
      'too_slow',
      'This took longer than a request may. Try again shortly, or ask for less. A write may have happened all the same.',
      { cause, headers: { 'retry-after': '2' } },
    ),
  diskFull: (cause?: unknown) =>
    new ApiError(
      507,
      'disk_full',
      'The disk is full: nothing was written. Reading goes on; try again when there is room.',
      {
        cause,
      },
    ),
};
