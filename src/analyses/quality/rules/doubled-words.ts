/** Words typed twice. */
import { type ParsedQuestion, QUOTATION } from './parsed-question.ts';
import { findSpans, type Span } from './rule.ts';
import { toWordSet } from './vocabulary.ts';

const DOUBLED = /(?<![\p{L}\p{N}'’-])(\p{L}+)\s+(?:\1)(?![\p{L}\p{N}'’-])/giu;

/** Function words that do not follow each other, but for the exceptions below. */
const FUNCTION_WORDS = toWordSet(
  'the a an of in is are was were and or at by for from with on to as it its his their this these those which what who how did does be been ' +
    'has have will would could he she they we if but when where only into than then there about between after before also because name ' +
    'called your you my our not any all most some under during through since until whose whom may should must were one two three s i do',
);
/** Repeated for emphasis, in songs and names, or by grammar (“had had”, “that that”, “gave her her”). */
const MEANINGFUL = toWordSet(
  'really little pretty better please around always golly rollin rolling knocking dancing walking running crazy purple monkey summer ' +
    'winter mother father sister double forever jingle silver chitty liquid turtle galaxy singing bouncing falling higher louder faster sapiens gorilla',
);
/** Repeated in songs: “Who who, who who?” */
const EXCLAMATIONS = toWordSet('who what you my do how i');
const MIN_CONTENT_WORD_CHARS = 6;
/** A particle that ends a phrasal verb: “What time did they come in in the end?” */
const PHRASAL_VERB =
  /\b(?:mov\w*|com\w*|came|broke|break\w*|tun\w*|kick\w*|cav\w*|check\w*|log\w*|talk\w*|speak\w*|listen\w*|refer\w*|go|goes|going|went|turn\w*|wr[io]te|belong\w*|due|up|look\w*|used|put\w*|get|got|carr\w*|hold|held|try|tried|stay\w*|sign\w*|step\w*|believ\w*|interest\w*|set|ran|switch\w*|give|gave|join\w*|fill\w*|drop\w*|hand\w*) (?:in|on|to|by|for|with|at|from|about)$/i;
const PARTICLES = toWordSet('in on to by for with at from about');

/** A mistake in lyrics and titles as well, which repeat other words. */
const NEVER_DOUBLED = toWordSet('the of and an');

/** Of the question, mostly the author's own words are judged: lyrics repeat words. */
export function findDoubledWords(text: string, parsed: ParsedQuestion): Span[] {
  const own =
    text === parsed.text ? text.replace(QUOTATION, (quotation) => '"'.repeat(quotation.length)) : text;
  const spans = findSpans(DOUBLED, text).filter(({ start, end }) => {
    const isOwn = own.slice(start, end) === text.slice(start, end);
    return (
      isMistake(text, { start, end }) && (isOwn || NEVER_DOUBLED.has(text.slice(start, end).split(/\s/)[0]!))
    );
  });
  return spans.length > MAX_DOUBLED_WORDS ? [] : spans;
}

/** More are the style of a song or a name. */
const MAX_DOUBLED_WORDS = 2;

function isMistake(text: string, { start, end }: Span): boolean {
  const [first, second] = text.slice(start, end).split(/\s+/) as [string, string];
  const word = first.toLowerCase();
  // A capitalised second word is a name, and so are two capitals: The The is a band.
  if (/^\p{Lu}/u.test(second))
    return first === 'the' && second === 'The' && /^\s+\p{Lu}/u.test(text.slice(end));
  if (repeatsAgain(text, start, end, word)) return false;
  if (EXCLAMATIONS.has(word) && /^\s*[,?!]/.test(text.slice(end))) return false;
  if (PARTICLES.has(word)) return !PHRASAL_VERB.test(`${lastWord(text, start)} ${word}`);
  if (FUNCTION_WORDS.has(word))
    return (
      word !== 'it' ||
      !/\b(?:in|of|with|without|on|about|for|by|from|to|at|do|does|did|is|was) $/i.test(text.slice(0, start))
    );
  return word.length >= MIN_CONTENT_WORD_CHARS && first === word && second === word && !MEANINGFUL.has(word);
}

const lastWord = (text: string, before: number) => /(\p{L}+)\s*$/u.exec(text.slice(0, before))?.[1] ?? '';

/** Three in a row are meant: “no no no”. */
function repeatsAgain(text: string, start: number, end: number, word: string): boolean {
  const next = /^\s*[,-]?\s*(\p{L}+)/u.exec(text.slice(end))?.[1]?.toLowerCase();
  return next === word || lastWord(text, start).toLowerCase() === word;
}

export function removeDoubledWords(text: string, parsed: ParsedQuestion): string {
  return findDoubledWords(text, parsed).reduceRight((result, { start, end }) => {
    const [first, second] = text.slice(start, end).split(/\s+/) as [string, string];
    // “the The Beatles” keeps the article of the sentence.
    const kept = second === 'The' ? 'the' : first;
    return result.slice(0, start) + kept + result.slice(end);
  }, text);
}
