/** Comments on questions: a thread per question. */
import { errors } from '../../errors.ts';
import type { Comment, CommentChange } from '../../schemas/review.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { parseId, requireKnownQuestion } from '../questions/row.ts';
import { reviewErrors } from './errors.ts';
import { COMMENTS, type CommentRow, toComment } from './row.ts';

export interface NewComment {
  question_id: string;
  text: string;
  author: string;
  at: number;
}

export const createComment = defineCommand(
  'createComment',
  async (tx: Tx, { question_id, text, author, at }: NewComment): Promise<Comment> => {
    const id = parseId(question_id);
    const question = await tx.get<{ revision: number }>('SELECT revision FROM questions WHERE id = $1', id);
    if (!question) throw errors.noSuchQuestion(question_id);
    const row: CommentRow = {
      ...{ id: uuidv7(at), question_id: id, revision: question.revision, author, text },
      ...{ resolved_by: null, resolved_at: null, created_at: at, updated_at: at },
    };
    await tx.insert(COMMENTS, [row]);
    return toComment(row);
  },
);

export interface CommentListArgs {
  id: string;
  resolved: boolean | undefined;
  limit: number;
  offset: number;
  /** The maximum length of the items in UTF-8. A page has at least one item. */
  maxBytes: number;
}

/** Lists the comments on a question, oldest first. */
export function listComments(db: Db, { id, resolved, limit, offset, maxBytes }: CommentListArgs) {
  const state = resolved === undefined ? 'true' : `resolved_at IS ${resolved ? 'NOT ' : ''}NULL`;
  return db.snapshot(async (tx) => {
    await requireKnownQuestion(tx, id);
    const question = parseId(id);
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM comments WHERE question_id = $1 AND ${state}`,
      question,
    );
    const rows = await tx.all<CommentRow>(
      `SELECT * FROM comments WHERE question_id = $1 AND ${state} ORDER BY id LIMIT $2 OFFSET $3`,
      ...[question, limit, offset],
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(toComment(row)))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}

async function lockComment(tx: Tx, id: string): Promise<CommentRow> {
  const canonical = canonicalId(id);
  const row =
    canonical &&
    (await tx.get<CommentRow>(`SELECT * FROM comments WHERE id = $1 ${tx.dialect.forUpdate}`, canonical));
  if (!row) throw reviewErrors.noSuchComment(id);
  return row;
}

export interface CommentUpdate extends CommentChange {
  id: string;
  client: string;
  at: number;
}

/** The text is changed by its author alone. */
export const updateComment = defineCommand(
  'updateComment',
  async (tx: Tx, { id, text, resolved, client, at }: CommentUpdate): Promise<Comment> => {
    const row = await lockComment(tx, id);
    if (text !== undefined && text !== row.text && row.author !== client) throw reviewErrors.notYourComment();
    const isResolved = row.resolved_at !== null;
    const next: CommentRow = {
      ...row,
      text: text ?? row.text,
      ...(resolved === true && !isResolved && { resolved_by: client, resolved_at: at }),
      ...(resolved === false && { resolved_by: null, resolved_at: null }),
      updated_at: at,
    };
    await tx.run(
      'UPDATE comments SET text = $2, resolved_by = $3, resolved_at = $4, updated_at = $5 WHERE id = $1',
      ...[row.id, next.text, next.resolved_by, next.resolved_at, at],
    );
    return toComment(next);
  },
);

export interface CommentDeletion {
  id: string;
  client: string;
  /** Whether the caller may delete the comments of others. */
  administers: boolean;
}

export const deleteComment = defineCommand(
  'deleteComment',
  async (tx: Tx, { id, client, administers }: CommentDeletion): Promise<null> => {
    const row = await lockComment(tx, id);
    if (row.author !== client && !administers) throw reviewErrors.notYourComment();
    await tx.run('DELETE FROM comments WHERE id = $1', row.id);
    return null;
  },
);
