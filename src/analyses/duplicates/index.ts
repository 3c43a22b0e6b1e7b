/** Finds questions that stand in the bank more than once, with the same answer or another one. */
import Type from 'typebox';
import { Nullable, Uuid } from '../../schemas/common.ts';
import { defineAnalysis, Item, type Outcome } from '../define.ts';
import type { Row } from './report.ts';
import { diffWords } from './word-diff.ts';

const Class = Nullable(Type.Enum(['conflict', 'duplicate', 'variant']), {
  description:
    'Of the group, by the worst in it; `flags` are of the row. `conflict`: the same question with different answers. `duplicate`: the same question with the same answer. `variant`: almost the same words, but another question. Null where answers are not shown.',
});
const Similarity = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    'How alike the wordings are, letter by letter: the Jaccard similarity of their sets of five characters in a row, without case, accents and punctuation. Of a row: to the first question of its group.',
});
const Count = Type.Object(
  { groups: Type.Integer({ minimum: 0 }), questions: Type.Integer({ minimum: 0 }) },
  { additionalProperties: false },
);

const SHOWN_GROUPS = 12;
const SHOWN_MEMBERS = 4;
const SHOWN_CHARACTERS = 300;
const LABELS = {
  conflict: 'Same question, other answer',
  duplicate: 'Duplicate',
  variant: 'Variant',
  null: 'Worded alike',
};

export const duplicates = defineAnalysis({
  type: 'duplicates',
  version: 1,
  title: 'Duplicates and conflicts',
  description: `Groups of questions that ask the same, or nearly.

- **conflict**: the same question, but another answer is marked as right. One is wrong, or both should be accepted.
- **duplicate**: the same question with the same answer, up to spelling, word order, small words and known synonyms. All but one can go.
- **variant**: almost the same words, but another question ("highest peak in North America", "… South America"), or the opposite one. Fine to keep.

A number, a name, a negation or an opposite that differs makes two questions different, however alike they are otherwise; "World War 2"
and "World War II" are not different. Where a word was changed for one that is not known as a synonym, they are duplicates only if answer and options
agree. Pairs are found by their letters (every pair above the similarity that is set, unless a warning says that searches were ended early, as in very large banks), by their words and by their options. Each group is led by its
oldest question, and every other one was compared with that. The first of a group of duplicates can also be in a group of variants.

Word lists are English; in other languages spelling, numbers and names are compared, but not synonyms and opposites.`,
  readsAnswers: true,
  parameters: Type.Object(
    {
      similarity: Type.Number({
        minimum: 0.5,
        maximum: 1,
        default: 0.8,
        description:
          'From which similarity on questions are reported as variants for their wording alone. Duplicates and conflicts are found below it, too. The default is the usual threshold for near-identical texts: in 5,250 public trivia questions it gives 18 groups of variants beside 25 of duplicates, while at 0.6 there are 69, and not one duplicate more.',
      }),
      variants: Type.Boolean({
        default: true,
        description:
          'Whether variants are reported. The default is yes: they come last, and in public trivia questions there are fewer of them than duplicates.',
      }),
    },
    { additionalProperties: false },
  ),
  result: {
    summary: Type.Object(
      {
        questions: Type.Integer({ description: 'How many questions were compared.' }),
        groups: Type.Integer({ description: 'How many groups were found.' }),
        grouped_questions: Type.Integer({ description: 'How many questions are in at least one group.' }),
        classes: Nullable(
          Type.Object({ conflict: Count, duplicate: Count, variant: Count }, { additionalProperties: false }),
          {
            description: 'Groups of each class, and the questions in them. Null where answers are not shown.',
          },
        ),
        redundant_questions: Nullable(Type.Integer(), {
          description:
            'How many questions repeat an older one with the same answer and could be deleted. Null where answers are not shown.',
        }),
        most_similar: Type.Array(
          Type.Object(
            {
              group: Type.Integer(),
              class: Class,
              similarity: Similarity,
              first: Type.String(),
              other: Type.String(),
            },
            { additionalProperties: false },
          ),
          { description: 'The first two questions of the first few groups, long texts cut short.' },
        ),
        compared_pairs: Type.Integer({ description: 'How many pairs were worth an exact comparison.' }),
        bounded_searches: Type.Integer({
          description:
            'For how many texts the search was ended early, because too many others are worded alike.',
        }),
      },
      { additionalProperties: false },
    ),
    item: Item(['first', 'duplicate', 'conflict', 'variant', 'same_wording', 'alike', 'other_options'], {
      group: Type.Integer({
        minimum: 1,
        description:
          'Rows with the same number belong together; conflicts come first, then duplicates, then variants.',
      }),
      class: Class,
      similarity: Similarity,
      first_question_id: Uuid({ description: 'The oldest question of the group.' }),
      question_text: Type.String(),
      correct_answer: Nullable(Type.String(), { description: 'Null where answers are not shown.' }),
    }),
  },
  example: {
    parameters: {},
    questions: [
      example('What is the capital of Portugal?', 'Lisbon', ['Porto', 'Madrid', 'Rome']),
      example('what is the capital city of Portugal', 'Lisbon', ['Rome', 'Porto', 'Madrid']),
      example('In which year did World War II end in Europe?', '1945', ['1943', '1944', '1946']),
      example('In which year did the Second World War end in Europe?', '1944', ['1943', '1945', '1946']),
      example('Which is the longest river that flows through South America?', 'Amazon', [
        'Nile',
        'Ohio',
        'Don',
      ]),
      example('Which is the longest river that flows through North America?', 'Missouri', [
        'Nile',
        'Ohio',
        'Don',
      ]),
      example('Whales are fish.', 'False', ['True']),
      example('Whales are not fish.', 'True', ['False']),
    ],
  },
  async run(input, parameters) {
    const { detectDuplicates } = await import('./detection.ts');
    return detectDuplicates(input, parameters);
  },
  plot(outcome) {
    const { groups, total } = groupsToShow(outcome);
    return {
      chart: 'text-groups',
      title: 'Questions that ask the same, or nearly',
      description: `${groups.length} of ${total} groups of questions that are worded alike, with the words marked in which they differ.`,
      groups: groups.map(figureOfGroup),
      omitted: total - groups.length,
    };
  },
});

