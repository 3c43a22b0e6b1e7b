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
