/**
 * Why cases have scores on different questions: other questions were presented, the end was not
 * reached, or omitted responses are not scored. And whether the test is speeded.
 */
import { NOT_REACHED, type Responses } from '../define.ts';
import { formatCount, formatPercent } from './format.ts';
import type { ResponseParameters } from './responses.ts';

/**
 * A test is unspeeded if at least 80 % of the cases reach the last question and virtually all reach
 * three quarters of them (Swineford 1956). "Virtually all" is taken as 95 %.
 */
const MIN_SHARE_REACHING_LAST = 0.8;
const EARLY_END = 0.75;
const MAX_SHARE_ENDING_EARLY = 0.05;
/** With fewer responses to a question, the share that reached it is not judged. */
const MIN_RESPONSES = 10;
/** Nested sets of questions look like early ends only if they have at least this many sizes. */
const MIN_NESTED_SIZES = 3;
const MIN_NESTED_SHARE = 0.95;

export interface Completion {
  cases: number;
  /** Whether each case has a response, of any outcome, to each question with responses. */
  samePresented: boolean;
  /** Whether the responses of short cases are to a subset of the questions of longer ones. */
  nested: boolean;
  /** The cases that did not reach a question, and those that reached under three quarters. */
  notReached: number;
  endedEarly: number;
  /** The largest share of the cases that did not reach a question presented to them. */
  maxShareNotReached: number;
  isSpeeded: boolean;
}

export function summariseCompletion(responses: Responses, questions: number): Completion {
  const { cases, starts, questions: presented, outcomes } = responses;
  const counts = new Uint32Array(questions);
  const unreached = new Uint32Array(questions);
  let notReached = 0;
  let endedEarly = 0;
  for (let c = 0; c < cases; c++) {
    let missed = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      counts[presented[i]!]!++;
      if (outcomes[i] !== NOT_REACHED) continue;
      unreached[presented[i]!]!++;
      missed++;
    }
    const total = starts[c + 1]! - starts[c]!;
    if (missed > 0) notReached++;
    if (total - missed < EARLY_END * total) endedEarly++;
  }
  const answered = counts.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  const maxShareNotReached = counts.reduce(
    (max, n, q) => (n < MIN_RESPONSES ? max : Math.max(max, unreached[q]! / n)),
    0,
  );
  const samePresented = presented.length === cases * answered;
  return {
    cases,
    samePresented,
    nested: !samePresented && isNested(responses, counts),
    notReached,
    endedEarly,
    maxShareNotReached,
    isSpeeded:
      maxShareNotReached > 1 - MIN_SHARE_REACHING_LAST ||
      (cases >= MIN_RESPONSES && endedEarly > MAX_SHARE_ENDING_EARLY * cases),
  };
}

/** A case of k responses conforms if they are to the k questions with the most responses. */
function isNested({ cases, starts, questions }: Responses, counts: Uint32Array): boolean {
  const order = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
  const rank = new Uint32Array(counts.length);
  for (const [position, question] of order.entries()) rank[question] = position;
  const sizes = new Set<number>();
  let conforming = 0;
  for (let c = 0; c < cases; c++) {
    const size = starts[c + 1]! - starts[c]!;
    sizes.add(size);
    let conforms = true;
    for (let i = starts[c]!; i < starts[c + 1]! && conforms; i++) conforms = rank[questions[i]!]! < size;
    if (conforms) conforming++;
  }
  return sizes.size >= MIN_NESTED_SIZES && conforming >= MIN_NESTED_SHARE * cases;
}

/** The reason why cases have scores on different questions. */
export function explainIncomplete(
  { samePresented, nested, notReached, cases }: Completion,
  { omitted, not_reached }: ResponseParameters,
): string {
  if (nested)
    return 'Some cases have fewer responses, all to questions that the other cases have too, as if they had stopped before the end (`missing: not_reached` records that)';
  if (!samePresented) return 'Cases were asked different questions';
  const unreached = not_reached === 'missing' && notReached > 0;
  const subject = `${notReached} of ${formatCount(cases, 'case')} did not reach the end`;
  if (unreached) return omitted === 'missing' ? `${subject}, and omitted questions are not scored` : subject;
  return 'Omitted questions are not scored, so cases have scores on different questions';
}

/** The warning of a speeded test. `consequence` is a sentence about the analysis. */
export function warnOfSpeed(completion: Completion, consequence: string): string[] {
  const { isSpeeded, maxShareNotReached, endedEarly, cases } = completion;
  if (!isSpeeded) return [];
  return [
    `The test is speeded: ${formatPercent(maxShareNotReached)} of the cases did not reach the last question, and ` +
      `${endedEarly} of ${cases} reached less than three quarters of their questions (a test is unspeeded if at least 80 % reach the last question ` +
      `and virtually all reach three quarters; Swineford 1956). ${consequence}`,
  ];
}
