/** The kinds of questions. */
export const KINDS = ['multiple_choice', 'short_answer'] as const;
export type Kind = (typeof KINDS)[number];
