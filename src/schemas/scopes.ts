/** The scopes of tokens, and the roles of clients, which are sets of scopes. */
export const SCOPES = {
  'questions:read': 'Read questions and categories, without answers.',
  'answers:read': 'See correct and incorrect answers, explanations, revisions and history.',
  'answers:check': 'Check whether an answer is correct.',
  'questions:write': 'Create, update, delete and restore questions.',
  'questions:review': 'Approve questions and changes, or send them back.',
  'questions:report': 'Report a fault in a question.',
  'categories:write': 'Create, rename, merge and delete categories.',
  'analysis:read': 'Read the results of analyses.',
  'analysis:run': 'Run analyses.',
  'responses:write':
    'Record responses, delete respondents and, together with `answers:read`, read responses.',
  'clients:manage': 'Manage clients and their keys. Its holder can obtain every other scope.',
  admin: 'Administer the service: read metrics.',
} as const;
export type Scope = keyof typeof SCOPES;

const all = Object.keys(SCOPES) as Scope[];

const editor = [
  'questions:read',
  'answers:read',
  'answers:check',
  'questions:write',
  'categories:write',
  'analysis:read',
  'analysis:run',
] as const;

export const ROLES = {
  reader: ['questions:read', 'analysis:read'],
  author: ['questions:read', 'answers:read', 'questions:write', 'analysis:read'],
  analyst: ['questions:read', 'answers:read', 'analysis:read', 'analysis:run', 'responses:write'],
  editor,
  reviewer: ['questions:read', 'answers:read', 'answers:check', 'questions:review', 'analysis:read'],
  teacher: [...editor, 'responses:write'],
  player: ['questions:read', 'answers:check', 'questions:report'],
  quiz: ['questions:read', 'answers:check', 'questions:report', 'responses:write'],
  admin: all,
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof ROLES;

/** What each role is for, as the documents say it. */
export const ROLE_PURPOSES: Record<Role, string> = {
  reader: 'Programs and people that show questions and results, without answers.',
  author: 'People who write questions.',
  analyst: 'People who record responses and run analyses, and change no questions.',
  editor: 'People who keep a bank in order: questions, answers, categories, analyses of them.',
  reviewer: 'People who approve questions, and change none.',
  teacher: 'People who also record responses: an editor with classes.',
  player: 'A quiz that shows questions and checks answers, and keeps no responses.',
  quiz: 'A quiz that also records responses. It never sees an answer.',
  admin: 'Administration: every scope.',
};
