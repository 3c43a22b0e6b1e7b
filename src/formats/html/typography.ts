/** Superscripts, subscripts and the escapes of Markdown. */

const toMap = (from: string, to: string) => {
  const targets = [...to];
  return new Map([...from].map((character, index) => [character, targets[index]!]));
};
const SUPERSCRIPTS = toMap(
  '0123456789+-−=()niabcdefghjklmoprstuvwxyz',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ',
);
const SUBSCRIPTS = toMap('0123456789+-−=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ');

function translate(text: string, map: Map<string, string>): string | undefined {
  let result = '';
  for (const character of text) {
    const other = map.get(character);
    if (other === undefined) return undefined;
    result += other;
  }
  return result;
}

/** The text in characters of Unicode, if each character has one. */
export const toSuperscript = (text: string) => translate(text, SUPERSCRIPTS);
export const toSubscript = (text: string) => translate(text, SUBSCRIPTS);

const TEX = /\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$\$([\s\S]+?)\$\$/g;

/** Escapes text for Markdown. Formulas in TeX keep their text. */
export function escapeMarkdown(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(TEX)) {
    result += escapePlain(text.slice(from, match.index));
    const [, inline, display, dollars] = match;
    result += inline !== undefined ? `$${inline.trim()}$` : `$$${(display ?? dollars)!.trim()}$$`;
    from = match.index + match[0].length;
  }
  return result + escapePlain(text.slice(from));
}

const escapePlain = (text: string) =>
  text
    .replace(/[\\`*_[\]<$~]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/^(\s*)([#>+-]|\d{1,9}[.)])(?=\s)/gm, '$1\\$2')
    .replace(/^(\s*)\\(\d+)([.)])/gm, '$1$2\\$3');
