import { DIFFICULTIES, toWords } from './format.ts';

/** A question as the API returns it. Without `answers:read`, the answers are absent. */
export interface Question {
  id: string;
  category: string;
  difficulty: number;
  kind?: string;
  topic_focus: string | null;
  question_text: string;
  tags: string[];
  source: string | null;
  external_id: string | null;
  choices?: string[];
  created_at: string;
  correct_answer?: string | string[];
  incorrect_answers?: string[];
  explanation?: string | null;
  revision?: number;
  updated_at?: string;
  status?: string;
  /** The state of a change that waits for approval. */
  pending?: { state: string };
}

export const formatAnswer = ({ correct_answer }: Question): string =>
  correct_answer === undefined ? '' : [correct_answer].flat().join(', ');

/** The parameters of a list of questions that the address of the page has. */
const FILTERS = [
  'q',
  'category',
  'difficulty',
  'kind',
  'status',
  'topic_focus',
  'tag',
  'source',
  'missing',
  'finding',
] as const;
export type Filter = (typeof FILTERS)[number];

export function readFilter(query: URLSearchParams): Record<string, string[]> {
  const filter: Record<string, string[]> = {};
  for (const name of FILTERS) {
    const values = query.getAll(name).filter((value) => value !== '');
    if (values.length > 0) filter[name] = values;
  }
  return filter;
}

/** The filter of a run or a bulk change; undefined for all questions. Words of a search are one text. */
export function toRunFilter(filter: Record<string, string[]>): Record<string, unknown> | undefined {
  if (Object.keys(filter).length === 0) return undefined;
  const { q, difficulty, ...others } = filter;
  return { ...others, ...(q && { q: q[0] }), ...(difficulty && { difficulty: difficulty.map(Number) }) };
}

/** Such as "category Astronomy, difficulty Basic". */
export function describeFilter(filter: Record<string, string[]>): string {
  return Object.entries(filter)
    .map(([name, values]) =>
      name === 'q'
        ? `the words “${values[0]}”`
        : `${toWords(name)} ${values.map((value) => nameValue(name, value)).join(' or ')}`,
    )
    .join(', ');
}

/** The value of a filter in words. */
export function nameValue(filter: string, value: string | number): string {
  if (filter === 'difficulty') return DIFFICULTIES[Number(value)] ?? String(value);
  if (filter === 'finding') return toWords(String(value).replace(/^\w+:/, ''));
  return filter === 'kind' || filter === 'status' || filter === 'missing'
    ? toWords(String(value))
    : String(value);
}

const SHOWN = ['question_text', 'category', 'difficulty', 'topic_focus', 'explanation', 'source'] as const;

/** What one version changes of another, in words. */
export function listChanges(after: Question | null, before: Question | null): string[] {
  if (!after || !before) return [];
  const changes: string[] = SHOWN.filter((field) => after[field] !== before[field]).map(
    (field) => `${toWords(field)}: ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`,
  );
  if (formatAnswer(after) !== formatAnswer(before))
    changes.push(`correct answer: ${formatAnswer(before)} → ${formatAnswer(after)}`);
  for (const field of ['incorrect_answers', 'tags'] as const) {
    const [old, now] = [(before[field] ?? []).join(', '), (after[field] ?? []).join(', ')];
    if (old !== now) changes.push(`${toWords(field)}: ${old || 'none'} → ${now || 'none'}`);
  }
  return changes;
}
