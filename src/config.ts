/**
 * Reads the settings from the environment, once. An invalid setting stops the start with an error
 * that names it.
 */
import { readFileSync } from 'node:fs';
import type { Static, TSchema } from 'typebox';
import { TrustedProxies } from './access/addresses.ts';
import type { QuotaLimits } from './access/quotas.ts';
import { DEFAULT_LIMITS, type RateLimitName, type RateLimits } from './access/rate-limiter.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './access/sessions.ts';
import { StartError } from './engines/start-error.ts';
import { ApiError } from './errors.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './http/connections.ts';
import { isOrigin } from './http/cors.ts';
import { parseQuery } from './http/query.ts';
import { findFaults } from './http/validation.ts';
import { DEFAULT_MAX_PAGE_BYTES } from './schemas/paging-rules.ts';
import { filterParameters, type QuestionFilter } from './schemas/question-filter.ts';
import { DEFAULT_MAX_IMPORT_BYTES } from './schemas/transfer.ts';
import { Type } from './schemas/type.ts';

const RequestsPerMinute = (name: RateLimitName) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, default: DEFAULT_LIMITS[name] });
/** 0 means no limit. */
const Quota = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 });
const Duration = (value: string) => Type.String({ pattern: '^[1-9][0-9]{0,8}[smhd]$', default: value });
const Connections = (name: keyof ConnectionLimits) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, default: DEFAULT_CONNECTION_LIMITS[name] });

const Config = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000 }),
  HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  QUAESTOR_DATA_DIR: Type.String({ minLength: 1, default: './data' }),
  QUAESTOR_DATABASE_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  QUAESTOR_DATABASE_CONNECTIONS: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
  QUAESTOR_ROLE: Type.Enum(['all', 'api', 'worker'], { default: 'all' }),
  QUAESTOR_ADMIN_SECRET: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
  QUAESTOR_LIMIT_READ: RequestsPerMinute('read'),
  QUAESTOR_LIMIT_WRITE: RequestsPerMinute('write'),
  QUAESTOR_LIMIT_ANALYSIS: RequestsPerMinute('analysis'),
  QUAESTOR_LIMIT_TOKEN: RequestsPerMinute('token'),
  QUAESTOR_LIMIT_CHECK: RequestsPerMinute('check'),
  QUAESTOR_LIMIT_OPENTDB: RequestsPerMinute('opentdb'),
  QUAESTOR_MAX_CONNECTIONS: Connections('total'),
  QUAESTOR_MAX_CONNECTIONS_PER_ADDRESS: Connections('perAddress'),
  QUAESTOR_SHUTDOWN_DELAY: Type.String({ pattern: '^[0-9]{1,3}s$', default: '0s' }),
  QUAESTOR_MAX_BANK_BYTES: Quota(),
  QUAESTOR_MAX_QUESTIONS_PER_CLIENT: Quota(),
  QUAESTOR_MAX_BYTES_PER_CLIENT: Quota(),
  QUAESTOR_ACCESS_LIFETIME: Duration('15m'),
  QUAESTOR_REFRESH_IDLE: Duration('14d'),
  QUAESTOR_REFRESH_LIFETIME: Duration('90d'),
  QUAESTOR_KEY_LIFETIME: Duration('365d'),
  QUAESTOR_MAX_PAGE_BYTES: Type.Integer({
    minimum: 100_000,
    maximum: 100_000_000,
    default: DEFAULT_MAX_PAGE_BYTES,
  }),
  QUAESTOR_MAX_IMPORT_BYTES: Type.Integer({
    minimum: 1024,
    maximum: 1024 * 1024 * 1024,
    default: DEFAULT_MAX_IMPORT_BYTES,
  }),
  QUAESTOR_REVIEW: Type.Enum(['off', 'on'], { default: 'off' }),
  QUAESTOR_REQUIRED_REVIEWS: Type.Integer({ minimum: 1, maximum: 3, default: 1 }),
  QUAESTOR_OPENTDB: Type.Optional(Type.String({ maxLength: 2000 })),
  QUAESTOR_ORIGINS: Type.String({ default: '' }),
  QUAESTOR_TRUSTED_PROXIES: Type.String({ default: '' }),
  QUAESTOR_WORKERS: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
  QUAESTOR_ANALYSIS_TIMEOUT: Duration('1h'),
  QUAESTOR_LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
  }),
});
export type Config = Static<typeof Config>;

/** Settings that may contain a password can also be read from the file named by `…_FILE`. */
const SECRET_SETTINGS = ['QUAESTOR_DATABASE_URL', 'QUAESTOR_ADMIN_SECRET'];

/** Descriptions of the patterns. */
const FORMATS: Record<string, string> = {
  QUAESTOR_SHUTDOWN_DELAY: 'must be a number of seconds from 0s to 999s',
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
    const text = readFromFile(name, env) ?? env[name];
    if (text === undefined || text === '') values[name] = schema.default;
    else values[name] = schema.type === 'integer' && /^\d{1,16}$/.test(text) ? Number(text) : text;
  }
  const unknown = Object.keys(env).filter((name) => name.startsWith('QUAESTOR_') && !isKnown(name));
  if (unknown.length > 0) {
    throw new StartError(
      `There is no setting ${unknown.join(', ')}. The settings are ${Object.keys(Config.properties).join(', ')}.`,
    );
  }
  const [fault] = findFaults(Config, values);
  if (fault) {
    const name = fault.pointer.slice(1);
    // A setting that may contain a password is not shown.
    const shown = SECRET_SETTINGS.includes(name) ? '' : ` (it is ${JSON.stringify(env[name])})`;
    const detail = FORMATS[name] ?? fault.detail;
    throw new StartError(`The setting ${name} ${detail}${shown}.`);
  }
  const config = values as Config;
  try {
    new TrustedProxies(getTrustedProxies(config));
  } catch (error) {
    throw new StartError(`The setting QUAESTOR_TRUSTED_PROXIES is wrong: ${(error as Error).message}.`);
  }
  if (config.QUAESTOR_ROLE !== 'all' && !config.QUAESTOR_DATABASE_URL)
    throw new StartError(
      `The setting QUAESTOR_ROLE is ${config.QUAESTOR_ROLE}, but only one process can use a data folder. ` +
        'To run several, set QUAESTOR_DATABASE_URL to a PostgreSQL database.',
    );
  getOpentdbFilter(config);
  const wrong = getOrigins(config).find((origin) => !isOrigin(origin));
  if (wrong !== undefined)
    throw new StartError(
      `The setting QUAESTOR_ORIGINS is wrong: ${JSON.stringify(wrong)} is not an origin such as https://quiz.example, in lower case and without a path.`,
    );
  const { access, idle, refresh, key } = getLifetimes(config);
  if (key > DEFAULT_LIFETIMES.key)
    throw new StartError('The setting QUAESTOR_KEY_LIFETIME must be at most 365d.');
  if (refresh > MAX_REFRESH_LIFETIME_MS)
    throw new StartError('The setting QUAESTOR_REFRESH_LIFETIME must be at most 3650d.');
  if (access > refresh || idle > refresh) {
    throw new StartError(
      'The settings QUAESTOR_ACCESS_LIFETIME and QUAESTOR_REFRESH_IDLE must not exceed QUAESTOR_REFRESH_LIFETIME.',
    );
  }
  return config;
}

export const getRateLimits = (config: Config): RateLimits => ({
  read: config.QUAESTOR_LIMIT_READ,
  write: config.QUAESTOR_LIMIT_WRITE,
  analysis: config.QUAESTOR_LIMIT_ANALYSIS,
  token: config.QUAESTOR_LIMIT_TOKEN,
  check: config.QUAESTOR_LIMIT_CHECK,
  opentdb: config.QUAESTOR_LIMIT_OPENTDB,
});

