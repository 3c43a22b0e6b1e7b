/** Who may import whom. The layout shows the architecture; this keeps it so. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';

const source = resolve(import.meta.dirname, '../src');

/** For each part: the parts of ours it may import (a file where only that one is meant), and the packages. */
const RULES: Record<string, { ours: string[]; packages: string[] }> = {
  schemas: { ours: ['errors.ts'], packages: ['typebox'] },
  'errors.ts': { ours: [], packages: [] },
  store: {
    ours: ['schemas', 'errors.ts', 'concurrency', 'bits', 'store/access/first-client.ts'],
    packages: ['node:crypto'],
  },
  // Shows the credentials it creates before the commit.
  'store/access/first-client.ts': { ours: ['store', 'errors.ts'], packages: ['node:fs'] },
  'engines/sqlite': {
    ours: [
      'store',
      'errors.ts',
      'concurrency',
      'engines/start-error.ts',
      'engines/fixed-categories.ts',
      'engines/shared-migrations.ts',
    ],
    packages: ['node:sqlite', 'node:worker_threads', 'node:fs', 'node:path'],
  },
  'engines/postgres': {
    ours: [
      'store',
      'errors.ts',
      'concurrency',
      'engines/start-error.ts',
      'engines/fixed-categories.ts',
      'engines/shared-migrations.ts',
    ],
    packages: ['pg', 'pg-connection-string', 'node:timers'],
  },
  engines: {
    ours: ['store/db.ts', 'store/bank-state.ts', 'engines/sqlite', 'engines/postgres'],
    packages: [],
  },
  concurrency: { ours: [], packages: ['node:timers'] },
  statistics: { ours: [], packages: [] },
  bits: { ours: [], packages: [] },
  analyses: {
    ours: ['schemas', 'statistics', 'concurrency', 'bits', 'charts/figure.ts'],
    packages: [
      ...['typebox', 'cmu-pronouncing-dictionary', 'hyphen', 'dale-chall'],
      ...['node:os', 'node:timers', 'node:worker_threads'],
    ],
  },
  charts: { ours: [], packages: ['d3-array', 'd3-scale'] },
  jobs: {
    ours: ['store', 'analyses', 'errors.ts', 'concurrency', 'jobs/worker.ts'],
    packages: ['node:child_process', 'node:crypto', 'node:os', 'node:timers', 'node:util', 'node:zlib'],
  },
  // A process of its own, and so a main one: it opens the bank by itself.
  'jobs/worker.ts': {
    ours: ['jobs', 'store', 'analyses', 'engines', 'errors.ts'],
    packages: ['node:module', 'node:os'],
  },
  access: {
    ours: ['schemas', 'store', 'errors.ts', 'concurrency'],
    packages: ['fastify', 'node:crypto', 'node:net', 'node:zlib'],
  },
  http: {
    ours: ['schemas', 'access', 'errors.ts', 'concurrency', 'store/db.ts', 'store/ids.ts'],
    packages: ['typebox', 'fastify', 'node:crypto', 'node:http', 'node:net', 'node:buffer'],
  },
  api: {
    ours: [
      'schemas',
      'store',
      'http',
      'access',
      'jobs',
      'analyses',
      'charts',
      'errors.ts',
      'concurrency',
      'bits',
    ],
    packages: [
      ...['fastify', 'typebox', 'node:crypto', 'node:fs', 'node:http'],
      ...['node:stream', 'node:timers', 'node:util', 'node:zlib'],
    ],
  },
  'app.ts': {
    ours: ['api', 'http', 'access', 'jobs', 'errors.ts', 'store'],
    packages: ['fastify', 'typebox'],
  },
  'config.ts': { ours: ['engines/start-error.ts', 'http', 'access'], packages: ['typebox', 'node:fs'] },
  cli: {
    ours: ['access', 'config.ts', 'engines', 'errors.ts', 'http', 'schemas', 'store'],
    packages: ['node:path', 'node:util', 'typebox'],
  },
  'main.ts': {
    ours: ['app.ts', 'config.ts', 'engines', 'errors.ts', 'store', 'access'],
    packages: ['node:events', 'node:module', 'node:net'],
  },
};

const files = globSync('**/*.ts', { cwd: source }).map((file) => file.replaceAll('\\', '/'));
const within = (file: string, part: string) => file === part || file.startsWith(`${part}/`);
/** The most particular part a file belongs to. */
const partOf = (file: string) =>
  Object.keys(RULES)
    .filter((part) => within(file, part))
    .sort((a, b) => b.length - a.length)[0];

function importsOf(file: string): string[] {
  const text = readFileSync(resolve(source, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom |\bimport |\bimport\(|new URL\()'([^']+)'/g)].map(([, path]) => path!);
}

describe('the architecture', () => {
  it('has a place for every file', () => {
    assert.deepEqual(
      files.filter((file) => !partOf(file)),
      [],
    );
  });

  for (const file of files) {
    it(`is kept by ${file}`, () => {
      const part = partOf(file)!;
      const rule = RULES[part]!;
      for (const path of importsOf(file)) {
        if (path.startsWith('.')) {
          const target = relative(source, resolve(source, dirname(file), path)).replaceAll('\\', '/');
          const allowed = partOf(target) === part || rule.ours.some((other) => within(target, other));
          assert.ok(
            allowed,
            `${file} imports ${target}; ${part} may import ${rule.ours.join(', ') || 'nothing of ours'}`,
          );
        } else {
          const allowed = rule.packages.some((name) => path === name || path.startsWith(`${name}/`));
          assert.ok(
            allowed,
            `${file} imports ${path}; ${part} may use ${rule.packages.join(', ') || 'no package'}`,
          );
        }
      }
    });
  }

  it('stays small: a file that no longer fits in one head wants to be two', () => {
    for (const file of files) {
      const lines = readFileSync(resolve(source, file), 'utf8').split('\n').length;
      assert.ok(lines <= 360, `${file} has ${lines} lines`);
    }
  });
});
