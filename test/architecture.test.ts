/**
 * The layers of src and of the console: the folders and packages that each folder may import. Imports
 * have no cycles.
 * A file that assembles a folder (`store/commands.ts`, `analyses/index.ts`, `engines/index.ts`) is
 * a part above that folder.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';

const MAX_FILE_LINES = 360;
/** Longest chain of imports between files of the store. */
const MAX_STORE_LEVELS = 8;

interface Rule {
  /** Parts, without their subfolders, or single files. */
  imports: string[];
  /** Parts of which only types may be imported. */
  types?: string[];
  /** Default: the packages of the parent folder. */
  packages?: string[];
}

const STORE_NOUNS = [
  ...['findings', 'questions', 'review', 'reports', 'responses', 'analyses', 'access', 'changes', 'imports'],
  ...['draws', 'draws/row.ts', 'opentdb'],
].map((noun) => `store/${noun}`);
const ENGINE: Rule['imports'] = [
  ...['errors.ts', 'concurrency', 'engines', 'store', 'store/index', 'store/migrate', 'store/commands.ts'],
];
const ANALYSIS = [
  ...['schemas', 'bits', 'text', 'statistics', 'concurrency', 'charts/figure.ts'],
  ...['analyses', 'analyses/shared'],
];
const PLAIN_ANALYSES = ['coverage', 'dif', 'difficulty-audit', 'duplicates', 'labels', 'readability'];
const ANALYSES = [...PLAIN_ANALYSES, 'irt', 'item-statistics', 'quality', 'reliability'].map(
  (type) => `analyses/${type}`,
);
const API = [
  ...['schemas', 'bits', 'errors.ts', 'concurrency', 'http', 'access', 'store', ...STORE_NOUNS],
  ...['duplicate-check', 'transfer'],
];

const PREACT = ['preact', '@preact/signals'];

