/** Words that mix Latin with look-alike letters of Cyrillic or Greek. */
import { findSpans, type Span } from './rule.ts';

const WORD = /[\p{L}\p{M}]{2,}/gu;
/** Letters that look the same, by script. Others, as in KoЯn, µm or Δt, are mixed on purpose. */
const CYRILLIC = 'аеорсухіјѕһԁАВЕКМНОРСТХІЈЅУ';
const CYRILLIC_AS_LATIN = 'aeopcyxijshdABEKMHOPCTXIJSY';
const GREEK = 'ορνιυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';
const GREEK_AS_LATIN = 'opviukABEZHIKMNOPTYX';
const TO_LATIN = new Map([
  ...[...CYRILLIC].map((letter, i) => [letter, CYRILLIC_AS_LATIN[i]!] as const),
  ...[...GREEK].map((letter, i) => [letter, GREEK_AS_LATIN[i]!] as const),
]);
const TO_CYRILLIC = new Map([...CYRILLIC].map((letter, i) => [CYRILLIC_AS_LATIN[i]!, letter] as const));
const TO_GREEK = new Map([...GREEK].map((letter, i) => [GREEK_AS_LATIN[i]!, letter] as const));

const isLatin = (letter: string) => /\p{Script=Latin}/u.test(letter);
const isCyrillic = (letter: string) => /\p{Script=Cyrillic}/u.test(letter);
const isGreek = (letter: string) => /\p{Script=Greek}/u.test(letter);

/** The word in the script of most of its letters; null if it is not mixed, or not by mistake. */
function unifyScript(word: string): string | null {
  const letters = [...word];
  const latin = letters.filter(isLatin).length;
  const cyrillic = letters.filter(isCyrillic).length;
  const greek = letters.filter(isGreek).length;
  const other = Math.max(cyrillic, greek);
  if (latin === 0 || other === 0 || (cyrillic > 0 && greek > 0)) return null;
  const toLatin = mapLetters(letters, isLatin, TO_LATIN);
  const toOther =
    cyrillic > 0 ? mapLetters(letters, isCyrillic, TO_CYRILLIC) : mapLetters(letters, isGreek, TO_GREEK);
  // Two letters, as in µm or Δx, are a symbol rather than a word.
  if (letters.length < 3) return null;
  return latin >= other ? (toLatin ?? toOther) : (toOther ?? toLatin);
}

function mapLetters(
  letters: readonly string[],
  isOfScript: (letter: string) => boolean,
  map: ReadonlyMap<string, string>,
): string | null {
  const mapped = letters.map((letter) =>
    isOfScript(letter) || /\p{M}/u.test(letter) ? letter : map.get(letter),
  );
  return mapped.includes(undefined) ? null : mapped.join('');
}

export const findMixedScripts = (text: string): Span[] =>
  /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text)
    ? findSpans(WORD, text).filter(({ start, end }) => unifyScript(text.slice(start, end)) !== null)
    : [];

export const replaceLookalikes = (text: string): string =>
  text.replace(WORD, (word) => unifyScript(word) ?? word);
