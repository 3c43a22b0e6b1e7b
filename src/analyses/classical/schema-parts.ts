/** Parts of schemas that the classical analyses share. */
import Type from 'typebox';
import { Nullable } from '../../schemas/common.ts';

export const SCORE_KINDS = ['number right', 'share right of the questions asked'] as const;

export const Count = (description: string) => Type.Integer({ minimum: 0, description });
export const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
export const Figure = (description: string) => Nullable(Type.Number(), { description });
export const Interval = (description: string) =>
  Nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, { additionalProperties: false }), {
    description,
  });

export const asInterval = (ends: readonly [low: number, high: number] | null) =>
  ends && { low: ends[0], high: ends[1] };