/** From the bottom up. Paths are relative to src. */
const RULES: Record<string, Rule> = {
  'errors.ts': { imports: [], packages: [] },
  schemas: { imports: ['errors.ts', 'text'], packages: ['typebox'] },
  concurrency: { imports: [], packages: ['node:timers'] },
  bits: { imports: [], packages: [] },
  // Text as people write it: numbers, markup, differences of typing.
  text: { imports: [], packages: [] },
  statistics: { imports: [], packages: [] },
  // The types of figures, which analyses return.
  'charts/figure.ts': { imports: [], packages: [] },
  charts: { imports: ['charts/figure.ts'], packages: ['d3-array', 'd3-scale'] },

  formats: { imports: [], packages: ['node:buffer', 'entities'] },
  'formats/text': { imports: ['formats'] },
  'formats/table': { imports: ['formats'] },
  'formats/xml': { imports: ['formats'], packages: ['node:buffer', 'saxes', 'entities'] },
  'formats/html': { imports: ['formats', 'formats/xml'], packages: ['parse5'] },
  'formats/items': { imports: ['formats', 'formats/xml', 'formats/html'] },
  'formats/csv': { imports: ['formats', 'formats/text', 'formats/table'] },
  'formats/json': { imports: ['formats', 'formats/text', 'formats/table'] },
  'formats/gift': { imports: ['formats', 'formats/text', 'formats/html', 'formats/items'] },
  'formats/aiken': { imports: ['formats', 'formats/text'] },
  'formats/anki': {
    imports: [
      ...['formats', 'formats/text', 'formats/table', 'formats/html', 'formats/items'],
      ...['formats/csv', 'formats/json'],
    ],
  },
  'formats/moodle-xml': { imports: ['formats', 'formats/xml', 'formats/html', 'formats/items'] },
  'formats/zip': {
    imports: ['formats'],
    packages: ['yauzl', 'yazl', 'node:events', 'node:stream', 'node:zlib'],
  },
  'formats/qti12': {
    imports: ['formats', 'formats/xml', 'formats/html', 'formats/items'],
    packages: ['entities'],
  },
  'formats/qti': {
    imports: ['formats', 'formats/xml', 'formats/html', 'formats/items', 'formats/qti12', 'formats/zip'],
    packages: ['node:path'],
  },
  'formats/xlsx': {
    imports: ['formats', 'formats/xml', 'formats/table', 'formats/zip'],
    packages: ['node:path', 'saxes'],
  },
  'formats/apkg': {
    imports: ['formats', ...['html', 'items', 'table', 'zip'].map((name) => `formats/${name}`)],
    packages: [...['entities', 'node:crypto', 'node:fs', 'node:os', 'node:path', 'node:sqlite', 'node:zlib']],
  },
  'formats/responses': { imports: ['formats', 'formats/text', 'formats/csv'] },
  'formats/index.ts': {
    imports: [
      'formats',
      ...['csv', 'json', 'gift', 'aiken', 'anki', 'moodle-xml', 'qti', 'xlsx', 'apkg'].map(
        (name) => `formats/${name}`,
      ),
    ],
  },

  store: { imports: ['schemas', 'errors.ts', 'concurrency'], packages: ['node:crypto', 'node:zlib'] },
  'store/index': { imports: ['bits', 'errors.ts', 'store'] },
  // Below questions, which are filtered by findings, and analyses, which record them.
  'store/findings': { imports: ['errors.ts', 'store', 'store/index'] },
  'store/questions': {
    imports: [
      'schemas',
      'bits',
      'text',
      'errors.ts',
      'concurrency',
      'store',
      'store/index',
      'store/findings',
    ],
  },
  'store/reports': { imports: ['schemas', 'errors.ts', 'store', 'store/questions'] },
  'store/review': { imports: ['schemas', 'errors.ts', 'store', 'store/questions'] },
  // Deleting a respondent deletes their reports and draws.
  'store/draws/row.ts': { imports: ['store'] },
  'store/responses': {
    imports: [
      ...['schemas', 'bits', 'errors.ts', 'concurrency', 'store', 'store/questions', 'store/reports'],
      'store/draws/row.ts',
    ],
  },
  'store/analyses': {
    imports: [
      ...['schemas', 'errors.ts', 'store', 'store/index'],
      ...['store/findings', 'store/questions', 'store/reports'],
    ],
  },
  'store/draws': {
    imports: [
      ...['schemas', 'errors.ts', 'store', 'store/index', 'store/questions', 'store/responses'],
      ...['store/analyses', 'store/draws/row.ts'],
    ],
  },
  'store/opentdb': { imports: ['schemas', 'bits', 'store', 'store/index', 'store/questions'] },
  'store/changes': {
    imports: [
      ...['schemas', 'errors.ts', 'concurrency', 'store', 'store/index'],
      ...['store/findings', 'store/questions', 'store/responses', 'store/analyses'],
    ],
  },
  'store/imports': {
    imports: ['schemas', 'errors.ts', 'store', 'store/questions', 'store/responses', 'store/changes'],
  },
  'store/access': { imports: ['schemas', 'errors.ts', 'store'] },
  // Shows the credentials it creates before the commit.
  'store/access/first-client.ts': {
    imports: ['schemas', 'errors.ts', 'store', 'store/access'],
    packages: ['node:fs'],
  },
  'store/migrate': {
    imports: ['errors.ts', 'concurrency', 'store', 'store/index', ...STORE_NOUNS],
    packages: ['node:crypto', 'node:timers'],
  },
  'store/verify': { imports: ['store', 'store/index', 'store/migrate', ...STORE_NOUNS] },
  'store/commands.ts': {
    imports: ['store', 'store/index', 'store/migrate', 'store/access/first-client.ts', ...STORE_NOUNS],
  },

  engines: { imports: ['errors.ts', 'concurrency', 'store'], packages: [] },
  'engines/sqlite': {
    imports: ENGINE,
    packages: ['node:crypto', 'node:sqlite', 'node:stream', 'node:worker_threads', 'node:fs', 'node:path'],
  },
  'engines/postgres': { imports: ENGINE, packages: ['pg', 'pg-connection-string', 'node:timers'] },
  'engines/index.ts': {
    imports: [
      ...['errors.ts', 'concurrency', 'store', 'store/questions'],
      ...['engines', 'engines/sqlite', 'engines/postgres'],
    ],
  },

  analyses: {
    imports: ['schemas', 'concurrency', 'charts/figure.ts'],
    packages: [
      ...['typebox', 'cmu-pronouncing-dictionary', 'hyphen', 'dale-chall'],
      ...['node:os', 'node:timers', 'node:worker_threads'],
    ],
  },
  'analyses/shared': { imports: ['schemas', 'statistics', 'concurrency', 'analyses'] },
  'analyses/classical': { imports: ANALYSIS },
  'analyses/irt/calibration': { imports: ['statistics', 'concurrency', 'analyses/shared'] },
  ...Object.fromEntries(PLAIN_ANALYSES.map((type) => [`analyses/${type}`, { imports: ANALYSIS }])),
  'analyses/irt': { imports: [...ANALYSIS, 'analyses/irt/calibration'] },
  'analyses/quality/rules': { imports: ANALYSIS },
  'analyses/quality': { imports: [...ANALYSIS, 'analyses/quality/rules'] },
  'analyses/item-statistics': { imports: [...ANALYSIS, 'analyses/classical'] },
  'analyses/reliability': { imports: [...ANALYSIS, 'analyses/classical'] },
  'analyses/index.ts': { imports: ['analyses', ...ANALYSES] },

  jobs: {
    imports: [
      ...['schemas', 'text', 'errors.ts', 'concurrency', 'analyses', 'analyses/shared', 'analyses/index.ts'],
      ...['store', 'store/index', 'store/findings', 'store/questions', 'store/responses', 'store/analyses'],
      ...['store/changes', 'store/imports', 'transfer'],
    ],
    packages: ['node:child_process', 'node:crypto', 'node:os', 'node:timers', 'node:util', 'node:zlib'],
  },
  // The entry point of the worker process, which opens the bank itself.
  'jobs/worker.ts': {
    imports: ['errors.ts', 'jobs', 'analyses/index.ts', 'engines/index.ts', 'store', 'store/analyses'],
    packages: ['node:module', 'node:os'],
  },

  verification: { imports: ['store', 'verification'], packages: ['node:worker_threads', 'node:timers'] },
  // The entry point of the thread, which opens the bank itself.
  'verification/thread.ts': { imports: ['engines/index.ts', 'store/verify', 'verification'] },

  // Above both the store, which finds similar questions, and the analysis, which compares them.
  'duplicate-check': {
    imports: ['schemas', 'text', 'concurrency', 'analyses/duplicates', 'store', 'store/questions'],
    packages: [],
  },

  // Between files and the bank.
  transfer: {
    imports: [
      ...['schemas', 'errors.ts', 'concurrency', 'formats', 'formats/index.ts', 'formats/responses'],
      ...['formats/zip', 'http'],
      ...['store', 'store/questions', 'store/imports'],
    ],
    packages: ['node:worker_threads'],
  },
  // The entry point of the thread, which opens the bank itself.
  'transfer/import-thread.ts': {
    imports: ['errors.ts', 'formats', 'engines/index.ts', 'store/imports', 'transfer'],
  },

  access: {
    imports: [
      ...['schemas', 'errors.ts', 'concurrency'],
      ...['store', 'store/access', 'store/access/first-client.ts'],
    ],
    packages: ['fastify', 'node:crypto', 'node:net', 'node:zlib'],
  },
  http: {
    imports: ['schemas', 'bits', 'errors.ts', 'concurrency', 'store', 'access'],
    packages: [
      ...['typebox', 'fastify', 'node:crypto', 'node:http', 'node:net', 'node:buffer'],
      ...['node:stream', 'node:timers', 'node:zlib'],
    ],
  },
  api: {
    imports: API,
    packages: [
      ...['fastify', 'typebox', 'node:crypto', 'node:fs', 'node:http'],
      ...['node:stream', 'node:timers', 'node:util', 'node:zlib'],
    ],
  },
  'api/console.ts': { imports: ['errors.ts', '../console/build.ts'] },
  'api/docs': { imports: ['schemas', 'errors.ts', 'http', 'access', 'store'] },
  'api/analysis': {
    imports: [...API, 'api', 'jobs', 'charts', 'charts/figure.ts', 'analyses', 'analyses/index.ts'],
  },
  'api/changes': { imports: [...API, 'api'] },
  'api/imports': { imports: [...API, 'api', 'formats/index.ts', 'formats/responses'] },
  'api/events': { imports: [...API, 'api'] },
  'api/opentdb': { imports: [...API, 'api'] },
  'api/operations': { imports: [...API, 'api', 'api/docs', 'jobs', 'verification'] },

  'app.ts': {
    imports: [
      ...['schemas', 'errors.ts', 'http', 'access', 'jobs', 'store', 'store/questions'],
      ...['api', 'api/console.ts', 'api/analysis', 'api/changes', 'api/docs', 'api/events', 'api/imports'],
      ...['api/opentdb', 'api/operations', 'verification'],
    ],
    packages: ['fastify', 'typebox', 'node:http'],
  },
  'config.ts': {
    imports: ['schemas', 'errors.ts', 'engines', 'http', 'access'],
    packages: ['typebox', 'node:fs'],
  },
  // A bank to play with: its questions, simulated responses, and the service that shows them.
  demo: {
    imports: [
      ...['schemas', 'access', 'app.ts', 'config.ts', 'engines', 'engines/index.ts'],
      ...['store', 'store/access', 'store/questions', 'store/responses'],
    ],
    packages: ['node:events', 'node:fs', 'node:net', 'node:path'],
  },
  cli: {
    imports: [
      'demo',
      ...['schemas', 'errors.ts', 'http', 'access', 'config.ts', 'engines', 'engines/index.ts', 'main.ts'],
      ...[
        'store',
        'store/access',
        'store/migrate',
        'store/verify',
        'store/questions',
        'formats',
        'formats/index.ts',
        ...['transfer', 'jobs', 'store/changes', 'store/imports'],
        ...['analyses', 'analyses/index.ts', 'concurrency', 'charts', 'charts/figure.ts', 'client'],
      ],
    ],
    packages: [
      ...['node:fs', 'node:fs/promises', 'node:path', 'node:stream/promises', 'node:util', 'typebox'],
      ...[
        'node:crypto',
        'node:http',
        'node:https',
        'node:os',
        'node:module',
        'node:net',
        'node:zlib',
        'node:stream',
        'node:timers',
        'esbuild',
      ],
    ],
  },
  'main.ts': {
    imports: [
      ...['errors.ts', 'access', 'app.ts', 'config.ts', 'engines', 'engines/index.ts'],
      ...['store', 'store/access', 'store/imports', 'store/draws/row.ts', 'store/opentdb'],
    ],
    packages: ['node:module', 'node:timers'],
  },

  // Requests to the API, for browsers and Node.
  client: { imports: [], packages: [] },
  // Runs in a browser. Schemas are types alone there: TypeBox would double what a page loads.
  '../console/style': { imports: [], packages: [] },
  '../console/state': { imports: ['client'], types: ['schemas'], packages: PREACT },
  '../console/parts': { imports: ['client', '../console/state'], types: ['schemas'], packages: PREACT },
  '../console/pages': {
    imports: ['client', '../console/state', '../console/parts'],
    types: ['schemas'],
    packages: PREACT,
  },
  '../console': {
    imports: ['../console/state', '../console/parts', '../console/pages', '../console/style'],
    packages: PREACT,
  },
  // Runs in the service.
  '../console/build.ts': {
    imports: [],
    packages: ['esbuild', 'node:crypto', 'node:url', 'node:util', 'node:zlib'],
  },
};

