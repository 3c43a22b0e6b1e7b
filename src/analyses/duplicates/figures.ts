/** The figure of the result: groups of questions with the words marked in which they differ. */
import type { Outcome } from '../define.ts';
import { formatSimilarity } from './messages.ts';
import type { Row } from './schemas.ts';
import { diffWords } from './word-diff.ts';

const MAX_GROUPS = 12;
const MAX_MEMBERS = 4;
const MAX_TEXT_CHARS = 300;
const LABELS = {
  conflict: 'Same question, other answer',
  duplicate: 'Duplicate',
  variant: 'Variant',
  null: 'Similar wording',
};

export function plotGroups(outcome: Outcome<unknown, Row>) {
  const { groups, total } = selectGroups(outcome);
  return {
    chart: 'text-groups' as const,
    title: 'Duplicates, conflicts and variants',
    description: `${groups.length} of ${total} groups of questions with similar wording. Words that differ are marked.`,
    groups: groups.map(toFigureGroup),
    omitted: total - groups.length,
  };
}

/** Takes the first groups of each class in rotation, so that no class crowds out the others. */
function selectGroups({ items }: Outcome<unknown, Row>): { groups: Row[][]; total: number } {
  const groupsByClass = new Map<string, Row[][]>();
  let [total, current] = [0, [] as Row[]];
  for (const row of items) {
    if (row.group !== current[0]?.group) {
      current = [];
      total++;
      const groups = groupsByClass.getOrInsertComputed(String(row.class), () => []);
      if (groups.length < MAX_GROUPS) groups.push(current);
    }
    current.push(row);
  }
  const rounds = Array.from({ length: MAX_GROUPS }, (_, round) =>
    [...groupsByClass.values()].flatMap((groups) => groups.slice(round, round + 1)),
  );
  const groups = rounds.flat().slice(0, MAX_GROUPS);
  return { groups: groups.sort((a, b) => a[0]!.group - b[0]!.group), total };
}

const truncate = (text: string) =>
  text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…`.toWellFormed() : text;

function toFigureGroup(rows: Row[]) {
  const [first, second] = rows.map(({ question_text }) => truncate(question_text));
  const hidden = rows.length - MAX_MEMBERS;
  return {
    label: `${LABELS[rows[0]!.class ?? 'null']}${hidden > 0 ? ` (and ${hidden} more)` : ''}`,
    texts: rows.slice(0, MAX_MEMBERS).map((row, i) => ({
      pieces: diffWords(truncate(row.question_text), i === 0 ? second! : first!),
      note: formatNote(row, i === 0),
    })),
  };
}

function formatNote({ similarity, correct_answer }: Row, isFirst: boolean): string {
  const answer = correct_answer === null ? [] : [`answer: ${truncate(correct_answer)}`];
  return [...(isFirst ? ['oldest'] : [formatSimilarity(similarity)]), ...answer].join(', ');
}
