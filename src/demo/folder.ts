/**
 * The data folder of the demo bank. A marker file distinguishes it from other banks, so that the demo
 * never writes into one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '../engines/start-error.ts';

export const DEFAULT_FOLDER = 'quaestor-demo';
const MARKER = 'demo-bank.json';

interface Marker {
  /** False while the bank is being filled: a start that finds it so begins again. */
  filled: boolean;
}

/** Returns whether the folder has a demo bank. Otherwise it is marked as the folder of one. */
export function prepareFolder(folder: string): { path: string; isFilled: boolean } {
  const path = resolve(folder);
  const marker = readMarker(path);
  if (marker) return { path, isFilled: marker.filled };
  if (existsSync(path) && !isEmptyFolder(path))
    throw new StartError(
      `${path} is not the folder of a demo bank, and not empty. Name another one with --data-dir.`,
    );
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeMarker(path, { filled: false });
  return { path, isFilled: false };
}

export const markFilled = (path: string): void => writeMarker(path, { filled: true });

/** Removes the files of a bank that was not filled to the end. Call it when no process has it open. */
export function removeBank(path: string): void {
  for (const name of readdirSync(path))
    if (name.startsWith('quaestor.')) rmSync(join(path, name), { recursive: true });
}

const isEmptyFolder = (path: string) => statSync(path).isDirectory() && readdirSync(path).length === 0;

const writeMarker = (path: string, marker: Marker) =>
  writeFileSync(join(path, MARKER), `${JSON.stringify(marker)}\n`);

function readMarker(path: string): Marker | undefined {
  try {
    return JSON.parse(readFileSync(join(path, MARKER), 'utf8')) as Marker;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