const source = resolve(import.meta.dirname, '../src');
const files = globSync(['**/*.ts', '../console/**/*.{ts,tsx}'], { cwd: source })
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const readText = (file: string) => readFileSync(resolve(source, file), 'utf8');

/** The part of a file: the file itself where it has a rule, else its folder. */
function findPart(file: string): string {
  return file in RULES ? file : dirname(file);
}

function listPackages(part: string): string[] {
  return RULES[part]?.packages ?? (part === '.' ? [] : listPackages(dirname(part)));
}

const IMPORT = /^(?:import|export)( type)? (?:[^';]* from )?'([^']+)'|\bimport\('([^']+)'\)/gm;

interface Import {
  from: string;
  /** A file of src, or a package. */
  to: string;
  isPackage: boolean;
  /** Erased by type stripping. */
  isType: boolean;
}

/** All imports. A file that is started as a thread or a process (`new URL`) is not imported. */
const imports: Import[] = files.flatMap((from) =>
  [...readText(from).matchAll(IMPORT)].map(([, type, declared, dynamic]) => {
    const path = (declared ?? dynamic)!;
    const isPackage = !path.startsWith('.');
    const target = relative(source, resolve(source, dirname(from), path)).replaceAll('\\', '/');
    return { from, to: isPackage ? path : target, isPackage, isType: type !== undefined };
  }),
);
const ours = imports.filter(({ isPackage }) => !isPackage);

type Graph = Map<string, Set<string>>;

function toGraph(edges: Iterable<[from: string, to: string]>): Graph {
  const graph: Graph = new Map();
  for (const [from, to] of edges) {
    graph.getOrInsertComputed(to, () => new Set());
    graph.getOrInsertComputed(from, () => new Set()).add(to);
  }
  return graph;
}

/** Tarjan's strongly connected components, those that import nothing of the others first. */
function findComponents(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];
  const visit = (node: string) => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node)!) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) === index.get(node)) components.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return components;
}

