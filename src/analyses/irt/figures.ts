/** Plots: test information, Wright map, and the item characteristic curve of a question. */
import type { Outcome } from '../define.ts';
import { formatCount, formatDecimal } from '../shared/format.ts';
import { computeProbability, type ItemCurve } from './curves.ts';
import type { Row, Summary } from './schemas.ts';

interface Scale {
  title: string;
  from: number;
  to: number;
}

type Figure =
  | {
      chart: 'curves';
      title: string;
      description: string;
      question_id?: string;
      x: Scale;
      y: Scale;
      second?: Scale;
      lines: { label: string; points: (readonly [number, number])[]; strong?: boolean; second?: boolean }[];
      observed: { x: number; y: number; low: number; high: number; n: number; expected: number }[];
      observed_label: string;
      expected_label?: string;
    }
  | {
      chart: 'wright-map';
      title: string;
      description: string;
      notes: string[];
      scale: Scale;
      people: { label: string; from: number; step: number; counts: number[] };
      questions: { label: string; places: { at: number; label: string; question_id: string }[] };
    };

const ABILITY = { title: 'Ability', from: -4, to: 4 };
const CURVE_POINTS = 81;
/** The axis of standard errors extends to this multiple of the smallest one. */
const MAX_RELATIVE_SE = 4;
/** Difficulties farther from 0 are not drawn. */
const MAX_ABS_DIFFICULTY = 6;
const MAX_QUESTIONS = 1000;

export function plotTestInformation({ summary }: Outcome<Summary, Row>): Figure {
  const { information } = summary;
  const points = information?.points ?? [];
  const peak = information?.peak;
  const maxInformation = Math.max(1e-3, ...points.map((point) => point.information));
  const maxSe = MAX_RELATIVE_SE * (peak?.ability_se ?? 1);
  const errors = points.flatMap(({ ability, ability_se }) =>
    ability_se === null ? [] : [[ability, ability_se] as const],
  );
  const shownSe = errors.flatMap(([, se]) => (se <= maxSe ? [se] : []));
  return {
    chart: 'curves',
    title: 'Test information',
    description: describeInformation(summary),
    x: ABILITY,
    y: { title: 'Information', from: 0, to: roundUp(maxInformation) },
    second: {
      title: 'Standard error',
      from: 0,
      to: roundUp(Math.max(1e-3, ...shownSe)),
    },
    lines: peak
      ? [
          {
            label: 'Information',
            points: points.map(({ ability, information }) => [ability, information] as const),
            strong: true,
          },
          { label: 'Standard error', points: errors, second: true },
        ]
      : [],
    observed: [],
    observed_label: '',
  };
}

function describeInformation({ information, reason, estimation, questions_estimated }: Summary): string {
  if (!information || !estimation) return describeNothing(reason);
  const { peak, questions } = information;
  const bound = estimation.common_discrimination_bound;
  if (!peak) {
    const why =
      bound === 'lower'
        ? COMMON_DISCRIMINATION_0
        : `${bound ? 'the common discrimination' : 'the discrimination of every question'} is at its bound`;
    return `There is no information to show, because ${why}.${warnUnconverged(estimation)}`;
  }
  const omitted = questions_estimated - questions;
  const se = peak.ability_se === null ? '' : `, with a standard error of ${formatDecimal(peak.ability_se)}`;
  return (
    `Test information of ${formatCount(questions, 'question')}, and the standard error of an ability estimated from all of them. ` +
    `The test is most precise at an ability of ${formatDecimal(peak.ability)}${se}.` +
    (omitted > 0
      ? ` Not included: ${formatCount(omitted, 'question')} with a discrimination at its bound.`
      : '') +
    warnUnconverged(estimation)
  );
}

const COMMON_DISCRIMINATION_0 =
  'the common discrimination is 0: the questions do not measure a common ability, or some are reversed';

const describeNothing = (reason: string | null) => `No question was calibrated. ${reason ?? ''}`.trim();

const warnUnconverged = ({ converged }: NonNullable<Summary['estimation']>) =>
  converged ? '' : ' The estimation did not converge: do not rely on this plot.';

export function plotWrightMap({ summary, items }: Outcome<Summary, Row>): Figure {
  const places: { at: number; label: string; question_id: string }[] = [];
  const omitted = { uncalibrated: 0, withoutDifficulty: 0, extreme: 0, excess: 0 };
  for (const { question_id, difficulty, question_text, estimated } of items) {
    if (!estimated) omitted.uncalibrated++;
    else if (difficulty === null) omitted.withoutDifficulty++;
    else if (Math.abs(difficulty) > MAX_ABS_DIFFICULTY) omitted.extreme++;
    else if (places.length === MAX_QUESTIONS) omitted.excess++;
    else places.push({ at: difficulty, label: question_text, question_id });
  }
  const histogram = summary.ability?.histogram ?? { from: ABILITY.from, step: 1, counts: [] };
  const end = Math.ceil(Math.max(ABILITY.to, ...places.map(({ at }) => Math.abs(at))));
  const notes = summary.estimation ? describeOmitted(omitted) : [];
  return {
    chart: 'wright-map',
    title: 'Wright map: respondents and questions on one scale',
    description: describeWrightMap(summary, places.length, notes),
    notes,
    scale: { title: 'Ability and difficulty', from: -end, to: end },
    people: { label: 'Respondents', ...clipHistogram(histogram, end) },
    questions: { label: 'Questions', places },
  };
}

