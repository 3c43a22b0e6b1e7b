/** Finds the questions of the bank that a file of responses names. */
import type { Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { computeContentHash } from '../questions/content-hash.ts';
import type { QuestionRow } from '../questions/row.ts';
import type { FileQuestion, QuestionMatch, ResponseImportOptions } from './row.ts';

interface FoundQuestion {
  id: string;
  slot: number;
  /** The options of a question with several correct answers. */
  options: string[] | undefined;
}

export interface Resolved extends QuestionMatch {
  question: FoundQuestion | undefined;
  /** Several questions have the text. */
  isAmbiguous: boolean;
}

/** Equal for the same question of a file. A column may have other questions in other rows. */
export const keyOf = ({ index, name, id, text }: FileQuestion): string =>
  JSON.stringify([name ?? index, id, text]);

type Found = Pick<QuestionRow, 'id' | 'created_slot' | 'external_id' | 'content_hash' | 'public_json'>;

interface Candidates {
  reference: FileQuestion;
  /** An id or `external_id` that the request gives. */
  given: string | undefined;
  names: string[];
  text: string | undefined;
}

/** Resolves each question once, by its key. */
export async function resolveQuestions(
  tx: Tx,
  references: ReadonlyMap<string, FileQuestion>,
  { questions, visibility }: ResponseImportOptions,
): Promise<Map<string, Resolved>> {
  const all = [...references].map(([key, reference]) => ({ key, ...listCandidates(reference, questions) }));
  const names = [...new Set(all.flatMap(({ given, names }) => (given === undefined ? names : [given])))];
  const texts = all.flatMap(({ given, text }) => (given === undefined && text !== undefined ? [text] : []));
  const statuses = visibility === 'all' ? "'approved', 'retired'" : "'approved'";
  const select = (condition: string, values: (string | number)[]) =>
    values.length === 0
      ? []
      : tx.all<Found>(
          `SELECT id, created_slot, external_id, content_hash, public_json FROM questions
           WHERE ${condition} AND status IN (${statuses}) ORDER BY created_slot`,
          JSON.stringify(values),
        );
  const { dialect } = tx;
  const ids = names.flatMap((name) => canonicalId(name) ?? []);
  const byId = await select(`id IN ${dialect.values('$1', 'uuid')}`, ids);
  const byExternalId = await select(`external_id IN ${dialect.values('$1', 'text')}`, names);
  const hashes = [...new Set(texts.map(computeContentHash))];
  const byText = await select(`content_hash IN ${dialect.values('$1', 'bigint')}`, hashes);
  const finder = new Finder(byId, byExternalId, byText);
  return new Map(all.map(({ key, ...candidates }) => [key, finder.find(candidates)]));
}

function listCandidates(reference: FileQuestion, questions: ResponseImportOptions['questions']): Candidates {
  const { index, name, id, text } = reference;
  const names = [name, id].filter((value) => value !== undefined);
  const keys = [...names, text, String(index + 1)].filter((value) => value !== undefined);
  const key = keys.find((each) => questions && Object.hasOwn(questions, each));
  const given = Array.isArray(questions) ? questions[index] : key === undefined ? undefined : questions![key];
  return { reference, given, names, text: text ?? name };
}

class Finder {
  readonly #byId: Map<string, Found>;
  readonly #byExternalId: Map<string | null, Found>;
  readonly #byText: Map<number | null, Found[]>;

  constructor(byId: Found[], byExternalId: Found[], byText: Found[]) {
    this.#byId = new Map(byId.map((row) => [row.id, row]));
    this.#byExternalId = new Map(byExternalId.map((row) => [row.external_id, row]));
    this.#byText = Map.groupBy(byText, ({ content_hash }) => content_hash);
  }

  find({ reference, given, names, text }: Candidates): Resolved {
    const { index } = reference;
    const name = reference.text ?? reference.name ?? String(index + 1);
    const resolve = (row: Found | undefined, matched_by: QuestionMatch['matched_by']): Resolved => ({
      name: name.slice(0, MAX_NAME_CHARS),
      question_id: row?.id ?? null,
      matched_by: row ? matched_by : null,
      question: row && { id: row.id, slot: row.created_slot, options: readOptions(row) },
      isAmbiguous: false,
    });
    if (given !== undefined)
      return resolve(this.#findId(given) ?? this.#byExternalId.get(given), 'parameter');
    for (const each of names) {
      const row = this.#findId(each);
      if (row) return resolve(row, 'id');
    }
    const owner = names.find((each) => this.#byExternalId.has(each));
    if (owner !== undefined) return resolve(this.#byExternalId.get(owner), 'external_id');
    const same = text === undefined ? [] : (this.#byText.get(computeContentHash(text)) ?? []);
    if (same.length > 1) return { ...resolve(undefined, null), isAmbiguous: true };
    return resolve(same[0], 'text');
  }

  #findId(text: string): Found | undefined {
    const id = canonicalId(text);
    return id === undefined ? undefined : this.#byId.get(id);
  }
}

const MAX_NAME_CHARS = 200;

function readOptions({ public_json }: Found): string[] | undefined {
  if (!public_json.includes('"multiple_response"')) return undefined;
  try {
    const { kind, choices } = JSON.parse(`{${public_json}}`) as { kind: string; choices?: string[] };
    return kind === 'multiple_response' ? choices : undefined;
  } catch {
    // Damaged: its responses are stored as they are.
    return undefined;
  }
}

/** How programs separate the options that were chosen: Moodle `; `, Canvas `,`. */
const SEPARATORS = ['; ', ';', '\n', ', ', ',', '|'];

/**
 * The options that an answer lists, as they are spelt in the question; the answer itself if it does
 * not consist of options.
 */
export function splitChosen(answer: string, options: readonly string[]): string | string[] {
  const fold = (text: string) => text.normalize('NFKC').trim().toLowerCase();
  const spelt = new Map(options.map((option) => [fold(option), option]));
  const find = (parts: string[]) => {
    const chosen = parts.map((part) => spelt.get(fold(part)));
    return chosen.every((option) => option !== undefined) ? chosen : undefined;
  };
  const splits = [[answer], ...SEPARATORS.map((separator) => answer.split(separator))];
  return splits.map(find).find((chosen) => chosen !== undefined) ?? answer;
}
