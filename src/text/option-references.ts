/** Options that stand for others, such as “all of the above”. */

export const ALL_ABOVE =
  /^\W*(?:all|both|any|each|either)(?:\s+of)?\s+(?:(?:the\s+)?(?:above|options|answers|choices)|them|(?:these|those)(?:\s+\p{L}+)?|(?:the\s+)?(?:two|three|four|other)\s+(?:above|options|answers|choices))(?:\s+(?:answers|options|choices))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/iu;
export const NONE_ABOVE =
  /^\W*(?:none|neither)(?:\s+of)?\s+(?:the\s+)?(?:above|these|those|them|options|answers|choices)(?:\s+(?:answers|options|choices|above))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/i;

/** Whether the option stands for others, as in “none of the above”. */
export const refersToOptions = (choice: string) => ALL_ABOVE.test(choice) || NONE_ABOVE.test(choice);