type OmissionReason = 'uncalibrated' | 'withoutDifficulty' | 'extreme' | 'excess';

const OMISSIONS: Record<OmissionReason, string> = {
  uncalibrated: 'not calibrated',
  withoutDifficulty: 'without a difficulty',
  extreme: `with a difficulty beyond ±${MAX_ABS_DIFFICULTY}`,
  excess: `after the first ${MAX_QUESTIONS}`,
};

function describeOmitted(omitted: Record<OmissionReason, number>): string[] {
  const reasons = (Object.keys(OMISSIONS) as OmissionReason[]).filter((reason) => omitted[reason] > 0);
  if (reasons.length === 0) return [];
  const parts = reasons.map((reason, i) =>
    i === 0
      ? `${formatCount(omitted[reason], 'question')} ${OMISSIONS[reason]}`
      : `${omitted[reason]} ${OMISSIONS[reason]}`,
  );
  return [`Not shown: ${parts.join(', ')}.`];
}

function describeWrightMap(
  { cases_used, estimation, reason }: Summary,
  shown: number,
  notes: readonly string[],
): string {
  if (!estimation) return describeNothing(reason);
  const abilities = `Abilities of ${formatCount(cases_used, 'case')}`;
  const bound = estimation.common_discrimination_bound;
  if (bound === 'lower')
    return `${abilities}. There are no difficulties, because ${COMMON_DISCRIMINATION_0}.${warnUnconverged(estimation)}`;
  return (
    `${abilities} and difficulties of ${formatCount(shown, 'question')}: a respondent level with a question gets it right with probability 0.5, ` +
    `guessing aside. ${notes.join(' ')}`.trimEnd() +
    (bound === 'upper'
      ? ' The common discrimination is at its bound: the difficulties have no standard errors.'
      : '') +
    warnUnconverged(estimation)
  );
}

/** The bins within −end to end. Cases beyond are counted in the outermost bins. */
function clipHistogram(
  { from, step, counts }: { from: number; step: number; counts: readonly number[] },
  end: number,
) {
  const skipped = Math.max(0, Math.round((-end - from) / step));
  const shown = counts.slice(skipped, counts.length - skipped);
  for (const [i, n] of counts.entries())
    if (i < skipped) shown[0]! += n;
    else if (i >= counts.length - skipped) shown[shown.length - 1]! += n;
  return { from: Math.max(from, -end), step, counts: shown };
}

/**
 * A group is drawn at its mean ability. Its residual is its distance from the expected proportion,
 * which is drawn as well: it differs from the curve at the mean ability, because the curve is not
 * linear and the abilities are uncertain.
 */
export function plotItemCurve(row: Row): Figure | undefined {
  const { question_id, question_text, discrimination, intercept, guessing, observed, message } = row;
  if (discrimination === null || intercept === null) return undefined;
  const curve: ItemCurve = { discrimination, intercept, guessing: guessing ?? 0 };
  const step = (ABILITY.to - ABILITY.from) / (CURVE_POINTS - 1);
  return {
    chart: 'curves',
    question_id,
    title: question_text,
    description: `Item characteristic curve: the probability of a right response by ability, with observed and expected proportions in groups of cases. ${message}`,
    x: ABILITY,
    y: { title: 'Proportion right', from: 0, to: 1 },
    lines: [
      {
        label: 'Model',
        points: Array.from({ length: CURVE_POINTS }, (_, i) => {
          const ability = ABILITY.from + i * step;
          return [
            Number(ability.toFixed(3)),
            Number(computeProbability(curve, ability).toPrecision(6)),
          ] as const;
        }),
        strong: true,
      },
    ],
    observed: observed.map(({ n, share, low, high, expected, ability }) => ({
      x: Math.min(ABILITY.to, Math.max(ABILITY.from, ability)),
      y: share,
      low,
      high,
      n,
      expected,
    })),
    observed_label: 'Observed in groups by ability, with 95 % intervals',
    expected_label: 'Expected for the same cases',
  };
}

/** Rounds up to two significant digits, with a margin of 5 %. */
function roundUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil((value * 1.05) / unit) * unit).toPrecision(2));
}
