/** Contractions and possessives that have lost their apostrophe. */
import { findSpans, type Span } from './rule.ts';

/** Spellings that are no words without the apostrophe, by the contraction they stand for. */
const CONTRACTIONS = new Map(
  (
    "don't doesn't didn't isn't wasn't aren't weren't couldn't wouldn't shouldn't hasn't haven't hadn't ain't mustn't needn't mightn't " +
    "you're you've you'll you'd they're they've they'll they'd we've what's who's that's there's where's here's he's she's how's " +
    "couldn't've could've should've would've that'll it'll who'd who'll who've y'all o'clock ma'am everybody's somebody's nobody's " +
    "anybody's everyone's someone's children's women's can't won't"
  )
    .split(' ')
    .map((word) => [word.replaceAll("'", ''), word]),
);
/**
 * Words that also exist without it, and what excludes the other meaning. A text without the hint has
 * no match, which saves time.
 */
const AMBIGUOUS: readonly [pattern: string, replacement: string, hint: string][] = [
  [
    'I(?=m (?i:a|an|the|not|so|too|in|on|of|at|to|your|yours|sorry|still|only|just|no|all|always|never|with|like|gonna|your|his|her|getting|back|down|here|free|alive|over|sure|glad|afraid|into|out|too|very|still|coming|good|bad|blue|yours|really|[a-z]+(?:ing|in))(?![a-z]))',
    "I'",
    'Im',
  ],
  ['(?<=\\b(?:and|when|that|because|cause|if|what|where|think|know|now|but|cos|so) )I(?=m\\b)', "I'", 'Im'],
  [
    'I(?=ll (?i:be|never|always|have|make|see|stand|follow|take|tell|give|get|go|come|love|do|wait|remember|try|find|keep|cry|fly|show|survive|stop|meet|miss|stay|put|sleep)\\b)',
    "I'",
    'Ill',
  ],
  [
    'I(?=ve (?i:been|got|had|never|always|seen|just|done|loved|heard|gotta|come|ever|made|lost|told|found|grown|become|only|known|been|changed)\\b)',
    "I'",
    'Ive',
  ],
  ['I(?=d (?i:like|rather|do|never|love|be|have|die|lie|give|walk|say|know|really)\\b)', "I'", 'Id'],
  [
    '(?<=(?:^|[.?!"“\'‘] ?))Let(?=s (?i:get|go|dance|do|make|talk|start|play|stay|face|see|have|be|spend|twist|call|say|not|take|hear|just|all|groove|rock|find|put|try|look)\\b)',
    "Let'",
    'Lets',
  ],
  [
    'It(?=s (?:[Aa]|[Aa]n|been|not|raining|my|your|called)\\b)|(?<!\\p{L})it(?=s (?:an?|been|not|my|your|called)\\b)',
    "$&'",
    'ts ',
  ],
  [
    'world(?=s (?:largest|biggest|tallest|longest|smallest|first|most|highest|oldest|fastest|richest|deepest|best|greatest|only|second|leading|population|surface|heaviest|strongest|busiest)\\b)',
    "world'",
    'worlds',
  ],
  [
    '(?<!\\bthe )\\b(?:America|England|Britain|France|Germany|China|Russia|Canada|Australia|Japan|India|Italy|Spain|Ireland|Scotland|Mexico|Africa|Europe|Egypt|Shakespeare|Dickenson|Hitler|Napoleon|Einstein|Newton|Darwin|Mozart|Beethoven|Picasso|Hollywood|Disney|Hemingway|Tolkien|Rowling|Spielberg|Hitchcock)(?=s (?!and\\b|or\\b|of\\b|in\\b|are\\b|were\\b|have\\b|is\\b|was\\b|to\\b)[a-z])',
    "$&'",
    's ',
  ],
  [
    '(?<![-\\p{L}])(?:country|city|company|family|century|body|baby|army|party|lady|enemy|today|yesterday|nation|mother|father|brother|sister|king|queen|author|singer|band|director|character|artist|composer|actor|movie|film|president)(?=s (?:(?:first|last|real|full|middle|maiden) name|name|nickname|capital|wife|husband|birthplace|debut|favou?rite|theme song|motto)\\b(?! of| it| the))',
    "$&'",
    's ',
  ],
  [
    '(?<=[\\p{L}]{3}) (?=s \\p{L})(?<!\\b(?:the|letters?|does|and|plus|is|are|an|or|of|by|with|for) )',
    "'",
    ' s ',
  ],
  ['(?<=\\b(?:do|did|does|is|was|were|are|could|would|should|has|have|had|wo|ca)n) (?=t\\b)', "'", ' t'],
  [
    '(?<=\\bI) (?=m [a-z])|(?<=\\b(?:you|they|we)) (?=re [a-z])|(?<=\\b(?:you|they|we|I)) (?=ve [a-z])|(?<=\\b(?:you|they|we|I)) (?=ll [a-z])',
    "'",
    ' ',
  ],
];
/** Kinship and names need a possessive; where the apostrophe stood is not certain (Hanks' wife). */
const POSSESSIVE_NAME =
  /\b(?:(?:[Ww]hat|[Ww]ho) (?:is|was|are|were)|(?:name|names|part|role|identity) of) (?:\p{Lu}[\p{L}.-]* ){0,3}(\p{Lu}\p{L}+s) (?:(?:real|first|last|middle|full|maiden|birth|stage|given) (?:and last )?name|name|nickname|(?:first |second |ex-)?wife|husband|son|daughter|mother|father|brother|sister|uncle|aunt|cousin|boss|(?:best )?friend|girlfriend|boyfriend|neighbou?r|dog|cat|horse|pet|boat|hometown|birthplace|occupation|profession|job|middle initial|favou?rite)\b/gu;
