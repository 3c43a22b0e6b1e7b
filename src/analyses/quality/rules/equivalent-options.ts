/** Options that differ in writing and mean the same: 12 and twelve, USA and United States. */
import { refersToOptions } from '../../../text/option-references.ts';
import { normalizeOption } from './option-text.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { ABOUT_WRITING } from './wording.ts';

const SMALL_NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const NUMBER_WORDS = new Map<string, number>([
  ...SMALL_NUMBERS.map((word, i) => [word, i] as const),
  ...TENS.map((word, i) => [word, 20 + 10 * i] as const),
]);
const MULTIPLIERS = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

/** Names of the same thing; the first stands for all. */
const SYNONYMS = [
  ['united states', 'usa', 'us', 'u.s', 'u.s.a', 'united states of america', 'america'],
  ['united kingdom', 'uk', 'u.k'],
  ['soviet union', 'ussr', 'u.s.s.r'],
  ['united nations', 'un', 'u.n'],
  ['world war i', 'first world war', 'wwi', 'ww1', 'world war 1', 'world war one'],
  ['world war ii', 'second world war', 'wwii', 'ww2', 'world war 2', 'world war two'],
  ['new york city', 'nyc', 'city of new york'],
  ['los angeles', 'l.a'],
  ['washington dc', 'washington d.c', 'washington, d.c', 'washington, dc'],
  ['television', 'tv', 't.v'],
  ['kilometre', 'kilometer', 'km'],
  ['half', 'one half', 'a half', '1/2', '50%', '50 percent', '50 per cent', 'fifty percent', '0.5'],
  ['quarter', 'one quarter', 'one fourth', 'a quarter', '1/4', '25%', '25 percent', '25 per cent', '0.25'],
  ['both', 'both of them', 'both of these', 'both of the above'],
  ['all', 'all of them', 'all of these', 'all of the above', 'all the above'],
  ['none', 'none of them', 'none of these', 'none of the above'],
  ['grey', 'gray'],
  ['doughnut', 'donut'],
  ['aluminium', 'aluminum'],
  ['soccer', 'association football'],
  ['automobile', 'car'],
  ['aeroplane', 'airplane'],
  ['everyone', 'everybody'],
  ['nobody', 'no one'],
  ['sodium chloride', 'nacl'],
  ['carbon dioxide', 'co2'],
  ['mount everest', 'mt everest', 'mt. everest', 'everest'],
  ['jfk', 'john f kennedy', 'john f. kennedy'],
  ['fdr', 'franklin d roosevelt', 'franklin d. roosevelt'],
  ['istanbul', 'constantinople'],
  ['myanmar', 'burma'],
  ['netherlands', 'holland'],
];
const CANONICAL_NAMES = new Map(SYNONYMS.flatMap((names) => names.map((name) => [name, names[0]!] as const)));

const MONTHS = 'january february march april june july august september october november december'.split(' ');
const SHORT_MONTHS = new Map(MONTHS.map((month) => [month.slice(0, 3), month]));

/** Factors to a base unit, for quantities such as 60 minutes and 1 hour. */
const UNITS = new Map<string, [base: string, factor: number]>([
  ...toUnits('s', {
    second: 1,
    sec: 1,
    minute: 60,
    min: 60,
    hour: 3600,
    hr: 3600,
    day: 86_400,
    week: 604_800,
  }),
  ...toUnits('month', { month: 1, year: 12, decade: 120, century: 1200, centurie: 1200 }),
  ...toUnits('m', {
    millimetre: 1e-3,
    mm: 1e-3,
    centimetre: 0.01,
    cm: 0.01,
    metre: 1,
    m: 1,
    kilometre: 1e3,
    km: 1e3,
  }),
  ...toUnits('m', { millimeter: 1e-3, centimeter: 0.01, meter: 1, kilometer: 1e3 }),
  ...toUnits('in', { inch: 1, inche: 1, feet: 12, foot: 12, ft: 12, yard: 36 }),
  ...toUnits('g', { gram: 1, g: 1, kilogram: 1e3, kilo: 1e3, kg: 1e3, tonne: 1e6 }),
  ...toUnits('cent', { cent: 1, dollar: 100 }),
  ...toUnits('item', { dozen: 12 }),
]);

