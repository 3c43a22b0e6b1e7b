/** A primary and its synchronous standby, behind an address that follows the primary. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CuttingProxy } from '../../test/support/cutting-proxy.ts';
import {
  freshDatabase,
  type OwnPostgres,
  query,
  startOwnPostgres,
  startStandby,
} from '../../test/support/postgres.ts';
import { until } from '../../test/support/until.ts';

/** How the primary fails. A `partitioned` one keeps running, without its standby. */
export type Failure = 'killed' | 'hung' | 'partitioned';

const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // A standby is copied from the running server, and reads from there what was written meanwhile.
  wal_keep_size: '512MB',
  // The size of the data folder decides how long a standby takes to build.
  max_wal_size: '64MB',
  min_wal_size: '32MB',
};

const RELOAD_MS = 200;

export class ReplicatedPostgres {
  /** The URL of the database at the address. */
  readonly url: string;
  /** The primary before the last failover, if it may still be running. */
  demoted: OwnPostgres | undefined;
  readonly #address: CuttingProxy;
  #primary: OwnPostgres;
  #standby: OwnPostgres;

  static async start(): Promise<ReplicatedPostgres> {
    const primary = await startOwnPostgres(SETTINGS);
    const address = new CuttingProxy((await freshDatabase(primary)).url);
    const standby = await startStandby(primary);
    await enableSynchronousCommit(primary);
    return new ReplicatedPostgres(primary, standby, address, await address.listen());
  }

  private constructor(primary: OwnPostgres, standby: OwnPostgres, address: CuttingProxy, url: string) {
    this.#primary = primary;
    this.#standby = standby;
    this.#address = address;
    this.url = url;
  }

  /** Fails over to the standby. Connections that the primary keeps open stay with it. */
  async failOver(failure: Failure, delayMs: number): Promise<void> {
    if (failure === 'killed') await this.#primary.kill();
    if (failure === 'hung') await this.#primary.hang();
    await sleep(delayMs);
    await this.#standby.promote();
    this.#address.moveTo(this.#standby.url);
    this.demoted = failure === 'killed' ? undefined : this.#primary;
    if (failure === 'killed') await this.#primary.stop();
    this.#primary = this.#standby;
  }

  /**
   * Directs the address to the demoted primary for some time, as a wrong DNS entry does. That
   * server acknowledges writes without a standby.
   */
  async exposeDemoted(ms: number): Promise<void> {
    await alterSystem(this.demoted!, `synchronous_standby_names = ''`);
    this.#address.moveTo(this.demoted!.url);
    this.#address.disconnectAll();
    await sleep(ms);
    this.#address.moveTo(this.#primary.url);
    this.#address.disconnectAll();
  }

  /**
   * Counts the sessions of services on the demoted primary, without those that wait for the standby
   * in a commit: they do not notice that their client has disconnected.
   */
  async countDemotedSessions(): Promise<number> {
    const { rows } = await query(
      this.demoted!.url,
      `SELECT CAST(count(*) AS int) AS n FROM pg_stat_activity 
       WHERE application_name LIKE 'quaestor%' AND wait_event IS DISTINCT FROM 'SyncRep'`,
    );
    return rows[0].n;
  }

  /** Removes the demoted primary, and builds the next standby. */
  async rebuild(): Promise<void> {
    await this.demoted?.stop();
    this.demoted = undefined;
    this.#standby = await startStandby(this.#primary);
    await enableSynchronousCommit(this.#primary);
  }

  async stop(): Promise<void> {
    await this.#address.close();
    for (const server of new Set([this.demoted, this.#primary, this.#standby])) await server?.stop();
  }
}

async function alterSystem({ url }: OwnPostgres, setting: string): Promise<void> {
  await query(url, `ALTER SYSTEM SET ${setting}`);
  await query(url, 'SELECT pg_reload_conf()');
}

/** Resolves when the standby has all that was committed, and commits wait for it. */
async function enableSynchronousCommit(primary: OwnPostgres): Promise<void> {
  await alterSystem(primary, `synchronous_standby_names = '*'`);
  // Until the server has read the setting, a commit does not wait.
  await sleep(RELOAD_MS);
  const written = (await query(primary.url, 'SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn;
  await until('a synchronous standby', async () => {
    const { rows } = await query(
      primary.url,
      `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= '${written}'`,
    );
    return rows.length === 1;
  });
}
