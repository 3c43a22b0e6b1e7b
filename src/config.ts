/** Settings, read once from the environment and passed down. A wrong one stops the start with a sentence naming it. */
import { readFileSync } from 'node:fs';
import Type, { type Static, type TSchema } from 'typebox';
import { StartError } from './engines/start-error.ts';
import { faultsIn } from './http/validation.ts';

const Config = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000 }),
  HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  QUAESTOR_DATA_DIR: Type.String({ minLength: 1, default: './data' }),
  QUAESTOR_DATABASE_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  QUAESTOR_LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
  }),
});
export type Config = Static<typeof Config>;

/** Settings that may hold a password can come from a file named by `…_FILE`, as containers like it. */
const FROM_FILE = ['QUAESTOR_DATABASE_URL'];

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(Config.properties) as [
    string,
    TSchema & { default?: unknown; type?: string },
  ][]) {
    const text = fromFile(name, env) ?? env[name];
    if (text === undefined || text === '') values[name] = schema.default;
    else values[name] = schema.type === 'integer' && /^\d{1,9}$/.test(text) ? Number(text) : text;
  }
  const unknown = Object.keys(env).filter((name) => name.startsWith('QUAESTOR_') && !known(name));
  if (unknown.length > 0) {
    throw new StartError(
      `There is no setting ${unknown.join(', ')}. There are ${Object.keys(Config.properties).join(', ')}.`,
    );
  }
  const [fault] = faultsIn(Config, values);
  if (fault) {
    const name = fault.pointer.slice(1);
    // A setting that may hold a password is not shown.
    const shown = FROM_FILE.includes(name) ? '' : ` (it is ${JSON.stringify(env[name])})`;
    const detail = name === 'QUAESTOR_DATABASE_URL' ? 'must begin with postgres://' : fault.detail;
    throw new StartError(`The setting ${name} ${detail}${shown}.`);
  }
  return values as Config;
}

function known(name: string): boolean {
  return (
    name in Config.properties ||
    FROM_FILE.includes(name.replace(/_FILE$/, '')) ||
    name.startsWith('QUAESTOR_TEST_')
  );
}

function fromFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[`${name}_FILE`];
  if (!FROM_FILE.includes(name) || !path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartError(`The file of ${name}_FILE cannot be read: ${(error as Error).message}.`);
  }
}
