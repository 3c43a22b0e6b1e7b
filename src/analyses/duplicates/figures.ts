/** The figure of the result: groups of questions with the words marked in which they differ. */
import { listCorrect } from '../../schemas/question-kinds.ts';
import type { Outcome } from '../define.ts';
import { formatSimilarity } from './messages.ts';
import type { Row, Summary } from './schemas.ts';
import { diffWords } from './word-diff.ts';

const MAX_GROUPS = 12;
const MAX_MEMBERS = 4;
const MAX_TEXT_CHARS = 300;
const LABELS = {
  conflict: 'Same question, other answer',
  duplicate: 'Duplicate',
  likely: 'Likely duplicate',
  variant: 'Variant',
  null: 'Similar wording',
};

/** Larger groups share a row of the overview. */
const MAX_LISTED_SIZE = 5;
const MAX_CATEGORIES = 6;

const CLASS_NAMES = {
  conflict: 'conflicts',
  duplicate: 'duplicates',
  likely: 'likely duplicates',
  variant: 'variants',
};

export function plotGroups(outcome: Outcome<Summary, Row>) {
  const { groups, total } = selectGroups(outcome);
  return {
    chart: 'text-groups' as const,
    title: 'Conflicts, duplicates and variants',
    description: `${groups.length} of ${total} groups of questions with similar wording. Words that differ are marked.`,
    overview: buildOverview(outcome.summary),
    groups: groups.map(toFigureGroup),
    omitted: total - groups.length,
  };
}

function buildOverview({ classes, sizes, categories, grouped_questions }: Summary) {
  const listed = categories.slice(0, MAX_CATEGORIES);
  const others = grouped_questions - listed.reduce((sum, { questions }) => sum + questions, 0);
  const countSizes = (includes: (size: number) => boolean) =>
    sizes.reduce((sum, { questions, groups }) => sum + (includes(questions) ? groups : 0), 0);
  const listedSizes = Array.from({ length: MAX_LISTED_SIZE - 2 }, (_, i) => i + 2);
  return [
    ...(classes === null
      ? []
      : [
          {
            title: 'Groups by class',
            rows: (['conflict', 'duplicate', 'likely', 'variant'] as const).map((kind) => ({
              label: CLASS_NAMES[kind],
              value: classes[kind].groups,
            })),
          },
        ]),
    {
      title: 'Groups by size',
      rows: [
        ...listedSizes.map((size) => ({
          label: `${size} questions`,
          value: countSizes((questions) => questions === size),
        })),
        {
          label: `${MAX_LISTED_SIZE} or more`,
          value: countSizes((questions) => questions >= MAX_LISTED_SIZE),
        },
      ],
    },
    {
      title: 'Questions by category',
      rows: [
        ...listed.map(({ category, questions }) => ({ label: category, value: questions })),
        ...(others > 0 ? [{ label: 'other categories', value: others }] : []),
      ],
    },
  ];
}

/** Takes the first groups of each class in rotation, so that no class crowds out the others. */
function selectGroups({ items }: Outcome<Summary, Row>): { groups: Row[][]; total: number } {
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
      question_id: row.question_id,
      pieces: diffWords(truncate(row.question_text), i === 0 ? second! : first!),
      note: formatNote(row, i === 0),
    })),
  };
}

function formatNote({ similarity, correct_answer }: Row, isFirst: boolean): string {
  const answer =
    correct_answer === null ? [] : [`answer: ${truncate(listCorrect(correct_answer).join('; '))}`];
  return [...(isFirst ? ['oldest'] : [formatSimilarity(similarity)]), ...answer].join(', ');
}
