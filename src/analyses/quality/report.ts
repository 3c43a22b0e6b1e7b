/** Builds the result from the findings: the items, most severe first, and the summary. */
import type { Finding } from './inspection.ts';
import type { LongestOptionTest } from './longest-option.ts';
import { describeProblems, warnOfOtherLanguages } from './messages.ts';
import { type Rule, SEVERITIES, type Severity } from './rules/rule.ts';

/** A question with at least one finding. */
export interface QuestionFindings {
  question_id: string;
  /** Among the questions analysed, from 0. */
  position: number;
  category: string;
  question_text: string;
  findings: readonly Finding[];
}

export interface CategorySize {
  category: string;
  questions: number;
}

/** Facts about the bank that do not depend on the findings. */
export interface BankFacts {
  questions: number;
  not_english: number;
  /** The largest categories, and the others summed. */
  categories: readonly CategorySize[];
  others: { categories: number; questions: number } | null;
  key_longest: ReturnType<LongestOptionTest['compute']>;
  key_longest_reason: string | null;
}

export function buildOutcome(flagged: readonly QuestionFindings[], rules: readonly Rule[], bank: BankFacts) {
  const byCategory = new Map(bank.categories.map(({ category }) => [category, new FindingCounts()]));
  const others = new FindingCounts();
  const all = new FindingCounts();
  for (const row of flagged) {
    all.add(row);
    (byCategory.get(row.category) ?? others).add(row);
  }
  return {
    summary: {
      questions: bank.questions,
      questions_with_findings: flagged.length,
      clean_share: computeShare(bank.questions - flagged.length, bank.questions),
      by_severity: all.bySeverity,
      not_english: bank.not_english,
      rules: rules
        .filter((rule) => all.questionsByRule.has(rule))
        .map((rule) => buildRuleRow(rule, all, bank.questions)),
      categories: bank.categories.map(({ category, questions }) => ({
        category,
        questions,
        ...listRuleCounts(byCategory.get(category)!, rules),
      })),
      other_categories: bank.others && { ...bank.others, ...listRuleCounts(others, rules) },
      key_longest: bank.key_longest,
      key_longest_reason: bank.key_longest_reason,
    },
    items: sortItems(flagged),
    warnings: bank.not_english > 0 ? [warnOfOtherLanguages(bank.not_english, bank.questions)] : [],
  };
}

const computeShare = (part: number, total: number) => (total === 0 ? null : part / total);

class FindingCounts {
  total = 0;
  readonly bySeverity = { major: 0, minor: 0, info: 0 };
  readonly questionsByRule = new Map<Rule, number>();
  readonly findingsByRule = new Map<Rule, number>();

  add(row: QuestionFindings): void {
    this.total++;
    this.bySeverity[findWorstSeverity(row)]++;
    for (const rule of listRules(row))
      this.questionsByRule.set(rule, (this.questionsByRule.get(rule) ?? 0) + 1);
    for (const { rule } of row.findings)
      this.findingsByRule.set(rule, (this.findingsByRule.get(rule) ?? 0) + 1);
  }
}

function buildRuleRow(rule: Rule, counts: FindingCounts, total: number) {
  const questions = counts.questionsByRule.get(rule) ?? 0;
  return {
    rule: rule.name,
    severity: rule.severity,
    needs_answer: rule.scope === 'answer',
    questions,
    findings: counts.findingsByRule.get(rule) ?? 0,
    share: computeShare(questions, total),
    source: rule.source,
  };
}

function listRuleCounts(counts: FindingCounts, rules: readonly Rule[]) {
  return {
    questions_with_findings: counts.total,
    rules: rules
      .filter((rule) => counts.questionsByRule.has(rule))
      .map((rule) => ({ rule: rule.name, questions: counts.questionsByRule.get(rule)! })),
  };
}

const listRules = (row: QuestionFindings) => new Set(row.findings.map(({ rule }) => rule));
const toRank = (severity: Severity) => SEVERITIES.indexOf(severity);

function findWorstSeverity({ findings }: QuestionFindings): Severity {
  return SEVERITIES[Math.max(...findings.map(({ rule }) => toRank(rule.severity)))]!;
}

/** One finding outweighs any number of less severe ones: a question has fewer than 1000. */
function computeWeight({ findings }: QuestionFindings): number {
  return findings.reduce((sum, { rule }) => sum + 1000 ** toRank(rule.severity), 0);
}

/**
 * Most severe first, then in the order of the bank: a bucket sort by weight, of which there are few
 * distinct values. Items are built when they are iterated.
 */
function sortItems(rows: readonly QuestionFindings[]) {
  const buckets = new Map<number, QuestionFindings[]>();
  for (const row of rows) buckets.getOrInsertComputed(computeWeight(row), () => []).push(row);
  const ordered = [...buckets].sort(([a], [b]) => b - a);
  return {
    *[Symbol.iterator]() {
      for (const [, bucket] of ordered) for (const row of bucket) yield buildItem(row);
    },
  };
}

function buildItem(row: QuestionFindings) {
  const findings = [...row.findings].sort((a, b) => toRank(b.rule.severity) - toRank(a.rule.severity));
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return {
    question_id: row.question_id,
    flags: rules.map(({ name }) => name),
    message: describeProblems(rules),
    position: row.position,
    category: row.category,
    question_text: row.question_text,
    severity: findWorstSeverity(row),
    findings: findings.map(({ rule: { name, severity, why, how }, change, ...span }) => ({
      rule: name,
      severity,
      ...span,
      why,
      how,
      change,
    })),
  };
}
