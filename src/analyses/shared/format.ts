/** Figures as messages show them. */

/** Never all or none unless it is. */
export function percent(share: number): string {
  const rounded = Math.round(100 * share);
  if (rounded === 100 && share < 1) return 'more than 99 %';
  if (rounded === 0 && share > 0) return 'less than 1 %';
  return `${rounded} %`;
}

/** A limit that was set, as it was set. */
export const limitPercent = (share: number) => `${Number((100 * share).toPrecision(6))} %`;

/** As it is shown: what is said of a figure is to fit the figure that is seen. */
export const rounded = (value: number, digits = 2) => Number(value.toFixed(digits)) + 0;

export const decimal = (value: number, digits = 2) =>
  rounded(value, digits).toFixed(digits).replace('-', '−');

export const range = ({ low, high }: { low: number; high: number }) => `${decimal(low)} to ${decimal(high)}`;

export const counted = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A sentence as the end of another. */
export const uncapitalised = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