function toUnits(base: string, factors: Record<string, number>): [string, [string, number]][] {
  return Object.entries(factors).map(([name, factor]) => [name, [base, factor]]);
}

/** Questions in which the notation is what is asked for. */
const ABOUT_NOTATION =
  /\b(?:binary|hexadecimal|decimal|octal|roman|notation|abbreviat\w+|symbol|formula|acronym|stands? for|also (?:known|called)|another (?:name|word)|synonym|official(?:ly)?|formerly|former|now called|renamed|today|proper|full name|another name|call|title|titled|song|album|film|movie|band|expressed|written|digits?|convert|equals?|equivalent|simplif\w+|change its name)\b/i;

/** The indexes of options that mean the same as an earlier one, but are not written the same. */
export function findEquivalent({ choices, text }: ParsedQuestion): number[] {
  if (choices.length < 3 || ABOUT_WRITING.test(text) || ABOUT_NOTATION.test(text)) return [];
  const meanings = new Map<string, string>();
  return choices.flatMap((choice, i) => {
    const written = normalizeOption(choice);
    const meaning = toMeaning(written);
    const earlier = meanings.get(meaning);
    if (earlier === undefined) meanings.set(meaning, written);
    return earlier !== undefined && earlier !== written ? [i] : [];
  });
}

/** A form that is equal for equivalent options. */
function toMeaning(written: string): string {
  if (refersToOptions(written)) return CANONICAL_NAMES.get(written) ?? written;
  const named = CANONICAL_NAMES.get(written);
  if (named) return named;
  const text = written
    .replace(/ & /g, ' and ')
    .replace(/\bper ?cent\b/g, '%')
    .replace(/ %/g, '%');
  const quantity = parseQuantity(text);
  if (quantity) return quantity;
  const month = SHORT_MONTHS.get(text.replace('.', ''));
  if (month) return month;
  return joinCompound(text);
}

/** “ice cream”, “ice-cream” and “icecream” are one word; parts of one letter are not. */
const joinCompound = (text: string) => text.replace(/(?<=\p{Ll}{3})[- ](?=\p{Ll}{3})/gu, '');

function parseQuantity(text: string): string | null {
  const match = /^(?:[$€£] ?)?(\d[\d,]*(?:\.\d+)?|[a-z]+(?:[- ](?:and )?[a-z]+){0,6}?)(%| ?[a-z]+\.?)?$/.exec(
    text,
  );
  if (!match) return null;
  const currency = /^[$€£]/.exec(text)?.[0] ?? '';
  const attempts: [string, string][] = [
    [match[1]!, match[2]?.trim() ?? ''],
    [text.replace(/^[$€£] ?/, ''), ''],
  ];
  for (const [digits, unit] of attempts) {
    const value = parseNumber(digits);
    if (value === null) continue;
    const multiplier = MULTIPLIERS.get(unit);
    if (multiplier) return `${currency}${value * multiplier}`;
    const [base, factor] = UNITS.get(unit.replace(/\.$/, '')) ??
      UNITS.get(unit.replace(/s$/, '')) ?? [unit, 1];
    return `${currency}${Number((value * factor).toPrecision(12))} ${base}`.trim();
  }
  return null;
}

function parseNumber(text: string): number | null {
  if (/^\d/.test(text)) {
    return /^\d{1,3}(?:,\d{3})*(?:\.\d+)?$|^\d+(?:\.\d+)?$/.test(text)
      ? Number(text.replaceAll(',', ''))
      : null;
  }
  let total = 0;
  let current: number | null = null;
  for (const word of text.split(/[- ]/)) {
    if (word === 'and' && current !== null) continue;
    const multiplier = MULTIPLIERS.get(word);
    if (multiplier) {
      current = (current ?? 1) * multiplier;
      if (multiplier > 100) [total, current] = [total + current, 0];
      continue;
    }
    const value = NUMBER_WORDS.get(word);
    if (value === undefined) return null;
    current = (current ?? 0) + value;
  }
  return current === null ? null : total + current;
}
