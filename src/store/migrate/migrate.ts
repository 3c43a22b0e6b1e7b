/**
 * Moves a bank to another database, of whichever engine. Nobody writes to the one it comes from meanwhile. Tables are
 * copied in the order of their keys, some rows at a time, and how far that is stands in the bank they come to, written in the
 * same transaction as the rows: whatever is killed, the next attempt goes on from there. At the end both are read in
 * full and compared; a table that differs, because the bank was used between two attempts, is copied anew. For as long as it is
 * not all there, nobody else opens the new bank: see `moving` in the schema, and engines/index.ts.
 */
import { hash } from 'node:crypto';
import type { Counters, Db, Engine } from '../db.ts';
import { beginMove, endMove, moveRows, type Places, removeRows, startOver } from './commands.ts';
import { added, NOTHING, type Sums, sameSums, sumsOf, textOf } from './digest.ts';
import { type Ends, nextTurn, sumBoth, writeTo } from './ends.ts';
import { BEGINNING, END, families, type MovedTable, movedTables, readChunk, SEARCH } from './tables.ts';

export interface Progress {
  doing: 'copying' | 'comparing';
  table: string;
  /** Rows, of all tables. */
  done: number;
  total: number;
}

export interface Moving {
  /** Held, so that it does not change: see `holdBank`. */
  source: Db;
  target: Engine;
  tell(progress: Progress): void;
  /** Stops it between two steps. */
  signal: AbortSignal;
}

/** What has arrived of a table. */
export interface Arrived {
  table: string;
  rows: number;
  sha256: string;
}

/** Why a bank cannot be moved there. */
export class MoveError extends Error {}

const REFUSALS = {
  'in use':
    'The bank to move to is in use: it holds something already. Move to a new folder or an empty database.',
  another:
    'The bank to move to is half moved from another one. Finish that move first, or take a new folder or an empty database.',
};

interface Ledger {
  epoch: number;
  cursor_key: string;
}

export async function moveBank(moving: Moving): Promise<Arrived[]> {
  const { source, signal } = moving;
  const ends = { ...moving, check: () => signal.throwIfAborted() };
  const bank_state = (await source.get<Ledger>('SELECT epoch, cursor_key FROM bank_state'))!;
  // The key itself seals cursors, and stays secret.
  const begun = await writeTo(ends, beginMove, hash('sha256', bank_state.cursor_key, 'hex'));
  if ('refused' in begun) throw new MoveError(REFUSALS[begun.refused]);
  const move = new Move(moving, begun.places);
  const arrived = await move.run();
  await writeTo(ends, endMove, {
    counters: (await source.get<Counters>(source.dialect.counters))!,
    epoch: bank_state.epoch,
    cursorKey: bank_state.cursor_key,
  });
  return arrived;
}

type Family = readonly MovedTable[];

/** Families are independent of each other: while a database writes the rows of one, those of another are made ready. */
const LANES = 2;

class Move {
  readonly #ends: Ends;
  readonly #source: Db;
  readonly #tell: Moving['tell'];
  readonly #signal: AbortSignal;
  readonly #places: Places;
  /** How many rows there are, by table. */
  readonly #counts = new Map<string, number>();
  /** What was sent, of tables that were sent from beginning to end. */
  readonly #sent = new Map<string, Sums>();
  /** Why one of the lanes has ended. */
  #failure: unknown;

  constructor({ source, target, tell, signal }: Moving, places: Places) {
    this.#ends = { source, target, check: () => this.#stopIfAsked() };
    this.#source = source;
    this.#tell = tell;
    this.#signal = signal;
    this.#places = places;
  }

  async run(): Promise<Arrived[]> {
    for (const { name } of movedTables) {
      const counted = await this.#source.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`);
      this.#counts.set(name, counted!.n);
    }
    for (const family of families) await this.#checkFirst(family);
    await this.#copy(families);
    const { arrived, differing } = await this.#compare(families);
    if (differing.length === 0) return arrived;
    for (const family of differing) await this.#startOver(family);
    await this.#copy(differing);
    const again = await this.#compare(differing);
    if (again.wrong.length > 0)
      throw new MoveError(
        `What has arrived differs from what was sent, twice: ${again.wrong.join(', ')}. The new bank stays closed.`,
      );
    const mended = new Map(again.arrived.map((each) => [each.table, each]));
    return arrived.map((each) => mended.get(each.table) ?? each);
  }

