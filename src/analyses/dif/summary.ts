/** The summary of all items, and the warnings about it. */
import { mean } from '../../statistics/descriptive.ts';
import type { Outcome } from '../define.ts';
import { type Completion, explainIncomplete, warnOfSpeed } from '../shared/completion.ts';
import { formatCount, quote } from '../shared/format.ts';
import type { ResponseParameters } from '../shared/responses.ts';
import type { Comparison, Finding } from './finding.ts';
import { FOCAL, type GroupSelection, REFERENCE } from './groups.ts';
import { MIN_GROUP_CASES } from './mantel-haenszel.ts';
import { explainNothingJudged } from './messages.ts';
import type { Purification } from './purification.ts';
import { isBelowMinCases } from './rows.ts';
import type { Sample } from './sample.ts';
import { MAX_GROUPS_LISTED, type Row, type Summary } from './schemas.ts';

/**
 * Donoghue & Allen (1993) found matching by total score poor with 5 and 10 items, and good with 40.
 */
const MIN_RELIABLE_ANCHORS = 20;

interface QuestionCounts {
  questions: number;
  withResponses: number;
}

interface Results {
  selection: GroupSelection;
  sample: Sample;
  purification: Purification;
  findings: readonly Finding[];
  comparison: Comparison;
}

/** Which responses are missing, and how they are scored. */
interface Missingness {
  completion: Completion;
  parameters: ResponseParameters;
}

/** The outcome if the groups cannot be compared. */
export function buildUntestedOutcome(
  selection: GroupSelection,
  counts: QuestionCounts,
  reason: string,
  tooShort = 0,
): Outcome<Summary, Row> {
  const summary: Summary = {
    tested: false,
    reason,
    reference: null,
    focal: null,
    ...summariseGroups(selection),
    cases_below_min_items: tooShort,
    matching: null,
    anchor_questions: 0,
    questions: counts.questions,
    questions_with_responses: counts.withResponses,
    questions_tested: 0,
    classes: { A: 0, B: 0, C: 0 },
    favouring: { reference: 0, focal: 0 },
    nonuniform: 0,
    too_few: 0,
    not_judged: 0,
    purification_rounds: 0,
    purification_ending: null,
  };
  return { summary, items: [], warnings: [formatNotTested(reason)] };
}

const formatNotTested = (reason: string) => `Nothing was tested. ${reason}`;

const explainNoFinding = (findings: readonly Finding[]) =>
  explainNothingJudged(findings.map(({ result }) => result));

export function buildSummary({
  selection,
  counts,
  sample,
  purification,
  findings,
  comparison,
}: Results & { counts: QuestionCounts }): Summary {
  const count = (predicate: (finding: Finding) => boolean) => findings.filter(predicate).length;
  const showsDif = (finding: Finding) => finding.class === 'B' || finding.class === 'C';
  const reason = explainNoFinding(findings);
  return {
    tested: reason === null,
    reason,
    reference: { group: comparison.reference, ...summariseSide(sample, REFERENCE) },
    focal: { group: comparison.focal, ...summariseSide(sample, FOCAL) },
    ...summariseGroups(selection),
    cases_below_min_items: sample.tooShort,
    matching: sample.complete ? 'number_correct' : 'adjusted_proportion',
    anchor_questions: countAnchors(purification),
    questions: counts.questions,
    questions_with_responses: counts.withResponses,
    questions_tested: count((finding) => finding.class !== null),
    classes: {
      A: count((finding) => finding.class === 'A'),
      B: count((finding) => finding.class === 'B'),
      C: count((finding) => finding.class === 'C'),
    },
    favouring: {
      reference: count((finding) => showsDif(finding) && finding.result.focalAdvantage < 0),
      focal: count((finding) => showsDif(finding) && finding.result.focalAdvantage > 0),
    },
    nonuniform: count((finding) => finding.class !== null && finding.isNonuniform),
    too_few: count((finding) => finding.class !== null && isBelowMinCases(finding, comparison.min_cases)),
    not_judged: count(isNotJudged),
    purification_rounds: purification.rounds,
    purification_ending: reason === null ? purification.ending : null,
  };
}

const isNotJudged = (finding: Finding) => finding.class === null && finding.isTested;

const countAnchors = ({ anchorScores }: Purification) =>
  anchorScores.anchors.reduce((sum, isAnchor) => sum + isAnchor, 0);

