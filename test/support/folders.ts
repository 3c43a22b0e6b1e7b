import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const tempFolder = (parent = tmpdir()) => mkdtempSync(join(parent, 'quaestor-test-'));
export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });
