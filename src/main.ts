/**
 * The main module of the service: settings, engine, app, listen, access; and the shutdown. No request
 * is served before a client can sign in, so that a process that responds is ready.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access, Credentials } from './access/first-start.ts';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { StartError } from './engines/start-error.ts';
import { ApiError } from './errors.ts';
import { deleteExpiredTokens } from './store/access/tokens.ts';
import { CLEANUP_BATCH_SIZE, type Engine } from './store/db.ts';
import { deleteOldDraws } from './store/draws/row.ts';
import { deleteOldEvents } from './store/events.ts';
import { deleteExpiredKeys } from './store/idempotency.ts';
import { deleteStaleChunks } from './store/imports/imports.ts';
import { deleteIdleOpentdbTokens } from './store/opentdb/tokens.ts';

// Files are readable by this user only: a bank holds answers.
process.umask(0o077);

const CLEANUP_INTERVAL_MS = 60 * 60 * 1000;
const DATABASE_WAIT_MS = 60_000;
/** Connections that the kernel accepts while the process is busy. */
const LISTEN_BACKLOG = 4096;

/**
 * Handles a signal. Until there is something to shut down, it ends the process; as PID 1 that would
 * not happen by itself.
 */
let onSignal = (_signal: string): void => process.exit(0);

async function start(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => onSignal(signal));
  const settings = await import('./config.ts');
  const config = settings.readConfig(process.env);
  const { openEngine } = await import('./engines/index.ts');
  // The threads of the engine start while the app is being loaded.
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const [engine, { buildApp }] = await Promise.all([
    openEngine({
      dataDir: config.QUAESTOR_DATA_DIR,
      databaseUrl: config.QUAESTOR_DATABASE_URL,
      postgres: {
        connections: config.QUAESTOR_DATABASE_CONNECTIONS,
        // The database server may be started at the same time.
        wait: { ms: DATABASE_WAIT_MS, report },
      },
      report,
    }),
    import('./app.ts'),
  ]);
  const leaving = new AbortController();
  const app = await buildApp({
    engine,
    role: config.QUAESTOR_ROLE,
    log: { level: config.QUAESTOR_LOG_LEVEL },
    limits: settings.getRateLimits(config),
    quotas: settings.getQuotas(config),
    connectionLimits: settings.getConnectionLimits(config),
    lifetimes: settings.getLifetimes(config),
    trustedProxies: settings.getTrustedProxies(config),
    origins: settings.getOrigins(config),
    maxPageBytes: config.QUAESTOR_MAX_PAGE_BYTES,
    maxImportBytes: config.QUAESTOR_MAX_IMPORT_BYTES,
    opentdb: settings.getOpentdbFilter(config),
    requiredReviews: settings.getRequiredReviews(config),
    leaving: leaving.signal,
    workers: config.QUAESTOR_WORKERS,
    analysisTimeout: settings.getAnalysisTimeoutMs(config),
  });
  const cleanup = new Cleanup(app, engine);
  const close = async () => {
    cleanup.stop();
    await app.close();
    await engine.close();
  };
  // Before the first connection is accepted, so that a stop drains it.
  onSignal = createShutdown(app, {
    delayMs: settings.getShutdownDelayMs(config),
    leave: () => leaving.abort(),
    close,
  });
  try {
    // A start that cannot listen must create no credentials, and no request may be served before
    // they exist.
    app.connections.hold();
    await listen(app, config);
    const { prepareAccess } = await import('./access/first-start.ts');
    const access = await prepareAccess(
      engine,
      settings.getLifetimes(config),
      config.QUAESTOR_ADMIN_SECRET,
      (credentials) => formatCredentials(credentials, formatUrl(config.HOST, getPort(app))),
    );
    app.connections.release();
    cleanup.start();
    process.stderr.write(formatWelcome(config, getPort(app), engine.location, access));
    warnAboutSettings(app, config, access);
  } catch (error) {
    // A stop during the start closes what the start still uses, and then ends the process.
    if (leaving.signal.aborted) return;
    await close();
    throw error;
  }
}

async function listen(app: App, { PORT: port, HOST: host }: Config): Promise<void> {
  try {
    await app.listen({ port, host, backlog: LISTEN_BACKLOG });
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, port, host);
  }
}

function explainListenError(error: NodeJS.ErrnoException, port: number, host: string): unknown {
  if (error.code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} on ${host} is in use. Stop the process that listens there, or set PORT to another number.`,
    );
  if (error.code === 'EACCES')
    return new StartError(`This user may not listen on port ${port}. Set PORT to another number.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`HOST is ${host}, which is not an address of this machine.`);
  return error;
}

