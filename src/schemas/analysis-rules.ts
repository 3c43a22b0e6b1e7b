/** Rules between the fields of a run request and of a plot query. */
import type { Fault } from '../errors.ts';
import type { AnalysisPlotQuery, AnalysisRequest } from './analysis.ts';

export const findSelectionFaults = ({ question_ids, filter }: Partial<AnalysisRequest>): Fault[] =>
  question_ids && filter
    ? [{ pointer: '/filter', code: 'conflict', detail: 'must not be combined with question_ids' }]
    : [];

export const findPlotFaults = ({ figure, question_id }: AnalysisPlotQuery): Fault[] =>
  figure !== undefined && question_id !== undefined
    ? [{ pointer: '/figure', code: 'conflict', detail: 'must not be combined with question_id' }]
    : [];
