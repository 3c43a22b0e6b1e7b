/** The URL of a database: its configuration for the driver, and its form without the password. */
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { StartError } from '../start-error.ts';

/** `allow` and `prefer` are refused: they fall back to an unencrypted connection. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Includes the certificates that the URL names, which are read once. */
export type ConnectionConfig = pg.ClientConfig;

/** Parses the URL as libpq does; the driver alone gives sslmode another meaning. */
export function parseDatabaseUrl(url: string): ConnectionConfig {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const params = new URLSearchParams(query);
  const mode = params.get('sslmode');
  const hosts = params.get('host') ?? /^\w+:\/\/([^/?#]*@)?([^/?#]*)/.exec(url)?.[2] ?? '';
  if (hosts.includes(',')) {
    throw new StartError(
      'The database URL names several hosts; it must name one address that follows the primary (see docs/scaling.md).',
    );
  }
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new StartError(`The database URL has sslmode=${mode}; it must be one of ${SSL_MODES.join(', ')}.`);
  }
  try {
    return parseIntoClientConfig(mode === null ? url : `${url}&uselibpqcompat=true`) as ConnectionConfig;
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (path !== undefined)
      throw new StartError(`The database URL names the file ${path}, which cannot be read (${code}).`);
    // The parser's message may quote the password.
    const reason =
      mode === null || code === 'ERR_INVALID_URL'
        ? 'it is not a valid URL (in a password, write @ : / ? # % as %40 %3A %2F %3F %23 %25)'
        : message;
    throw new StartError(`The database URL cannot be used: ${reason}.`);
  }
}

export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = '';
    parsed.searchParams.delete('password');
    return parsed.href;
  } catch {
    return 'PostgreSQL';
  }
}
