/**
 * Makes a standby of a running PostgreSQL server: copies its data folder within a backup, as
 * pg_basebackup does, which the packaged server does not include. WAL is streamed from the start
 * of the backup on, so the primary must keep it (`wal_keep_size`).
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Folders whose contents belong to the running server. */
const EXCLUDED_CONTENTS = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp', 'pg_subtrans'];
const EXCLUDED_FILES = ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_label.old'];

/** Returns the folder of a server that listens on a Unix socket. */
const getFolder = (url: string) => new URL(url).searchParams.get('host')!;

/** Creates the data folder of a standby that listens on a Unix socket in `folder`. */
export async function createStandby(primaryUrl: string, folder: string, data: string): Promise<void> {
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', fast => true)`);
    copyFolder(join(getFolder(primaryUrl), 'data'), data);
    const { rows } = await client.query(`SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)`);
    fs.writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  fs.writeFileSync(join(data, 'standby.signal'), '');
  const { hostname, port, username } = new URL(primaryUrl);
  const settings = {
    unix_socket_directories: folder,
    primary_conninfo: `host=${getFolder(primaryUrl) || hostname} port=${port} user=${username}`,
    // A promoted server has no standby yet: its commits must not wait for one.
    synchronous_standby_names: '',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  fs.appendFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
}

/** Copies a folder in which files may appear, change and disappear: WAL repairs the copy. */
function copyFolder(from: string, to: string, depth = 0): void {
  fs.mkdirSync(to, { mode: 0o700 });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (depth === 0 && EXCLUDED_FILES.includes(entry.name)) continue;
    if (depth === 0 && EXCLUDED_CONTENTS.includes(entry.name)) fs.mkdirSync(target, { mode: 0o700 });
    else if (entry.isDirectory()) copyFolder(source, target, depth + 1);
    else copyFile(source, target);
  }
}

function copyFile(from: string, to: string): void {
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
