import type { Db } from '../../store/db.ts';
import { Connection } from './connection.ts';
import { openFolder } from './folder.ts';

/** Locks a bank against writes while the work reads it. */
export async function lockSqliteBank<R>(folder: string, work: (db: Db) => Promise<R>): Promise<R> {
  const { path, lock } = openFolder(folder, 'lock');
  const connection = new Connection(path);
  try {
    // Takes SQLite's write lock, which also excludes the command line.
    connection.run('BEGIN IMMEDIATE');
    return await work(connection);
  } finally {
    connection.close();
    lock?.close();
  }
}
