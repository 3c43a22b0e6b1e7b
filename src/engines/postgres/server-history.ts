/**
 * Follows failovers. A promotion begins a new timeline, so that of two servers of one system the
 * one with the lower timeline was demoted: it may lack acknowledged writes, and would lose new
 * ones. Connections to it are refused, and closed where they were opened before the promotion was
 * noticed. A process knows the timelines that it has seen; a process that starts knows none, so
 * that keeping clients away from a demoted server remains the operator's task.
 */
import type pg from 'pg';
import { destroy, isConnectionFailure } from './connection.ts';

/** The newest server that was seen. */
export interface KnownServer {
  /** The system identifier: equal for a primary and its standbys. */
  system: string;
  timeline: number;
}

/** The timeline is the first part of the name of a WAL file; a standby has no current one. */
const IDENTIFY = `SELECT CAST(system_identifier AS text) AS system,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
  FROM pg_control_system()`;

const IDENTIFY_TIMEOUT_MS = 2_500;

class RefusedServer extends Error {
  /** SQLSTATE sqlserver_rejected_establishment_of_sqlconnection: an unavailable database. */
  readonly code = '08004';
}

export class ServerHistory {
  #known: KnownServer | undefined;
  /** When a connection was last admitted. */
  #admittedAt = Number.NEGATIVE_INFINITY;
  readonly #open = new Set<pg.ClientBase>();
  readonly #onChange: () => void;

  constructor({ known, onChange = () => {} }: { known?: KnownServer | undefined; onChange?(): void } = {}) {
    this.#known = known;
    this.#onChange = onChange;
  }

  get known(): KnownServer | undefined {
    return this.#known;
  }

  get sinceAdmissionMs(): number {
    return performance.now() - this.#admittedAt;
  }

  /**
   * Rejects a new connection to a standby or to a demoted primary. If the server is newer than the
   * one known, closes all other connections.
   */
  async admit(client: pg.ClientBase): Promise<void> {
    const server = await identify(client);
    // Some services do not offer the functions.
    if (server) this.#compare(server);
    this.#admittedAt = performance.now();
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
  }

  #compare({ system, timeline }: KnownServer): void {
    const known = this.#known;
    const same = known?.system === system;
    if (same && timeline < known.timeline)
      throw new RefusedServer(
        `the server is on timeline ${timeline}, but timeline ${known.timeline} has been seen: it was demoted`,
      );
    if (same && timeline === known.timeline) return;
    this.#known = { system, timeline };
    if (!known) return;
    for (const other of this.#open) destroy(other);
    this.#onChange();
  }
}

async function identify(client: pg.ClientBase): Promise<KnownServer | undefined> {
  let row: { system: string; timeline: string | null } | undefined;
  try {
    const result = await client.query({
      text: IDENTIFY,
      query_timeout: IDENTIFY_TIMEOUT_MS,
    } as pg.QueryConfig);
    row = result.rows[0];
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    return undefined;
  }
  if (row!.timeline === null) throw new RefusedServer('the server is a standby');
  return { system: row!.system, timeline: Number.parseInt(row!.timeline, 16) };
}
