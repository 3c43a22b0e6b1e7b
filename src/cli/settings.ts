/** The settings of the environment, and the bank that a command works on. */
import { type Config, getLifetimes, readConfig } from '../config.ts';
import { openEngine } from '../engines/index.ts';
import type { Engine } from '../store/db.ts';

interface FolderOption {
  readonly 'data-dir'?: string | undefined;
}

export const readSettings = ({ 'data-dir': folder }: FolderOption): Config =>
  readConfig({ ...process.env, ...(folder !== undefined && { QUAESTOR_DATA_DIR: folder }) });

/** A data folder that is named takes precedence over the environment. */
export function getAddress(options: FolderOption): { dataDir: string; databaseUrl: string | undefined } {
  const config = readSettings(options);
  const isFolder = options['data-dir'] !== undefined;
  return {
    dataDir: config.QUAESTOR_DATA_DIR,
    databaseUrl: isFolder ? undefined : config.QUAESTOR_DATABASE_URL,
  };
}

/** The bank of a running service, where there is a URL, else a data folder or database. */
export const getBankSettings = (options: FolderOption & { readonly url?: string | undefined }) => ({
  url: options.url ?? (options['data-dir'] === undefined ? process.env.QUAESTOR_URL : undefined),
  key: process.env.QUAESTOR_KEY,
  ...getAddress(options),
});

/** Opens a bank beside a running service, for the time of the work. */
export async function withEngine<R>(options: FolderOption, work: (engine: Engine) => Promise<R>): Promise<R> {
  const engine = await openEngine({ ...getAddress(options), mode: 'admin' });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

export const readLifetimes = (options: FolderOption) => getLifetimes(readSettings(options));
