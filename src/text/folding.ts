/** Folds answers: differences of typing that do not make an answer wrong. */

/** Which further differences are ignored when a short answer is compared. */
export interface AnswerMatching {
  /** Default: true. */
  ignore_case?: boolean | undefined;
  /** The default of this and the following is false. */
  ignore_diacritics?: boolean | undefined;
  ignore_punctuation?: boolean | undefined;
  ignore_articles?: boolean | undefined;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻';
const PLAIN = '0123456789+-';
const RAISED = new RegExp(`[${SUPERSCRIPTS}]+`, 'gu');
const FRACTIONS = /[¼-¾⅐-⅞↉]/gu;

/** Replaces characters that NFKC would merge: a superscript 2 is a power, and 2½ is not 21/2. */
export function replaceSpecial(text: string): string {
  return text
    .replace(RAISED, (raised) => `^${[...raised].map((sign) => PLAIN[SUPERSCRIPTS.indexOf(sign)]).join('')}`)
    .replace(FRACTIONS, (fraction) => ` ${fraction.normalize('NFKC')}`)
    .replace(/[‘’‛ʼ´`′]/gu, "'")
    .replace(/[“”„‟«»″]/gu, '"')
    .replace(/[‐‑‒–—―−]/gu, '-');
}

/**
 * Folds white space, the Unicode form, and the kind of quotation marks and dashes; and case, unless
 * it counts.
 */
export function fold(text: string, { ignore_case = true }: AnswerMatching = {}): string {
  const spaced = replaceSpecial(text)
    .normalize('NFKC')
    .replaceAll('⁄', '/')
    .replace(/\s+/gu, ' ')
    .replace(/ ?([-,;:/]) ?/g, '$1')
    .trim();
  // Lower, upper and lower case again: ẞ, ß and SS, ς and σ fold to the same.
  const cased = ignore_case ? spaced.toLowerCase().toUpperCase().toLowerCase() : spaced;
  return cased.normalize('NFC');
}

/**
 * Articles of English, French, German, Spanish, Italian and Dutch. Listed in docs/answers.md, which
 * a test compares with this list.
 */
export const ARTICLES = [
  ...['a', 'an', 'the', 'le', 'la', 'les', 'un', 'une', 'der', 'die', 'das', 'ein', 'eine'],
  ...['el', 'los', 'las', 'una', 'il', 'lo', 'gli', 'de', 'het', 'een'],
];
const LEADING_ARTICLE = new RegExp(`^(?:(?:${ARTICLES.join('|')}) |l')(?=\\S)`, 'i');

/** Punctuation, without the signs that are part of names, such as # in C#. */
const PUNCTUATION = /[^\P{P}#%&@*]+/gu;
const LEADING_PUNCTUATION = /^(?:[^\P{P}#%&@*]|\s)+/u;

/** Letters that Unicode does not decompose. */
const UNDECOMPOSED: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe', þ: 'th', ß: 'ss' },
  ...{ Ł: 'L', Ø: 'O', Đ: 'D', Ð: 'D', Ħ: 'H', Æ: 'AE', Œ: 'OE', Þ: 'TH', ẞ: 'SS' },
};
const UNDECOMPOSED_LETTER = new RegExp(`[${Object.keys(UNDECOMPOSED).join('')}]`, 'gu');

const removeDiacritics = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(UNDECOMPOSED_LETTER, (letter) => UNDECOMPOSED[letter]!)
    .normalize('NFC');

/** Folds what the options ignore, too. A text that would become empty keeps its last form. */
export function foldFurther(text: string, matching: AnswerMatching): string {
  const { ignore_diacritics, ignore_punctuation, ignore_articles } = matching;
  const folded = fold(text, matching);
  const plain = ignore_diacritics ? removeDiacritics(folded) : folded;
  const bare = ignore_punctuation ? plain.replace(LEADING_PUNCTUATION, '') : plain;
  const named = ignore_articles ? bare.replace(LEADING_ARTICLE, '') : bare;
  if (!ignore_punctuation) return named;
  const words = named.replaceAll("'", '').replace(PUNCTUATION, ' ').replace(/ +/g, ' ').trim();
  return words === '' ? plain : words;
}
