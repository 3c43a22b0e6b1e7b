/**
 * The policy of review, which belongs to the bank: all processes that share it apply the same one,
 * and a command reads it in its own transaction.
 */
import { type Db, defineCommand, type Tx } from './db.ts';

const CACHE_KEY = 'required reviews';

/** The number of reviews that a question requires; 0 while review is off. */
export async function readRequiredReviews(db: Db): Promise<number> {
  const row = await db.get<{ required_reviews: number }>('SELECT required_reviews FROM bank_state');
  return row!.required_reviews;
}

/** Reads the policy once per transaction: many writes share a commit. */
export const requiredReviewsIn = (tx: Tx) => tx.cached(CACHE_KEY, () => readRequiredReviews(tx));

export const setRequiredReviews = defineCommand(
  'setRequiredReviews',
  async (tx: Tx, required: number): Promise<null> => {
    await tx.run('UPDATE bank_state SET required_reviews = $1', required);
    tx.uncache(CACHE_KEY);
    return null;
  },
);
