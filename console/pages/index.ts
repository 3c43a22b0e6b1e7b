/** The pages, in the order of the navigation. */
import type { ComponentType } from 'preact';
import type { Scope } from '../../src/schemas/scopes.ts';

export interface Page {
  /** The segment of its path after `/console/`; empty for the start page. */
  name: string;
  /** Whether a second segment names an object. */
  hasId?: boolean;
  title: string;
  /** Callers without these scopes do not see the page. */
  scopes: Scope[];
  /** One of these is required, too. */
  anyOf?: Scope[];
  load(): Promise<ComponentType<{ id: string }>>;
}

export const PAGES: Page[] = [
  {
    name: '',
    title: 'Health',
    scopes: ['questions:read'],
    load: async () => (await import('./health.tsx')).Health,
  },
  {
    name: 'attention',
    title: 'Attention',
    scopes: ['questions:read', 'answers:read', 'analysis:read'],
    load: async () => (await import('./attention.tsx')).Attention,
  },
  {
    name: 'questions',
    title: 'Questions',
    scopes: ['questions:read'],
    load: async () => (await import('./questions.tsx')).Questions,
  },
  {
    name: 'questions',
    hasId: true,
    title: 'Question',
    scopes: ['questions:read'],
    load: async () => (await import('./question.tsx')).Question,
  },
  {
    name: 'analyses',
    title: 'Analyses',
    scopes: ['analysis:read'],
    load: async () => (await import('./analyses.tsx')).Analyses,
  },
  {
    name: 'analyses',
    hasId: true,
    title: 'Result',
    scopes: ['analysis:read'],
    load: async () => (await import('./analysis.tsx')).Analysis,
  },
  {
    name: 'responses',
    title: 'Responses',
    scopes: ['responses:write', 'answers:read', 'questions:read'],
    load: async () => (await import('./responses.tsx')).Responses,
  },
  {
    name: 'import',
    title: 'Import',
    scopes: ['questions:write', 'answers:read'],
    load: async () => (await import('./import.tsx')).Import,
  },
  {
    name: 'review',
    title: 'Review',
    scopes: ['questions:read', 'answers:read'],
    anyOf: ['questions:write', 'questions:review'],
    load: async () => (await import('./review.tsx')).Review,
  },
  {
    name: 'categories',
    title: 'Categories',
    scopes: ['questions:read', 'categories:write'],
    load: async () => (await import('./categories.tsx')).Categories,
  },
  {
    name: 'people',
    title: 'People',
    scopes: ['clients:manage'],
    load: async () => (await import('./people.tsx')).People,
  },
];
