/** Writes text into XML. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot have.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const SPECIAL = /[&<>"\r]/g;
const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes text for elements. Characters that XML cannot have are left out. */
export const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(NOT_XML, '')
    .replace(SPECIAL, (character) => REFERENCES[character]!);

/** Escapes text for attributes, whose white space a parser would normalize. */
export const escapeAttribute = (text: string) =>
  escapeXml(text).replace(/[\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Whether the text has characters that XML cannot have. */
export const hasCharactersOutsideXml = (text: string) => text.search(NOT_XML) >= 0 || !text.isWellFormed();
