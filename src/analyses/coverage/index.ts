/**
 * What a bank covers: how many questions there are of each category, difficulty and topic, how even that is, and how
 * far it is from a blueprint.
 */
import { defineAnalysis } from '../define.ts';
import { summarise } from './balance.ts';
import {
  blueprintFaults,
  compare,
  emptyCategories,
  isExhaustive,
  lineFinder,
  readBlueprint,
} from './blueprint.ts';
import { item, parameters, type Row, type Summary, summary } from './schemas.ts';
import { type Category, fold, LEVELS, sumOf, Tally } from './tally.ts';

const CATEGORIES_DRAWN = 24;
/** A question without a topic stands out where more than this share of its category has one. */
const TOPICS_USUAL = 0.5;

/** A question, as far as its row needs it. `line` is its place in the blueprint, −1 if none fits. */
interface Place {
  id: string;
  category: Category;
  difficulty: number;
  topic: boolean;
  line: number;
}

const ask = (
  question_text: string,
  correct_answer: string,
  category: string,
  difficulty: number,
  topic_focus?: string,
) => ({ question_text, correct_answer, category, difficulty, ...(topic_focus && { topic_focus }) });

export const coverage = defineAnalysis({
  type: 'coverage',
  version: 1,
  title: 'Coverage and balance',
  description: `Counts the questions by category, difficulty and topic and tells how even that is, where there are
gaps, whether some categories are harder than others, and what is missing or too much compared with a blueprint, if
you give one.

Rows are about questions in a category that has too few of their difficulty (\`sparse_cell\`), in a line of the
blueprint that has too many (\`surplus_cell\`), that fit no line of a blueprint whose shares sum to 1
(\`outside_blueprint\`), or that name no topic although most of their category do (\`no_topic\`).`,
  readsAnswers: false,
  parameters,
  check: ({ blueprint }) => blueprintFaults(blueprint),
  result: { summary, item },
  example: {
    parameters: {
      min_per_cell: 2,
      blueprint: [
        { category: 'Geography', difficulty: 0, share: 0.2 },
        { category: 'Geography', share: 0.2 },
        { category: 'Chemistry', topic_focus: 'Elements', share: 0.4 },
        { category: 'Chemistry', difficulty: 2, share: 0.2 },
      ],
    },
    questions: [
      ask('Which river flows through Vienna?', 'Danube', 'Geography', 0),
      ask('On which continent is Chad?', 'Africa', 'Geography', 0),
      ask('Which sea lies between Sweden and Estonia?', 'Baltic Sea', 'Geography', 0),
      ask('Which country has Windhoek as its capital?', 'Namibia', 'Geography', 1),
      ask('What is the symbol of tin?', 'Sn', 'Chemistry', 0, 'Elements'),
      ask('Which metal is liquid at room temperature?', 'Mercury', 'Chemistry', 0, 'Elements'),
      ask('Which element has the atomic number 8?', 'Oxygen', 'Chemistry', 1, 'Elements'),
      ask('What is the pH of pure water at 25 °C?', '7', 'Chemistry', 1),
      ask('Which instrument has 88 keys?', 'Piano', 'Music', 0),
    ],
  },

  async run({ count, questions, progress }, { blueprint: asked, min_per_cell: sparseBelow }) {
    const { lines, warnings } = readBlueprint(asked);
    const lineOf = lineFinder(lines);
    const observed = lines.map(() => 0);
    const tally = new Tally();
    const places: Place[] = [];
    for await (const batch of questions) {
      for (const { id, category: name, difficulty, topic_focus } of batch) {
        const topic = topic_focus === null ? null : fold(topic_focus);
        const category = tally.add(name, difficulty, topic, topic_focus);
        const line = lineOf(category.key, difficulty, topic);
        if (line >= 0) observed[line]!++;
        places.push({ id, category, difficulty, topic: topic !== null, line });
      }
      await progress(places.length / Math.max(count, places.length));
    }

    const result = {
      ...summarise(tally, sparseBelow),
      blueprint: lines.length === 0 ? null : compare(lines, observed, places.length),
    };
    warnings.push(...emptyCategories(lines, (key) => tally.has(key)));
    if (result.association.doubtful) warnings.push(DOUBTFUL('of category and difficulty'));
    if (result.blueprint?.doubtful) warnings.push(DOUBTFUL('with the blueprint'));
    const describe = describer(result.blueprint, isExhaustive(lines), sparseBelow);
    const items = {
      *[Symbol.iterator]() {
        for (const place of places) {
          const row = describe(place);
          if (row.flags.length > 0) yield row;
        }
      },
    };
    return { summary: result, items, warnings };
  },

  plot: ({ summary }) => heatMap(summary),
});

