import { readFileSync } from 'node:fs';

/** The version of the package. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, 'utf8'));
  return version;
}
