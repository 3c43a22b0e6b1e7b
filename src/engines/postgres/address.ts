/** The address of a database: what the driver makes of it, and what people may see of it. */
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { StartError } from '../start-error.ts';

/** The others go without encryption when the server offers none: whether a password is safe is not to depend on that. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Where a database is and how to get in: read once, the certificates that the address names included. */
export type Connection = pg.ClientConfig;

/** As `psql` reads it: the driver by itself gives sslmode another meaning. Refuses what it cannot make sense of. */
export function connectionTo(url: string): Connection {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const mode = new URLSearchParams(query).get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new StartError(
      `The address of the database says sslmode=${mode}; it has to be ${SSL_MODES.join(', ')}.`,
    );
  }
  try {
    return parseIntoClientConfig(mode === null ? url : `${url}&uselibpqcompat=true`) as Connection;
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (path !== undefined)
      throw new StartError(
        `The address of the database names the file ${path}, which cannot be read (${code}).`,
      );
    // What the parser of addresses quotes may hold the password.
    const reason =
      mode === null || code === 'ERR_INVALID_URL'
        ? 'it is not a valid URL (in a password, write @ : / ? # % as %40 %3A %2F %3F %23 %25)'
        : message;
    throw new StartError(`The address of the database cannot be used: ${reason}.`);
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
