/**
 * What a caller may see of a question: everything, or the part that does not reveal the answer. The two parts are columns of
 * their own, so that what is not shown is not read.
 */
export type View = 'with_answers' | 'without_answers';
