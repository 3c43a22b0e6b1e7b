/** The address of a database: what the driver makes of it, and what people may see of it. */
import pg from 'pg';
import { StartError } from '../start-error.ts';

/** The others go without encryption when the server offers none: whether a password is safe is not to depend on that. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/** As `psql` reads it: the driver by itself gives sslmode another meaning. Refuses what it cannot make sense of. */
export function connectionString(url: string): string {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const mode = new URLSearchParams(query).get('sslmode');
  if (mode === null) return url;
  if (!SSL_MODES.includes(mode)) {
    throw new StartError(
      `The address of the database says sslmode=${mode}; it has to be ${SSL_MODES.join(', ')}.`,
    );
  }
  const address = `${url}&uselibpqcompat=true`;
  try {
    // Reads the certificates that it names.
    new pg.Client({ connectionString: address });
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      path === undefined
        ? `The address of the database cannot be used: ${message}`
        : `The address of the database names the file ${path}, which cannot be read (${code}).`,
    );
  }
  return address;
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
