/** `quaestor lint`: finds what is wrong with files of questions, without a bank. */
import { basename } from 'node:path';
import { findAnalysis } from '../analyses/index.ts';
import type { Outcome } from './command.ts';
import { FileQuestions, type Located, type Notice } from './file-questions.ts';
import { renderFindings } from './lint-report.ts';

export interface Finding extends Located {
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

const LEVELS: Record<Notice['kind'], Finding['level']> = {
  unreadable: 'error',
  reject: 'error',
  skip: 'warning',
  notice: 'note',
};

export async function lint(files: readonly string[], given: LintArguments): Promise<Outcome> {
  const report = (given.report ?? 'text') as Report;
  const severity = given['min-severity'] ?? 'info';
  const read = new FileQuestions();
  for (const file of files) await read.read(file, given.format);
  const findings = [
    ...read.notices.map(({ at, kind, code, detail }) => toFinding(at, LEVELS[kind], code, detail)),
    ...(await findFlaws(read, severity)),
    ...(await findDuplicates(read)),
  ].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
  const isUnreadable = read.notices.some(({ kind }) => kind === 'unreadable');
  const exitCode = isUnreadable ? UNREADABLE_CODE : findings.length > 0 ? 1 : 0;
  return { data: findings, text: renderFindings(findings, report), exitCode };
}

const toFinding = (at: Located, level: Finding['level'], rule: string, message: string): Finding => ({
  ...at,
  level,
  rule,
  message,
});

async function analyze<R>(read: FileQuestions, type: string, parameters: object): Promise<Iterable<R>> {
  return (await read.analyze(findAnalysis(type)!, parameters)).items as Iterable<R>;
}

async function findFlaws(read: FileQuestions, min_severity: string): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { question_id, findings } of await analyze<QualityRow>(read, 'quality', { min_severity }))
    for (const { rule, severity, excerpt, why, how } of findings)
      found.push(
        toFinding(
          read.positions.get(question_id)!,
          severity === 'info' ? 'note' : 'warning',
          rule,
          `${why} ${how} (${excerpt})`,
        ),
      );
  return found;
}

async function findDuplicates(read: FileQuestions): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const row of await analyze<DuplicateRow>(read, 'duplicates', {})) {
    if (row.class === null || row.class === 'variant' || row.question_id === row.first_question_id) continue;
    const first = read.positions.get(row.first_question_id)!;
    const where = `${basename(first.file)}, line ${first.line}`;
    const message =
      row.class === 'conflict'
        ? `The same question as in ${where}, with another answer.`
        : `${row.class === 'likely' ? 'Probably the' : 'The'} same question as in ${where}.`;
    const level = row.class === 'likely' ? 'note' : 'warning';
    found.push(toFinding(read.positions.get(row.question_id)!, level, row.class, message));
  }
  return found;
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
