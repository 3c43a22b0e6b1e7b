/** The problems of requests that conflict with the state of the bank (409, 410, 412). */
import type { ProblemKind } from './problem-kind.ts';

export const CONFLICTS: Record<string, ProblemKind> = {
  external_id_taken: {
    status: 409,
    meaning: 'Another question has this `external_id`; `errors` names it.',
    on: [
      ...['POST /questions', 'PUT /questions/:id', 'PATCH /questions/:id', 'POST /questions/:id/restore'],
      ...['POST /questions/:id/reviews', 'POST /questions/:id/pending'],
    ],
  },
  category_exists: {
    status: 409,
    meaning: 'A category with this name exists. Names are compared case-insensitively.',
    on: ['POST /categories', 'PUT /categories/:id', 'PATCH /categories/:id'],
  },
  category_fixed: {
    status: 409,
    meaning: 'The category is one of the six built-in ones, which cannot be renamed, deleted or merged away.',
    on: [
      'POST /categories/:id/merge',
      'PUT /categories/:id',
      'PATCH /categories/:id',
      'DELETE /categories/:id',
    ],
  },
  category_in_use: {
    status: 409,
    meaning: 'The category has questions. Move or delete them first.',
    on: ['DELETE /categories/:id'],
  },
  category_deleted: {
    status: 409,
    meaning: 'The category of the revision no longer exists. Create it first.',
    on: ['POST /questions/:id/restore', 'POST /questions/:id/reviews'],
  },
  last_admin: {
    status: 409,
    meaning: 'It is the only client with the role `admin`. Give another client that role first.',
    on: ['PUT /auth/clients/:id', 'PATCH /auth/clients/:id', 'DELETE /auth/clients/:id'],
  },
  already_current: {
    status: 409,
    meaning: 'The revision is the current one, or the question has the status already.',
    on: ['POST /questions/:id/restore', 'POST /questions/:id/status'],
  },
  no_result: {
    status: 409,
    meaning: 'The analysis has not succeeded, or not yet, and has no result.',
    on: [
      '/analysis/:id/plot.svg',
      '/analysis/:id/plot.json',
      '/analysis/:id/respondents',
      'POST /questions/bulk',
      'POST /draws',
    ],
  },
  revision_changed: {
    status: 409,
    meaning: 'The question has another revision than the one that was judged. Fetch it, and judge again.',
    on: ['POST /questions/:id/findings/dismissals'],
  },
  count_mismatch: {
    status: 409,
    meaning: 'The number of matching questions differs from `expected`. Nothing was changed.',
    on: ['POST /questions/bulk'],
  },
  change_running: {
    status: 409,
    meaning: 'The bulk change has not ended. Wait until it has, or cancel it, and then undo it.',
    on: ['/changes/:id/undo'],
  },
  short_supply: {
    status: 409,
    meaning:
      'There are too few questions for a quota of the draw; `shortages` lists each. Nothing was drawn.',
    on: ['POST /draws'],
  },
  already_answered: {
    status: 409,
    meaning:
      'The respondent has answered a question of the draw already; `errors` names it. Nothing was recorded.',
    on: ['POST /draws/:id/responses'],
  },
  draw_conflict: {
    status: 409,
    meaning: 'Other questions were handed out to the respondent at the same moment. Try again.',
    on: ['POST /draws'],
  },
  different_kind: {
    status: 409,
    meaning: 'The questions are of different kinds and cannot be merged.',
    on: ['POST /questions/:id/merge'],
  },
  merged: {
    status: 410,
    meaning: 'The question was merged into another one, which `Location` names.',
    on: ['', '/check', '/merge', '/status', '/pending', '/reviews'].map((path) => `/questions/:id${path}`),
  },
  not_indexed: {
    status: 409,
    meaning:
      'The result was stored before rows were indexed, and its rows cannot be filtered or sorted. Run the analysis again.',
    on: ['/analysis/:id'],
  },
  idempotency_in_flight: {
    status: 409,
    meaning: 'A request with this `Idempotency-Key` is in progress. Try again after `Retry-After`.',
    on: ['keyed'],
  },
  precondition_failed: {
    status: 412,
    meaning: 'The resource has changed: its ETag is not in `If-Match`. Fetch it again and repeat the change.',
    on: ['matched', 'POST /questions/:id/merge', 'POST /questions/:id/status', 'POST /questions/:id/pending'],
  },
};
