/** What comes out of the calibration: a summary of the test and a row for each question. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Item } from '../define.ts';

/** What is to be looked at first comes first. */
export const FLAGS = [
  'negative_slope',
  'slope_at_bound',
  'misfit',
  'infit_high',
  'outfit_high',
  'low_slope',
  'steep_slope',
  'extreme_difficulty',
  'one_category',
  'too_few_each',
  'imprecise',
  'few_responses',
] as const;
export type Flag = (typeof FLAGS)[number];

/** Baker (2001), The basics of item response theory: from where on each name applies. */
export const DISCRIMINATION = ['negative', 'very low', 'low', 'moderate', 'high', 'very high'] as const;

export const MOST_DROPPED = 50;

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Type.Number({ description });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Estimation = Type.Object(
  {
    converged: Type.Boolean({
      description:
        'Whether the estimates came to rest, those at a bound of what is estimated being at rest there. If not, do not rely on them.',
    }),
    cycles: Count('Cycles of the EM algorithm (Bock & Aitkin, 1981).'),
    last_change: Figure('The largest change of any parameter in the last cycle.'),
    gradient: Figure(
      'The largest slope of the log-likelihood at the end in any parameter that does not press against its bound: 0 at the very maximum.',
    ),
    shared_slope_bound: Nullable(Type.Enum(['lower', 'upper']), {
      description:
        '1PL: the bound that the slope of all questions ran to. `lower` (0.0001, as good as 0): they do not measure one ability together, or work against ' +
        'each other, and there are no difficulties. `upper` (20): the answers fit steps better than curves. Null where it is at neither, and in other models.',
    }),
    standard_errors: Type.Boolean({ description: 'Whether any question has standard errors.' }),
    standard_errors_note: Nullable(Type.String(), {
      description: 'Why there are none, or what is particular about them.',
    }),
    log_likelihood: Figure('Marginal, of the answers given the estimates.'),
    parameters: Count('Free parameters: what the questions have, and in the 1PL one slope for all.'),
    aic: Figure(
      'Akaike (1974): −2 · log-likelihood + 2 · parameters. Lower is better, for the same answers.',
    ),
    bic: Figure('Schwarz (1978): −2 · log-likelihood + parameters · ln(cases used).'),
  },
  closed,
);

const InformationPoint = Type.Object(
  {
    ability: Figure('In standard deviations of the people from their mean.'),
    information: Figure('The sum of what the questions give (Lord, 1980).'),
    standard_error: Nullable(
      Figure(
        'Of an ability estimated here from all questions: 1 / √information; null where there is no information.',
      ),
    ),
  },
  closed,
);

