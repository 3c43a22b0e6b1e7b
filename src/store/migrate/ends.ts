/** Both ends of a move: a bank that is held, and one that nobody else uses yet. */
import { ApiError } from '../../errors.ts';
import type { Command, Db, Engine } from '../db.ts';
import { added, NOTHING, type Stretch, type Sums, someTerms, sumMatches, sumRows } from './digest.ts';
import { BEGINNING, END, SEARCH } from './tables.ts';

export interface Ends {
  source: Db;
  target: Engine;
  /** Throws where there is no point in going on. */
  check(): void;
}

/** Lets what was sent go, and what came in. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const ATTEMPTS = 10;
const PAUSE = 2000;

/** Tries again what was not answered: the database may be restarting. */
async function patiently<R>({ check }: Ends, work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const away = error instanceof ApiError && error.status === 503;
      if (!away || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      check();
    }
  }
}

/** For commands that do no harm when they are run twice. */
export const writeTo = <A, R>(ends: Ends, command: Command<A, R>, args: A): Promise<R> =>
  patiently(ends, () => ends.target.write(command, args));

/** A table here and there. What was sent just now need not be read again: nobody has changed it since. */
export async function sumBoth(
  ends: Ends,
  table: string,
  sent?: Sums,
  tell?: (rows: number) => void,
): Promise<[Sums, Sums]> {
  const { source, target, check } = ends;
  const there = <A, R>(work: (db: Db, args: A) => Promise<R>, args: A) =>
    patiently(ends, () => target.search(work, args));
  const sums = await Promise.all([
    sent ?? sum(ends, table, (stretch) => sumRows(source, stretch)),
    sum(ends, table, (stretch) => there(sumRows, stretch), tell),
  ]);
  if (table !== SEARCH) return sums;
  for (const term of await someTerms(source)) {
    check();
    const matches = await Promise.all([sumMatches(source, term), there(sumMatches, term)]);
    for (const side of [0, 1] as const) sums[side] = added(sums[side], matches[side]);
  }
  return sums;
}

async function sum(
  { check }: Ends,
  table: string,
  next: (stretch: Stretch) => ReturnType<typeof sumRows>,
  tell?: (rows: number) => void,
): Promise<Sums> {
  let sums = NOTHING;
  for (let after = BEGINNING; after !== END; ) {
    check();
    const step = await next({ table, after });
    sums = added(sums, step.sums);
    after = step.place;
    tell?.(step.sums.rows);
    await nextTurn();
  }
  return sums;
}
