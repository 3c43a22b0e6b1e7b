/** What the imports of questions and of responses have in common. */
import { type ListDeps, refuseQuery } from '../paging.ts';

export interface ImportDeps extends ListDeps {
  maxImportBytes: number;
}

export function requireEncoding(label: string | undefined): void {
  if (label === undefined || isEncoding(label)) return;
  refuseQuery([
    { pointer: '/encoding', code: 'invalid_format', detail: 'must be a label such as windows-1252' },
  ]);
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}
