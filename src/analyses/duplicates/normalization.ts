/** Removes differences between texts that are only a matter of encoding and typography. */

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  shy: '',
  ndash: '–',
  mdash: '—',
};
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi;
/** Diacritics, soft hyphens, joiners, direction marks and variation selectors. */
const MARKS = /[\u0300-\u036f]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\ufe0e|\ufe0f/g;
/** HTML tags for italic and bold text. */
const FORMATTING = /<\/?(?:i|b|u|em|strong)>/gi;

/** ASCII needs no Unicode normalization, and most questions are ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
export const isAscii = (text: string) => ASCII.test(text);

const fromCodePoint = (code: number) =>
  code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ' ';

/**
 * Decodes HTML entities and removes formatting tags, diacritics and invisible characters. Case
 * stays.
 */
export function normalizeText(text: string): string {
  let result = text;
  if (result.includes('&')) {
    result = result.replace(ENTITY, (entity, decimal?: string, hex?: string, named?: string) => {
      if (named) return ENTITIES[named.toLowerCase()] ?? entity;
      return fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex!, 16));
    });
  }
  if (result.includes('</')) result = result.replace(FORMATTING, '');
  return isAscii(result) ? result : result.normalize('NFKD').replace(MARKS, '').normalize('NFC');
}

/** Characters that are punctuation elsewhere: between two numbers, or as the sign of one. */
export const OPERATOR = /(?<=\p{N}\s?)[-–−/:](?=\s?\p{N})|(?<![\p{L}\p{N}])[-–−](?=\p{N})/gu;
/** Stand-ins for operators that SEPARATORS does not match. */
const OPERATOR_SYMBOLS: Record<string, string> = { '-': '−', '–': '−', '−': '−', '/': '∕', ':': '∶' };

/** Everything except letters, digits and symbols. */
const SEPARATORS = /[^\p{L}\p{M}\p{N}\p{Sm}\p{Sc}\p{So}#%@&*]+/gu;
/** The same for ASCII text and the operator symbols. */
const ASCII_SEPARATORS = /[^a-z0-9+<=>|~$#%@&*\u2212\u2215\u2236]+/g;

/**
 * Folds a text to lower-case letters, digits and symbols with single spaces in between: the form
 * from which shingles are taken. A text of punctuation only is kept.
 */
export function foldText(text: string): string {
  const lower = normalizeText(text).toLowerCase();
  const folded = (/\p{N}/u.test(lower) ? lower.replace(OPERATOR, (sign) => OPERATOR_SYMBOLS[sign]!) : lower)
    .replace(/['’]/g, '')
    .replace(isAscii(lower) ? ASCII_SEPARATORS : SEPARATORS, ' ')
    .trim();
  return folded === '' ? text.trim().replace(/\s+/gu, ' ') : folded;
}
