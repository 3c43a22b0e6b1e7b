/** The words of a text, as the full-text index has them. */
import { listSynonyms } from '../analyses/duplicates/lexicon.ts';
import { stem, tokenizeUnstemmed } from '../store/questions/words.ts';

/** The different words of a text, each with its synonyms. */
export function listAlternatives(text: string): string[][] {
  const alternatives = new Map<string, string[]>();
  for (const word of tokenizeUnstemmed(text))
    alternatives.getOrInsertComputed(stem(word), (base) => [
      ...new Set([base, ...listSynonyms(word).map(stem)]),
    ]);
  return [...alternatives.values()];
}
