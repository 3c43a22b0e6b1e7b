/**
 * The result of creating questions, as it is kept under an Idempotency-Key: ids, revisions, the names
 * of categories at that time and what was refused. The rest is read from the revisions, which are
 * never deleted.
 */
import { errors } from '../../errors.ts';
import type { Outcome, Refusal } from '../../schemas/question-creation.ts';
import type { Db, Replay } from '../db.ts';
import { isSound } from './checksums.ts';
import type { RevisionRow, StoredQuestion } from './row.ts';

export interface CreationResult {
  stored: StoredQuestion[];
  /** What was done for each stored question. */
  outcomes: Outcome[];
  refused: Refusal[];
}

interface ShortCreation {
  /** Names as JSON texts, with their versions. */
  categories: [name: string, version: number][];
  /** Ids with the index of their category and, unless created, their revision and outcome. */
  questions: [id: string, category: number, revision?: number, outcome?: Outcome][];
  /** Changes that waited for approval, which are no revisions. Absent if there were none. */
  pending?: StoredQuestion[];
  /** Absent if nothing was refused. */
  refused?: Refusal[];
}

export const creationReplay: Replay<CreationResult> = {
  shorten: ({ stored, outcomes, refused }): ShortCreation => {
    const indices = new Map<string, number>();
    const categories: ShortCreation['categories'] = [];
    const questions = stored.map((question, i): ShortCreation['questions'][number] => {
      const { id, revision, category, category_version } = question;
      const index = indices.getOrInsertComputed(
        `${category_version} ${category}`,
        () => categories.push([category, category_version]) - 1,
      );
      return outcomes[i] === 'created' ? [id, index] : [id, index, revision, outcomes[i]!];
    });
    const pending = stored.filter((question) => question.pending);
    return {
      ...{ categories, questions },
      ...(pending.length > 0 && { pending }),
      ...(refused.length > 0 && { refused }),
    };
  },

  rebuild: async (db, short) => {
    // Kept by a release that stored whole results.
    if (Array.isArray(short)) return allCreated(short as StoredQuestion[]);
    const { categories, questions, pending = [], refused = [] } = short as ShortCreation;
    const rows = await readRevisions(
      db,
      questions.map(([id, , revision = 1]) => [id, revision]),
    );
    const stored = questions.map(([id, index, revision = 1]): StoredQuestion => {
      const waited = pending.find((question) => question.id === id);
      if (waited) return waited;
      const [category, category_version] = categories[index]!;
      const { category_id, public_json, answer_json, checksum, status } = rows.get(id) ?? {};
      if (
        category_id === undefined ||
        status === undefined ||
        public_json == null ||
        answer_json == null ||
        !isSound({ id, category_id, public_json, answer_json, checksum: checksum ?? null })
      )
        throw errors.damagedData(`Revision ${revision} of question ${id}`);
      return { id, revision, status, category, category_version, public_json, answer_json };
    });
    return { stored, outcomes: questions.map(([, , , outcome = 'created']) => outcome), refused };
  },
};

const allCreated = (stored: StoredQuestion[]): CreationResult => ({
  stored: stored.map((question) => ({ ...question, status: 'approved' })),
  outcomes: stored.map(() => 'created'),
  refused: [],
});

type Content = Pick<
  RevisionRow,
  'question_id' | 'category_id' | 'public_json' | 'answer_json' | 'checksum' | 'status'
>;

/** Reads one revision of each question: the current one, or one of its history. */
async function readRevisions(
  db: Db,
  wanted: [id: string, revision: number][],
): Promise<Map<string, Partial<Content>>> {
  const among = db.dialect.rows('$1', { id: 'uuid', revision: 'bigint' });
  const rows = await db.all<Content>(
    `SELECT id AS question_id, category_id, public_json, answer_json, checksum, status
     FROM questions WHERE (id, revision) IN ${among}
     UNION ALL
     SELECT question_id, category_id, public_json, answer_json, checksum, status
     FROM revisions WHERE (question_id, revision) IN ${among}`,
    JSON.stringify(wanted),
  );
  return new Map(rows.map((row) => [row.question_id, row]));
}
