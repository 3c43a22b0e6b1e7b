/** What a caller may be allowed to do, and which of it each role is. */
export const SCOPES = {
  'questions:read': 'Read questions and categories, without what tells the answer.',
  'answers:read': 'See correct answers, wrong answers as such, explanations, revisions and history.',
  'answers:check': 'Ask whether an answer is right.',
  'questions:write': 'Create, change, delete and restore questions.',
  'analysis:read': 'Read the results of analyses.',
  'analysis:run': 'Run analyses.',
  'responses:write':
    'Record responses, forget respondents and, together with `answers:read`, read responses.',
  'clients:manage': 'Manage clients and their keys: whoever may, can give themselves everything else.',
  admin: 'Manage the bank itself, its categories among other things.',
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