/** Deletes expired rows at the start and once an hour. */
class Cleanup {
  readonly #app: App;
  readonly #engine: Engine;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: App, engine: Engine) {
    this.#app = app;
    this.#engine = engine;
  }

  start(): void {
    void this.#run();
    this.#timer = setInterval(() => this.#run(), CLEANUP_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    try {
      // In batches: other writes may have to wait for each transaction.
      const commands = [
        deleteExpiredKeys,
        deleteExpiredTokens,
        deleteOldEvents,
        deleteOldDraws,
        deleteIdleOpentdbTokens,
        deleteStaleChunks,
      ];
      for (const command of commands)
        while ((await this.#engine.write(command, Date.now())) >= CLEANUP_BATCH_SIZE);
    } catch (error) {
      this.#app.log.warn({ err: error }, 'cleanup failed, retrying in 1 h');
    }
  }
}

interface Shutdown {
  /** How long the process goes on serving after `leave`, until no balancer sends it requests. */
  delayMs: number;
  leave(): void;
  close(): Promise<void>;
}

/** The first signal drains and closes the service; a second one during the delay ends the delay. */
function createShutdown(app: App, { delayMs, leave, close }: Shutdown): (signal: string) => void {
  let stopping = false;
  const skipDelay = Promise.withResolvers<void>();
  return async (signal) => {
    if (stopping) {
      skipDelay.resolve();
      return;
    }
    stopping = true;
    app.log.info({ signal }, 'stopping');
    leave();
    if (delayMs > 0) await Promise.race([sleep(delayMs), skipDelay.promise]);
    await close();
    process.exit(0);
  };
}

function warnAboutSettings(app: App, { HOST }: Config, access: Access): void {
  if (!access.created && access.presetIgnored)
    app.log.warn(
      'QUAESTOR_ADMIN_SECRET is not the secret of the client admin: it is used only at the first start. ' +
        'To change the secret, run `quaestor client secret admin`.',
    );
  if (!/^(?:127\.|::1$|localhost$)/.test(HOST))
    app.log.warn('listening on a non-local address: tokens need TLS, see docs/security.md');
}

/** The URL under which this machine reaches the service. */
function formatUrl(host: string, port: number): string {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
}

const formatBlock = (lines: string[]) =>
  ['', ...lines, ''].map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');

const getPort = (app: App) => (app.server.address() as { port: number }).port;

const formatCredentials = ({ secret, key, link }: Credentials, url: string): string =>
  formatBlock([
    'This bank is new. Save these credentials: they are not shown again.',
    '',
    'Client id      admin',
    `Client secret  ${secret}`,
    `API key        ${key}`,
    '',
    'Open the console with this link, once and within 30 minutes:',
    `${url}/#link=${link}`,
  ]);

function formatWelcome(
  { HOST, QUAESTOR_ROLE }: Config,
  port: number,
  location: string,
  access: Access,
): string {
  const url = formatUrl(HOST, port);
  const addresses =
    QUAESTOR_ROLE === 'worker'
      ? ['This process runs analyses and serves no API.', '', `Operations     ${url}/ready`]
      : [`Console        ${url}/`, `API            ${url}/questions`, `Documentation  ${url}/docs`];
  return formatBlock([
    'Quaestor is ready.',
    '',
    ...addresses,
    `Data           ${location}`,
    ...formatFirstRequest(url, access),
  ]);
}

/** A command to try, where the bank is new. */
function formatFirstRequest(url: string, access: Access): string[] {
  if (!access.created) return [];
  if ('key' in access)
    return ['', 'Try it:', `curl -s -H 'Authorization: Bearer ${access.key}' ${url}/questions`];
  const file = process.env.QUAESTOR_ADMIN_SECRET_FILE;
  const secret = file ? `$(cat '${file}')` : '$QUAESTOR_ADMIN_SECRET';
  return [
    '',
    'This bank is new. Its client is admin, with the secret of QUAESTOR_ADMIN_SECRET. To get a token:',
    `curl -s -u "admin:${secret}" -d grant_type=client_credentials ${url}/auth/token`,
  ];
}

start().catch((error) => {
  process.stderr.write(
    error instanceof StartError || error instanceof ApiError
      ? `Quaestor cannot start: ${error.message}\n`
      : `${error?.stack ?? error}\n`,
  );
  process.exit(1);
});