function example(question_text: string, correct_answer: string, incorrect_answers: string[]) {
  return { question_text, correct_answer, incorrect_answers, category: 'general', difficulty: 0 };
}

/** The first groups of each class, so that one with many does not hide the others. */
function groupsToShow({ items }: Outcome<unknown, Row>): { groups: Row[][]; total: number } {
  const byClass = new Map<string, Row[][]>();
  let [total, current] = [0, [] as Row[]];
  for (const row of items) {
    if (row.group !== current[0]?.group) {
      current = [];
      total++;
      const key = String(row.class);
      const groups = byClass.get(key) ?? [];
      byClass.set(key, groups);
      if (groups.length < SHOWN_GROUPS) groups.push(current);
    }
    current.push(row);
  }
  const turns = Array.from({ length: SHOWN_GROUPS }, (_, turn) =>
    [...byClass.values()].flatMap((groups) => groups.slice(turn, turn + 1)),
  );
  const groups = turns.flat().slice(0, SHOWN_GROUPS);
  return { groups: groups.sort((a, b) => a[0]!.group - b[0]!.group), total };
}

const cut = (text: string) =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…`.toWellFormed() : text;

function figureOfGroup(rows: Row[]) {
  const [first, second] = rows.map(({ question_text }) => cut(question_text));
  const hidden = rows.length - SHOWN_MEMBERS;
  return {
    label: `${LABELS[rows[0]!.class ?? 'null']}${hidden > 0 ? ` (and ${hidden} more)` : ''}`,
    texts: rows.slice(0, SHOWN_MEMBERS).map((row, i) => ({
      pieces: diffWords(cut(row.question_text), i === 0 ? second! : first!),
      note: noteOf(row, i === 0),
    })),
  };
}

function noteOf({ similarity, correct_answer }: Row, first: boolean): string {
  const answer = correct_answer === null ? [] : [`answer: ${cut(correct_answer)}`];
  return [...(first ? ['oldest'] : [`${Math.floor(similarity * 100)} % alike`]), ...answer].join(', ');
}
