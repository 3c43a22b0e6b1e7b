/** Makes the result of what was found: the rows, the worst first, and the figures about the bank. */
import type { Finding } from './inspect.ts';
import type { LongestOption } from './longest-option.ts';
import { type Rule, SEVERITIES, type Severity } from './rule.ts';

/** A question with at least one finding. */
export interface Row {
  question_id: string;
  /** Among the questions looked at, from 0. */
  place: number;
  category: string;
  question_text: string;
  findings: readonly Finding[];
}

export interface CategorySize {
  category: string;
  questions: number;
}

/** What is known of the bank besides the findings. */
export interface Frame {
  questions: number;
  not_english: number;
  /** The largest categories, and what the others come to. */
  categories: readonly CategorySize[];
  others: { categories: number; questions: number } | null;
  key_longest: LongestOption['figures'];
  key_longest_reason: string | null;
}

export function report(rows: readonly Row[], rules: readonly Rule[], frame: Frame) {
  const tables = new Map(frame.categories.map(({ category }) => [category, new Counts()]));
  const others = new Counts();
  const all = new Counts();
  for (const row of rows) {
    all.add(row);
    (tables.get(row.category) ?? others).add(row);
  }
  return {
    summary: {
      questions: frame.questions,
      questions_with_findings: rows.length,
      clean_share: shareOf(frame.questions - rows.length, frame.questions),
      worst: all.worst,
      not_english: frame.not_english,
      rules: rules.map((rule) => ruleRow(rule, all, frame.questions)),
      categories: frame.categories.map(({ category, questions }) => ({
        category,
        questions,
        ...countsOf(tables.get(category)!, rules),
      })),
      other_categories: frame.others && { ...frame.others, ...countsOf(others, rules) },
      key_longest: frame.key_longest,
      key_longest_reason: frame.key_longest_reason,
    },
    items: itemsOf(rows),
    warnings: warningsOf(frame),
  };
}

const shareOf = (part: number, all: number) => (all === 0 ? null : part / all);

class Counts {
  rows = 0;
  readonly worst = { major: 0, minor: 0, info: 0 };
  /** Questions and findings, by rule. */
  readonly questions = new Map<Rule, number>();
  readonly findings = new Map<Rule, number>();

  add(row: Row): void {
    this.rows++;
    this.worst[worstOf(row)]++;
    for (const rule of rulesOf(row)) this.questions.set(rule, (this.questions.get(rule) ?? 0) + 1);
    for (const { rule } of row.findings) this.findings.set(rule, (this.findings.get(rule) ?? 0) + 1);
  }
}

function ruleRow(rule: Rule, counts: Counts, all: number) {
  const questions = counts.questions.get(rule) ?? 0;
  return {
    rule: rule.name,
    severity: rule.severity,
    needs_answer: rule.looks_at === 'answer',
    questions,
    findings: counts.findings.get(rule) ?? 0,
    share: shareOf(questions, all),
    source: rule.source,
  };
}

function countsOf(counts: Counts, rules: readonly Rule[]) {
  return {
    questions_with_findings: counts.rows,
    rules: rules
      .filter((rule) => counts.questions.has(rule))
      .map((rule) => ({ rule: rule.name, questions: counts.questions.get(rule)! })),
  };
}

const rulesOf = (row: Row) => new Set(row.findings.map(({ rule }) => rule));
const rankOf = (severity: Severity) => SEVERITIES.indexOf(severity);

function worstOf({ findings }: Row): Severity {
  return SEVERITIES[Math.max(...findings.map(({ rule }) => rankOf(rule.severity)))]!;
}

/**
 * One grave finding weighs more than any number of small ones; a question has fewer than a thousand of each.
 */
function weightOf({ findings }: Row): number {
  return findings.reduce((sum, { rule }) => sum + 1000 ** rankOf(rule.severity), 0);
}

/**
 * The worst first, then in the order of the bank. Rows are put in heaps by weight, of which there are few:
 * sorting them all would take long.
 */
function itemsOf(rows: readonly Row[]) {
  const heaps = new Map<number, Row[]>();
  for (const row of rows) heaps.getOrInsertComputed(weightOf(row), () => []).push(row);
  const ordered = [...heaps].sort(([a], [b]) => b - a);
  return {
    *[Symbol.iterator]() {
      for (const [, heap] of ordered) for (const row of heap) yield itemOf(row);
    },
  };
}

function itemOf(row: Row) {
  const findings = [...row.findings].sort((a, b) => rankOf(b.rule.severity) - rankOf(a.rule.severity));
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return {
    question_id: row.question_id,
    flags: rules.map(({ name }) => name),
    message: messageOf(rules),
    place: row.place,
    category: row.category,
    question_text: row.question_text,
    severity: worstOf(row),
    findings: findings.map(({ rule: { name, severity, why, how }, ...place }) => ({
      rule: name,
      severity,
      ...place,
      why,
      how,
    })),
  };
}

/** How many kinds of findings are put in words; the others are counted. */
const IN_WORDS = 3;

function messageOf(rules: readonly Rule[]): string {
  const parts = rules.slice(0, IN_WORDS).map(({ what }) => what);
  if (rules.length > IN_WORDS) parts.push(`and ${rules.length - IN_WORDS} more`);
  const sentence = parts.join('; ');
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
}

function warningsOf({ not_english, questions }: Frame): string[] {
  if (not_english === 0) return [];
  return [
    `Not in English, it seems: ${not_english} of ${questions} questions. The rules about wording were not applied there.`,
  ];
}
