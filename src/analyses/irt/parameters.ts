import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';

export const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    model: Type.Enum(['1pl', '2pl', '3pl'], {
      default: '2pl',
      description:
        '`1pl`: questions differ in difficulty only and share one discrimination. `2pl`: each question has its own discrimination. `3pl`: each also has a guessing ' +
        'parameter, which takes far more responses. The default is `2pl`, because the discrimination is what separates good questions from bad ones.',
    }),
    tolerance: Type.Number({
      minimum: 1e-8,
      maximum: 1e-3,
      default: 1e-6,
      description:
        'The EM algorithm has converged when no parameter changes by more than this in an iteration. The default is far below any standard error.',
    }),
    max_iterations: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 500,
      description:
        'Maximum number of EM iterations. Usual data takes 10 to 40; data that takes more than 500 usually has too few responses for the model.',
    }),
    guessing_alpha: Nullable(Type.Number({ minimum: 1, maximum: 1000 }), {
      default: null,
      description:
        'First parameter of the Beta prior of the guessing parameters (3PL only), together with `guessing_beta`. null for a prior by the number of options ' +
        'k of each question, 20/k + 1 and 20(1 − 1/k) + 1 as in BILOG-MG: a mode of 1/k, with the weight of 20 responses. A question without options counts as one with five.',
    }),
    guessing_beta: Nullable(Type.Number({ minimum: 1, maximum: 1000 }), {
      default: null,
      description: 'Second parameter of the Beta prior (3PL only). With 1 and 1 there is no prior.',
    }),
    discrimination_log_mean: Type.Number({
      minimum: -3,
      maximum: 3,
      default: 0,
      description:
        'Mean of the natural logarithm of the discrimination in the lognormal prior. 0 is a median discrimination of 1. Has no effect without `discrimination_log_sd`.',
    }),
    discrimination_log_sd: Nullable(Type.Number({ minimum: 0.05, maximum: 10 }), {
      default: null,
      description:
        'Standard deviation of the natural logarithm of the discrimination in a lognormal prior (2PL and 3PL), which makes all discriminations positive: a question ' +
        'with a wrong key is then not recognised. 0.5 is usual, and helps with few responses. null for no prior, so that the estimates depend on the responses alone.',
    }),
    min_per_outcome: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      description:
        'A question is calibrated if at least this many responses are right and as many are wrong. The default is 1, as in other programs: the standard error then shows how little is known. With 2, no estimate depends on a single respondent.',
    }),
    min_responses: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
      default: null,
      description:
        'With fewer cases, or fewer responses to a question, there is a warning. null for the usual recommendation: 100 for the 1PL (Linacre 1994), 250 for the 2PL ' +
        '(Harwell & Janosky 1991) and 1,000 for the 3PL (Hulin, Lissak & Drasgow 1982).',
    }),
    min_discrimination: Type.Number({
      minimum: 0,
      maximum: 5,
      default: 0.35,
      description:
        'A lower discrimination is flagged `low_discrimination`. Baker (2001) calls a discrimination below 0.35 very low.',
    }),
    max_discrimination: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'A higher discrimination is flagged `high_discrimination`. De Ayala (2009) gives 0.8 to 2.5 as the range of good questions; values beyond 4 are mostly chance, or due to questions that repeat each other.',
    }),
    significance: Type.Number({
      minimum: 0.0001,
      maximum: 0.5,
      default: 0.05,
      description:
        'A question is flagged `misfit` if its S-X² has an adjusted p-value below this and an RMSEA above `max_rmsea`. 0.05 is the convention.',
    }),
    max_rmsea: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.06,
      description:
        'With many cases every small deviation is significant, so only questions with a larger RMSEA are flagged. 0.06 is the cut-off of Hu & Bentler (1999) for structural equation models, often used for S-X², which has none of its own.',
    }),
    max_mean_square: Type.Number({
      minimum: 1,
      maximum: 10,
      default: 1.3,
      description:
        'A larger infit or outfit, with z above 1.96, is flagged `infit_high` or `outfit_high`. 1.3 is the limit of Wright & Linacre (1994) for ordinary multiple-choice tests (1.2 for high stakes).',
    }),
    max_abs_difficulty: Type.Number({
      minimum: 1,
      maximum: 20,
      default: 4,
      description:
        'A difficulty farther from 0 is flagged `extreme_difficulty`. In a normal population, 6 in 100,000 are more than 4 standard deviations from the mean.',
    }),
    max_difficulty_se: Type.Number({
      minimum: 0.01,
      maximum: 10,
      default: 0.5,
      description:
        'A larger standard error of the difficulty is flagged `imprecise`. 0.5 means ± 1 logit with 95 % confidence, the wider of the two margins that Linacre (1994) considers.',
    }),
    max_ability_se: Type.Number({
      minimum: 0.01,
      maximum: 2,
      default: 0.5,
      description:
        'Abilities with a standard error up to this are in the `precise_range` of the test. 0.5 corresponds to a reliability of 0.75 in a population with standard deviation 1 (1 − 0.5²).',
    }),
  },
  { additionalProperties: false },
);
export type Parameters = Static<typeof Parameters>;
