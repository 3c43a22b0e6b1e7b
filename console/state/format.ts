/** Numbers, times and names as the console shows them. */
const integers = new Intl.NumberFormat('en');
export const formatCount = (value: number): string => integers.format(value);
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export const DIFFICULTIES = ['Basic', 'Intermediate', 'Advanced'] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Such as "2 hours ago". */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / size), unit);
}

/** Such as "1.2 s" or "3 min". */
export function formatDuration(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

/** A name of the API in words: `likely_wrong_key` becomes `likely wrong key`. */
export const toWords = (name: string): string => name.replaceAll('_', ' ');
