import type { QuestionFilter } from '../../schemas/question-filter.ts';
import type { Visibility } from '../view.ts';

/** A filter, and the questions that it is applied to. */
export type QuestionCriteria = QuestionFilter & { visibility: Visibility };
