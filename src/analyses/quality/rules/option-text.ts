/** The text of options: references to other options, and a form for comparison. */

export const ALL_ABOVE =
  /^\W*(?:all|both|any|each|either)(?:\s+of)?\s+(?:(?:the\s+)?(?:above|options|answers|choices)|them|(?:these|those)(?:\s+\p{L}+)?|(?:the\s+)?(?:two|three|four|other)\s+(?:above|options|answers|choices))(?:\s+(?:answers|options|choices))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/iu;
export const NONE_ABOVE =
  /^\W*(?:none|neither)(?:\s+of)?\s+(?:the\s+)?(?:above|these|those|them|options|answers|choices)(?:\s+(?:answers|options|choices|above))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/i;

/** Whether the option stands for others, as in “none of the above”. */
export const refersToOptions = (choice: string) => ALL_ABOVE.test(choice) || NONE_ABOVE.test(choice);

/**
 * Ignores case, spacing, a leading article and surrounding punctuation. Inner punctuation and
 * diacritics count: C++ is not C#, and résumé is not resume.
 */
export function normalizeOption(text: string): string {
  const folded = text.toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim();
  let start = 0;
  let end = folded.length;
  while (start < end && LEADING_MARKS.includes(folded[start]!)) start++;
  while (
    end > start &&
    TRAILING_MARKS.includes(folded[end - 1]!) &&
    !FEET_OR_INCHES.test(folded.slice(end - 2, end))
  )
    end--;
  const bare = folded.slice(start, end).replace(/^(?:the|an?) (?=\S)/, '');
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text;
}

const LEADING_MARKS = '"\'(';
const FEET_OR_INCHES = /\d["']/;
const TRAILING_MARKS = '"\').,;:?!';
