/**
 * DIF: which questions are harder for one group than for another whose members do equally well on the whole.
 */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { falseDiscoveryRate } from '../../statistics/adjust.ts';
import {
  defineAnalysis,
  type InputWithResponses,
  type Outcome,
  type QuestionWithoutAnswers,
  type Responses,
} from '../define.ts';
import { RESPONSE_PARAMETERS, scored } from '../shared/responses.ts';
import { EXAMPLE } from './example.ts';
import { plot } from './figures.ts';
import { type Choice, chooseGroups, sidesOf } from './groups.ts';
import { eachTable } from './matching.ts';
import { purified, RULES } from './purify.ts';
import { type Finding, type Frame, findingOf, NOT_ASKED, orderOf, rowOf } from './report.ts';
import { type Sample, sampleOf } from './sample.ts';
import { Row, Summary } from './schemas.ts';
import { nothingTested, summaryOf, warningsOf } from './summary.ts';

const GroupName = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 200 }), { default: null, description });

const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    reference: GroupName(
      'The group to compare with. Null, the default: the larger of the two largest groups, or the largest besides `focal`.',
    ),
    focal: GroupName(
      'The group studied: the one a question might be unfair to. Null, the default: the largest group besides the reference.',
    ),
    purify: Type.Boolean({
      default: true,
      description:
        'Whether questions that show DIF are taken out of the score by which cases are matched, and all tested again, until nothing changes. True by default, as Holland & Thayer (1988) advise: a score is no fair standard that has unfair questions in it.',
    }),
    purify_by: Type.Enum([...RULES], {
      default: 'auto',
      description:
        'Which questions are taken out: those that are significant, as the R package difR does, or those of class B and C. `auto`, the default: by significance up to 10,000 cases; beyond, where next to everything is significant, by class. Questions that are not judged stay in.',
    }),
    max_purification_rounds: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'How often that is repeated at the most. 10 by default, as in the R package difR.',
    }),
    significance: Type.Number({
      minimum: 0.0001,
      maximum: 0.2,
      default: 0.05,
      description:
        'Below this p-value a difference is significant, for each question by itself. 0.05 by default: the classes A, B and C are defined with it.',
    }),
    correction: Type.Boolean({
      default: true,
      description:
        'Whether the Mantel-Haenszel test uses the continuity correction. True by default, as in Holland & Thayer (1988).',
    }),
    min_cases: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 100,
      description:
        'Questions asked of fewer cases of either group are marked `too_few`. 100 by default, about the least that testing programmes ask for; many ask for 200 and more (Zieky 1993, Zwick 2012).',
    }),
    min_items_per_case: Type.Integer({
      minimum: 2,
      maximum: 1000,
      default: 5,
      description:
        'Where cases were not all asked the same, those with fewer questions are left out: so few say little of how able somebody is. 5 by default, the shortest test that Donoghue & Allen (1993) tried.',
    }),
  },
  { additionalProperties: false },
);
type Parameters = Static<typeof Parameters>;

const samePair = ({ focal, reference }: Parameters) =>
  focal !== null && focal === reference
    ? [{ pointer: '/focal', code: 'same_group', detail: 'must be another group than the reference' }]
    : [];

async function run(
  input: InputWithResponses<QuestionWithoutAnswers>,
  parameters: Parameters,
): Promise<Outcome<Summary, Row>> {
  const asked: { question_id: string; question_text: string }[] = [];
  for await (const batch of input.questions) {
    for (const { id, question_text } of batch) asked.push({ question_id: id, question_text });
    await input.progress((0.1 * asked.length) / (input.count + 1));
  }
  const responses = await input.responses();
  const answered = answeredOf(responses, asked.length);
  const scores = scored(responses, asked.length, parameters);
  const choice = chooseGroups(scores, responses.groups, responses.groupNames, parameters);
  const counts = { questions: asked.length, answered: answered.length };
  if (!choice.pair) return nothingTested(choice, counts, choice.reason!);

  // How long purification takes cannot be known; each step takes a tenth of what is left.
  let done = 0.1;
  const progress = () => {
    done += (1 - done) / 10;
    return input.progress(done);
  };
  const sides = sidesOf(scores, responses.groups, choice.pair);
  const sample = await sampleOf(scores, sides, parameters.min_items_per_case, progress);
  if (!hasBoth(sample)) {
    return nothingTested(
      choice,
      counts,
      'All cases of one of the groups were asked too few questions to be matched.',
      sample.tooShort,
    );
  }
  const matched = await purified(sample, parameters, progress);
  const findings: Finding[] = [];
  const visit = (table: Uint32Array, slot: number) => {
    const anchor = matched.base.anchors[slot] === 1;
    findings.push(findingOf(table, matched.results[slot]!, anchor, parameters.significance));
  };
  await eachTable(sample, matched.base, visit, progress);
  await input.progress(1);
  const frame = frameOf(choice, sample, parameters);
  return {
    summary: summaryOf({ choice, counts, sample, matched, findings, frame }),
    items: itemsOf(asked, answered, sample, findings, frame),
    warnings: warningsOf({ choice, sample, matched, findings, frame }),
  };
}