function summariseGroups({ groups, pair, casesWithoutGroup }: GroupSelection) {
  const others = groups.filter((group) => group !== pair?.reference && group !== pair?.focal);
  return {
    groups: groups.slice(0, MAX_GROUPS_LISTED).map(({ name, cases }) => ({ group: name, cases })),
    cases_in_other_groups: pair ? others.reduce((sum, { cases }) => sum + cases, 0) : 0,
    cases_without_group: casesWithoutGroup,
  };
}

function summariseSide({ scores, sides }: Sample, side: number) {
  const proportions: number[] = [];
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] !== side) continue;
    let right = 0;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) right += scores.right[i]!;
    proportions.push(right / (scores.starts[c + 1]! - scores.starts[c]!));
  }
  const centre = mean(proportions);
  const squares = proportions.reduce((sum, proportion) => sum + (proportion - centre!) ** 2, 0);
  return {
    cases: proportions.length,
    mean_proportion_correct: centre,
    sd_proportion_correct: proportions.length < 2 ? null : Math.sqrt(squares / (proportions.length - 1)),
  };
}

export function buildWarnings(
  { selection, sample, purification, findings, comparison }: Results,
  { completion, parameters }: Missingness,
): string[] {
  const { cases_in_other_groups: others, cases_without_group: none } = summariseGroups(selection);
  const reason = explainNoFinding(findings);
  const warnings = reason === null ? [] : [formatNotTested(reason)];
  if (others + none > 0) {
    warnings.push(
      `Only ${quote(comparison.reference)} and ${quote(comparison.focal)} are compared: ${formatCount(others, 'case')} in other groups and ${formatCount(none, 'case')} without a group are left out.`,
    );
  }
  if (!sample.complete) {
    const dropped =
      sample.tooShort === 0
        ? ''
        : ` Left out by min_items_per_case: ${formatCount(sample.tooShort, 'case')}.`;
    warnings.push(
      `${explainIncomplete(completion, parameters)}, so total scores are not comparable. Cases are matched by their proportion correct, adjusted for the easiness of the questions scored: an approximation, and a rough one for cases with few questions.${dropped}`,
    );
  }
  warnings.push(
    ...warnOfSpeed(
      completion,
      'If one group works more slowly, the last questions can show DIF that is due to speed: compare the shares of both groups that reached them.',
    ),
  );
  return reason === null
    ? [...warnings, ...listTestWarnings({ purification, findings, comparison })]
    : warnings;
}

function listTestWarnings({
  purification,
  findings,
  comparison,
}: Pick<Results, 'purification' | 'findings' | 'comparison'>): string[] {
  const warnings: string[] = [];
  const anchors = countAnchors(purification);
  if (anchors < MIN_RELIABLE_ANCHORS) {
    warnings.push(
      `Cases are matched by ${formatCount(anchors, 'question')}. With so few, respondents of different ability get the same score, and an overall difference between the groups can look like DIF (Donoghue & Allen 1993); ${MIN_RELIABLE_ANCHORS} or more are better.`,
    );
  }
  const judged = findings.filter((finding) => finding.class !== null);
  const small = judged.filter((finding) => isBelowMinCases(finding, comparison.min_cases)).length;
  if (small > 0) {
    warnings.push(
      `Tested with fewer than ${comparison.min_cases} cases in a group: ${small} of ${formatCount(judged.length, 'question')}. Differences may be missed, and the sizes of those found are uncertain.`,
    );
  }
  const notJudged = findings.filter(isNotJudged).length;
  if (notJudged > 0) {
    warnings.push(
      `Not judged with fewer than ${MIN_GROUP_CASES} cases in a group: ${notJudged} of ${formatCount(findings.length, 'question')}.`,
    );
  }
  const ending = ENDING_WARNINGS[purification.ending];
  if (ending) warnings.push(ending);
  return warnings;
}

const ENDING_WARNINGS: Partial<Record<Purification['ending'], string>> = {
  cycle:
    'Purification did not converge: rounds began to repeat. Questions near a class boundary may fall on either side.',
  max_rounds:
    'Purification did not converge within max_purification_rounds. Questions near a class boundary may fall on either side.',
  too_few_anchors:
    'Purification was stopped: fewer than two anchor questions would have been left. The groups differ on nearly all questions, so there is no fair matching criterion.',
};
