/**
 * Generates realistic questions deterministically: question n depends on n only. Words follow
 * Zipf's law; the word "common" occurs in 23.4 % of the questions; categories and difficulties are
 * uniform.
 */
import { parseArgs } from 'node:util';
import { type BankAddress, openEngine } from '../src/engines/index.ts';
import type { QuestionInput } from '../src/schemas/question.ts';
import { createQuestions } from '../src/store/questions/questions.ts';
import { mulberry32 } from '../test/support/random.ts';
import { type Access, fetchBytes, post } from './service.ts';
import { format, runBenchmark } from './tools.ts';

export const CATEGORIES = [
  'Astronomy',
  'Geography',
  'Literature',
  'Mathematics',
  'Science',
  'General Knowledge',
];
const COMMON_WORD_SHARE = 0.234;
const BATCH_QUESTIONS = 1000;

function generateVocabulary(size: number, seed: number): string[] {
  const random = mulberry32(seed);
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)]!;
  const words = new Set<string>();
  while (words.size < size) {
    let word = '';
    for (let n = 2 + Math.floor(random() * 2); n > 0; n--) word += pick('bdfgklmnprtvz') + pick('aeiou');
    words.add(word + (random() < 0.5 ? pick('nrlt') : ''));
  }
  return [...words];
}

/** Draws the k-th element with a probability proportional to 1/k. */
function zipfSampler<T>(list: T[]): (random: () => number) => T {
  let sum = 0;
  const upTo = Float64Array.from(list, (_, i) => (sum += 1 / (i + 1)));
  return (random) => {
    const at = random() * sum;
    let low = 0;
    let high = list.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return list[low]!;
  };
}

/** In order of decreasing frequency. */
export const WORDS = generateVocabulary(8000, 1);
const pickWord = zipfSampler(WORDS);
export const TAGS = generateVocabulary(200, 2);
const pickTag = zipfSampler(TAGS);
const TOPICS = CATEGORIES.map((_, i) => generateVocabulary(12, 3 + i));
export const getTopic = (category: number, n: number) => TOPICS[category]![n]!;

export function generateQuestion(n: number) {
  const random = mulberry32(n * 2654435761);
  const upTo = (limit: number) => Math.floor(random() * limit);
  const words = (count: number) => Array.from({ length: count }, () => pickWord(random));
  const category = n % 6;
  const text = words(10 + upTo(5));
  if (random() < COMMON_WORD_SHARE) text[upTo(text.length)] = 'common';
  const answers = new Set<string>();
  while (answers.size < 4) answers.add(words(1 + upTo(2)).join(' '));
  const [correct_answer, ...incorrect_answers] = answers;
  const tags = new Set(Array.from({ length: upTo(4) }, () => pickTag(random)));
  return {
    question_text: `Which ${text.join(' ')}?`,
    correct_answer,
    category: CATEGORIES[category],
    difficulty: Math.floor(n / 6) % 3,
    ...(random() < 0.8 && { topic_focus: getTopic(category, upTo(12)) }),
    incorrect_answers,
    ...(random() < 0.3 && { explanation: `${words(12).join(' ')}.` }),
    tags: [...tags],
  };
}

export const generateQuestions = (first: number, size: number) =>
  Array.from({ length: size }, (_, i) => generateQuestion(first + i));

/**
 * Creates questions `first` to `end` through the API, sequentially, so that their order is
 * deterministic.
 */
export async function seed(access: Access, end: number, first = 0): Promise<void> {
  for (let at = first; at < end; at += BATCH_QUESTIONS) {
    await fetchBytes(access, '/questions', post(generateQuestions(at, Math.min(BATCH_QUESTIONS, end - at))));
    if ((at + BATCH_QUESTIONS) % 100_000 === 0)
      console.error(`  ${format.integer(at + BATCH_QUESTIONS)} questions`);
  }
}

/** Questions of one transaction, without the limits of a request. */
const DIRECT_BATCH_QUESTIONS = 10_000;

/**
 * Creates the questions that a bank lacks up to `end`, before the service is started: several times
 * as fast as through the API.
 */
export async function seedDirectly(
  bank: BankAddress,
  end: number,
  generate: (n: number) => object = generateQuestion,
): Promise<void> {
  const engine = await openEngine(bank);
  try {
    const { n: first } = (await engine.db.get<{ n: number }>('SELECT count(*) AS n FROM questions'))!;
    for (let at = first; at < end; at += DIRECT_BATCH_QUESTIONS) {
      const length = Math.min(DIRECT_BATCH_QUESTIONS, end - at);
      const inputs = Array.from({ length }, (_, i) => generate(at + i) as QuestionInput);
      await engine.write(createQuestions, { inputs, many: true, by: { client: 'admin', key: null } });
      if ((at + length) % 100_000 === 0) console.error(`  ${format.integer(at + length)} questions`);
    }
  } finally {
    await engine.close();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '3000' }, questions: { type: 'string', default: '10000' } },
  });
  const key = process.env.QUAESTOR_KEY;
  await runBenchmark(async () => {
    if (!key) throw new Error('Set QUAESTOR_KEY to a key of the service that may write questions.');
    await seed({ port: Number(values.port), authorization: `Bearer ${key}` }, Number(values.questions));
  });
}
