/** How long duplicates take to be found, and whether they are: a generated bank with planted copies, in this process. */
import { parseArgs } from 'node:util';
import type { QuestionWithAnswers } from '../src/analyses/define.ts';
import { duplicates } from '../src/analyses/duplicates/index.ts';
import { Ticker } from '../src/concurrency/ticker.ts';
import { question } from './seed.ts';
import { bench, keep, quiet, table, whole } from './tools.ts';

const { values } = parseArgs({ options: { questions: { type: 'string', default: '100000' } } });
const count = Number(values.questions);
const BATCH = 1000;
/** Every so many questions one is a copy of an earlier one. */
const BETWEEN_COPIES = 20;

/** What is done to a copy, and what it should be found to be. */
const COPIES: { name: string; expected: string | undefined; change(original: Asked): Asked }[] = [
  { name: 'exact', expected: 'duplicate', change: (original) => original },
  {
    name: 'capitals',
    expected: 'duplicate',
    change: (original) => withText(original, (text) => text.toUpperCase()),
  },
  { name: 'slip of the pen', expected: 'duplicate', change: (original) => withText(original, mistyped) },
  { name: 'words in another order', expected: 'duplicate', change: (original) => withText(original, turned) },
  { name: 'other answer', expected: 'conflict', change: withOtherAnswer },
  {
    name: 'a number put in',
    expected: undefined,
    change: (original) => withText(original, (text) => text.replace(' ', ' 7 ')),
  },
];

interface Asked {
  question_text: string;
  correct_answer: string;
  incorrect_answers: string[];
}

const withText = (original: Asked, change: (text: string) => string): Asked => ({
  ...original,
  question_text: change(original.question_text),
});

/** The last letters of the longest word change places. */
function mistyped(text: string): string {
  const longest = text.match(/\w+/g)!.reduce((a, b) => (b.length > a.length ? b : a));
  const slip = longest.slice(0, -2) + longest.at(-1) + longest.at(-2);
  return text.replace(longest, slip);
}

/** "Which a b c d?" as "Which c d a b?" */
function turned(text: string): string {
  const words = text.slice('Which '.length, -1).split(' ');
  const half = words.length >> 1;
  return `Which ${[...words.slice(half), ...words.slice(0, half)].join(' ')}?`;
}

function withOtherAnswer(original: Asked): Asked {
  const [other, ...others] = original.incorrect_answers;
  return { ...original, correct_answer: other!, incorrect_answers: [original.correct_answer, ...others] };
}

/** Which question n is a copy of, and how; undefined for all others. */
function copyOf(n: number) {
  if (n % BETWEEN_COPIES !== BETWEEN_COPIES - 1) return;
  const turn = (n + 1) / BETWEEN_COPIES;
  return { original: n - 1 - ((turn * 7919) % Math.max(1, n - 1)), kind: COPIES[turn % COPIES.length]! };
}

function asked(n: number): Asked {
  const copy = copyOf(n);
  // The copy of a copy would be two changes in one.
  if (!copy || copyOf(copy.original)) return question(n) as Asked;
  return copy.kind.change(question(copy.original) as Asked);
}

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

function wholeQuestion(n: number): QuestionWithAnswers {
  const { question_text, correct_answer, incorrect_answers } = asked(n);
  const choices = [correct_answer, ...incorrect_answers].sort();
  const rest = { category: 'x', difficulty: 0, topic_focus: null, tags: [], explanation: null };
  return { id: idOf(n), question_text, correct_answer, incorrect_answers, choices, ...rest };
}

await bench(async () => {
  const batches: QuestionWithAnswers[][] = [];
  for (let n = 0; n < count; n += BATCH) {
    batches.push(Array.from({ length: Math.min(BATCH, count - n) }, (_, i) => wholeQuestion(n + i)));
  }
  const questions = async function* () {
    // Given away as they are read, so that only what the analysis keeps is kept.
    while (batches.length > 0) yield batches.shift()!;
  };
  await quiet();
  const [began, used] = [performance.now(), process.cpuUsage()];
  const input = { count, questions: questions(), progress: async () => {}, ticker: new Ticker() };
  const { with_answers: result } = await duplicates.run(input, { similarity: 0.8, variants: true });
  const { items, summary } = result;
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);

  const classes = new Map<string, string | undefined>();
  for (const { question_id, flags } of items) {
    if (!classes.has(question_id) || flags[0] !== 'variant') classes.set(question_id, flags[0]);
  }
  const results = COPIES.map(({ name, expected }) => ({ name, expected, planted: 0, right: 0, wrong: 0 }));
  for (let n = 0; n < count; n++) {
    const copy = copyOf(n);
    if (!copy || copyOf(copy.original)) continue;
    const result = results[COPIES.indexOf(copy.kind)]!;
    const found = classes.get(idOf(n));
    const reported = found === 'duplicate' || found === 'conflict' ? found : undefined;
    result.planted++;
    if (reported === result.expected) result.right++;
    else if (reported) result.wrong++;
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(
    `${whole(count)} questions: ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, up to ${whole(memory)} MiB.`,
  );
  console.log(
    `${whole(summary.compared_pairs)} pairs compared, ${whole(summary.bounded_searches)} searches bounded.\n`,
  );
  const rows = results.map(({ name, planted, right, wrong }) => [
    name,
    whole(planted),
    whole(right),
    whole(wrong),
  ]);
  console.log(table(['copies with', 'planted', 'as expected', 'wrong class'], rows));
  keep('duplicates', { count, seconds, cpu: (user + system) / 1e6, memory, summary, results });
});
