/** The requirements of `npm ci` on every platform and registry. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const packages: Record<string, { optionalDependencies?: Record<string, string> }> = JSON.parse(text).packages;

describe('the lockfile', () => {
  it('has every package for every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('names no registry', () => {
    assert.ok(!text.includes('"resolved"') && !/https?:\/\/[^"]*\.tgz/.test(text));
  });
});
