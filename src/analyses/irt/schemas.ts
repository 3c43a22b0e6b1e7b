/** Result schemas: the summary of a calibration and the row of a question. */
import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';

/** In order of severity: rows are sorted by their first flag. */
export const FLAGS = [
  'negative_discrimination',
  'discrimination_at_bound',
  'misfit',
  'infit_high',
  'outfit_high',
  'low_discrimination',
  'high_discrimination',
  'extreme_difficulty',
  'no_variance',
  'too_few_per_outcome',
  'imprecise',
  'few_responses',
] as const;
export type Flag = (typeof FLAGS)[number];

/** Baker (2001), The Basics of Item Response Theory. */
export const DISCRIMINATION_LEVELS = [
  'negative',
  'very low',
  'low',
  'moderate',
  'high',
  'very high',
] as const;

export const MAX_DROPPED_LISTED = 50;

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Type.Number({ description });
const NullableFigure = (description: string) => Nullable(Figure(description));
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Estimation = Type.Object(
  {
    converged: Type.Boolean({
      description:
        'Whether the estimation converged; a parameter at its bound counts as converged. If false, do not rely on the estimates.',
    }),
    iterations: Count('Iterations of the EM algorithm (Bock & Aitkin, 1981) and of Newton’s method.'),
    last_change: Figure('Largest change of a parameter in the last EM iteration.'),
    gradient: Figure(
      'Largest absolute derivative of the log-likelihood at the estimates, over parameters that do not press against their bound: 0 at the maximum.',
    ),
    common_discrimination_bound: Nullable(Type.Enum(['lower', 'upper']), {
      description:
        '1PL: the bound that the common discrimination reached. `lower` (0.0001, practically 0): the questions do not measure a common ability, or some ' +
        'are reversed, and there are no difficulties. `upper` (20): step functions fit better than logistic curves. Null if it is within its bounds, and in other models.',
    }),
    direction_uncertain: Type.Boolean({
      description:
        '2PL and 3PL: whether a third or more of the discriminations are negative. The direction of the scale is then arbitrary, and the wrong keys may be those of the questions with a positive discrimination.',
    }),
    has_standard_errors: Type.Boolean({ description: 'Whether any question has standard errors.' }),
    standard_errors_note: Nullable(Type.String(), {
      description: 'Why there are no standard errors, or how they are approximate.',
    }),
    log_likelihood: Figure('Marginal log-likelihood of the responses.'),
    parameters: Count('Number of free parameters.'),
    aic: Figure(
      'Akaike information criterion (1974): −2 · log-likelihood + 2 · parameters. Lower is better, for the same responses.',
    ),
    bic: Figure(
      'Bayesian information criterion (Schwarz, 1978): −2 · log-likelihood + parameters · ln(cases used).',
    ),
  },
  closed,
);

const InformationPoint = Type.Object(
  {
    ability: Figure('In standard deviations from the population mean.'),
    information: Figure('Test information: the sum of the item information functions (Lord, 1980).'),
    ability_se: Nullable(
      Figure(
        'Standard error of an ability estimated from all questions: 1 / √information; null if there is none.',
      ),
    ),
  },
  closed,
);