export const getConnectionLimits = (config: Config): ConnectionLimits => ({
  total: config.QUAESTOR_MAX_CONNECTIONS,
  perAddress: config.QUAESTOR_MAX_CONNECTIONS_PER_ADDRESS,
});

export const getShutdownDelayMs = (config: Config): number => parseDuration(config.QUAESTOR_SHUTDOWN_DELAY);

export const getQuotas = (config: Config): QuotaLimits => ({
  bankBytes: config.QUAESTOR_MAX_BANK_BYTES,
  questionsPerClient: config.QUAESTOR_MAX_QUESTIONS_PER_CLIENT,
  bytesPerClient: config.QUAESTOR_MAX_BYTES_PER_CLIENT,
});

export const getLifetimes = (config: Config): Lifetimes => ({
  access: parseDuration(config.QUAESTOR_ACCESS_LIFETIME),
  idle: parseDuration(config.QUAESTOR_REFRESH_IDLE),
  refresh: parseDuration(config.QUAESTOR_REFRESH_LIFETIME),
  key: parseDuration(config.QUAESTOR_KEY_LIFETIME),
});

/** The filters by which an operator chooses what anyone may see with answers. */
const OpentdbFilter = Type.Object(
  Object.fromEntries(
    Object.entries(filterParameters).filter(([name]) =>
      /^(?:not_)?(?:category|difficulty|topic_focus|tag|source)$/.test(name),
    ),
  ),
  { additionalProperties: false },
);

/** The questions that the Open Trivia DB's API serves; undefined while it is off. */
export function getOpentdbFilter({ QUAESTOR_OPENTDB: text }: Config): QuestionFilter | undefined {
  if (text === undefined) return undefined;
  try {
    const filter = parseQuery(OpentdbFilter, text) as QuestionFilter;
    if (Object.keys(filter).length > 0) return filter;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [fault] = error.errors ?? [];
    const reason = fault ? `${fault.pointer.slice(1)} ${fault.detail}` : error.message;
    throw new StartError(`The setting QUAESTOR_OPENTDB is wrong: ${reason}.`);
  }
  throw new StartError('The setting QUAESTOR_OPENTDB must name a filter, such as tag=public.');
}

/** 0 while review is off. */
export const getRequiredReviews = (config: Config): number =>
  config.QUAESTOR_REVIEW === 'on' ? config.QUAESTOR_REQUIRED_REVIEWS : 0;

export const getAnalysisTimeoutMs = (config: Config): number =>
  parseDuration(config.QUAESTOR_ANALYSIS_TIMEOUT);

const MAX_REFRESH_LIFETIME_MS = 3650 * 86_400_000;
const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const parseDuration = (text: string) =>
  Number.parseInt(text, 10) * UNITS_MS[text.at(-1) as keyof typeof UNITS_MS];

const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

export const getTrustedProxies = (config: Config): string[] => splitList(config.QUAESTOR_TRUSTED_PROXIES);

export const getOrigins = (config: Config): string[] => splitList(config.QUAESTOR_ORIGINS);

function isKnown(name: string): boolean {
  return (
    name in Config.properties ||
    SECRET_SETTINGS.includes(name.replace(/_FILE$/, '')) ||
    // The address and the key of a service, for the program and the examples of the documentation.
    ['QUAESTOR_URL', 'QUAESTOR_KEY'].includes(name) ||
    name.startsWith('QUAESTOR_TEST_')
  );
}

function readFromFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[`${name}_FILE`];
  if (!SECRET_SETTINGS.includes(name) || !path) return undefined;
  if (env[name]) throw new StartError(`Both ${name} and ${name}_FILE are set. Set only one of them.`);
  try {
    // Without the newline that editors add at the end.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartError(`The file of ${name}_FILE cannot be read: ${(error as Error).message}.`);
  }
}
