/** `quaestor lint`: finds what is wrong with files of questions, without a bank. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { QuestionWithAnswers } from '../analyses/define.ts';
import { findAnalysis } from '../analyses/index.ts';
import { Ticker } from '../concurrency/ticker.ts';
import { UnreadableFile } from '../formats/format.ts';
import { kindOf, listCorrect } from '../schemas/question-kinds.ts';
import type { ImportedInput } from '../store/imports/items.ts';
import type { ItemPosition } from '../store/imports/row.ts';
import { readBatches } from '../transfer/import-items.ts';
import type { Outcome } from './command.ts';
import { findReader } from './convert.ts';
import { renderFindings } from './lint-report.ts';

export interface Finding extends ItemPosition {
  file: string;
  /** `error`: an import would reject the item. */
  level: 'error' | 'warning' | 'note';
  rule: string;
  message: string;
}

export type Report = 'text' | 'json' | 'sarif' | 'github';

interface LintArguments {
  format?: string | undefined;
  report?: string | undefined;
  'min-severity'?: string | undefined;
}

const UNREADABLE_CODE = 3;

export async function lint(files: readonly string[], given: LintArguments): Promise<Outcome> {
  const report = (given.report ?? 'text') as Report;
  const severity = given['min-severity'] ?? 'info';
  const linter = new Linter();
  for (const file of files) await linter.read(file, given.format);
  await linter.assess(severity);
  const findings = linter.findings.sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line,
  );
  const exitCode = linter.isUnreadable ? UNREADABLE_CODE : findings.length > 0 ? 1 : 0;
  return { data: findings, text: renderFindings(findings, report), exitCode };
}

interface Located extends ItemPosition {
  file: string;
}

class Linter {
  readonly findings: Finding[] = [];
  isUnreadable = false;
  readonly #questions: QuestionWithAnswers[] = [];
  /** Where the questions are. */
  readonly #positions = new Map<string, Located>();

  #add(at: Located, level: Finding['level'], rule: string, message: string): void {
    this.findings.push({ ...at, level, rule, message });
  }

  async read(file: string, named: string | undefined): Promise<void> {
    const { name: format } = await findReader(file, named);
    const options = { dry_run: true, mode: 'skip_bad', on_match: 'skip', create_categories: false } as const;
    const source = { path: file, stream: () => createReadStream(file) };
    try {
      for await (const { items } of readBatches({ source, format, options, from: 0 }))
        for (const item of items) {
          const at = { file, ...item.position };
          if (item.kind === 'question') this.#keep(item.input, at);
          else if (item.kind === 'reject') this.#add(at, 'error', item.code, item.detail);
          else this.#add(at, item.kind === 'skip' ? 'warning' : 'note', item.code, item.detail);
        }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      this.isUnreadable = true;
      const { code, detail, position } = error;
      this.#add({ file, ...position }, 'error', code, detail);
    }
  }

  #keep(input: ImportedInput, at: Located): void {
    const id = `00000000-0000-7000-8000-${String(this.#questions.length).padStart(12, '0')}`;
    const { correct_answer, incorrect_answers, explanation, topic_focus, tags } = input;
    const incorrect = incorrect_answers ?? [];
    this.#positions.set(id, at);
    this.#questions.push({
      ...{ id, revision: 1, kind: kindOf({ ...input, incorrect_answers: incorrect }) },
      ...{ question_text: input.question_text, correct_answer, incorrect_answers: incorrect },
      choices: incorrect.length > 0 ? [...listCorrect(correct_answer), ...incorrect].sort() : [],
      category: input.category ?? '',
      difficulty: input.difficulty ?? 0,
      topic_focus: topic_focus ?? null,
      tags: tags ?? [],
      explanation: explanation ?? null,
      ...(input.accepted_answers && { accepted_answers: input.accepted_answers }),
      ...(input.text_format === 'markdown' && { had_markup: true as const }),
    });
  }

  /** Runs the analyses of quality and of duplicates on all files together. */
  async assess(min_severity: string): Promise<void> {
    for (const { question_id, findings } of await this.#run<QualityRow>('quality', { min_severity }))
      for (const { rule, severity, excerpt, why, how } of findings)
        this.#add(
          this.#positions.get(question_id)!,
          severity === 'info' ? 'note' : 'warning',
          rule,
          `${why} ${how} (${excerpt})`,
        );
    for (const row of await this.#run<DuplicateRow>('duplicates', {})) {
      if (row.class === null || row.class === 'variant' || row.question_id === row.first_question_id)
        continue;
      const first = this.#positions.get(row.first_question_id)!;
      const where = `${basename(first.file)}, line ${first.line}`;
      const message =
        row.class === 'conflict'
          ? `The same question as in ${where}, with another answer.`
          : `${row.class === 'likely' ? 'Probably the' : 'The'} same question as in ${where}.`;
      const level = row.class === 'likely' ? 'note' : 'warning';
      this.#add(this.#positions.get(row.question_id)!, level, row.class, message);
    }
  }

  async #run<R>(type: string, parameters: object): Promise<R[]> {
    const definition = findAnalysis(type)!;
    const questions = this.#questions;
    const defaults = Object.entries(
      definition.parameters.properties as Record<string, { default?: unknown }>,
    ).map(([name, schema]) => [name, schema.default]);
    const input = {
      count: questions.length,
      scope: { categories: [], difficulties: [0, 1, 2] },
      questions: (async function* () {
        if (questions.length > 0) yield questions;
      })(),
      ticker: new Ticker(),
      responses: () => Promise.reject(new Error('a file has no responses')),
    };
    const result = await definition.run(
      input as never,
      { ...Object.fromEntries(defaults), ...parameters } as never,
    );
    const { items } = 'with_answers' in result ? result.with_answers : result;
    return [...(items as Iterable<R>)];
  }
}

interface QualityRow {
  question_id: string;
  findings: { rule: string; severity: string; excerpt: string; why: string; how: string }[];
}

interface DuplicateRow {
  question_id: string;
  first_question_id: string;
  class: 'conflict' | 'duplicate' | 'likely' | 'variant' | null;
}
