/** Every kind of problem: its status, what it means, and which routes answer with it. */
export interface ProblemKind {
  status: number;
  meaning: string;
  /**
   * `any` route, a `write`, one that is `scoped` or `limited`, asks under a `condition` (`keyed` by
   * Idempotency-Key or `matched` by If-Match) or takes a `body`; a method; a path; or both together. Where it is empty, the problem can come in place of any answer.
   */
  on: readonly string[];
}

const A_QUESTION = [
  '/questions/:id',
  '/questions/:id/check',
  '/questions/:id/revisions',
  '/questions/:id/restore',
];

export const PROBLEMS: Record<string, ProblemKind> = {
  malformed_json: {
    status: 400,
    meaning: 'The body is not JSON, is empty, names a key twice or is nested too deep.',
    on: ['write'],
  },
  malformed_text: {
    status: 400,
    meaning: 'The request contains NUL, half of a surrogate pair or bytes that are not UTF-8.',
    on: ['any'],
  },
  malformed_url: {
    status: 400,
    meaning: 'The URL has a % that is not followed by valid UTF-8 in hexadecimal.',
    on: ['any'],
  },
  malformed_request: {
    status: 400,
    meaning: 'The request broke off, or is not valid HTTP/1.1.',
    on: ['any'],
  },
  invalid_query: {
    status: 400,
    meaning: 'A query parameter is unknown, repeated or not as documented; `errors` names each.',
    on: ['any'],
  },
  invalid_header: {
    status: 400,
    meaning: '`If-Match`, `If-None-Match` or `Idempotency-Key` is not in its form.',
    on: ['condition'],
  },
  unauthorized: {
    status: 401,
    meaning:
      'There is no token in `Authorization: Bearer`, or it is unknown, expired or revoked. Take one from /auth/token.',
    on: ['scoped'],
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The token lacks a scope; the answer and `WWW-Authenticate` name it.',
    on: ['scoped'],
  },
  key_cannot_create_keys: {
    status: 403,
    meaning: 'A key without `clients:manage` makes no keys: a stolen one would never end. Take a token.',
    on: ['POST /auth/tokens'],
  },
  no_such_route: {
    status: 404,
    meaning: 'There is nothing at this path.',
    on: [],
  },
  no_such_question: {
    status: 404,
    meaning: 'There is no question with this id, or it has been deleted.',
    on: A_QUESTION,
  },
  no_such_revision: {
    status: 404,
    meaning: 'The question has no such revision, or that revision has no content to go back to.',
    on: ['POST /questions/:id/restore'],
  },
  no_such_category: {
    status: 404,
    meaning: 'There is no category with this id.',
    on: ['/categories/:id'],
  },
  no_such_client: {
    status: 404,
    meaning: 'There is no client with this id.',
    on: ['/auth/clients/:id', '/auth/clients/:id/secret'],
  },
  no_such_key: {
    status: 404,
    meaning: 'There is no key with this id, or it is not yours.',
    on: ['/auth/tokens/:id'],
  },
  no_such_analysis: {
    status: 404,
    meaning: 'There is no analysis with this id, it was removed, or it is not for you to see.',
    on: ['/analysis/:id', '/analysis/:id/plot.svg', '/analysis/:id/respondents', 'POST /analysis/run'],
  },
  no_such_figure: {
    status: 404,
    meaning:
      'The result has no such picture: its type makes none of this name, or there is nothing to show of the question.',
    on: ['/analysis/:id/plot.svg'],
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not offer this method; `Allow` lists those it does.',
    on: [],
  },
  request_timeout: {
    status: 408,
    meaning: 'The request took too long to arrive.',
    on: [],
  },
  external_id_taken: {
    status: 409,
    meaning: 'Another question has this `external_id`; `errors` says which.',
    on: ['POST /questions', 'PUT /questions/:id', 'POST /questions/:id/restore'],
  },
  category_exists: {
    status: 409,
    meaning: 'There is a category of this name already, whatever its case.',
    on: ['POST /categories', 'PUT /categories/:id'],
  },
  category_fixed: {
    status: 409,
    meaning: 'It is one of the six categories that every bank has: it keeps its name and stays.',
    on: ['PUT /categories/:id', 'DELETE /categories/:id'],
  },
  category_in_use: {
    status: 409,
    meaning: 'The category has questions. Move or delete them first.',
    on: ['DELETE /categories/:id'],
  },
  category_gone: {
    status: 409,
    meaning: 'The revision is in a category that no longer exists. Add it first.',
    on: ['POST /questions/:id/restore'],
  },
  last_admin: {
    status: 409,
    meaning: 'It is the only client with the role `admin`: make another one admin first.',
    on: ['PUT /auth/clients/:id', 'DELETE /auth/clients/:id'],
  },
  already_current: {
    status: 409,
    meaning: 'The revision is the current one: there is nothing to go back to.',
    on: ['POST /questions/:id/restore'],
  },
  no_result: {
    status: 409,
    meaning: 'The analysis has not succeeded, or not yet: there is no result to show.',
    on: ['/analysis/:id/plot.svg', '/analysis/:id/respondents'],
  },
  idempotency_in_flight: {
    status: 409,
    meaning: 'A request with this `Idempotency-Key` is under way. Try again after `Retry-After`.',
    on: ['keyed'],
  },
  stale: {
    status: 412,
    meaning: 'It has changed since: its ETag is not in `If-Match`. Fetch it again and repeat the change.',
    on: ['matched'],
  },
  body_too_large: {
    status: 413,
    meaning:
      'The body is larger than 1 MiB, than 10 MiB where an array is taken, or than 16 KiB at /auth/token and its like.',
    on: ['write'],
  },
  url_too_long: {
    status: 414,
    meaning: 'The URL is longer than 8,192 characters.',
    on: [],
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not sent as `application/json` in UTF-8 without Content-Encoding.',
    on: ['write'],
  },
  invalid_body: {
    status: 422,
    meaning: 'The body is JSON but breaks a rule; `errors` names every fault it has.',
    on: ['body'],
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'This `Idempotency-Key` was used for another request. Take a new key.',
    on: ['keyed'],
  },
  too_many_requests: {
    status: 429,
    meaning:
      'The budget of this minute is spent. Try again after `Retry-After`; `RateLimit` tells what is left.',
    on: ['limited'],
  },
  too_many_waiting: {
    status: 429,
    meaning: 'Many of your analyses are waiting already. Wait for them, or cancel some.',
    on: ['POST /analysis/run'],
  },
  too_many_streams: {
    status: 429,
    meaning: 'You have as many event streams open as one client may. Close some first.',
    on: ['/events'],
  },
  too_many_guesses: {
    status: 429,
    meaning:
      'Wrong secrets were sent for this client too often, from here or elsewhere. Try again after `Retry-After`.',
    on: ['/auth/token', '/auth/revoke', '/auth/introspect'],
  },
  expectation_failed: {
    status: 417,
    meaning: 'An `Expect` header asks for something other than `100-continue`.',
    on: [],
  },
  headers_too_large: {
    status: 431,
    meaning: 'The headers, with the URL, are larger than 16 KiB.',
    on: [],
  },
  internal: {
    status: 500,
    meaning: 'Something went wrong in the service. The `request_id` finds it in the log.',
    on: [],
  },
  overloaded: {
    status: 503,
    meaning: 'Too many requests are under way. Nothing was done; try again after `Retry-After`.',
    on: ['scoped', 'limited'],
  },
  queue_full: {
    status: 503,
    meaning: 'Too many analyses are waiting. Nothing was started; try again after `Retry-After`.',
    on: ['POST /analysis/run'],
  },
  unavailable: {
    status: 503,
    meaning: 'The database does not answer, or the service is stopping. Try again after `Retry-After`.',
    on: ['scoped', '/ready', '/auth/token', '/auth/revoke'],
  },
  too_slow: {
    status: 503,
    meaning:
      'Answering took longer than a request may. Try again after `Retry-After`, or ask for less. A write may have happened all the same: repeat it under its `Idempotency-Key`.',
    on: ['scoped', '/auth/token', '/auth/revoke'],
  },
  disk_full: {
    status: 507,
    meaning: 'The disk is full: nothing was written. Reading goes on.',
    on: ['write'],
  },
};
