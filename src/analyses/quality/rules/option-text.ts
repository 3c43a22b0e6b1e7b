/** The form in which options are compared. */

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