export const Summary = Type.Object(
  {
    model: Type.Enum(['1pl', '2pl', '3pl']),
    estimated: Type.Boolean({ description: 'Whether the questions could be calibrated.' }),
    reason: Nullable(Type.String(), { description: 'If not, why.' }),
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Of them, with at least one response that counts: these have a row.'),
    questions_estimated: Count('Of them, calibrated.'),
    questions_dropped: Count('Of them, left out because too few answers are right, or too few are wrong.'),
    dropped: Type.Array(
      Type.Object(
        { question_id: Type.String(), question_text: Type.String(), reason: Type.String() },
        closed,
      ),
      { maxItems: MOST_DROPPED, description: `The first ${MOST_DROPPED} that were left out, and why.` },
    ),
    cases: Count('Cases with responses.'),
    cases_used: Count('Of them, with at least one answer to a question that was calibrated.'),
    responses_used: Count('Answers that the calibration rests on.'),
    parts: Nullable(Count('Parts that share neither a case nor a question: 1 if all hangs together.')),
    estimation: Nullable(Estimation, { description: 'How the estimation went; null if there was none.' }),
    reliability: Nullable(
      Type.Object(
        {
          marginal: Nullable(
            Share(
              'Expected in a standard normal population that answers all questions: the mean of I / (I + 1) over it (Green et al., 1984; as mirt), ' +
                'with I as in `information`; null where no question counts there.',
            ),
          ),
          empirical: Nullable(
            Share(
              'Of the abilities estimated here: variance / (variance + mean squared standard error); null for a single case.',
            ),
          ),
        },
        closed,
      ),
    ),
    ability: Nullable(
      Type.Object(
        {
          mean: Figure('Of the estimated abilities (expected a posteriori; Bock & Mislevy, 1982).'),
          standard_deviation: Nullable(
            Figure(
              'Below 1, for estimates from few answers are drawn towards the mean; null for a single case.',
            ),
          ),
          minimum: Figure('The lowest.'),
          lower_quartile: Figure('A quarter lies below.'),
          median: Figure('Half lies below.'),
          upper_quartile: Figure('A quarter lies above.'),
          maximum: Figure('The highest.'),
          mean_standard_error: Figure('The mean of the standard errors of the cases.'),
          histogram: Type.Object(
            {
              from: Figure('Where the first bin begins.'),
              step: Figure('How wide each is.'),
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
          questions: Count('Questions that it is the sum of: those whose slope is not at its bound.'),
          points: Type.Array(InformationPoint, { description: 'Empty where no question counts.' }),
          best: Nullable(Type.Object(InformationPoint.properties, closed), {
            description: 'Where these questions together measure best; null where none counts.',
          }),
          precise: Nullable(Type.Object({ from: Figure('From.'), to: Figure('To.') }, closed), {
            description:
              'The abilities around that place at which the standard error is at most `max_ability_se`; null if it never is, or no question counts.',
          }),
        },
        {
          ...closed,
          description:
            'By ability, of all calibrated questions together, but for those whose slope ran to its bound: theirs would be the doing of the bound.',
        },
      ),
    ),
    fit: Nullable(
      Type.Object(
        {
          complete_cases: Count('Cases that answered every calibrated question: S-X² is about them.'),
          tested: Count('Questions for which S-X² could be computed.'),
          reason: Nullable(Type.String(), {
            description: 'Why there is no S-X² at all, where there is none.',
          }),
        },
        closed,
      ),
    ),
    flags: Type.Array(
      Type.Object({ flag: Type.Enum([...FLAGS]), questions: Count('Questions with it.') }, closed),
      { description: 'Flags that occur.' },
    ),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

const Estimate = (description: string) =>
  Nullable(
    Type.Object(
      {
        estimate: Figure('The value.'),
        standard_error: Nullable(
          Figure(
            'From the observed information of all parameters; null where the slope is at its bound or the answers do not tell the parameters apart.',
          ),
        ),
        low: Nullable(Figure('Where the 95 % interval begins: estimate − 1.96 standard errors.')),
        high: Nullable(Figure('Where it ends.')),
      },
      closed,
    ),
    { description },
  );
export type Estimate = Static<ReturnType<typeof Estimate>>;

const MeanSquare = (description: string) =>
  Nullable(
    Type.Object(
      {
        mean_square: Figure('1 where answers vary as the model says.'),
        z: Nullable(Figure('As a standard normal variable (Wilson & Hilferty, 1931).')),
      },
      closed,
    ),
    { description },
  );

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  estimated: Type.Boolean({ description: 'Whether it was calibrated.' }),
  reason: Nullable(Type.String(), { description: 'If not, why.' }),
  n: Count('Answers that count.'),
  right: Count('Of them, right ones.'),
  facility: Share('The share of right answers.'),
  facility_low: Share('Where its 95 % interval begins (Wilson, 1927).'),
  facility_high: Share('Where it ends.'),
  slope: Estimate(
    'a: how steeply the curve rises, in logits per standard deviation of ability (no factor 1.7).',
  ),
  difficulty: Estimate(
    'b = −intercept / slope: the ability at which half of those who do not guess are right; its standard error by the delta method. Null for a flat curve, and in the 1PL where the shared slope is at its lower bound.',
  ),
  intercept: Estimate('d: the logit at mean ability.'),
  lower: Estimate('c: the probability of a right answer by guessing. 3PL only.'),
  discrimination: Nullable(Type.Enum([...DISCRIMINATION]), {
    description:
      'The slope in words (Baker, 2001): negative below 0, very low from 0, low from 0.35, moderate from 0.65, high from 1.35 and very high from 1.7 on. ' +
      'Null where the slope is at its bound.',
  }),
  peak: Nullable(
    Type.Object(
      { ability: Figure('Where.'), information: Figure('How much: slope² / 4 without guessing.') },
      closed,
    ),
    {
      description:
        'Where the question gives most information; null for a flat curve, and where the slope is at its bound.',
    },
  ),
  s_x2: Nullable(
    Type.Object(
      {
        chi_squared: Figure('Observed against expected right answers by number of right answers.'),
        degrees_of_freedom: Count('Groups − parameters of the question.'),
        p_value: Share('How likely such a deviation or a larger one is if the model holds.'),
        p_adjusted: Share('The same, adjusted for the number of questions (Benjamini & Hochberg, 1995).'),
        rmsea: Figure('The deviation beyond chance per degree of freedom: √((χ² / df − 1) / (cases − 1)).'),
      },
      closed,
    ),
    { description: 'S-X² (Orlando & Thissen, 2000); null where too little is left to test.' },
  ),
  infit: MeanSquare('Weighted mean square of the residuals (Wright & Masters, 1982).'),
  outfit: MeanSquare('Unweighted mean square: answers against all odds weigh most.'),
  observed: Type.Array(
    Type.Object(
      {
        n: Count('Answers in the group.'),
        share: Share('Of them, right.'),
        low: Share('Where its 95 % interval begins (Wilson, 1927).'),
        high: Share('Where it ends.'),
        expected: Share(
          'What the model expects, given what the same people answered to the other questions.',
        ),
        ability: Figure('Their mean ability, by their other answers.'),
      },
      closed,
    ),
    {
      description:
        'Right answers in up to ten groups by ability, of ten answers at least where there are so many. Of millions of answers, those of ' +
        'every so-many-th case.',
    },
  ),
});
export type Row = Static<typeof Row>;
