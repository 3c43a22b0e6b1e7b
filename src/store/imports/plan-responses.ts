/**
 * Decides what becomes of the responses of a batch. A plan writes nothing, so that a dry run makes
 * the same. Importing a file again leaves its responses unchanged.
 */
import type { ResponseInput } from '../../schemas/response.ts';
import type { Tx } from '../db.ts';
import { parseResponse } from '../responses/responses.ts';
import { type Given, type SittingRow, unpack } from '../responses/sittings.ts';
import type { ImportedResponse, ResponseItem } from './items.ts';
import { keyOf, type Resolved, resolveQuestions, splitChosen } from './response-questions.ts';
import type { FileQuestion, ImportReport, ResponseImportOptions } from './row.ts';

export type PlannedResponse =
  | { outcome: 'created' | 'updated'; input: ResponseInput }
  | { outcome: 'unchanged' }
  | { outcome: 'rejected'; code: string; detail: string; question_id?: string };

/** Questions that the report lists. */
const MAX_MATCHES = 500;

/** Plans the responses in their order. The questions that were found are added to the report. */
export async function planResponses(
  tx: Tx,
  items: readonly ResponseItem[],
  { options, report }: { options: ResponseImportOptions; report: ImportReport },
): Promise<PlannedResponse[]> {
  const references = new Map<string, FileQuestion>();
  const keys = items.map(({ question }) => {
    const key = keyOf(question);
    references.set(key, question);
    return key;
  });
  const resolved = await resolveQuestions(tx, references, options);
  addMatches(report, resolved);
  const sittings = await readSittings(tx, items);
  return items.map(({ input }, i) => planResponse(input, resolved.get(keys[i]!)!, sittings));
}

function addMatches(report: ImportReport, resolved: ReadonlyMap<string, Resolved>): void {
  report.matches ??= {};
  const { matches } = report;
  for (const [key, { name, question_id, matched_by }] of resolved)
    if (Object.hasOwn(matches, key) || Object.keys(matches).length < MAX_MATCHES)
      matches[key] = { name, question_id, matched_by };
}

interface StoredSitting {
  group: string | null;
  bySlot: Map<number, Pick<Given, 'kind' | 'answer' | 'at'>>;
}

const sittingKey = ({ respondent, session }: { respondent: string; session?: string | null | undefined }) =>
  `${respondent}\0${session ?? ''}`;

async function readSittings(tx: Tx, items: readonly ResponseItem[]): Promise<Map<string, StoredSitting>> {
  const names = new Map(
    items.map(({ input }) => [sittingKey(input), [input.respondent, input.session ?? '']]),
  );
  const rows = await tx.all<Pick<SittingRow, 'respondent' | 'session' | 'in_group' | 'responses'>>(
    `SELECT respondent, session, in_group, responses FROM sittings
     WHERE (respondent, session) IN ${tx.dialect.rows('$1', { respondent: 'text', session: 'text' })}`,
    JSON.stringify([...names.values()]),
  );
  return new Map(
    rows.map(({ in_group, responses, ...name }) => [
      sittingKey(name),
      { group: in_group, bySlot: new Map(unpack(responses).map((given) => [given.slot, given])) },
    ]),
  );
}

function planResponse(
  given: ImportedResponse['input'],
  { question, isAmbiguous, name }: Resolved,
  sittings: Map<string, StoredSitting>,
): PlannedResponse {
  if (!question)
    return {
      outcome: 'rejected',
      ...(isAmbiguous
        ? {
            code: 'ambiguous_question',
            detail: `Several questions have the text "${shorten(name)}". Name one with \`questions\`.`,
          }
        : {
            code: 'unknown_question',
            detail: `No question has the id, the external_id or the text "${shorten(name)}". Name it with \`questions\`.`,
          }),
    };
  const answer =
    typeof given.answer === 'string' && question.options
      ? splitChosen(given.answer, question.options)
      : given.answer;
  const input: ResponseInput = {
    ...given,
    question_id: question.id,
    ...(answer !== undefined && { answer }),
  };
  const sitting = sittings.getOrInsertComputed(sittingKey(input), () => ({ group: null, bySlot: new Map() }));
  const { slot } = question;
  const before = sitting.bySlot.get(slot);
  const at = typeof input.answered_at === 'string' ? Date.parse(input.answered_at) : undefined;
  const next = parseResponse(input);
  const isSame =
    before?.kind === next.kind &&
    before.answer === next.answer &&
    (at === undefined || at === before.at) &&
    (input.group ?? sitting.group) === sitting.group;
  if (isSame) return { outcome: 'unchanged' };
  sitting.bySlot.set(slot, { ...next, at: at ?? Number.NaN });
  sitting.group = input.group ?? sitting.group;
  return { outcome: before ? 'updated' : 'created', input };
}

const MAX_SHOWN_CHARS = 60;
const shorten = (text: string) =>
  text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