/** The places of the questions with a response, whatever it was. */
function answeredOf({ questions }: Responses, count: number): Uint32Array {
  const has = new Uint8Array(count);
  for (let i = 0; i < questions.length; i++) has[questions[i]!] = 1;
  return Uint32Array.from(has.keys()).filter((place) => has[place]);
}

const hasBoth = ({ sides }: Sample) => sides.includes(0) && sides.includes(1);

const frameOf = ({ pair }: Choice, { complete }: Sample, parameters: Parameters): Frame => ({
  reference: pair!.reference.name,
  focal: pair!.focal.name,
  complete,
  min_cases: parameters.min_cases,
  significance: parameters.significance,
});

function itemsOf(
  asked: readonly { question_id: string; question_text: string }[],
  answered: Uint32Array,
  { tested, slots }: Sample,
  findings: readonly Finding[],
  frame: Frame,
): Iterable<Row> {
  const order = orderOf(findings, frame.significance);
  const mantelHaenszel = falseDiscoveryRate(
    findings.map(({ class: letter, found }) => (letter === null ? null : found.p_value)),
  );
  const regression = falseDiscoveryRate(findings.map((finding) => finding.logistic?.both.p_value ?? null));
  const rest = answered.filter((place) => slots[place] === -1);
  return {
    *[Symbol.iterator]() {
      for (const slot of order) {
        const adjusted = { mantelHaenszel: mantelHaenszel[slot]!, logistic: regression[slot]! };
        yield rowOf(asked[tested[slot]!]!, findings[slot]!, adjusted, frame);
      }
      const none = { mantelHaenszel: null, logistic: null };
      for (const place of rest) yield rowOf(asked[place]!, NOT_ASKED, none, frame);
    },
  };
}

export const dif = defineAnalysis({
  type: 'dif',
  version: 1,
  title: 'Differential item functioning',
  description: `Finds questions that are harder for one group than for another **at the same score**: differential item functioning (DIF). That one
group has fewer right on the whole is no DIF; that a question is harder for its members than for others who do as well on the rest
is, and asks for a reader to judge whether it is unfair.

Two groups of respondents are compared, the two largest by default. Each question gets the Mantel-Haenszel procedure (Holland & Thayer 1988):
the common odds ratio, Δ with its 95 % interval, the test, and the classes A (negligible or not significant), B (moderate) and C (large) in use at ETS; the standardised
difference of shares (Dorans & Kulick 1986); and logistic regression (Swaminathan & Rogers 1990), which also finds differences that change with the
score. Cases are matched by their total score, the question included, from which questions that show DIF are taken
out in rounds: those that are significant or, beyond 10,000 cases, those of class B and C, unless \`purify_by\` says otherwise.
Where fewer than 10 cases of a group were asked a question, it is not judged. p-values are given by themselves and adjusted for the number of questions (Benjamini & Hochberg 1995).

Where cases were not all asked the same questions, they are matched by the share they have right, corrected for how easy their questions were; that
is an approximation, and a warning says so.`,
  readsAnswers: false,
  readsResponses: true,
  comparesGroups: true,
  parameters: Parameters,
  check: samePair,
  result: { summary: Summary, item: Row },
  example: EXAMPLE,
  run,
  plot,
});
