/** What a caller may be allowed to do. Each route names what it needs. */
export const SCOPES = {
  'questions:read': 'Read questions and categories.',
  'answers:read': 'See correct answers, wrong options, explanations and history.',
  'questions:write': 'Create, change, delete and restore questions.',
  admin: 'Manage the bank itself, its categories among other things.',
} as const;
export type Scope = keyof typeof SCOPES;
