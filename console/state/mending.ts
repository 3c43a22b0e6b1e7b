/** What mends the finding of a row, and the dismissal of a finding. */
import type { AnalysisType, Row } from './analysis.ts';
import { api } from './api.ts';
import { changeQuestions, mergeQuestions } from './changes.ts';
import { DIFFICULTIES, toWords } from './format.ts';
import { announce, announceFailure } from './messages.ts';

export interface Remedy {
  words: string;
  /** False if it failed, which has been announced. */
  apply(): Promise<boolean>;
}

interface Suggestion {
  suggested: string;
}

/** The remedy of a row, if there is one that can be undone. */
export function findRemedy(row: Row, runId: string): Remedy | undefined {
  const { question_id: id } = row;
  return id === undefined
    ? undefined
    : (findMerge(row, id) ?? findRelabel(row, id) ?? findFix(row, id, runId));
}

function findMerge({ first_question_id: first, flags = [] }: Row, id: string): Remedy | undefined {
  if (typeof first !== 'string' || first === id) return undefined;
  if (!flags.includes('duplicate') && !flags.includes('likely')) return undefined;
  return { words: 'Merge into the first', apply: () => mergeQuestions(first, [id]) };
}

function findRelabel({ category, difficulty, suggested_difficulty }: Row, id: string): Remedy | undefined {
  const change: Record<string, unknown> = {};
  const labels: string[] = [];
  if (isSuggestion(category)) {
    change.category = category.suggested;
    labels.push(category.suggested);
  }
  const level = isSuggestion(difficulty) ? toDifficulty(difficulty.suggested) : suggested_difficulty;
  if (typeof level === 'number') {
    change.difficulty = level;
    labels.push(DIFFICULTIES[level]!);
  }
  if (labels.length === 0) return undefined;
  const apply = () => changeQuestions({ question_ids: [id], change });
  return { words: `Change to ${labels.join(', ')}`, apply };
}

/** Remedies of the rules of quality. */
function findFix({ findings }: Row, id: string, runId: string): Remedy | undefined {
  const fixable = (Array.isArray(findings) ? findings : []).filter(({ change }) => change);
  if (fixable.length === 0) return undefined;
  const rules = [...new Set(fixable.map(({ rule }) => toWords(String(rule))))];
  const apply = () => changeQuestions({ question_ids: [id], apply_remedy: { analysis_id: runId } });
  return { words: `Correct: ${rules.join(', ')}`, apply };
}

const isSuggestion = (value: unknown): value is Suggestion =>
  typeof value === 'object' && value !== null && 'suggested' in value;

function toDifficulty(label: string): number | undefined {
  const index = /^[0-2]$/.test(label) ? Number(label) : DIFFICULTIES.indexOf(label as never);
  return index < 0 ? undefined : index;
}

/** The findings of a row, as sets of questions are kept by them. */
export const listFindings = ({ verdict, class: found, flags = [] }: Row): string[] => [
  ...new Set([verdict ?? found ?? [], flags].flat()),
];

/** Those that can be dismissed. */
export const listDismissible = (row: Row, { findings }: AnalysisType): string[] =>
  listFindings(row).filter((name) => name in findings);

/** Dismisses findings of a question at its revision; false if that failed. */
export async function dismiss(id: string, analysis_type: string, names: string[]): Promise<boolean> {
  const reason = 'Judged to be acceptable in the console.';
  const path = `/questions/${id}/findings/dismissals`;
  try {
    for (const name of names) await api.post(path, { analysis_type, name, reason });
    announce(`Dismissed until the question changes: ${names.map(toWords).join(', ')}.`);
    return true;
  } catch (error) {
    announceFailure(error);
    return false;
  }
}
