/** A question made ready for the rules: its words, its kind, and whether its wording is English. */
import type { QuestionWithoutAnswers } from '../define.ts';
import { type Word, wordsOf } from '../shared/words.ts';
import { words } from './vocabulary.ts';

export interface Reading {
  text: string;
  /**
   * The text with what stands between quotation marks blanked out, place for place: titles and sayings are
   * not the writer's words.
   */
  plain: string;
  /** The words of `plain`. */
  words: readonly Word[];
  /** The words of the whole text. */
  textWords: readonly Word[];
  choices: readonly string[];
  /** Nothing to choose from; true or false, yes or no; or a choice. */
  kind: 'open' | 'true_false' | 'choice';
  english: boolean;
}

const QUOTED = /"[^"]*"|“[^“”]*”|«[^«»]*»|(?<![\p{L}\p{N}])['‘][^'‘’\n]*['’](?![\p{L}\p{N}])/gu;
/** As many spaces: what is taken out leaves the places of the rest as they are. */
export const blank = (taken: string) => ' '.repeat(taken.length);

const TWO_SIDED = new Set(['false true', 'no yes']);

export function read(question: QuestionWithoutAnswers): Reading {
  const text = question.question_text;
  const plain = text.replace(QUOTED, blank);
  const plainWords = wordsOf(plain);
  const textWords = plain === text ? plainWords : wordsOf(text);
  return {
    text,
    plain,
    words: plainWords,
    textWords,
    choices: question.choices,
    kind: kindOf(question.choices),
    english: isEnglish(plainWords),
  };
}

function kindOf(choices: readonly string[]): Reading['kind'] {
  if (choices.length === 0) return 'open';
  if (choices.length > 2) return 'choice';
  const sides = choices.map((choice) => choice.trim().toLowerCase().replace(/\.$/, ''));
  return TWO_SIDED.has(sides.sort().join(' ')) ? 'true_false' : 'choice';
}

const ENGLISH = words(
  'the of and is are was were be been has have had do does did what which who whose whom where when why how this that ' +
    'these those following it its in on at by with from for to as his her he she they their you your a an not if can name',
);
/** The commonest little words of the languages that are written in the same letters. */
const OTHERS = words(
  'le les des du une est quel quelle quels quelles qui dans sur et pour avec au aux el los las un una es cuál qué quién en ' +
    'por para con del y der das ist sind ein eine welche welcher welches wer wie und nicht von den dem zu im il lo gli della ' +
    'che di chi qual quale è o os da em um uma não são het een van welk welke wie och är vad vilken som att för en et hvad er',
);

/** By its little words, and its letters being Latin: short questions hold little else to go by. */
function isEnglish(all: readonly Word[]): boolean {
  let english = 0;
  let others = 0;
  let latin = 0;
  for (const { key } of all) {
    if (ENGLISH.has(key)) english++;
    if (OTHERS.has(key)) others++;
    if (key < '\u0250') latin++;
  }
  return english > others && latin * 2 > all.length;
}
