/**
 * Applies the rules to all questions. The result without answers is the result with answers, less
 * every finding that depends on the key or lies in the answer, counted again.
 */
import { listCorrect } from '../../schemas/question-kinds.ts';
import type { Input, Outcome, QuestionWithAnswers, ResultsByView } from '../define.ts';
import { ANSWER_FIELD, type Finding, inspectQuestion, QUESTION_FIELD } from './inspection.ts';
import { LongestOptionTest } from './longest-option.ts';
import { ANSWERS_HIDDEN_REASON, ANSWERS_HIDDEN_WARNING, NO_LONGEST_OPTION_REASON } from './messages.ts';
import { type BankFacts, buildOutcome, type CategorySize, type QuestionFindings } from './report.ts';
import { RULES } from './rules/index.ts';
import { SEVERITIES } from './rules/rule.ts';
import { type Change, MAX_CATEGORIES, type Parameters, type Row, type Summary } from './schemas.ts';

const RULES_BY_NAME = new Map(RULES.map((rule) => [rule.name, rule]));

export async function assessQuality(
  input: Input<QuestionWithAnswers>,
  parameters: Parameters,
): Promise<ResultsByView<Summary, Row>> {
  const with_answers = await inspectAll(input, parameters);
  return { with_answers, without_answers: removeAnswers(with_answers) };
}

async function inspectAll(
  { count, questions, ticker }: Input<QuestionWithAnswers>,
  { rules: names, min_severity, ...thresholds }: Parameters,
): Promise<Outcome<Summary, Row>> {
  const minRank = SEVERITIES.indexOf(min_severity);
  const rules = RULES.filter(
    ({ name, severity }) => names.includes(name) && SEVERITIES.indexOf(severity) >= minRank,
  );
  const categorySizes = new Map<string, number>();
  const longestOption = new LongestOptionTest();
  const flagged: QuestionFindings[] = [];
  let position = 0;
  let notEnglish = 0;
  for await (const batch of questions) {
    for (const question of batch) {
      const { id: question_id, question_text, category, choices, correct_answer } = question;
      const { parsed, findings } = inspectQuestion(question, rules, thresholds);
      if (findings.length > 0) flagged.push({ question_id, position, category, question_text, findings });
      if (!parsed.isEnglish) notEnglish++;
      if (parsed.kind === 'choice') longestOption.add(choices, listCorrect(correct_answer));
      categorySizes.set(category, (categorySizes.get(category) ?? 0) + 1);
      position++;
      if (ticker.due()) await ticker.yield(position / (count + 1));
    }
  }
  const key_longest = longestOption.compute();
  return buildOutcome(flagged, rules, {
    questions: position,
    not_english: notEnglish,
    ...selectLargestCategories(categorySizes),
    key_longest,
    key_longest_reason: key_longest ? null : NO_LONGEST_OPTION_REASON,
  });
}

/** Ties keep the order of first occurrence, since sorting is stable. */
function selectLargestCategories(
  sizes: ReadonlyMap<string, number>,
): Pick<BankFacts, 'categories' | 'others'> {
  const all: CategorySize[] = [...sizes].map(([category, questions]) => ({ category, questions }));
  all.sort((a, b) => b.questions - a.questions);
  const others = all.slice(MAX_CATEGORIES);
  const questions = others.reduce((sum, category) => sum + category.questions, 0);
  return {
    categories: all.slice(0, MAX_CATEGORIES),
    others: others.length > 0 ? { categories: others.length, questions } : null,
  };
}

function removeAnswers({ summary, items }: Outcome<Summary, Row>): Outcome<Summary, Row> {
  const flagged: QuestionFindings[] = [];
  for (const { question_id, position, category, question_text, findings: all } of items) {
    const findings = all
      .map(toFinding)
      .filter(({ rule, field }) => rule.scope !== 'answer' && field !== ANSWER_FIELD)
      .map((finding) => ({ ...finding, change: hideAnswer(finding) }));
    if (findings.length > 0) flagged.push({ question_id, position, category, question_text, findings });
  }
  // The order of the items depends on the findings that were removed, and so would reveal them.
  flagged.sort((a, b) => a.position - b.position);
  const { questions, not_english, categories, other_categories: others } = summary;
  const rules = summary.rules
    .filter(({ needs_answer }) => !needs_answer)
    .map(({ rule }) => RULES_BY_NAME.get(rule)!);
  const outcome = buildOutcome(flagged, rules, {
    questions,
    not_english,
    categories,
    others: others && { categories: others.categories, questions: others.questions },
    key_longest: null,
    key_longest_reason: ANSWERS_HIDDEN_REASON,
  });
  outcome.warnings.push(ANSWERS_HIDDEN_WARNING);
  return outcome;
}

/** The body of a change to an option names the key, and a revision reveals that it has changed. */
const hideAnswer = ({ field, change }: Finding): Change | null =>
  change && field === QUESTION_FIELD ? { ...change, revision: null } : null;

const toFinding = ({ rule, severity, why, how, ...finding }: Row['findings'][number]): Finding => ({
  rule: RULES_BY_NAME.get(rule)!,
  ...finding,
});
