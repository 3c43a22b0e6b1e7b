/** The process: settings, engine, app, listen; and how it stops. */
import { enableCompileCache } from 'node:module';
import type { FirstStart } from './access/first-start.ts';
import { StartError } from './engines/start-error.ts';
import { ApiError } from './errors.ts';
import { deleteExpiredTokens } from './store/access/tokens.ts';
import { CLEANUP_BATCH_SIZE } from './store/db.ts';
import { deleteOldEvents } from './store/events.ts';
import { deleteExpiredKeys } from './store/idempotency.ts';

// What was compiled at the first start is found at the next. For modules imported from here on; hence the imports below.
enableCompileCache();

// What is written is for this user alone: a bank holds answers.
process.umask(0o077);

const HOUR = 60 * 60 * 1000;
/** Requests under way have this long to finish. */
const GRACE = 20_000;

/** What a signal does; before there is anything to finish it simply ends the process, also one that has nobody above it. */
let stop = (_signal: string): void => process.exit(0);

async function start(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(signal));
  const { analysisTimeout, lifetimes, limits, readConfig, trustedProxies } = await import('./config.ts');
  const config = readConfig(process.env);
  const { openEngine } = await import('./engines/index.ts');
  // The engine's threads start while the app is being loaded.
  const [engine, { buildApp }] = await Promise.all([
    openEngine({
      dataDir: config.QUAESTOR_DATA_DIR,
      databaseUrl: config.QUAESTOR_DATABASE_URL,
      postgres: {
        connections: config.QUAESTOR_DATABASE_CONNECTIONS,
        // Machines that start together come up in any order.
        wait: { ms: 60_000, report: (line) => process.stderr.write(`${line}\n`) },
      },
    }),
    import('./app.ts'),
  ]);
  const app = await buildApp({
    engine,
    role: config.QUAESTOR_ROLE,
    log: { level: config.QUAESTOR_LOG_LEVEL },
    limits: limits(config),
    lifetimes: lifetimes(config),
    trustedProxies: trustedProxies(config),
    workers: config.QUAESTOR_WORKERS,
    analysisTimeout: analysisTimeout(config),
  });
  try {
    await app.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await app.close();
    await engine.close();
    throw explained(error as NodeJS.ErrnoException, config.PORT, config.HOST);
  }
  // Once it is certain that the secret will be shown.
  const { prepareAccess } = await import('./access/first-start.ts');
  const access = await prepareAccess(engine, lifetimes(config), config.QUAESTOR_ADMIN_SECRET);
  const { port } = app.server.address() as { port: number };
  const at = `http://${asHost(config.HOST)}:${port}`;
  process.stderr.write(`${welcome(at, config.QUAESTOR_ROLE, engine.location, access)}\n`);
  if (!access.first && access.ignored) {
    app.log.warn(
      'QUAESTOR_ADMIN_SECRET is not the secret of the client admin: it is used at the first start alone. ' +
        'To change the secret, run `quaestor client secret admin`.',
    );
  }

  if (!/^(?:127\.|::1$|localhost$)/.test(config.HOST))
    app.log.warn('others can reach this: tokens need TLS in front of it, see docs/security.md');

  const sweep = async () => {
    try {
      // Some at a time: each is a transaction that others may have to wait for.
      for (const forget of [deleteExpiredKeys, deleteExpiredTokens, deleteOldEvents])
        while ((await engine.write(forget, Date.now())) >= CLEANUP_BATCH_SIZE);
    } catch (error) {
      app.log.warn({ err: error }, 'old keys, tokens and events stay for now');
    }
  };
  void sweep();
  const sweeping = setInterval(sweep, HOUR);

  let stopping = false;
  const finish = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    app.log.info({ signal }, 'stopping');
    clearInterval(sweeping);
    const late = setTimeout(() => {
      app.log.warn('requests still under way are cut off');
      app.server.closeAllConnections();
    }, GRACE);
    // A connection whose last request has been answered would otherwise stay open until it times out.
    const idle = setInterval(() => app.server.closeIdleConnections(), 100);
    await app.close();
    clearInterval(idle);
    clearTimeout(late);
    await engine.close();
    process.exit(0);
  };
  stop = (signal) => void finish(signal);
}

/** Where this machine finds itself. */
function asHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** What a person at the terminal wants to know. */
function welcome(at: string, role: string, location: string, access: FirstStart): string {
  const lines = [
    '',
    'Quaestor is ready.',
    '',
    ...(role === 'worker'
      ? ['It runs analyses, and serves no requests but these.', '', `Operations     ${at}/ready`]
      : [`API            ${at}/questions`, `Documentation  ${at}/docs`]),
    `Data           ${location}`,
    '',
  ];
  const file = process.env.QUAESTOR_ADMIN_SECRET_FILE;
  const given = file ? `$(cat '${file}')` : '$QUAESTOR_ADMIN_SECRET';
  if (access.first && 'key' in access) {
    lines.push(
      'This bank is new. Keep these: they are shown this once.',
      '',
      'Client id      admin',
      `Client secret  ${access.secret}`,
      `API key        ${access.key}`,
      '',
      'Try it:',
      `curl -s -H 'Authorization: Bearer ${access.key}' ${at}/questions`,
      '',
    );
  } else if (access.first) {
    lines.push(
      'This bank is new. Its client is admin, with the secret of QUAESTOR_ADMIN_SECRET. For a token:',
      `curl -s -u "admin:${given}" -d grant_type=client_credentials ${at}/auth/token`,
      '',
    );
  }
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): unknown {
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another number.`,
    );
  }
  if (error.code === 'EACCES')
    return new StartError(`Port ${port} may not be used by this user. Set PORT to another number.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(`HOST is ${host}, which is no address of this machine.`);
  }
  return error;
}

start().catch((error) => {
  process.stderr.write(
    error instanceof StartError || error instanceof ApiError
      ? `Quaestor cannot start: ${error.message}\n`
      : `${error?.stack ?? error}\n`,
  );
  process.exit(1);
});
