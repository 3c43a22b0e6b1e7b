/** Schema parts that several analyses share. */

import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';

/** `number_correct` if all cases were asked the same questions, else `proportion_correct`. */
export const SCORE_KINDS = ['number_correct', 'proportion_correct'] as const;

export const closed = { additionalProperties: false };

export const Count = (description: string) => Type.Integer({ minimum: 0, description });
export const Proportion = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
/** A number that may be undefined, and then is null. */
export const Statistic = (description: string) => Nullable(Type.Number(), { description });
export const Interval = (description: string) =>
  Nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, closed), { description });

export const toInterval = (bounds: readonly [low: number, high: number] | null) =>
  bounds && { low: bounds[0], high: bounds[1] };
