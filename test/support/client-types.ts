/** Generates the types of a client from the OpenAPI document, and compiles code that uses them. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenApi } from '../../src/api/docs/openapi-types.ts';

/** openapi-typescript uses the compiler API, which TypeScript 7 does not have. */
const COMPILER_API = import.meta.resolve('@tsd/typescript');

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
const OPTIONS = '--strict --noEmit --ignoreConfig --target esnext --module nodenext --pretty false'.split(
  ' ',
);

/** With its default options, as most users do. */
export async function generateTypes(document: OpenApi): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? COMPILER_API : specifier, context),
  });
  try {
    const { default: generate, astToString } = await import('openapi-typescript');
    return astToString(await generate(JSON.stringify(document)));
  } finally {
    hooks.deregister();
  }
}

/** Compiles files, by name, in a folder. Returns the errors of each file. */
export async function compile(
  folder: string,
  files: Record<string, string>,
): Promise<Record<string, string[]>> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const args = [TSC, ...OPTIONS, ...Object.keys(files)];
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  );
  const errors: Record<string, string[]> = Object.fromEntries(Object.keys(files).map((name) => [name, []]));
  // Lines of detail are indented, and follow their error.
  for (const line of output.split('\n').filter((text) => /^\S/.test(text))) {
    const [, path = ''] = /^(.+?)\(\d+,\d+\): error/.exec(line) ?? [];
    // An error without a file, such as an unknown option, counts against every file.
    const names = errors[basename(path)] ? [basename(path)] : Object.keys(errors);
    for (const name of names) errors[name]!.push(line);
  }
  return errors;
}
