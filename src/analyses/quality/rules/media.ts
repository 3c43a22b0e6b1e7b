/** A rule about pictures, recordings and clips that a question refers to and does not have. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, QUESTION_TEXT, type QuestionRule } from './rule.ts';

export const mediaRules: QuestionRule[] = [
  {
    name: 'media_missing',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'the question refers to a picture, clip or sound that is not there',
    why: 'The question cannot be answered without it.',
    how: 'Describe in words what was to be seen or heard, or delete the question.',
    source: citeGuideline(14, 'ensure that the directions in the stem are very clear'),
    find: findMissingMedia,
  },
];

const IMAGE =
  'picture|pic|photo|photograph|image|drawing(?! board| room)|illustration|diagram|figure(?! skat)|screenshot|screen ?shot|screen cap|snapshot';
const RECORDING = 'clip|video clip|sound clip|audio clip|music clip|movie clip|film clip|sound ?bite';
const MEDIUM = `(?:${IMAGE}|${RECORDING})`;
/** A word before the medium: “in the attached picture”. */
const ATTACHED = '(?:attached|following|accompanying|given|above|below|displayed|enclosed)';
/** A title, author or subject after the medium identifies a work: “in the picture The Scream”. */
const NO_WORK =
  '(?!\\s*(?:["“‘\']|\\p{Lu}|(?:of|by|titled|called|entitled|named|known|for|from|frame|book|perfect|industry|house|company|palace|window|that|which|who|painted|taken|drawn|made|with|is worth|paints?)\\b))';

const EXPLICIT = [
  `\\b(?:in|from|on|by|at) (?:this|the) (?:${ATTACHED} )?${MEDIUM}s?\\b${NO_WORK}(?! (?:on|in) (?:the|his|her|a)\\b)`,
  `(?<!\\bof )\\b(?:this|these) (?:${ATTACHED} )?(?:picture|photo|photograph|image|screenshot|diagram|drawing|illustration|clip|video clip|sound clip|audio clip|sound bite|pic)s?\\b(?! (?:won|was (?:the|released|nominated|directed)|is a (?:film|movie)|starred|house))`,
  `\\bthe (?:${MEDIUM}|video|flag|logo|symbol|sign|chart|table|painting) (?:above|below|shown|to the (?:left|right)|on the (?:left|right)|here|provided|attached|displayed)(?=\\s*[?.,]|$| (?:is|are|was|represents|shows|belongs)\\b)`,
  '\\b(?:pictured|shown|seen|depicted|displayed|illustrated|featured) (?:here|above|below|at (?:the )?(?:left|right)|on the (?:left|right)|to the (?:left|right))(?=\\s*[?.,:;)]|$| (?:is|are|was)\\b)',
  `\\b(?:shown|seen|pictured|depicted|displayed|featured|appearing|highlighted|marked|labell?ed) (?:in|on) (?:this|the) (?:${ATTACHED} )?${MEDIUM}\\b${NO_WORK}`,
  '\\b(?:is|are|man|woman|person|people|actor|actress|singer|animal|bird|dog|car|building|city|flower|player|character|object|item|one) pictured\\s*(?:[?.]|$)',
  '\\b(?:see|view|refer to|look(?:ing)? at|click(?: on)?|examine|study|watch|observe) (?:the |this |these )(?:attached |following |above )?(?:picture|pic|photo|photograph|image|link|clip|video|diagram|map|drawing|logo|flag)s?\\b',
  '\\blisten(?:ing)? to (?:the |this |these )(?:following )?(?:clip|sound|song|recording|audio|music|sample|tune|track|sound clip|snippet|excerpt)s?\\b',
  '(?<!\\b(?:if|when|where|while|what are|whenever|because) )\\b(?:you (?:just|are) (?:heard?|hearing|listening|seeing|saw|watching)|do you (?:see|hear) (?:here|above|below))\\b',
].map((pattern) => new RegExp(pattern, 'iu'));