export const Summary = Type.Object(
  {
    model: Type.Enum(['1pl', '2pl', '3pl']),
    estimated: Type.Boolean({ description: 'Whether questions were calibrated.' }),
    reason: Nullable(Type.String(), { description: 'Why not.' }),
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Questions with at least one scored response: these have a row.'),
    questions_estimated: Count('Questions that were calibrated.'),
    questions_dropped: Count(
      'Questions that were not, because too few responses are right or too few are wrong.',
    ),
    dropped: Type.Array(
      Type.Object(
        { question_id: Type.String(), question_text: Type.String(), reason: Type.String() },
        closed,
      ),
      {
        maxItems: MAX_DROPPED_LISTED,
        description: `The first ${MAX_DROPPED_LISTED} questions that were not calibrated, with the reason.`,
      },
    ),
    cases: Count('Cases with responses.'),
    cases_used: Count('Cases with at least one response to a calibrated question.'),
    responses_used: Count('Responses that the calibration is based on.'),
    connected_components: Nullable(
      Count('Subsets of the data that share neither cases nor questions: 1 if all questions are linked.'),
    ),
    estimation: Nullable(Estimation, { description: 'How the estimation went; null if there was none.' }),
    reliability: Nullable(
      Type.Object(
        {
          marginal: Nullable(
            Share(
              'Expected reliability in a standard normal population that answers all questions: the mean of I / (I + 1) (Green et al., 1984; as mirt), ' +
                'with I as in `information`; null if no question contributes.',
            ),
          ),
          empirical: Nullable(
            Share(
              'Reliability of the EAP estimates: variance / (variance + mean squared standard error); null for a single case.',
            ),
          ),
        },
        closed,
      ),
    ),
    ability: Nullable(
      Type.Object(
        {
          mean: Figure('Mean of the estimated abilities (expected a posteriori, EAP; Bock & Mislevy, 1982).'),
          standard_deviation: Nullable(
            Figure('Below 1, since EAP estimates shrink towards the mean; null for a single case.'),
          ),
          minimum: Figure('Lowest ability.'),
          lower_quartile: Figure('First quartile.'),
          median: Figure('Median.'),
          upper_quartile: Figure('Third quartile.'),
          maximum: Figure('Highest ability.'),
          mean_se: Figure('Mean standard error of the abilities.'),
          histogram: Type.Object(
            {
              from: Figure('Start of the first bin.'),
              step: Figure('Width of a bin.'),
              counts: Type.Array(Count('Cases in the bin.')),
            },
            closed,
          ),
        },
        closed,
      ),
    ),
    information: Nullable(
      Type.Object(
        {
          questions: Count('Questions that contribute: those whose discrimination is not at its bound.'),
          points: Type.Array(InformationPoint, { description: 'Empty if no question contributes.' }),
          peak: Nullable(Type.Object(InformationPoint.properties, closed), {
            description: 'Where the test information is highest; null if no question contributes.',
          }),
          precise_range: Nullable(
            Type.Object({ from: Figure('Lowest ability.'), to: Figure('Highest ability.') }, closed),
            {
              description:
                'Abilities around the peak with a standard error of at most `max_ability_se`; null if there are none.',
            },
          ),
        },
        {
          ...closed,
          description:
            'Test information function of all calibrated questions, except those whose discrimination is at its bound.',
        },
      ),
    ),
    fit: Nullable(
      Type.Object(
        {
          complete_cases: Count('Cases that answered every calibrated question: S-X² is based on them.'),
          tested: Count('Questions with an S-X².'),
          reason: Nullable(Type.String(), { description: 'Why no question has an S-X²; null if one has.' }),
        },
        closed,
      ),
    ),
    flags: Type.Array(
      Type.Object({ flag: Type.Enum([...FLAGS]), questions: Count('Questions with the flag.') }, closed),
      { description: 'Flags that occur.' },
    ),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

/** The parameters that are estimated for a question. */
export type ParameterName = 'discrimination' | 'difficulty' | 'intercept' | 'guessing';
export type EstimateField<N extends string> = N | `${N}_se` | `${N}_low` | `${N}_high`;

/** An estimate with its standard error and 95 % confidence interval, as four fields of the row. */
const Estimate = <const N extends ParameterName>(name: N, description: string) =>
  ({
    [name]: NullableFigure(description),
    [`${name}_se`]: NullableFigure(
      'Standard error, from the observed information; null if the discrimination is at its bound or the responses do not identify the parameters, so that the information matrix is nearly singular.',
    ),
    [`${name}_low`]: NullableFigure('Lower limit of the 95 % confidence interval: estimate − 1.96 · SE.'),
    [`${name}_high`]: NullableFigure('Upper limit.'),
  }) as Record<EstimateField<N>, ReturnType<typeof NullableFigure>>;

const MeanSquare = (description: string) =>
  Nullable(
    Type.Object(
      {
        mean_square: Figure('1 if the responses vary as the model expects.'),
        z: Nullable(Figure('Standardised by the cube-root transformation (Wilson & Hilferty, 1931).')),
      },
      closed,
    ),
    { description },
  );

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  estimated: Type.Boolean({ description: 'Whether the question was calibrated.' }),
  reason: Nullable(Type.String(), { description: 'Why not.' }),
  n: Count('Scored responses.'),
  right: Count('Right responses.'),
  facility: Share('Proportion of right responses.'),
  facility_low: Share('Lower limit of its 95 % confidence interval (Wilson, 1927).'),
  facility_high: Share('Upper limit.'),
  ...Estimate(
    'discrimination',
    'Discrimination a: the slope of the logit, per standard deviation of ability (logistic metric, no factor 1.7).',
  ),
  ...Estimate(
    'difficulty',
    'Difficulty b = −d / a: the ability at which P is halfway between guessing and 1; its standard error by the delta method. Null if it is not identified: the confidence interval of the discrimination includes 0 or cannot be computed; and in the 1PL if the common discrimination is at its lower bound. `message` has the reason.',
  ),
  ...Estimate('intercept', 'Intercept d: the logit at mean ability.'),
  ...Estimate('guessing', 'Guessing c, the lower asymptote. 3PL only.'),
  discrimination_level: Nullable(Type.Enum([...DISCRIMINATION_LEVELS]), {
    description:
      'The discrimination in words (Baker, 2001): negative below 0, very low from 0, low from 0.35, moderate from 0.65, high from 1.35, very high from 1.7. ' +
      'Null if the discrimination is at its bound.',
  }),
  peak: Nullable(
    Type.Object(
      { ability: Figure('Ability.'), information: Figure('Information: a² / 4 without guessing.') },
      closed,
    ),
    {
      description:
        'Maximum of the item information function; null where the difficulty is, and if the discrimination is at its bound.',
    },
  ),
  s_x2: Nullable(
    Type.Object(
      {
        chi_squared: Figure('Observed against expected right responses by sum score.'),
        degrees_of_freedom: Count('Score groups − parameters of the question.'),
        p_value: Share('Probability of such a deviation or a larger one if the model holds.'),
        p_adjusted: Share('Adjusted for the number of questions (Benjamini & Hochberg, 1995).'),
        rmsea: Figure('Effect size: √((χ² / df − 1) / (cases − 1)).'),
      },
      closed,
    ),
    { description: 'S-X² item fit (Orlando & Thissen, 2000); null if no degree of freedom is left.' },
  ),
  infit: MeanSquare('Information-weighted mean square of the residuals (Wright & Masters, 1982).'),
  outfit: MeanSquare('Unweighted mean square of the standardised residuals, sensitive to outliers.'),
  observed: Type.Array(
    Type.Object(
      {
        n: Count('Responses in the group.'),
        share: Share('Proportion of right responses.'),
        low: Share('Lower limit of its 95 % confidence interval (Wilson, 1927).'),
        high: Share('Upper limit.'),
        expected: Share('Proportion that the model expects, given the other responses of the same cases.'),
        ability: Figure('Mean ability of the group, from the other responses.'),
      },
      closed,
    ),
    {
      description:
        'Observed proportions of right responses in up to ten groups by ability, each with at least ten responses if possible. Large data is sampled.',
    },
  ),
});
export type Row = Static<typeof Row>;
