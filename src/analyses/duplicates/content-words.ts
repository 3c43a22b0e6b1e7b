/**
 * The content words of a text and their weights by rarity: the terms of the TF-IDF cosine between
 * questions with the same answer.
 */
import { isFiller } from './prepared-text.ts';
import type { Token } from './tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

const split = (words: string) => new Set(words.trim().split(/\s+/));

/** Interrogatives have no weight: the answer already determines what is asked for. */
const INTERROGATIVES = split(
  'how many much when where why whom whose while also did than from by into call calls during via',
);

/**
 * Nouns and verbs that introduce a name without adding to it ("the band Coldplay") or that express
 * the kind of the answer ("which actor"). Banks of one subject would otherwise take them for rare.
 */
const CARRIERS = split(`
  movie film song album band singer actor actress character role play played player author writer novel book story poem wrote
  director directed composer composed artist painter painted game show series television episode season team club league sport
  city country state capital continent island river lake mountain ocean sea region place town planet star animal bird fish
  insect plant tree fruit vegetable food dish drink element metal gas symbol chemical language currency word term title
  year day month century decade date time age number part group member family man woman person king queen president
  company brand product car website software computer video musical music rock pop instrument first last main lead
  british american english french german italian world famous fictional real original popular classic use used make made
  call give take come become hold call refer stand mean follow feature appear release publish write contain include`);
const CARRIER_WEIGHT = 0.5;

export const isContentWord = (token: Token): boolean =>
  token.kind !== 'stopword' && !INTERROGATIVES.has(token.key) && !isFiller(token);

/** The weight by which a word counts in the similarity of two texts. Above 0. */
export const weighWord = ({ key, stem, name }: Token, vocabulary: Vocabulary): number =>
  vocabulary.smoothedIdf(stem) * (name !== true && CARRIERS.has(key) ? CARRIER_WEIGHT : 1);

/** The squared length of the vector of the words. */
export const sumSquaredWeights = (words: readonly Token[], vocabulary: Vocabulary): number =>
  words.reduce((sum, word) => sum + weighWord(word, vocabulary) ** 2, 0);