/** Things that are shown or played to be named. */
const SHOWN =
  'actor|actress|movie|film|song|singer|band|artist|flag|logo|animal|dog|dog breed|cat|bird|flower|fruit|vegetable|car|building|landmark|city|country|state|' +
  'person|people|man|woman|guy|lady|girl|boy|celebrity|celeb|character|cartoon|cartoon character|game|show|tv show|instrument|composer|author|book|' +
  'painting|plane|aircraft|ship|player|athlete|team|brand|place|plant|food|tool|object|item|thing|sound|tune|theme|theme song|monument|bridge|' +
  'tree|fish|insect|snake|spider|shark|couple|villain|superhero|politician|president|model|musician|comedian|star|hero|symbol|sign|shape|creature|' +
  'product|dish|drink|statue|castle|stadium|mountain|island|face|duo|family|group|breed|band member|wrestler|rapper|quote|scene|picture|photo|image|clip';
const ADJECTIVES =
  '(?:(?:famous|popular|beautiful|young|old|little|cute|well[- ]known|australian|american|british|french|african|asian|european|indian|red|black|white|tv|rock|disney|classic|strange|common|female|male|comic|animated|great|legendary|funny|hot) ){0,2}';
const THIS = `(?:this|these|that) ${ADJECTIVES}(?:${SHOWN})s?`;

/** Whole stems that have no other content than the reference. */
const BARE = [
  `(?:who|what|where|which) (?:is|are|was) (?:this|these|that)(?: ${ADJECTIVES}(?:${SHOWN})s?)?`,
  `(?:who|what|which)(?: [a-z]+){0,2} (?:is|are|was) ${THIS}(?: (?:from|called|in|of|by|named|made of|holding|wearing|doing|eating|playing|used for|found in))?`,
  `(?:what|which) (?:[a-z]+ ){0,3}[a-z]+ (?:is|are|was) (?:this|these|that)(?: (?:from|in|of|by))?`,
  `(?:who|what|which|where)(?: (?:year|movie|film|city|country|show|band|artist))? (?:is|are|was|does|did|do|sang|sings|wrote|plays|played|painted|directed|performs|performed|made|recorded|composed|stars in|starred in|built|designed|voices) ${THIS}(?: (?:come from|live|live in|belong to|originate|play|play for|represent|mean|come out|stand|eat))?`,
  `(?:can you |please )?(?:name|guess|identify|recogni[sz]e) (?:the|this|that|these) ${ADJECTIVES}(?:${SHOWN})s?`,
  `(?:do|can|could) you (?:recogni[sz]e|identify|name|guess|know) (?:the|this|that|these) ${ADJECTIVES}(?:${SHOWN})s?`,
  `(?:what|which) is the (?:name|title|nickname|make|breed|species|capital|nationality|author|artist|composer|singer|brand|color|colour) of (?:this|these|that) ${ADJECTIVES}(?:${SHOWN})s?`,
  `(?:what|who) (?:is|are|was) (?:the name of )?(?:this|these|that) ${ADJECTIVES}(?:${SHOWN})s?(?: called| name| named)?`,
  `(?:this|these) (?:is|are) (?:an? )?(?:picture|photo|photograph|image|clip|flag|logo)s? of (?:who|what|which [a-z]+|where)`,
].map((pattern) => new RegExp(`^\\s*${pattern}\\s*[?.!:]*\\s*$`, 'i'));

/** In these questions a picture is a film. */
const ABOUT_FILMS =
  /\b(?:films?|movies?|oscars?|academy|directed|director|starred|starring|stars?|played|released|nominat\w+|motion|remake|sequel|studio|box office|actor|actress|roles?|scenes?|said|won|co-stars?)\b/i;

function findMissingMedia({ text, unquoted, kind }: ParsedQuestion): FieldSpan[] {
  for (const pattern of EXPLICIT) {
    const match = pattern.exec(text);
    if (
      match &&
      !(/\bpicture$/i.test(match[0]) && ABOUT_FILMS.test(text)) &&
      unquoted.slice(match.index, match.index + match[0].length) === match[0]
    )
      return [{ field: QUESTION_TEXT, start: match.index, end: match.index + match[0].length }];
  }
  if (kind === 'true_false' || unquoted !== text || !BARE.some((pattern) => pattern.test(text))) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.trimEnd().length }];
}
