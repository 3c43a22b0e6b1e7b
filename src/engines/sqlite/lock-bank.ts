/** A bank that nobody writes to for as long as somebody reads it. */
import type { Db } from '../../store/db.ts';
import { Connection } from './connection.ts';
import { openFolder } from './folder.ts';

export async function lockSqliteBank<R>(folder: string, work: (db: Db) => Promise<R>): Promise<R> {
  const { path, lock } = openFolder(folder, { alone: true, change: false });
  const connection = new Connection(path);
  try {
    // Keeps off whoever works beside, too: there is one writer, and this is it, though it writes nothing.
    connection.run('BEGIN IMMEDIATE');
    return await work(connection);
  } finally {
    connection.close();
    lock?.close();
  }
}