const DOUBTFUL = (what: string) =>
  `The p-value of the comparison ${what} is not to be trusted: too many cells have too few questions for it.`;

/** What a line of the blueprint is about. */
const nameOf = (line: NonNullable<Summary['blueprint']>['lines'][number]) =>
  [line.category, line.topic_focus, line.difficulty === null ? null : LEVELS[line.difficulty]]
    .filter((part) => part !== null)
    .join(', ');

/** Says what is to be said about a question. */
function describer(blueprint: Summary['blueprint'], exhaustive: boolean, sparseBelow: number) {
  return ({ id, category, difficulty, topic, line: place }: Place): Row => {
    const { name, counts, withoutTopic } = category;
    const questions = sumOf(counts);
    const inCell = counts[difficulty]!;
    const line = blueprint?.lines[place];
    const flags: Row['flags'] = [];
    const sentences: string[] = [];
    const say = (flag: Row['flags'][number], sentence: string) => {
      flags.push(flag);
      sentences.push(sentence);
    };
    if (inCell < sparseBelow) {
      const only = inCell === 1 ? 'is the only question' : `is one of only ${inCell} questions`;
      say(
        'sparse_cell',
        `It ${only} in ${name} at the level ${LEVELS[difficulty]}, fewer than the ${sparseBelow} that were set as enough.`,
      );
    }
    if (line && line.surplus > 0) {
      say(
        'surplus_cell',
        `The blueprint wants ${line.wanted} for ${nameOf(line)}, and there are ${line.observed}: ${line.surplus} of them could go.`,
      );
    }
    if (exhaustive && !line) say('outside_blueprint', 'No line of the blueprint asks for it.');
    if (!topic && questions - withoutTopic > TOPICS_USUAL * questions) {
      say(
        'no_topic',
        `It names no topic, although ${questions - withoutTopic} of the ${questions} questions in ${name} do.`,
      );
    }
    return {
      question_id: id,
      flags,
      message: sentences.join(' '),
      category: name,
      difficulty,
      cell_questions: inCell,
      surplus: line?.surplus ?? null,
    };
  };
}

function heatMap({ questions, categories, largest, by_difficulty }: Summary) {
  const drawn = largest.slice(0, CATEGORIES_DRAWN);
  const rest = by_difficulty.map(
    (count, level) => count - sumOf(drawn.map((row) => row.by_difficulty[level]!)),
  );
  const others = categories - drawn.length;
  const byLevel = by_difficulty.map((count, level) => `${count} ${LEVELS[level]}`);
  const [most] = largest;
  const largestName = most ? ` ${most.category} has the most: ${most.questions}.` : '';
  return {
    chart: 'heat-map',
    title: 'Questions by category and difficulty',
    description: `Questions: ${questions} (${byLevel.join(', ')}). Categories: ${categories}.${largestName}`,
    row_title: 'Category',
    rows: [...drawn.map(({ category }) => category), ...(others > 0 ? [`${others} others`] : [])],
    column_title: 'Difficulty',
    columns: [...LEVELS],
    cells: [...drawn.map((row) => row.by_difficulty), ...(others > 0 ? [rest] : [])],
    unit: 'questions',
  } as const;
}
