/**
 * Bundles the console in memory, once per process: nothing that is built is committed or has to be
 * built by a script. The service asks for it at the first request of a page.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { Metafile } from 'esbuild';

const gzip = promisify(gzipWithCallback);
const GZIP_LEVEL = 9;

interface Asset {
  /** With a hash of its content. */
  name: string;
  type: string;
  bytes: Uint8Array;
  gzip: Uint8Array;
}

export interface Bundle {
  assets: Map<string, Asset>;
  /** Names of the assets that the page loads first. */
  script: string;
  style: string;
  /** What went into the bundle. */
  metafile: Metafile;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

let building: Promise<Bundle> | undefined;

/**
 * Builds the console at the first call in this process; after a failure the next call tries again.
 * Builds do not overlap: they would share the child process of esbuild, and a build whose process
 * another one stops never ends.
 */
export function buildConsole(): Promise<Bundle> {
  building ??= build().catch((error) => {
    building = undefined;
    throw error;
  });
  return building;
}

async function build(): Promise<Bundle> {
  // Loaded when it is needed: the binary is started by the first build.
  const esbuild = await import('esbuild');
  const folder = fileURLToPath(new URL('.', import.meta.url));
  try {
    const { outputFiles, metafile } = await esbuild.build({
      absWorkingDir: folder,
      entryPoints: { console: 'main.tsx' },
      outdir: 'assets',
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      write: false,
      metafile: true,
      legalComments: 'none',
      logLevel: 'silent',
      tsconfig: 'tsconfig.json',
      // esbuild ignores tsconfig.json below node_modules, where an installed package is.
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    const assets = await Promise.all(
      outputFiles.map(async ({ path, contents }): Promise<Asset> => {
        const name = path.slice(path.lastIndexOf('/') + 1).slice(path.lastIndexOf('\\') + 1);
        const type = TYPES[name.slice(name.lastIndexOf('.'))]!;
        return { name, type, bytes: contents, gzip: await gzip(contents, { level: GZIP_LEVEL }) };
      }),
    );
    const findEntry = (ending: string) =>
      assets.find(({ name }) => name.startsWith('console-') && name.endsWith(ending))!.name;
    return {
      assets: new Map(assets.map((asset) => [asset.name, asset])),
      script: findEntry('.js'),
      style: findEntry('.css'),
      metafile,
    };
  } finally {
    // Ends the child process, which would hold some 20 MB.
    await esbuild.stop();
  }
}

/** The page: one module and one style sheet, nothing inline. */
export function renderShell({ script, style }: Bundle): { html: string; etag: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quaestor</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<noscript><p class="notice">The console needs JavaScript. The API is documented at <a href="/docs">/docs</a>.</p></noscript>
<div id="console"></div>
</body>
</html>
`;
  return { html, etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"` };
}
