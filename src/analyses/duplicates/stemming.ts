/**
 * Strips the commonest English endings. Coarser than Porter's stemmer; enough to match inflected
 * forms.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let base = word;
  if (base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !base.endsWith('ss') && !base.endsWith('us')) base = base.slice(0, -1);
  if (base.length > 5) base = stripEnding(base, 'ing', 'ed');
  if (base.length > 6) base = stripEnding(base, 'er', 'or');
  const last = base.at(-1)!;
  if (last === base.at(-2) && !'aeiouls'.includes(last)) base = base.slice(0, -1);
  return base.endsWith('e') ? base.slice(0, -1) : base;
}

function stripEnding(word: string, ...endings: string[]): string {
  const ending = endings.find((candidate) => word.endsWith(candidate));
  return ending ? word.slice(0, -ending.length) : word;
}
