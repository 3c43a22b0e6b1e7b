/**
 * Estimates how many questions contain some words, from a sample of questions. The full-text index
 * of neither engine counts the questions with a word without reading the entries of all of them.
 */
import { popcount } from '../../bits/popcount.ts';
import type { Db } from '../db.ts';
import { parseMembers } from './members.ts';
import { tokenize } from './words.ts';

/** In a bank of a million questions, each sampled question stands for 244. */
const SAMPLE_SIZE = 4096;
const BATCH_ROWS = 256;
/** Characters of a question that are read. */
const SAMPLED_CHARS = 2_000;
/** The sample is drawn again when the bank has grown by one part in so many. */
const GROWTH_PARTS = 8;
/** The size of a word in memory, with its sampled questions. */
const WORD_BYTES = 200;

export class WordSample {
  /** By word: the sampled questions that contain it. */
  readonly #questions = new Map<string, number[]>();
  #size = 0;
  /** The number of slots that each sampled slot stands for. */
  readonly #slotsPerSample: number;

  constructor(slotsPerSample: number) {
    this.#slotsPerSample = slotsPerSample;
  }

  get bytes(): number {
    return this.#questions.size * WORD_BYTES;
  }

  add(words: Iterable<string>): void {
    for (const word of new Set(words)) this.#questions.getOrInsertComputed(word, () => []).push(this.#size);
    this.#size++;
  }

  /** The number of questions in the bank; at least 1. */
  get total(): number {
    return Math.max(1, this.#size * this.#slotsPerSample);
  }

  /** The number of questions that contain the word. */
  count(word: string): number {
    return (this.#questions.get(word)?.length ?? 0) * this.#slotsPerSample;
  }

  /** The inverse document frequency of a word. */
  idf(word: string): number {
    return Math.log(1 + this.total / Math.max(1, this.count(word)));
  }

  /** The sampled questions that contain one of the words, as a bitmap. */
  select(words: readonly string[]): Uint32Array {
    const bitmap = new Uint32Array(Math.ceil(this.#size / 32));
    for (const word of words)
      for (const question of this.#questions.get(word) ?? []) bitmap[question >>> 5]! |= 1 << (question & 31);
    return bitmap;
  }

  /** The number of questions that a bitmap of sampled ones stands for. */
  countSelected(bitmap: Uint32Array): number {
    return bitmap.reduce((sum, word) => sum + popcount(word), 0) * this.#slotsPerSample;
  }
}

/**
 * Reads the sample: questions at slots in about equal distances. It depends on the bank and on nothing
 * else, and so is the same in all processes. Runs within a snapshot.
 */
export async function readWordSample(db: Db): Promise<WordSample> {
  const row = await db.get<{ last: number | null }>('SELECT max(created_slot) AS last FROM questions');
  const slots = roundDown(row!.last ?? 0);
  const key = `word sample: ${slots}`;
  const known = db.cache.get<WordSample>(key);
  if (known) return known;
  const size = Math.min(SAMPLE_SIZE, slots);
  const sample = new WordSample(slots / Math.max(1, size));
  const chosen = Array.from({ length: size }, (_, i) => 1 + Math.floor((i + jitter(i)) * (slots / size)));
  for (let i = 0; i < size; i += BATCH_ROWS) {
    const rows = await db.all<{ members: string }>(
      `SELECT substr(public_json, 1, ${SAMPLED_CHARS}) AS members FROM questions
       WHERE created_slot IN ${db.dialect.values('$1', 'bigint')} ORDER BY created_slot`,
      JSON.stringify(chosen.slice(i, i + BATCH_ROWS)),
    );
    for (const { members } of rows) sample.add(listSearchedWords(members));
  }
  db.cache.set(key, sample, sample.bytes);
  return sample;
}

/** From 0 to 1. Without it, a sample of an import in which categories alternate could have one only. */
const jitter = (i: number) => (i * 0.6180339887498949) % 1;

function roundDown(slots: number): number {
  const step = Math.max(1, 2 ** Math.floor(Math.log2(slots / GROWTH_PARTS)));
  return Math.floor(slots / step) * step;
}

/** The words of a question that every caller may search. */
function listSearchedWords(publicJson: string): string[] {
  const members = parseMembers(publicJson);
  return ['question_text', 'topic_focus', 'tags'].flatMap((name) =>
    tokenize((members.get(name) ?? []).join(' ')),
  );
}
