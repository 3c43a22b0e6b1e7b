/** A question prepared for the rules: its words, its kind, and whether it is in English. */
import type { QuestionWithoutAnswers } from '../../define.ts';
import { splitWords, type Word } from '../../shared/words.ts';
import { toWordSet } from './vocabulary.ts';

export interface ParsedQuestion {
  text: string;
  /**
   * The text with quotations replaced by spaces, so that indexes stay valid: titles and quotes are
   * not the author's own wording.
   */
  unquoted: string;
  unquotedWords: readonly Word[];
  /** Including words in quotations. */
  textWords: readonly Word[];
  choices: readonly string[];
  /** `true_false` includes yes/no questions. */
  kind: 'open_ended' | 'true_false' | 'choice';
  isEnglish: boolean;
}

export const QUOTATION = /"[^"]*"|“[^“”]*”|«[^«»]*»|(?<![\p{L}\p{N}])['‘][^'‘’\n]*['’](?![\p{L}\p{N}])/gu;
export const toSpaces = (removed: string) => ' '.repeat(removed.length);

const TRUE_FALSE_PAIRS = new Set(['false true', 'no yes']);

export function parseQuestion(question: QuestionWithoutAnswers): ParsedQuestion {
  const text = question.question_text;
  const unquoted = text.replace(QUOTATION, toSpaces);
  const unquotedWords = splitWords(unquoted);
  const textWords = unquoted === text ? unquotedWords : splitWords(text);
  return {
    text,
    unquoted,
    unquotedWords,
    textWords,
    choices: question.choices,
    kind: detectKind(question.choices),
    isEnglish: detectEnglish(unquotedWords),
  };
}

function detectKind(choices: readonly string[]): ParsedQuestion['kind'] {
  if (choices.length === 0) return 'open_ended';
  if (choices.length > 2) return 'choice';
  const options = choices.map((choice) => choice.trim().toLowerCase().replace(/\.$/, ''));
  return TRUE_FALSE_PAIRS.has(options.sort().join(' ')) ? 'true_false' : 'choice';
}

const ENGLISH_STOPWORDS = toWordSet(
  'the of and is are was were be been has have had do does did what which who whose whom where when why how this that ' +
    'these those following it its in on at by with from for to as his her he she they their you your a an not if can name but because only into than then during after before between most called used would could should will ' +
    'may there always never often sometimes usually seldom rarely frequently occasionally many some more without or dont doesnt didnt isnt cant its',
);
/** French, Spanish, German, Italian, Portuguese, Dutch, Swedish and Danish. */
const FOREIGN_STOPWORDS = toWordSet(
  'le les des du une est quel quelle quels quelles qui dans sur et pour avec au aux el los las un una es cuál qué quién en ' +
    'por para con del y der das ist sind ein eine welche welcher welches wer wie und nicht von den dem zu im il lo gli della ' +
    'che di chi qual quale è o os da em um uma não são het een van welk welke wie och är vad vilken som att för en et hvad er',
);

/** By stopwords and script: short questions offer little other evidence. */
function detectEnglish(words: readonly Word[]): boolean {
  let english = 0;
  let foreign = 0;
  let latin = 0;
  for (const { key } of words) {
    if (ENGLISH_STOPWORDS.has(key)) english++;
    if (FOREIGN_STOPWORDS.has(key)) foreign++;
    if (key < '\u0250') latin++;
  }
  return english > foreign && latin * 2 > words.length;
}
