/** Formats numbers and phrases for messages. */

/** A share in whole percent. 0 % and 100 % are exact: other shares that round to them get words. */
export function formatPercent(share: number): string {
  const percent = Math.round(100 * share);
  if (percent === 100 && share < 1) return 'more than 99 %';
  if (percent === 0 && share > 0) return 'less than 1 %';
  return `${percent} %`;
}

/** A limit in percent, with the digits it was set with. */
export const formatLimitPercent = (share: number) => `${Number((100 * share).toPrecision(6))} %`;

/**
 * Rounds as the message will, so that words chosen by the value agree with the digits. Never −0.
 */
export const roundTo = (value: number, digits = 2) => Number(value.toFixed(digits)) + 0;

/** A decimal with a typographic minus sign. */
export const formatDecimal = (value: number, digits = 2) =>
  roundTo(value, digits).toFixed(digits).replace('-', '−');

export const formatInterval = ({ low, high }: { low: number; high: number }) =>
  `${formatDecimal(low)} to ${formatDecimal(high)}`;

/** A p-value with its relation sign. Near 0.05 it has a fourth digit, which shows on which side. */
export function formatP(p: number): string {
  if (p < 0.001) return '< 0.001';
  return `= ${p.toFixed(Math.abs(p - 0.05) < 0.0005 ? 4 : 3)}`;
}

/** A number with its noun in the singular or plural. */
export const formatCount = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const uncapitalise = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

export const quote = (text: string) => `“${text}”`;

/** "a", "a and b", "a, b and c". */
export const joinAnd = (phrases: readonly string[]) =>
  phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`;
