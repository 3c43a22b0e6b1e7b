/** The scopes of tokens, and the roles of clients, which are sets of scopes. */
export const SCOPES = {
  'questions:read': 'Read questions and categories, without answers.',
  'answers:read': 'See correct and incorrect answers, explanations, revisions and history.',
  'answers:check': 'Check whether an answer is correct.',
  'questions:write': 'Create, update, delete and restore questions.',
  'analysis:read': 'Read the results of analyses.',
  'analysis:run': 'Run analyses.',
  'responses:write':
    'Record responses, delete respondents and, together with `answers:read`, read responses.',
  'clients:manage': 'Manage clients and their keys. Its holder can obtain every other scope.',
  admin: 'Administer the bank: manage categories and read metrics.',
} as const;
export type Scope = keyof typeof SCOPES;

const all = Object.keys(SCOPES) as Scope[];

export const ROLES = {
  reader: ['questions:read', 'analysis:read'],
  author: ['questions:read', 'answers:read', 'questions:write', 'analysis:read'],
  analyst: ['questions:read', 'answers:read', 'analysis:read', 'analysis:run', 'responses:write'],
  player: ['questions:read', 'answers:check'],
  admin: all,
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof ROLES;
