// Hooks of the module loader for Quaestor's own modules. run.mjs preloads this file into the process,
// its threads and its worker processes.
import { readFileSync } from 'node:fs';
// Not by name: a program that is started with the same NODE_OPTIONS may be an older Node.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('.', import.meta.url).href;
const FOLDERS = ['src/', 'console/'].map((folder) => ROOT + folder);
const isPacked = ROOT.includes('/node_modules/');

/**
 * Imports name files exactly. Node would look for each file, its links and the nearest package.json,
 * which takes almost half of the time to load a module that is in the compile cache.
 */
function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (!/^\.{1,2}\/.*\.ts$/.test(specifier) || !parentURL?.startsWith(ROOT)) return next(specifier, context);
  return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
}

/** Node strips types, except below node_modules. They become spaces, so that stacks keep their positions. */
function load(url, context, next) {
  if (!url.endsWith('.ts') || !FOLDERS.some((folder) => url.startsWith(folder))) return next(url, context);
  const source = module.stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'), { mode: 'strip' });
  return { format: 'module', source, shortCircuit: true };
}

module.registerHooks?.(isPacked ? { resolve, load } : { resolve });
