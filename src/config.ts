/** Settings, read once from the environment and passed down. A wrong one stops the start with a sentence naming it. */
import { readFileSync } from 'node:fs';
import Type, { type Static, type TSchema } from 'typebox';
import { TrustedProxies } from './access/addresses.ts';
import { DEFAULT_LIMITS, type Limits, type RateLimitName } from './access/rate-limiter.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './access/sessions.ts';
import { StartError } from './engines/start-error.ts';
import { faultsIn } from './http/validation.ts';

const PerMinute = (budget: RateLimitName) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, default: DEFAULT_LIMITS[budget] });
const Lifetime = (initial: string) => Type.String({ pattern: '^[1-9][0-9]{0,8}[smhd]$', default: initial });

const Config = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000 }),
  HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  QUAESTOR_DATA_DIR: Type.String({ minLength: 1, default: './data' }),
  QUAESTOR_DATABASE_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  QUAESTOR_DATABASE_CONNECTIONS: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
  QUAESTOR_ROLE: Type.Enum(['all', 'api', 'worker'], { default: 'all' }),
  QUAESTOR_ADMIN_SECRET: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
  QUAESTOR_LIMIT_READ: PerMinute('read'),
  QUAESTOR_LIMIT_WRITE: PerMinute('write'),
  QUAESTOR_LIMIT_ANALYSIS: PerMinute('analysis'),
  QUAESTOR_LIMIT_TOKEN: PerMinute('token'),
  QUAESTOR_ACCESS_LIFETIME: Lifetime('15m'),
  QUAESTOR_REFRESH_IDLE: Lifetime('14d'),
  QUAESTOR_REFRESH_LIFETIME: Lifetime('90d'),
  QUAESTOR_KEY_LIFETIME: Lifetime('365d'),
  QUAESTOR_TRUSTED_PROXIES: Type.String({ default: '' }),
  QUAESTOR_WORKERS: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
  QUAESTOR_ANALYSIS_TIMEOUT: Lifetime('1h'),
  QUAESTOR_LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
  }),
});
export type Config = Static<typeof Config>;

/** Settings that may hold a password can come from a file named by `…_FILE`, as containers like it. */
const FROM_FILE = ['QUAESTOR_DATABASE_URL', 'QUAESTOR_ADMIN_SECRET'];

/** What a pattern stands for, in words. */
const FORMS: Record<string, string> = {
  QUAESTOR_DATABASE_URL: 'must begin with postgres://',
  ...Object.fromEntries(
    ['ACCESS_LIFETIME', 'REFRESH_IDLE', 'REFRESH_LIFETIME', 'KEY_LIFETIME', 'ANALYSIS_TIMEOUT'].map(
      (name) => [`QUAESTOR_${name}`, 'must be a number and s, m, h or d, such as 15m'],
    ),
  ),
};

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
    const detail = FORMS[name] ?? fault.detail;
    throw new StartError(`The setting ${name} ${detail}${shown}.`);
  }
  const config = values as Config;
  try {
    new TrustedProxies(trustedProxies(config));
  } catch (error) {
    throw new StartError(`The setting QUAESTOR_TRUSTED_PROXIES is wrong: ${(error as Error).message}.`);
  }
  if (config.QUAESTOR_ROLE !== 'all' && !config.QUAESTOR_DATABASE_URL)
    throw new StartError(
      `The setting QUAESTOR_ROLE is ${config.QUAESTOR_ROLE}, but a data folder has one process, which does everything. ` +
        'Several share a PostgreSQL: set QUAESTOR_DATABASE_URL.',
    );
  const { access, idle, refresh, key } = lifetimes(config);
  if (key > DEFAULT_LIFETIMES.key)
    throw new StartError('The setting QUAESTOR_KEY_LIFETIME must be at most 365d.');
  if (refresh > LONGEST) throw new StartError('The setting QUAESTOR_REFRESH_LIFETIME must be at most 3650d.');
  if (access > refresh || idle > refresh) {
    throw new StartError(
      'The settings QUAESTOR_ACCESS_LIFETIME and QUAESTOR_REFRESH_IDLE must not exceed QUAESTOR_REFRESH_LIFETIME.',
    );
  }
  return config;
}

export const limits = (config: Config): Limits => ({
  read: config.QUAESTOR_LIMIT_READ,
  write: config.QUAESTOR_LIMIT_WRITE,
  analysis: config.QUAESTOR_LIMIT_ANALYSIS,
  token: config.QUAESTOR_LIMIT_TOKEN,
});

export const lifetimes = (config: Config): Lifetimes => ({
  access: milliseconds(config.QUAESTOR_ACCESS_LIFETIME),
  idle: milliseconds(config.QUAESTOR_REFRESH_IDLE),
  refresh: milliseconds(config.QUAESTOR_REFRESH_LIFETIME),
  key: milliseconds(config.QUAESTOR_KEY_LIFETIME),
});

export const analysisTimeout = (config: Config): number => milliseconds(config.QUAESTOR_ANALYSIS_TIMEOUT);

const LONGEST = 3650 * 86_400_000;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const milliseconds = (lifetime: string) =>
  Number.parseInt(lifetime, 10) * UNITS[lifetime.at(-1) as keyof typeof UNITS];

export const trustedProxies = (config: Config): string[] =>
  config.QUAESTOR_TRUSTED_PROXIES.split(/[\s,]+/).filter(Boolean);

function known(name: string): boolean {
  return (
    name in Config.properties ||
    FROM_FILE.includes(name.replace(/_FILE$/, '')) ||
    // Where the documentation keeps a key, for the shell it is tried in.
    name === 'QUAESTOR_KEY' ||
    name.startsWith('QUAESTOR_TEST_')
  );
}

function fromFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[`${name}_FILE`];
  if (!FROM_FILE.includes(name) || !path) return undefined;
  if (env[name]) throw new StartError(`Both ${name} and ${name}_FILE are set: which one is meant?`);
  try {
    // As it is, but for the line's end that an editor adds.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartError(`The file of ${name}_FILE cannot be read: ${(error as Error).message}.`);
  }
}
