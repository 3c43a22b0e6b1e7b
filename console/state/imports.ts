/** Imports of files, which the service executes in the background. */
import { api } from './api.ts';

export interface Import {
  id: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  format: string;
  file_name: string | null;
  options: { dry_run?: boolean };
  progress: number;
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  rejected: number;
  new_categories: string[];
  reasons: {
    outcome: 'rejected' | 'skipped' | 'noticed';
    code: string;
    detail: string;
    count: number;
    examples: { line: number; column?: number; path?: string; question_id?: string }[];
  }[];
  error: { detail: string } | null;
  created_at: string;
}

export interface ImportOptions {
  category: string;
  difficulty: string;
  on_match: string;
  create_categories: boolean;
}

const POLL_MS = 400;

/** Sends a file and follows its import to the end. With `dry_run`, nothing is stored. */
export async function importFile(
  file: File,
  { category, difficulty, on_match, create_categories }: ImportOptions,
  dry_run: boolean,
  onProgress: (progress: number) => void,
): Promise<Import> {
  const { body } = await api.request<Import>('POST', '/imports', {
    query: {
      dry_run,
      on_match,
      file_name: file.name,
      ...(create_categories && { create_categories }),
      ...(category !== '' && { category }),
      ...(difficulty !== '' && { difficulty }),
    },
    file,
  });
  let current = body;
  while (current.status === 'queued' || current.status === 'running') {
    onProgress(current.progress);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    current = await api.get<Import>(`/imports/${current.id}`);
  }
  return current;
}
