/** Spaces that are doubled, missing or misplaced, and double spaces where “&” was lost. */
import { findSpans, type Span } from './rule.ts';
import { toWordSet } from './vocabulary.ts';

const DOUBLE_SPACE = /(?<=[^\s.?!:])[ \u00a0]{2,}(?=[^\s?!,;.)\]])/gu;
const BEFORE_MARK =
  /(?<=[\p{L}\p{N})"”’'%])[ \t\u00a0]+(?=(?:[?!,;]|\.(?![\p{L}\p{N}.]| \.))(?:["”’')]*(?:\s|$)))/gu;
const AROUND_COMMA = /(?<=[\p{L}\p{N})]) +,(?=\p{L})/gu;
const BEFORE_POSSESSIVE = /(?<=\p{L}) (?=['’]s\b)/gu;
const IN_BRACKETS = /(?<=[([]) +(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}]) +(?=[)\]])/gu;
const MISSING_AFTER_COMMA = /(?<=\d{4}),(?=\p{Ll}{2})|(?<=\p{L}{2}),(?=\p{L}{2})|(?<=["”)]),(?=\p{L}{2})/gu;
const MISSING_AFTER_SENTENCE = /(?<=\p{Ll}{3})[.?!](?=\p{Lu}\p{Ll}+ \p{L})|(?<=\p{Ll}{3}\?)(?=["“]\p{Lu})/gu;

/** Names joined by “&”: a double space between capitalised words, or between words of a pair. */
const CAPITALISED_PAIR =
  /(?<![\p{L}\p{N}])((?:\p{Lu}|\p{N}+)[\p{L}\p{N}'’]*|(?:Mr|Dr)\.) {2}(\p{Lu}[\p{L}\p{N}'’]*)/gu;
/** “AT  T” and “M  Ms” */
const INITIALS = /(?<![\p{L}\p{N}])\p{Lu}{1,2} {2}\p{Lu}(?:['’]?s)?(?![\p{L}\p{N}])/gu;
/** “Willy Wonka  the Chocolate Factory” */
const PAIR_WITH_ARTICLE = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}'’]+ {2}[Tt]he \p{Lu}/gu;
/** “'Sexy Boy'  'All I Need'” */
const QUOTED_PAIR = /(?<=\p{L}["”'’]) {2}(?=["“'‘]\p{Lu})/gu;
const LOWER_CASE_PAIR =
  /\b(?:salt {2}pepper|fish {2}chips|rock {2}roll|black {2}white|bed {2}breakfast|drum {2}bass|rhythm {2}blues|cut {2}paste|copy {2}paste|hide {2}seek|butter {2}jelly|mac(?:aroni)? {2}cheese|bread {2}butter|research {2}development|bubble {2}squeak|bangers {2}mash|ham {2}eggs|bacon {2}eggs|law {2}order|gin {2}tonic|profit {2}loss|supply {2}demand|sweet {2}sour|arts {2}crafts|health {2}safety|nuts {2}bolts|trial {2}error|country {2}western|stars {2}stripes|track {2}field|cheese {2}onion|milk {2}honey|king {2}queen|peaches {2}cream|cookies {2}cream|salt {2}vinegar)\b/gi;
/** Words that begin a sentence or phrase, and so do not stand in a pair of names. */
const NO_NAME = toWordSet(
  'the a an in on at of by for from with and or is are was were what which who whose whom where when why how did does do has have had this ' +
    'that these those if it he she they we you i name according his her its their as to not no but can will would could during after before ' +
    'mr mrs ms dr st sir lord lady king queen president prince princess captain general saint professor',
);

/** The span is the double space with both words. */
export function findLostAmpersands(text: string): Span[] {
  if (!text.includes('  ')) return [];
  const spans = [
    ...findSpans(INITIALS, text),
    ...[LOWER_CASE_PAIR, PAIR_WITH_ARTICLE, QUOTED_PAIR]
      .flatMap((pattern) => findSpans(pattern, text))
      .filter(({ start }) => !isNoName(/^\p{L}*/u.exec(text.slice(start))![0])),
  ];
  CAPITALISED_PAIR.lastIndex = 0;
  for (let match = CAPITALISED_PAIR.exec(text); match; match = CAPITALISED_PAIR.exec(text)) {
    const [pair, first, second] = match as unknown as [string, string, string];
    const isCouple = /^Mr\.?$/.test(first) && /^Mrs/.test(second);
    if (isCouple || !(isNoName(first) || isNoName(second) || ROMAN_NUMERAL.test(second)))
      spans.push({ start: match.index, end: match.index + pair.length });
    CAPITALISED_PAIR.lastIndex = match.index + pair.length - second.length;
  }
  return spans.sort((a, b) => a.start - b.start);
}

const isNoName = (word: string) => NO_NAME.has(word.toLowerCase());
const ROMAN_NUMERAL = /^[IVX]+(?:['’]s)?$/;

const PATTERNS = [
  DOUBLE_SPACE,
  BEFORE_MARK,
  AROUND_COMMA,
  BEFORE_POSSESSIVE,
  IN_BRACKETS,
  MISSING_AFTER_COMMA,
  MISSING_AFTER_SENTENCE,
];

export function findSpacing(text: string): Span[] {
  const lost = findLostAmpersands(text);
  return PATTERNS.flatMap((pattern) => findSpans(pattern, text))
    .filter((span) => !isWithin(span, lost))
    .sort((a, b) => a.start - b.start);
}

const isWithin = ({ start, end }: Span, spans: readonly Span[]) =>
  spans.some((span) => span.start <= start && end <= span.end);

/** Leaves a double space alone where “&” may be lost. */
export function correctSpacing(text: string): string {
  return findSpacing(text).reduceRight((result, { start, end }) => {
    const found = text.slice(start, end);
    return result.slice(0, start) + correct(found, text[end]) + result.slice(end);
  }, text);
}

function correct(found: string, next: string | undefined): string {
  if (found === '' || /[,.?!]/.test(found)) return `${found.trim()} `;
  return found.length > 1 && !/[?!,;.)\]'’]/.test(next ?? '') ? ' ' : '';
}
