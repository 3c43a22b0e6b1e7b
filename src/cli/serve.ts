/** `quaestor serve`: starts the service in this process. */

export interface ServiceOptions {
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

/** A data folder that is named takes precedence over a database. */
export const applyOptions = (
  env: NodeJS.ProcessEnv,
  { port, host, 'data-dir': folder }: ServiceOptions,
): NodeJS.ProcessEnv => ({
  ...env,
  ...(port !== undefined && { PORT: port }),
  ...(host !== undefined && { HOST: host }),
  ...(folder !== undefined && {
    QUAESTOR_DATA_DIR: folder,
    QUAESTOR_DATABASE_URL: '',
    QUAESTOR_DATABASE_URL_FILE: '',
  }),
});

/** The main module reads its settings from the environment, and ends the process by itself. */
export async function serve(_args: string[], options: ServiceOptions): Promise<undefined> {
  process.env = applyOptions(process.env, options);
  await import('../main.ts');
}