const AMBIGUOUS_PATTERNS = AMBIGUOUS.map(([pattern, replacement, hint]) => ({
  pattern: new RegExp(`${/^[A-Z]/.test(pattern) ? '\\b' : ''}${pattern}`, 'gu'),
  replacement,
  hint,
}));

/** Without the flag u, which makes the search several times slower. */
const CONTRACTION = new RegExp(`\\b(?:${[...CONTRACTIONS.keys()].join('|')})\\b`, 'gi');
/** Part of a longer word: a letter or mark before it, or a letter after it. */
const INSIDE_WORD = /(?:[\p{L}\p{N}.-]|[\p{L}\p{N}]['’])$/u;
const CONTINUES = /^(?:[\p{L}\p{N}]|['’]\p{L})/u;

/** “as was his wont”, the cant of thieves, the Whos of Whoville, and the name Hes. */
const EXISTING_WORD =
  /\b(?:(?:his|her|their|its|my|our|is|are|was|were|as) wont|wont to|(?:thieves['’]?|the|a|of|and|this) cant|cant (?:and|of|is|was)\b|the Whos|Whos (?:of|in|from) Who\p{L}*|Whos Who)\b/giu;

function listContractions(text: string): { span: Span; replacement: string }[] {
  const found = findSpans(CONTRACTION, text);
  if (found.length === 0) return [];
  const exempt = findSpans(EXISTING_WORD, text);
  return found.flatMap((span) => {
    if (INSIDE_WORD.test(text.slice(Math.max(0, span.start - 2), span.start))) return [];
    if (CONTINUES.test(text.slice(span.end, span.end + 2))) return [];
    const word = text.slice(span.start, span.end);
    const contraction = CONTRACTIONS.get(word.toLowerCase());
    if (
      !contraction ||
      /\p{Ll}\p{Lu}/u.test(word) ||
      (word.length < 4 && word !== word.toLowerCase() && !/^Hes$/.test(word))
    )
      return [];
    // “childrens'” has an apostrophe in the wrong place.
    if (contraction.endsWith("'s") && /^['’]/.test(text.slice(span.end))) return [];
    if (exempt.some(({ start, end }) => start < span.end && span.start < end)) return [];
    return [{ span, replacement: copyCase(word, contraction) }];
  });
}

function copyCase(word: string, contraction: string): string {
  if (word === word.toUpperCase()) return contraction.toUpperCase();
  const lower = contraction.startsWith("i'") ? `I${contraction.slice(1)}` : contraction;
  return word[0] === word[0]!.toUpperCase() ? lower[0]!.toUpperCase() + lower.slice(1) : lower;
}

export function findLostApostrophes(text: string): Span[] {
  const spans = listContractions(text).map(({ span }) => span);
  for (const { pattern, hint } of AMBIGUOUS_PATTERNS) {
    if (!text.includes(hint)) continue;
    for (const span of findSpans(pattern, text)) spans.push(toWordSpan(text, span));
  }
  for (const match of text.matchAll(POSSESSIVE_NAME)) {
    const start = match.index + match[0].indexOf(` ${match[1]} `) + 1;
    if (!spans.some((span) => span.start === start)) spans.push({ start, end: start + match[1]!.length });
  }
  return spans.sort((a, b) => a.start - b.start);
}

/** Extends a span to the end of its word and the letters after it. */
function toWordSpan(text: string, { start, end }: Span): Span {
  const rest = /^\p{L}*/u.exec(text.slice(end))![0].length;
  return { start, end: end + rest };
}

/** Returns the text unchanged if it is not certain where an apostrophe stood. */
export function restoreApostrophes(text: string): string {
  const restored = restoreCertain(text);
  return findLostApostrophes(restored).length > 0 ? text : restored;
}

function restoreCertain(text: string): string {
  let restored = text;
  for (const { span, replacement } of listContractions(text).reverse()) {
    restored = restored.slice(0, span.start) + replacement + restored.slice(span.end);
  }
  return AMBIGUOUS_PATTERNS.reduce(
    (result, { pattern, replacement }) => result.replace(pattern, replacement),
    restored,
  );
}
