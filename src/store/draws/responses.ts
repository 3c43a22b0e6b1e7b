/** Records the responses to the questions of a draw, and scores them. */
import { errors, type Fault } from '../../errors.ts';
import type { DrawAnswer } from '../../schemas/draw.ts';
import { defineCommand, type Tx } from '../db.ts';
import type { QuestionRow } from '../questions/row.ts';
import { scoreResponse } from '../responses/record.ts';
import { parseResponse, recordResponses } from '../responses/responses.ts';
import { type SittingRow, unpack } from '../responses/sittings.ts';
import { drawErrors } from './errors.ts';
import type { ShownExplanation } from './row.ts';

export interface DrawRecording {
  draw: string;
  respondent: string;
  group: string | null;
  explain: ShownExplanation | null;
  /** With canonical ids, each of a question of the draw. */
  answers: DrawAnswer[];
  at: number;
}

/** Without the respondent, because it is stored under an Idempotency-Key. */
export interface DrawScore {
  results: DrawResult[];
}

interface DrawResult {
  question_id: string;
  recorded: boolean;
  correct: boolean | null;
  /** Absent where the draw does not show it. */
  explanation?: string | null;
}

type KeyRow = Pick<QuestionRow, 'id' | 'created_slot' | 'answer_json'>;

/**
 * The session of the responses is the draw. A question is answered once: otherwise its answer could
 * be guessed by answering again. Questions that are not approved any more are left out.
 */
export const recordDraw = defineCommand(
  'recordDraw',
  async (tx: Tx, { draw, respondent, group, explain, answers, at }: DrawRecording): Promise<DrawScore> => {
    await tx.lock(`draw ${draw} of ${respondent}`);
    const rows = await tx.all<KeyRow>(
      `SELECT id, created_slot, answer_json FROM questions
       WHERE id IN ${tx.dialect.values('$1', 'uuid')} AND status = 'approved'`,
      JSON.stringify(answers.map(({ question_id }) => question_id)),
    );
    const questions = new Map(rows.map((row) => [row.id, row]));
    const answered = await readAnswered(tx, respondent, draw);
    const faults = answers.flatMap(({ question_id }, i): Fault[] =>
      answered.has(questions.get(question_id)?.created_slot ?? -1)
        ? [{ pointer: `/responses/${i}/question_id`, code: 'duplicate', detail: 'has a response already' }]
        : [],
    );
    if (faults.length > 0) throw drawErrors.alreadyAnswered(faults);
    const known = answers.filter(({ question_id }) => questions.has(question_id));
    if (known.length > 0) {
      const inputs = known.map((answer) => ({ ...answer, respondent, session: draw, group }));
      await recordResponses(tx, { inputs, many: true, at, visibility: 'approved' });
    }
    return {
      results: answers.map((answer): DrawResult => {
        const row = questions.get(answer.question_id);
        if (!row) return { question_id: answer.question_id, recorded: false, correct: null };
        const given = { ...parseResponse({ ...answer, respondent }), at };
        const key = JSON.parse(`{${row.answer_json}}`);
        const correct = scoreResponse(given, key);
        return {
          ...{ question_id: answer.question_id, recorded: true, correct },
          ...(isExplained(explain, correct) && { explanation: key.explanation }),
        };
      }),
    };
  },
);

/** Whether the explanation is shown after an answer. */
export const isExplained = (explain: ShownExplanation | null, correct: boolean | null): boolean =>
  explain === 'always' || (explain === 'when_correct' && correct === true);

/** The slots of the questions that the respondent has answered in a session. */
async function readAnswered(tx: Tx, respondent: string, session: string): Promise<Set<number>> {
  const sitting = await tx.get<Pick<SittingRow, 'responses'>>(
    'SELECT responses FROM sittings WHERE respondent = $1 AND session = $2',
    respondent,
    session,
  );
  return new Set(sitting ? unpack(sitting.responses).map(({ slot }) => slot) : []);
}

/** The respondent of a recording: that of the draw, or the one of the request. */
export function chooseRespondent(drawn: string | null, given: string | undefined): string {
  if (drawn === null && given === undefined)
    throw errors.invalidBody([
      {
        pointer: '/respondent',
        code: 'required',
        detail: 'is required, because the draw is for no respondent',
      },
    ]);
  if (drawn !== null && given !== undefined && drawn !== given)
    throw errors.invalidBody([
      { pointer: '/respondent', code: 'conflict', detail: 'must be the respondent of the draw' },
    ]);
  return (drawn ?? given)!;
}
