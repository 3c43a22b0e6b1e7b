/** The calibration in pictures: what the test tells at which ability, people beside questions, and the curve of a question. */
import type { Outcome } from '../define.ts';
import { counted, decimal } from '../shared/format.ts';
import { abilityAt, type Curve, probability } from './curves.ts';
import type { Row, Summary } from './schemas.ts';

interface Scale {
  title: string;
  from: number;
  to: number;
}

type Picture =
  | {
      chart: 'curves';
      title: string;
      description: string;
      x: Scale;
      y: Scale;
      second?: Scale;
      lines: { label: string; points: (readonly [number, number])[]; strong?: boolean; second?: boolean }[];
      observed: { x: number; y: number; low: number; high: number; n: number }[];
      observed_label: string;
    }
  | {
      chart: 'wright-map';
      title: string;
      description: string;
      scale: Scale;
      people: { label: string; from: number; step: number; counts: number[] };
      questions: { label: string; places: { at: number; label: string }[] };
    };

const ABILITY = { title: 'Ability', from: -4, to: 4 };
/** Points of a curve, from one end to the other. */
const CURVE_POINTS = 81;
/** Standard errors are drawn up to so many times the smallest: beyond, the test says nothing. */
const ERRORS_DRAWN = 4;
/** The farthest from the mean that a question is drawn at. */
const FARTHEST = 6;
const MOST_PLACES = 1000;

export function informationPicture({ summary }: Outcome<Summary, Row>): Picture {
  const { information } = summary;
  const points = information?.points ?? [];
  const best = information?.best;
  const most = Math.max(1e-3, ...points.map((point) => point.information));
  const largestError = ERRORS_DRAWN * (best?.standard_error ?? 1);
  const errors = points.flatMap(({ ability, standard_error }) =>
    standard_error !== null && standard_error <= largestError ? [[ability, standard_error] as const] : [],
  );
  return {
    chart: 'curves',
    title: 'What the test tells at which ability',
    description: aboutInformation(summary),
    x: ABILITY,
    y: { title: 'Information', from: 0, to: roundedUp(most) },
    second: {
      title: 'Standard error',
      from: 0,
      to: roundedUp(Math.max(1e-3, ...errors.map(([, error]) => error))),
    },
    lines: best
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

function aboutInformation({ information, reason, estimation, questions_estimated }: Summary): string {
  if (!information || !estimation) return nothing(reason);
  const { best, questions } = information;
  const bound = estimation.shared_slope_bound;
  if (!best) {
    return (
      'There is no information to show, for ' +
      (bound === 'lower'
        ? 'the slope that all questions share is 0: they do not measure one ability together, or work against each other.'
        : `${bound ? 'the slope that all questions share' : 'the slope of every question'} ran to its bound, and its information would be that of the bound.`) +
      unsettled(estimation)
    );
  }
  const omitted = questions_estimated - questions;
  return (
    `Information of ${counted(questions, 'question')} together, and the standard error of an ability estimated from them. ` +
    `The test measures best at an ability of ${decimal(best.ability)}, with a standard error of ${best.standard_error === null ? 'no bound' : decimal(best.standard_error)}.` +
    (omitted > 0 ? ` Not counted: ${counted(omitted, 'question')} with a slope that ran to its bound.` : '') +
    unsettled(estimation)
  );
}

const nothing = (reason: string | null) => `Nothing was calibrated. ${reason ?? ''}`.trim();

const unsettled = ({ converged }: NonNullable<Summary['estimation']>) =>
  !converged ? ' The estimation came to no definite maximum: do not rely on this picture.' : '';

export function wrightMap({ summary, items }: Outcome<Summary, Row>): Picture {
  const places: { at: number; label: string }[] = [];
  let omitted = 0;
  for (const { difficulty, question_text } of items) {
    if (difficulty === null) continue;
    if (Math.abs(difficulty.estimate) <= FARTHEST && places.length < MOST_PLACES)
      places.push({ at: difficulty.estimate, label: question_text });
    else omitted++;
  }
  const histogram = summary.ability?.histogram ?? { from: ABILITY.from, step: 1, counts: [] };
  const end = Math.ceil(Math.max(ABILITY.to, ...places.map(({ at }) => Math.abs(at))));
  return {
    chart: 'wright-map',
    title: 'People and questions on one scale',
    description: aboutPlaces(summary, places.length, omitted),
    scale: { title: 'Ability and difficulty', from: -end, to: end },
    people: { label: 'People', ...within(histogram, end) },
    questions: { label: 'Questions', places },
  };
}

function aboutPlaces({ cases_used, estimation, reason }: Summary, shown: number, omitted: number): string {
  if (!estimation) return nothing(reason);
  const abilities = `The abilities of ${counted(cases_used, 'case')}`;
  const bound = estimation.shared_slope_bound;
  if (bound === 'lower')
    return (
      `${abilities}. No difficulties are beside them, for the slope that all questions share is 0: they do not measure one ability ` +
      `together, or work against each other.${unsettled(estimation)}`
    );
  return (
    `${abilities} beside the difficulties of ${counted(shown, 'question')}: whoever is level with a question gets it right as often as not, ` +
    'guessing aside.' +
    (omitted > 0
      ? ` ${omitted} more ${omitted === 1 ? 'question is' : 'questions are'} not shown, being too many or too far from everybody.`
      : '') +
    (bound === 'upper'
      ? ' The slope that all questions share ran to its bound: how far the places may be off is not known.'
      : '') +
    unsettled(estimation)
  );
}

/** The bins that lie on the scale, which is never so short that somebody is beyond it without being seen at its end. */
function within(
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

/** Groups are put where the curve has what is expected of them: their distance from the curve is then their deviation. */
export function curvePicture({
  question_text,
  slope,
  intercept,
  lower,
  observed,
  message,
}: Row): Picture | undefined {
  if (!slope || !intercept) return undefined;
  const curve: Curve = {
    slope: slope.estimate,
    intercept: intercept.estimate,
    lower: lower?.estimate ?? 0,
  };
  const step = (ABILITY.to - ABILITY.from) / (CURVE_POINTS - 1);
  return {
    chart: 'curves',
    title: question_text,
    description: `The probability of a right answer by ability, and the shares observed in groups of people. ${message}`,
    x: ABILITY,
    y: { title: 'Share of right answers', from: 0, to: 1 },
    lines: [
      {
        label: 'Model',
        points: Array.from({ length: CURVE_POINTS }, (_, i) => {
          const ability = ABILITY.from + i * step;
          return [Number(ability.toFixed(3)), Number(probability(curve, ability).toPrecision(6))] as const;
        }),
        strong: true,
      },
    ],
    observed: observed.map(({ n, share, low, high, expected, ability }) => ({
      x: Math.min(ABILITY.to, Math.max(ABILITY.from, abilityAt(curve, expected) ?? ability)),
      y: share,
      low,
      high,
      n,
    })),
    observed_label: 'Observed, with 95 % intervals',
  };
}

/** To the next number of two digits that is above all that is drawn. */
function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil((value * 1.05) / unit) * unit).toPrecision(2));
}
