/**
 * Monitors the database, and exchanges notifications with other processes. One connection sends a
 * heartbeat twice a second. When it is not answered, a new connection decides: if that one is
 * answered, the old connections are dead and are replaced; if not, the database is unavailable.
 * Then all waiting requests fail at once, and new ones immediately (a circuit breaker), until a
 * connection succeeds. The same connection LISTENs and NOTIFYs. After a failover the old primary may
 * still answer on the old connections: if none was opened for a while, a new one finds out where
 * the address leads.
 */
import { setImmediate as afterEventLoop } from 'node:timers/promises';
import pg from 'pg';
import type { Notifications, Topic } from '../../store/notifications.ts';
import type { ConnectionConfig } from './address.ts';
import { destroy, isConnectionFailure } from './connection.ts';
import type { ServerHistory } from './server-history.ts';

const CHANNEL = 'quaestor';
const HEARTBEAT_INTERVAL_MS = 500;
/**
 * A heartbeat without an answer for this long has failed. A busy database still answers in time.
 */
const HEARTBEAT_TIMEOUT_MS = 1_500;
const CONNECT_TIMEOUT_MS = 2_500;
/**
 * The next attempt to connect begins even if the last is pending, so that recovery is noticed
 * within two seconds.
 */
const CONNECT_INTERVAL_MS = 400;
/** A promoted server is noticed within this time after the address has moved. */
const ADDRESS_CHECK_MS = 2_000;
/** Collects notifications, so that several commits send one NOTIFY. */
const NOTIFY_DELAY_MS = 10;

interface MonitorOptions {
  connection: ConnectionConfig;
  history: ServerHistory;
  notifications: Notifications;
  onUnavailable(): void;
  /** Connections that have been in use for this long may be dead. */
  onStale(inUseMs: number): void;
}

export class DatabaseMonitor {
  readonly #options: MonitorOptions;
  #client: pg.Client | undefined;
  #unavailable = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #pendingTopics = new Set<Topic>();
  #closed = false;
  #checkingAddress = false;
  #wake = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  get unavailable(): boolean {
    return this.#unavailable;
  }

  /** Whether the last heartbeat was answered. */
  get heardRecently(): boolean {
    return performance.now() - this.#heardAt < HEARTBEAT_INTERVAL_MS + HEARTBEAT_TIMEOUT_MS;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Notifies other processes. A lost notification is made up for by their polling. */
  publish(topics: ReadonlySet<Topic>): void {
    if (topics.size === 0) return;
    if (this.#pendingTopics.size === 0) setTimeout(() => this.#notify(), NOTIFY_DELAY_MS);
    for (const topic of topics) this.#pendingTopics.add(topic);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#running;
  }

  #notify(): void {
    const topics = [...this.#pendingTopics].join(' ');
    this.#pendingTopics = new Set();
    // Outside of the writing transactions: NOTIFY within them would serialise their commits.
    void this.#client?.query('SELECT pg_notify($1, $2)', [CHANNEL, topics]).catch(() => {});
  }

  async #run(): Promise<void> {
    for (let client = await this.#connectFirst(); client; client = await this.#connectFirst()) {
      this.#heardAt = performance.now();
      if (this.#unavailable) this.#setAvailable();
      this.#client = client;
      await this.#heartbeat();
      destroy(this.#client);
      this.#client = undefined;
    }
  }

  /**
   * Connects, starting an attempt every CONNECT_INTERVAL_MS until one succeeds; undefined once
   * closed.
   */
  async #connectFirst(): Promise<pg.Client | undefined> {
    let found: pg.Client | undefined;
    while (!found && !this.#closed) {
      void this.#connect().then((client) => {
        // An earlier attempt may end after a later one.
        const superseded = found || this.#closed;
        if (superseded && client instanceof pg.Client) destroy(client);
        if (superseded) return;
        if (client instanceof pg.Client) {
          found = client;
          this.#wake();
        } else if (client === 'unavailable') this.#setUnavailable();
      });
      await this.#pause(CONNECT_INTERVAL_MS);
    }
    return found;
  }

  /** A server that refuses the connection, because all are in use, say, is available. */
  async #connect(): Promise<pg.Client | 'unavailable' | 'refused'> {
    const client = new pg.Client({
      ...this.#options.connection,
      application_name: 'quaestor monitor',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
    } as pg.ClientConfig);
    client.on('error', () => {});
    client.on('notification', ({ processId, payload = '' }) => {
      // This process has published its own notifications already.
      if (processId !== (client as unknown as { processID: number }).processID)
        this.#options.notifications.publish(new Set(payload.split(' ') as Topic[]));
    });
    try {
      await client.connect();
      await this.#options.history.admit(client);
      await client.query({ text: `LISTEN ${CHANNEL}`, query_timeout: CONNECT_TIMEOUT_MS } as pg.QueryConfig);
      return client;
    } catch (error) {
      destroy(client);
      return isConnectionFailure(error) ? 'unavailable' : 'refused';
    }
  }

  #setAvailable(): void {
    this.#unavailable = false;
    this.#options.notifications.publish(new Set(['available']));
    // Connections opened during the outage may wait for a response that was lost.
    this.#options.onStale(CONNECT_INTERVAL_MS);
  }

  #setUnavailable(): void {
    if (this.#unavailable) return;
    this.#unavailable = true;
    this.#heardAt = Number.NEGATIVE_INFINITY;
    this.#options.notifications.publish(new Set(['unavailable']));
    this.#options.onUnavailable();
  }

  /**
   * Sends heartbeats until the connection breaks, or fails to answer while a new connection does
   * not succeed.
   */
  async #heartbeat(): Promise<void> {
    while (!this.#closed) {
      const client = this.#client!;
      let outcome: 'pending' | 'answered' | 'failed' = 'pending';
      const settle = (as: typeof outcome) => {
        outcome = as;
        this.#wake();
      };
      client.query('SELECT 1').then(
        () => settle('answered'),
        () => settle('failed'),
      );
      await this.#pause(HEARTBEAT_TIMEOUT_MS);
      // If this process was blocked, the answer may have arrived but not been read yet.
      for (let turn = 0; turn < 3; turn++) await afterEventLoop();
      // A function, because the compiler does not see the assignment above.
      const state = () => outcome;
      if (state() === 'pending') {
        const other = await this.#connect();
        const stale = state() === 'pending';
        if (stale && other === 'unavailable') this.#setUnavailable();
        if (stale && other instanceof pg.Client) {
          this.#options.onStale(HEARTBEAT_TIMEOUT_MS);
          this.#client = other;
          destroy(client);
          continue;
        }
        if (other instanceof pg.Client) destroy(other);
      }
      if (state() !== 'answered') return;
      this.#heardAt = performance.now();
      if (this.#options.history.sinceAdmissionMs > ADDRESS_CHECK_MS) void this.#checkAddress();
      await this.#pause(HEARTBEAT_INTERVAL_MS);
    }
  }

  /** Opens a connection for the history to compare its server. */
  async #checkAddress(): Promise<void> {
    if (this.#checkingAddress) return;
    this.#checkingAddress = true;
    const client = await this.#connect();
    if (client instanceof pg.Client) destroy(client);
    this.#checkingAddress = false;
  }

  /** Pauses until the time is over or `#wake` is called. One pause at a time. */
  #pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
