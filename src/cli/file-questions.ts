/** The questions of files, as analyses read them, without a bank. */
import { createReadStream } from 'node:fs';
import type { Outcome, QuestionWithAnswers } from '../analyses/define.ts';
import { type Analysis, withDefaults } from '../analyses/index.ts';
import { Ticker } from '../concurrency/ticker.ts';
import { UnreadableFile } from '../formats/format.ts';
import { kindOf, listCorrect } from '../schemas/question-kinds.ts';
import type { ImportedInput } from '../store/imports/items.ts';
import type { ItemPosition } from '../store/imports/row.ts';
import { readBatches } from '../transfer/import-items.ts';
import { findReader } from './convert.ts';
import { ProgressLine } from './progress.ts';

/** The category of items that have none. */
const NO_CATEGORY = '(none)';

export interface Located extends ItemPosition {
  file: string;
}

/** What was noticed about an item or a whole file. */
export interface Notice {
  at: Located;
  kind: 'unreadable' | 'reject' | 'skip' | 'notice';
  code: string;
  detail: string;
}

export class FileQuestions {
  readonly questions: QuestionWithAnswers[] = [];
  readonly notices: Notice[] = [];
  /** Where the questions are, by id. */
  readonly positions = new Map<string, Located>();
  readonly #progress = new ProgressLine();

  async read(file: string, named: string | undefined): Promise<void> {
    const { name: format } = await findReader(file, named);
    const options = { dry_run: true, mode: 'skip_bad', on_match: 'skip', create_categories: false } as const;
    const source = { path: file, stream: () => createReadStream(file) };
    try {
      for await (const { items } of readBatches({ source, format, options, from: 0 })) {
        const label = `reading ${file}`;
        this.#progress.show({ phase: 'reading', label, done: this.questions.length, unit: 'questions' });
        for (const item of items) {
          const at = { file, ...item.position };
          if (item.kind === 'question') this.#add(item.input, at);
          else this.notices.push({ at, kind: item.kind, code: item.code, detail: item.detail });
        }
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      const { code, detail, position } = error;
      this.notices.push({ at: { file, ...position }, kind: 'unreadable', code, detail });
    } finally {
      this.#progress.end();
    }
  }

  #add(input: ImportedInput, at: Located): void {
    const id = `00000000-0000-7000-8000-${String(this.questions.length).padStart(12, '0')}`;
    const { correct_answer, incorrect_answers, explanation, topic_focus, tags } = input;
    const incorrect = incorrect_answers ?? [];
    this.positions.set(id, at);
    this.questions.push({
      ...{ id, revision: 1, kind: kindOf({ ...input, incorrect_answers: incorrect }) },
      ...{ question_text: input.question_text, correct_answer, incorrect_answers: incorrect },
      choices: incorrect.length > 0 ? [...listCorrect(correct_answer), ...incorrect].sort() : [],
      category: input.category ?? NO_CATEGORY,
      difficulty: input.difficulty ?? 0,
      topic_focus: topic_focus ?? null,
      tags: tags ?? [],
      explanation: explanation ?? null,
      ...(input.accepted_answers && { accepted_answers: input.accepted_answers }),
      ...(input.text_format === 'markdown' && { had_markup: true as const }),
    });
  }

  /** Runs an analysis on the questions of all files together. */
  async analyze(definition: Analysis, parameters: object): Promise<Outcome<object, object>> {
    const { questions } = this;
    const input = {
      count: questions.length,
      scope: { categories: [], difficulties: [0, 1, 2] },
      questions: (async function* () {
        if (questions.length > 0) yield questions;
      })(),
      ticker: new Ticker(),
      responses: () => Promise.reject(new Error('a file has no responses')),
    };
    const result = await definition.run(input as never, withDefaults(definition, parameters) as never);
    return 'with_answers' in result ? result.with_answers : result;
  }
}
