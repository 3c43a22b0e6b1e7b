/** English function words and marks that several rules use. */

export const toWordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const INTERROGATIVES = toWordSet('which what who whom where whose when why how');
export const AUXILIARIES = toWordSet('is are was were be been do does did has have had can could will would');

/** A blank to be filled in, in any of the usual notations. */
export const BLANK = /_{2,}|\.{2,}|…|-{3,}|\[\s*\]|\(\s*\)|\*{3,}/;
