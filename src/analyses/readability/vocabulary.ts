/** Word lists: abbreviations with a full stop, and function words by which a language is recognized. */

const split = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Abbreviations before a name or a number: a sentence does not end after them. */
export const TITLES = split(
  `mr mrs ms mx dr drs prof st mt ft sgt lt col capt gen cpl pvt maj adm cmdr rev hon gov sen rep pres fr sr no nos
  vol fig ch pp op messrs mme mlle`,
);

/** Other abbreviations: a sentence ends after them only before a word that usually starts one. */
export const ABBREVIATIONS = split(
  `jr inc ltd co corp etc vs eg ie e.g i.e a.m p.m am pm approx ca cf al est dept univ ave blvd rd bros
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ed eds trans feat b.c a.d bc ad`,
);

export const SENTENCE_STARTERS = split(
  `a an the this that these those it its he she they we you i his her their in on at of for from by with to
  what which who whom whose when where why how is are was were do does did can could has have had will would
  name if and but or as there one some many after before during according`,
);

/** Without words that other languages have, too, such as "a", "in", "do" and "was". */
export const ENGLISH_FUNCTION_WORDS = split(
  `the of and to is it that for are with his they this have from by had not but what all were when there can your which
  their if will each about how up out them then she many some these would into more her two see who its been did does
  whose where why than after before during between whom he you most used called first only over such other our being
  could should through while following`,
);

/** Of German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Latin; without English words. */
export const FOREIGN_FUNCTION_WORDS = split(
  `der das und ist nicht ein eine einer einem einen dem den des von mit für auf im zu zum zur wird wurde wurden sind
  welche welcher welches welchem welchen wie wer wo wann als auch nach bei aus durch über unter zwischen sich
  le la les des une du et est dans que qui pour sur par avec sont quel quelle quels quelles où ne pas au aux ce cette
  el los las un una del y en es por con para su qué cuál cuáles quién cómo dónde cuándo fue son lo como más
  il gli di che è per della dello dei degli delle nel nella sono quale quali chi dove quando una uno
  o os um uma da dos na nos não com foi qual quais quem onde são
  de het een van niet dat met voor wat welke hoe waar zijn werd
  och att som på är av ett vilken vilket hur var när
  sum esse cum ad quod quid ergo et non`,
);