  /** Rows refer to those of their family's first table: it has to be there, and be as it was. */
  async #checkFirst(family: Family): Promise<void> {
    const [first, ...others] = family;
    const { place } = this.#places[first!.name]!;
    if (others.length === 0 || place === BEGINNING) return;
    if (place !== END || !(await this.#isAlike(first!))) await this.#startOver(family);
  }

  async #isAlike({ name }: MovedTable): Promise<boolean> {
    const [here, there] = await sumBoth(this.#ends, name);
    return sameSums(here, there);
  }

  async #startOver(family: Family): Promise<void> {
    const names = family.map(({ name }) => name);
    await writeTo(this.#ends, startOver, names);
    for (const name of names) {
      this.#places[name] = { place: BEGINNING, rows: 0 };
      this.#sent.delete(name);
    }
  }

  async #copy(some: readonly Family[]): Promise<void> {
    const tables = some.flat();
    const total = this.#total(tables);
    let done = tables.reduce((sum, { name }) => sum + this.#places[name]!.rows, 0);
    const waiting = [...some];
    const lane = async () => {
      for (let family = waiting.shift(); family; family = waiting.shift()) {
        for (const table of family.toReversed()) await this.#clear(table);
        for (const table of family)
          await this.#copyTable(table, (rows) => {
            done += rows;
            this.#tell({ doing: 'copying', table: table.name, done, total });
          });
      }
    };
    const lanes = Array.from({ length: LANES }, () =>
      lane().catch((error) => {
        this.#failure ??= error;
        throw error;
      }),
    );
    // Nobody is to be still at work when the databases are closed.
    for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
  }

  #total(tables: readonly MovedTable[]): number {
    return tables.reduce((sum, { name }) => sum + this.#counts.get(name)!, 0);
  }

  /** At its beginning a table is empty: of what a bank has from the start, and of an attempt that is to be forgotten. */
  async #clear({ name }: MovedTable): Promise<void> {
    if (this.#places[name]!.place !== BEGINNING) return;
    for (const table of name === 'questions' ? [SEARCH, name] : [name]) {
      while (await writeTo(this.#ends, removeRows, table)) this.#stopIfAsked();
    }
  }

  async #copyTable(table: MovedTable, tell: (rows: number) => void): Promise<void> {
    const { name } = table;
    let after = this.#places[name]!.place;
    if (after === BEGINNING) this.#sent.set(name, NOTHING);
    let chunk = after === END ? undefined : await readChunk(this.#source, table, after);
    while (chunk) {
      this.#stopIfAsked();
      const { rows, place }: Awaited<ReturnType<typeof readChunk>> = chunk;
      const written = writeTo(this.#ends, moveRows, {
        table: name,
        rows,
        fresh: this.#sent.has(name),
        after,
        place,
      });
      // The next rows are read while these are written.
      const read = nextTurn().then(() => {
        const sent = this.#sent.get(name);
        if (sent) this.#sent.set(name, added(sent, sumsOf(rows)));
        return place === END ? undefined : readChunk(this.#source, table, place);
      });
      const [next, mine] = await Promise.all([read, written]);
      if (!mine) throw new MoveError('Another process is moving the same bank. Wait until it has ended.');
      chunk = next;
      this.#places[name] = { place, rows: this.#places[name]!.rows + rows.length };
      after = place;
      tell(rows.length);
    }
  }

  #stopIfAsked(): void {
    this.#signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
  }

  /** What has arrived, which tables differ from what was sent, and the families they belong to. */
  async #compare(some: readonly Family[]) {
    const total = this.#total(some.flat());
    let done = 0;
    const arrived: Arrived[] = [];
    const wrong: string[] = [];
    for (const table of some.flatMap(comparedOf)) {
      const [here, there] = await sumBoth(this.#ends, table, this.#sent.get(table), (rows) => {
        if (table !== SEARCH) done += rows;
        this.#tell({ doing: 'comparing', table, done, total });
      });
      const counted = this.#counts.get(table) ?? here.rows;
      if (!sameSums(here, there) || here.rows !== counted) wrong.push(table);
      arrived.push({ table, rows: there.rows, sha256: textOf(there) });
    }
    const differing = some.filter((family) => comparedOf(family).some((table) => wrong.includes(table)));
    return { arrived, wrong, differing };
  }
}

/** Questions bring the index of their words. */
const comparedOf = (family: Family): string[] =>
  family.flatMap(({ name }) => (name === 'questions' ? [name, SEARCH] : [name]));
