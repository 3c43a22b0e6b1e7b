/** Restores characters from HTML entities, escape sequences and text in a wrong encoding. */

const NAMED_ENTITIES = new Map(
  Object.entries({
    amp: '&',
    quot: '"',
    apos: "'",
    lt: '<',
    gt: '>',
    nbsp: ' ',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    deg: '°',
    pound: '£',
    euro: '€',
    cent: '¢',
    yen: '¥',
    sect: '§',
    copy: '©',
    reg: '®',
    trade: '™',
    times: '×',
    divide: '÷',
    plusmn: '±',
    minus: '−',
    frac12: '½',
    frac14: '¼',
    frac34: '¾',
    sup2: '²',
    sup3: '³',
    micro: 'µ',
    middot: '·',
    iexcl: '¡',
    iquest: '¿',
    bull: '•',
    infin: '∞',
    radic: '√',
    ne: '≠',
    le: '≤',
    ge: '≥',
    prime: '′',
    Prime: '″',
    szlig: 'ß',
    aelig: 'æ',
    AElig: 'Æ',
    oelig: 'œ',
    OElig: 'Œ',
    oslash: 'ø',
    Oslash: 'Ø',
    eth: 'ð',
    ETH: 'Ð',
    thorn: 'þ',
    THORN: 'Þ',
    scaron: 'š',
    Scaron: 'Š',
    aring: 'å',
    Aring: 'Å',
    ccedil: 'ç',
    Ccedil: 'Ç',
    alpha: 'α',
    beta: 'β',
    gamma: 'γ',
    delta: 'δ',
    epsilon: 'ε',
    lambda: 'λ',
    mu: 'μ',
    pi: 'π',
    sigma: 'σ',
    phi: 'φ',
    psi: 'ψ',
    omega: 'ω',
    Delta: 'Δ',
    Sigma: 'Σ',
    Omega: 'Ω',
    Phi: 'Φ',
    Psi: 'Ψ',
    Pi: 'Π',
    Tau: 'Τ',
  }),
);
const ACCENTS = new Map([
  ['grave', '\u0300'],
  ['acute', '\u0301'],
  ['circ', '\u0302'],
  ['tilde', '\u0303'],
  ['uml', '\u0308'],
]);
const ACCENTED_LETTER = /^([a-z])(grave|acute|circ|tilde|uml)$/i;
const ENTITY =
  /&(#\d{2,6}|#x[0-9a-f]{2,6}|[a-z]{2,24}\d{0,2});|&(amp|quot|apos|nbsp|lt|gt|#0?39|#8217|#8220|#8221)\b(?!=)|(?<![&\p{L}])(amp|quot|apos|nbsp|#8217);|(?<!&)(#0?39);/giu;

/** Double escaping, such as &amp;quot;, takes two passes. Unknown entities stay. */
export function decodeEntities(text: string): string {
  const once = text.replace(
    ENTITY,
    (entity, full, unterminated, bare, apostrophe) =>
      decodeEntity(full ?? unterminated ?? bare ?? apostrophe) ?? entity,
  );
  const twice = once.replace(
    /&(quot|apos|#0?39|amp|lt|gt);/g,
    (entity, name) => decodeEntity(name) ?? entity,
  );
  return twice
    .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(?=["'’])/g, '')
    .replace(/\\[nrt](?=\s|\p{Lu})/gu, ' ')
    .replace(/(?<=\p{L})%20(?=\p{L})/gu, ' ')
    .toWellFormed();
}

function decodeEntity(name: string): string | null {
  if (name.startsWith('#')) {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isCharacter =
      code >= 0x20 &&
      code <= 0x10ffff &&
      !(code >= 0xd800 && code <= 0xdfff) &&
      !(code >= 0x7f && code < 0xa0);
    return isCharacter ? String.fromCodePoint(code) : null;
  }
  // Case distinguishes letters (&Delta; and &delta;), but &AMP; is &amp;.
  const named = NAMED_ENTITIES.get(/^(?:AMP|QUOT|LT|GT)$/.test(name) ? name.toLowerCase() : name);
  if (named) return named;
  const accented = ACCENTED_LETTER.exec(name);
  return accented ? `${accented[1]}${ACCENTS.get(accented[2]!.toLowerCase())}`.normalize('NFC') : null;
}

/** Bytes 0x80 to 0x9f of Windows-1252. */
const CP1252_BYTES = new Map(
  [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'].map((character, i) => [
    character,
    0x80 + i,
  ]),
);
const CP1252_CHARACTERS = new Map([...CP1252_BYTES].map(([character, byte]) => [byte, character]));
const RUN = /[\u0080-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}/gu;

/**
 * Decodes runs of UTF-8 that were read as Windows-1252. A run that is not valid UTF-8 stays. Single
 * control characters of Latin-1 become the characters that Windows-1252 has in their place.
 */
export function decodeMojibake(text: string): string {
  return text
    .replace(RUN, (run) => {
      const bytes = [...run].map((character) => CP1252_BYTES.get(character) ?? character.charCodeAt(0));
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
      } catch {
        return run;
      }
    })
    .replace(/[\u0080-\u009f]/g, (character) => CP1252_CHARACTERS.get(character.charCodeAt(0)) ?? character);
}
