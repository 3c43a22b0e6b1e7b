/** What was found about all questions together, and what to know before trusting it. */

import { mean } from '../../statistics/descriptive.ts';
import type { Outcome } from '../define.ts';
import { type Choice, FOCAL, quoted, REFERENCE } from './groups.ts';
import { FEWEST_TO_JUDGE } from './mantel-haenszel.ts';
import { questions, reasonForNone } from './messages.ts';
import type { Purified } from './purify.ts';
import { type Finding, type Frame, isNonuniform, isSmall, isUntested } from './report.ts';
import type { Sample } from './sample.ts';
import { GROUPS_LISTED, type Row, type Summary } from './schemas.ts';

/**
 * On tests of 5 and 10 questions Donoghue and Allen (1993) found matching by the total poor, on 40 good;
 * between them it depends.
 */
const SHORT_TEST = 20;

interface Counts {
  questions: number;
  answered: number;
}

interface Found {
  choice: Choice;
  sample: Sample;
  matched: Purified;
  findings: readonly Finding[];
  frame: Frame;
}

/** Where the groups cannot be compared at all. */
export function nothingTested(
  choice: Choice,
  counts: Counts,
  reason: string,
  tooShort = 0,
): Outcome<Summary, Row> {
  const summary: Summary = {
    tested: false,
    reason,
    reference: null,
    focal: null,
    ...groupsIn(choice),
    cases_too_short: tooShort,
    matching: null,
    matching_questions: 0,
    questions: counts.questions,
    questions_with_responses: counts.answered,
    questions_tested: 0,
    classes: { A: 0, B: 0, C: 0 },
    favouring: { reference: 0, focal: 0 },
    nonuniform: 0,
    too_few: 0,
    not_judged: 0,
    purification_rounds: 0,
    purification_ending: null,
  };
  return { summary, items: [], warnings: [nothing(reason)] };
}

const nothing = (reason: string) => `Nothing was tested. ${reason}`;

const noneIn = (findings: readonly Finding[]) => reasonForNone(findings.map(({ found }) => found));

export function summaryOf({
  choice,
  counts,
  sample,
  matched,
  findings,
  frame,
}: Found & { counts: Counts }): Summary {
  const count = (holds: (finding: Finding) => boolean) => findings.filter(holds).length;
  const notable = (finding: Finding) => finding.class === 'B' || finding.class === 'C';
  const reason = noneIn(findings);
  return {
    tested: reason === null,
    reason,
    reference: { group: frame.reference, ...scoresOf(sample, REFERENCE) },
    focal: { group: frame.focal, ...scoresOf(sample, FOCAL) },
    ...groupsIn(choice),
    cases_too_short: sample.tooShort,
    matching: sample.complete ? 'number_right' : 'adjusted_share',
    matching_questions: anchorsIn(matched),
    questions: counts.questions,
    questions_with_responses: counts.answered,
    questions_tested: count((finding) => finding.class !== null),
    classes: {
      A: count((finding) => finding.class === 'A'),
      B: count((finding) => finding.class === 'B'),
      C: count((finding) => finding.class === 'C'),
    },
    favouring: {
      reference: count((finding) => notable(finding) && finding.found.lean < 0),
      focal: count((finding) => notable(finding) && finding.found.lean > 0),
    },
    nonuniform: count((finding) => finding.class !== null && isNonuniform(finding, frame.significance)),
    too_few: count((finding) => finding.class !== null && isSmall(finding, frame.min_cases)),
    not_judged: count(isNotJudged),
    purification_rounds: matched.rounds,
    purification_ending: reason === null ? matched.ending : null,
  };
}

const isNotJudged = (finding: Finding) => finding.class === null && !isUntested(finding);

const anchorsIn = ({ base }: Purified) => base.anchors.reduce((sum, is) => sum + is, 0);

function groupsIn({ groups, pair, withoutGroup }: Choice) {
  const others = groups.filter((group) => group !== pair?.reference && group !== pair?.focal);
  return {
    groups: groups.slice(0, GROUPS_LISTED).map(({ name, cases }) => ({ group: name, cases })),
    cases_in_other_groups: pair ? others.reduce((sum, { cases }) => sum + cases, 0) : 0,
    cases_without_group: withoutGroup,
  };
}

function scoresOf({ scores, sides }: Sample, side: number) {
  const shares: number[] = [];
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] !== side) continue;
    let right = 0;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) right += scores.right[i]!;
    shares.push(right / (scores.starts[c + 1]! - scores.starts[c]!));
  }
  const centre = mean(shares);
  const squares = shares.reduce((sum, share) => sum + (share - centre!) ** 2, 0);
  return {
    cases: shares.length,
    mean_share: centre,
    sd_share: shares.length < 2 ? null : Math.sqrt(squares / (shares.length - 1)),
  };
}

export function warningsOf({ choice, sample, matched, findings, frame }: Found): string[] {
  const { cases_in_other_groups: others, cases_without_group: none } = groupsIn(choice);
  const reason = noneIn(findings);
  const warnings = reason === null ? [] : [nothing(reason)];
  if (others + none > 0) {
    warnings.push(
      `Only ${quoted(frame.reference)} and ${quoted(frame.focal)} are compared: ${cases(others)} in other groups and ${cases(none)} without a group are left out.`,
    );
  }
  if (!sample.complete) {
    warnings.push(
      `Not all were asked the same questions, so total scores cannot be compared. Cases are matched by the share they have right, corrected for how easy their questions were: an approximation, and a rough one for those who were asked little.${leftOut(sample)}`,
    );
  }
  return reason === null ? [...warnings, ...warningsOnTests({ matched, findings, frame })] : warnings;
}

function warningsOnTests({ matched, findings, frame }: Pick<Found, 'matched' | 'findings' | 'frame'>) {
  const warnings: string[] = [];
  const anchors = anchorsIn(matched);
  if (anchors < SHORT_TEST) {
    warnings.push(
      `Cases are matched by ${questions(anchors)}. By so few, people of different ability get the same score, and a difference between the groups as a whole can look like DIF (Donoghue & Allen 1993); ${SHORT_TEST} and more are better.`,
    );
  }
  const judged = findings.filter((finding) => finding.class !== null);
  const small = judged.filter((finding) => isSmall(finding, frame.min_cases)).length;
  if (small > 0) {
    warnings.push(
      `Tested on fewer than ${frame.min_cases} cases in one of the groups: ${small} of ${questions(judged.length)}. Differences may be missed there, and those found may be chance.`,
    );
  }
  const unjudged = findings.filter(isNotJudged).length;
  if (unjudged > 0) {
    warnings.push(
      `Not judged, since fewer than ${FEWEST_TO_JUDGE} cases of one of the groups were asked: ${unjudged} of ${questions(findings.length)}.`,
    );
  }
  const ending = ENDING_WARNINGS[matched.ending];
  if (ending) warnings.push(ending);
  return warnings;
}

const ENDING_WARNINGS: Partial<Record<Purified['ending'], string>> = {
  cycle:
    'Purification did not settle: its rounds began to repeat. Questions near the bounds of the classes may fall on either side.',
  limit:
    'Purification had not settled when `max_purification_rounds` was reached. Questions near the bounds of the classes may fall on either side.',
  too_few_left:
    'Purification was stopped: hardly a question would have been left to match by. The groups differ on nearly all of them, so that no fair standard can be made of these questions.',
};

const cases = (count: number) => `${count} ${count === 1 ? 'case' : 'cases'}`;

const leftOut = ({ tooShort }: Sample) =>
  tooShort === 0 ? '' : ` Left out for having been asked too few: ${cases(tooShort)}.`;
