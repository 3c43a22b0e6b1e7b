/** Analyses: their types, runs and results as the API returns them, and what a result says in a sentence. */
import { formatCount, plural } from './format.ts';

export interface ParameterSchema {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
  description?: string;
  default?: unknown;
  enum?: string[];
  anyOf?: ParameterSchema[];
  items?: ParameterSchema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
}

export interface AnalysisType {
  analysis_type: string;
  title: string;
  description: string;
  reads_answers: boolean;
  reads_responses: boolean;
  parameters: { properties: Record<string, ParameterSchema> };
  /** The severity of each finding. */
  findings: Record<string, 'major' | 'minor' | 'info'>;
  /** A schema. */
  result: { properties: { items: { items: { properties: Record<string, ParameterSchema> } } } };
  sort_keys: string[];
  figures: string[];
  question_figure: boolean;
}

export interface Run {
  id: string;
  analysis_type: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  question_count: number | null;
  filter: Record<string, unknown> | null;
  progress: number;
  error: { message?: string; detail?: string } | string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** A row is about a question, or about several as a whole. */
export interface Row {
  question_id?: string;
  question_text?: string;
  message?: string;
  flags?: string[];
  severity?: string;
  verdict?: string;
  class?: string;
  [value: string]: unknown;
}

export interface Result {
  warnings: string[];
  summary: Record<string, unknown>;
  responses?: { count: number; cases: number };
  items: Row[];
  pagination: { total: number; offset: number; limit: number; has_more: boolean };
}

export interface RunWithResult extends Run {
  parameters: Record<string, unknown>;
  result: Result | null;
}

export const isUnfinished = ({ status }: Run): boolean => status === 'queued' || status === 'running';

/** The values by which rows of a result can be filtered, each with the parameter. */
export function listRowFilters({ result }: AnalysisType): { parameter: 'verdict' | 'flag'; value: string }[] {
  const { flags, verdict, class: found } = result.properties.items.items.properties;
  const listValues = (schema: ParameterSchema | undefined): string[] =>
    schema?.enum ?? schema?.items?.enum ?? (schema?.anyOf ?? []).flatMap(listValues);
  const verdicts = listValues(verdict ?? found);
  return [
    ...verdicts.map((value) => ({ parameter: 'verdict' as const, value })),
    ...listValues(flags)
      .filter((value) => !verdicts.includes(value))
      .map((value) => ({ parameter: 'flag' as const, value })),
  ];
}

/** The text up to the first empty line, without the markup of Markdown. */
export const getFirstParagraph = (description: string): string =>
  description
    .split(/\n\s*\n/)[0]!
    .replace(/\s+/g, ' ')
    .replace(/[*`]/g, '');

const count = (summary: Record<string, unknown>, name: string): number => Number(summary[name] ?? 0);
const countIn = (summary: Record<string, unknown>, name: string, key: string): number =>
  Number((summary[name] as Record<string, unknown> | undefined)?.[key] ?? 0);
const toNumberText = (value: unknown): string => Number(value).toFixed(2);

type Summary = Record<string, unknown>;

/** By type, what a result says. Types without an entry are described by their number of rows. */
const SENTENCES: Record<string, (summary: Summary) => string> = {
  duplicates: (summary) =>
    count(summary, 'groups') === 0
      ? 'No question is in the bank twice.'
      : `${plural(count(summary, 'grouped_questions'), 'question')} in ${plural(count(summary, 'groups'), 'group')} ask the same or nearly the same; ${formatCount(count(summary, 'redundant_questions'))} could go.`,
  quality: (summary) =>
    count(summary, 'questions_with_findings') === 0
      ? 'No flaw of writing was found.'
      : `${plural(count(summary, 'questions_with_findings'), 'question')} of ${formatCount(count(summary, 'questions'))} have flaws of writing, ${formatCount(countIn(summary, 'by_severity', 'major'))} of them major.`,
  labels: (summary) =>
    count(summary, 'suspects') === 0
      ? 'No question seems to be filed wrongly.'
      : `${plural(count(summary, 'suspects'), 'question')} probably filed wrongly.`,
  readability: (summary) =>
    `Half of the questions read at grade ${countIn(summary, 'grades', 'lower_quartile')} to ${countIn(summary, 'grades', 'upper_quartile')}; ${plural(countIn(summary, 'flagged', 'too_hard_to_read'), 'question')} too hard to read.`,
  coverage: (summary) =>
    `${plural(count(summary, 'questions'), 'question')} in ${plural(count(summary, 'categories'), 'category', 'categories')}; ${plural(countIn(summary, 'gaps', 'empty'), 'combination')} of category and difficulty without questions.`,
  item_statistics: (summary) =>
    count(summary, 'questions_with_responses') === 0
      ? 'No question has responses yet.'
      : `${plural(countIn(summary, 'verdicts', 'check_key'), 'key')} to check, ${formatCount(countIn(summary, 'verdicts', 'revise'))} to revise, ${formatCount(countIn(summary, 'verdicts', 'keep'))} to keep, of ${plural(count(summary, 'questions_with_responses'), 'question')} with responses of ${formatCount(count(summary, 'cases'))}.`,
  reliability: (summary) => String(summary.message ?? ''),
  irt: (summary) =>
    summary.estimated
      ? `${plural(count(summary, 'questions_estimated'), 'question')} calibrated with the responses of ${formatCount(count(summary, 'cases_used'))}; reliability ${toNumberText((summary.reliability as Summary | undefined)?.marginal)}.`
      : String(summary.reason ?? 'No question could be calibrated.'),
  difficulty_audit: (summary) =>
    `${formatCount(count(summary, 'misrated'))} of ${plural(count(summary, 'judged'), 'judged question')} are not as difficult as labelled: ${formatCount(count(summary, 'misrated_harder'))} harder, ${formatCount(count(summary, 'misrated_easier'))} easier.`,
};

export function describeResult(type: string, { summary, pagination }: Result): string {
  return SENTENCES[type]?.(summary) || `${plural(pagination.total, 'row')}.`;
}
