/**
 * Measures the time, memory and accuracy of duplicate detection on a generated bank with planted
 * copies, in this process.
 */
import { parseArgs } from 'node:util';
import type { QuestionWithAnswers } from '../src/analyses/define.ts';
import { duplicates } from '../src/analyses/duplicates/index.ts';
import { Ticker } from '../src/concurrency/ticker.ts';
import { generateQuestion } from './seed.ts';
import { format, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({ options: { questions: { type: 'string', default: '100000' } } });
const count = Number(values.questions);
const BATCH_ROWS = 1000;
/** One question in this many is a copy of an earlier one. */
const COPY_INTERVAL = 20;

/** The changes made to copies, and the expected class; undefined for a different question. */
const COPIES: { name: string; expected: string | undefined; change(original: Content): Content }[] = [
  { name: 'exact', expected: 'duplicate', change: (original) => original },
  {
    name: 'upper case',
    expected: 'duplicate',
    change: (original) => withText(original, (text) => text.toUpperCase()),
  },
  { name: 'typo', expected: 'duplicate', change: (original) => withText(original, swapLetters) },
  { name: 'other word order', expected: 'duplicate', change: (original) => withText(original, rotateWords) },
  { name: 'other answer', expected: 'conflict', change: withOtherAnswer },
  {
    name: 'added number',
    expected: undefined,
    change: (original) => withText(original, (text) => text.replace(' ', ' 7 ')),
  },
];

interface Content {
  question_text: string;
  correct_answer: string;
  incorrect_answers: string[];
}

const withText = (original: Content, change: (text: string) => string): Content => ({
  ...original,
  question_text: change(original.question_text),
});

/** Swaps the last two letters of the longest word. */
function swapLetters(text: string): string {
  const longest = text.match(/\w+/g)!.reduce((a, b) => (b.length > a.length ? b : a));
  const typo = longest.slice(0, -2) + longest.at(-1) + longest.at(-2);
  return text.replace(longest, typo);
}

/** "Which a b c d?" as "Which c d a b?" */
function rotateWords(text: string): string {
  const words = text.slice('Which '.length, -1).split(' ');
  const half = words.length >> 1;
  return `Which ${[...words.slice(half), ...words.slice(0, half)].join(' ')}?`;
}

function withOtherAnswer(original: Content): Content {
  const [other, ...others] = original.incorrect_answers;
  return { ...original, correct_answer: other!, incorrect_answers: [original.correct_answer, ...others] };
}

/** The original and the change of question n if it is a copy. */
function findCopy(n: number) {
  if (n % COPY_INTERVAL !== COPY_INTERVAL - 1) return;
  const copyNumber = (n + 1) / COPY_INTERVAL;
  return {
    original: n - 1 - ((copyNumber * 7919) % Math.max(1, n - 1)),
    kind: COPIES[copyNumber % COPIES.length]!,
  };
}

function createContent(n: number): Content {
  const copy = findCopy(n);
  // A copy of a copy would combine two changes.
  if (!copy || findCopy(copy.original)) return generateQuestion(n) as Content;
  return copy.kind.change(generateQuestion(copy.original) as Content);
}

const toId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

function createQuestion(n: number): QuestionWithAnswers {
  const { question_text, correct_answer, incorrect_answers } = createContent(n);
  const choices = [correct_answer, ...incorrect_answers].sort();
  const other = {
    kind: 'multiple_choice' as const,
    category: 'x',
    difficulty: 0,
    topic_focus: null,
    tags: [],
    explanation: null,
    revision: 1,
  };
  return { id: toId(n), question_text, correct_answer, incorrect_answers, choices, ...other };
}

await runBenchmark(async () => {
  const batches: QuestionWithAnswers[][] = [];
  for (let n = 0; n < count; n += BATCH_ROWS) {
    batches.push(Array.from({ length: Math.min(BATCH_ROWS, count - n) }, (_, i) => createQuestion(n + i)));
  }
  const questions = async function* () {
    // Releases each batch, so that the memory measured is that of the analysis.
    while (batches.length > 0) yield batches.shift()!;
  };
  await waitUntilIdle();
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  const scope = { categories: [], difficulties: [0, 1, 2] };
  const input = { count, scope, questions: questions(), ticker: new Ticker() };
  const parameters = { min_similarity: 0.8, min_word_similarity: 0.65, variants: true };
  const { with_answers: result } = await duplicates.run(input, parameters);
  const { items, summary } = result;
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuStart);

  const classes = new Map<string, string | undefined>();
  for (const { question_id, flags } of items) {
    if (!classes.has(question_id) || flags[0] !== 'variant') classes.set(question_id, flags[0]);
  }
  const results = COPIES.map(({ name, expected }) => ({ name, expected, planted: 0, right: 0, wrong: 0 }));
  for (let n = 0; n < count; n++) {
    const copy = findCopy(n);
    if (!copy || findCopy(copy.original)) continue;
    const result = results[COPIES.indexOf(copy.kind)]!;
    const found = classes.get(toId(n));
    const reported = found === 'duplicate' || found === 'conflict' ? found : undefined;
    result.planted++;
    if (reported === result.expected) result.right++;
    else if (reported) result.wrong++;
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(
    `${format.integer(count)} questions: ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, up to ${format.integer(memory)} MiB.`,
  );
  console.log(
    `${format.integer(summary.compared_pairs)} pairs compared, ${format.integer(summary.bounded_searches)} searches bounded.\n`,
  );
  const rows = results.map(({ name, planted, right, wrong }) => [
    name,
    format.integer(planted),
    format.integer(right),
    format.integer(wrong),
  ]);
  console.log(format.table(['copies with', 'planted', 'as expected', 'wrong class'], rows));
  writeResults('duplicates', { count, seconds, cpu: (user + system) / 1e6, memory, summary, results });
});
