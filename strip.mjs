// Strips the types of Quaestor's own modules. Node does so by itself, except below node_modules,
// where an installed package is. run.mjs preloads this file there, for the process, its threads and
// its worker processes.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['src/', 'console/'].map((folder) => new URL(folder, import.meta.url).href);

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.ts') || !FOLDERS.some((folder) => url.startsWith(folder))) return next(url, context);
    // Types become spaces: lines and columns of stacks stay those of the source.
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'), { mode: 'strip' });
    return { format: 'module', source, shortCircuit: true };
  },
});
