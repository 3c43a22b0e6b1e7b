/**
 * The part of a question that a caller may see: everything, or only what does not reveal the
 * answer. The two parts are columns of their own, so that answers are not even read for callers who
 * may not see them.
 */
export type View = 'with_answers' | 'without_answers';

/**
 * The questions that a caller sees: the approved ones, or those of every status, for callers that
 * write or review questions.
 */
export type Visibility = 'approved' | 'all';