const findCycles = (graph: Graph) => findComponents(graph).filter(({ length }) => length > 1);

/** The longest chain of imports, each cycle counted as one file. */
function findLongestChain(graph: Graph): string[] {
  const chains = new Map<string, string[]>();
  let longest: string[] = [];
  for (const component of findComponents(graph)) {
    const below = component.flatMap((file) => [...graph.get(file)!].map((next) => chains.get(next) ?? []));
    const tail = below.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
    const chain = [component.join(' + '), ...tail];
    for (const file of component) chains.set(file, chain);
    if (chain.length > longest.length) longest = chain;
  }
  return longest;
}

describe('the architecture', () => {
  it('has a rule for every folder', () => {
    const without = files.filter((file) => !(findPart(file) in RULES));
    assert.deepEqual(without, []);
  });

  it('allows imports one way: the rules have no cycle', () => {
    const edges = Object.entries(RULES).flatMap(([part, rule]) =>
      rule.imports.map((other): [string, string] => [part, other]),
    );
    assert.deepEqual(findCycles(toGraph(edges)), []);
  });

  it('has no import that its rules do not allow', () => {
    const listAllowed = (part: string, isType: boolean) => [
      ...[part, ...(RULES[part]?.imports ?? [])],
      ...((isType && RULES[part]?.types) || []),
    ];
    const forbidden = ours
      .filter(({ from, to, isType }) => !listAllowed(findPart(from), isType).includes(findPart(to)))
      .map(({ from, to }) => `${from} imports ${to}`);
    assert.deepEqual(forbidden, []);
  });

  it('uses no package that its rules do not allow', () => {
    const forbidden = imports
      .filter(({ isPackage }) => isPackage)
      .filter(
        ({ from, to }) =>
          !listPackages(findPart(from)).some((name) => to === name || to.startsWith(`${name}/`)),
      )
      .map(({ from, to }) => `${from} imports ${to}`);
    assert.deepEqual(forbidden, []);
  });

  it('loads the builders of TypeBox nowhere: its types only, and the validator', () => {
    const loaded = imports.filter(({ to, isType }) => to === 'typebox' && !isType);
    assert.deepEqual(loaded, []);
  });

  it('has no cycle between files, types aside', () => {
    const atRuntime = ours.filter(({ isType }) => !isType);
    assert.deepEqual(findCycles(toGraph(atRuntime.map(({ from, to }) => [from, to]))), []);
  });

  it(`has at most ${MAX_STORE_LEVELS} levels in the store`, () => {
    const inStore = ours.filter(({ from, to }) => from.startsWith('store/') && to.startsWith('store/'));
    const chain = findLongestChain(toGraph(inStore.map(({ from, to }) => [from, to])));
    assert.ok(chain.length <= MAX_STORE_LEVELS, `${chain.length} levels: ${chain.join(' > ')}`);
  });

  it(`has no file of more than ${MAX_FILE_LINES} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: readText(file).split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_FILE_LINES);
    assert.deepEqual(long, []);
  });
});
