/**
 * The result of creating questions, as it is kept under an Idempotency-Key: ids and the names of
 * categories at that time. The rest is read from the first revisions, which are never deleted.
 */
import { errors } from '../../errors.ts';
import type { Db, Replay } from '../db.ts';
import { isSound } from './checksums.ts';
import type { RevisionRow, StoredQuestion } from './row.ts';

interface ShortCreation {
  /** Names as JSON texts, with their versions. */
  categories: [name: string, version: number][];
  /** Ids with the index of their category. */
  questions: [id: string, category: number][];
}

export const creationReplay: Replay<StoredQuestion[]> = {
  shorten: (created): ShortCreation => {
    const indices = new Map<string, number>();
    const categories: ShortCreation['categories'] = [];
    const questions = created.map(({ id, category, category_version }): [string, number] => {
      const index = indices.getOrInsertComputed(
        `${category_version} ${category}`,
        () => categories.push([category, category_version]) - 1,
      );
      return [id, index];
    });
    return { categories, questions };
  },

  rebuild: async (db, short) => {
    // Kept by a release that stored whole results.
    if (Array.isArray(short)) return short as StoredQuestion[];
    const { categories, questions } = short as ShortCreation;
    const rows = await readFirstRevisions(
      db,
      questions.map(([id]) => id),
    );
    return questions.map(([id, index]) => {
      const [category, category_version] = categories[index]!;
      const { category_id, public_json, answer_json, checksum } = rows.get(id) ?? {};
      if (
        category_id === undefined ||
        public_json == null ||
        answer_json == null ||
        !isSound({ id, category_id, public_json, answer_json, checksum: checksum ?? null })
      )
        throw errors.damagedData(`Revision 1 of question ${id}`);
      return { id, revision: 1, category, category_version, public_json, answer_json };
    });
  },
};

type FirstRevision = Pick<
  RevisionRow,
  'question_id' | 'category_id' | 'public_json' | 'answer_json' | 'checksum'
>;

async function readFirstRevisions(db: Db, ids: string[]): Promise<Map<string, Partial<FirstRevision>>> {
  const among = `${db.dialect.values('$1', 'uuid')}`;
  const rows = await db.all<FirstRevision>(
    `SELECT id AS question_id, category_id, public_json, answer_json, checksum
     FROM questions WHERE revision = 1 AND id IN ${among}
     UNION ALL
     SELECT question_id, category_id, public_json, answer_json, checksum
     FROM revisions WHERE revision = 1 AND question_id IN ${among}`,
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.question_id, row]));
}
