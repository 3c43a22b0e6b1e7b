/**
 * English word lists for comparing two questions: stopwords, fillers, negations, synonyms, antonyms
 * and spellings. Two words that are not listed together are never treated as synonyms.
 */

const split = (words: string) => words.trim().split(/\s+/);

/** Function words, which can be added, removed or exchanged without changing the question. */
export const STOPWORDS = new Set(
  split(`a an the is are was were be been being am do does did has have had will would can could shall should may might
    which what whats whos thats theres this that these those there here it its of in on at for and or as with within so such also just
    he she they them his her their who whom you your we our us i me my if please according to following one ones
    would called known named name`),
);

/** Content words that can be added or removed, but not exchanged, without changing the question. */
export const FILLERS = new Set(
  split(`actually famous famously popular popularly well really currently current commonly common exactly city
    country person people correct correctly right answer question tell say give choose pick select identify state
    certain particular specific own title titled located situated found option options official officially usually
    generally typically considered term word thing type kind sort out up whose very ever`),
);

export const NEGATIONS = new Set(
  split(
    'not no never none nor neither without except excluding cannot non false incorrect incorrectly wrong untrue isnt',
  ),
);

/** Groups of words that are interchangeable in a question. */
const SYNONYMS = `
  largest biggest greatest | large big huge | small little tiny | smallest littlest tiniest | tallest highest | fastest quickest swiftest
  | fast quick rapid | movie film | begin start commence | began started commenced | begun started | end finish conclude
  | author writer novelist | wrote written authored penned | write author | located situated found lies
  | kind type sort | nation country | created made developed designed | inventor creator | invented devised
  | picture photo photograph image | television tv | soccer football | automobile car | plane airplane aeroplane aircraft
  | physician doctor | kid child | children kids | buy purchase | bought purchased | sole only | nearby near close
  | total overall | amount number quantity | initial first 1st | final last | rich wealthy | richest wealthiest
  | die pass perish | died passed perished | death demise | killed murdered slain | song track tune
  | band group | singer vocalist | performed sung sang | released issued published | company firm corporation
  | job occupation profession | animal creature beast | ship vessel boat | illness disease sickness
  | usually typically generally normally commonly | often frequently | discovered uncovered | founder establisher
  | founded established | famous renowned celebrated wellknown | famed renowned | main chief principal primary
  | residence home | lived resided | starred appeared featured acted | portrayed played plays portrays depicted | actor performer
  | consist comprise | consists comprises contains includes | happen occur | happened occurred | allow permit | allowed permitted
  | correct right accurate | error mistake | stone rock | street road | speech address | required needed | require need
  | utilized used employed | utilize use employ | approximately about around roughly circa | receive get obtain | received got obtained
  | built constructed erected | build construct | spouse wife | spouse husband | mother mom mum | father dad
  | math mathematics maths | velocity speed | world globe earth worldwide | whole entire | whole complete | nickname moniker
  | usa america american us | uk britain british | ussr soviet | series show program programme | novel book | game videogame
  | humans people | human person | referred called known | describes refers | stand denote | signify mean
  | award prize | awarded won given earned | leader head | ruler monarch | led headed | hidden concealed | assassinated murdered
  | fable tale story | starting beginning | ended finished concluded | ending conclusion | residents inhabitants | populous populated
  | contain include | holiday vacation | autumn fall | lift elevator | symbol sign | color hue
`;

/** Groups of words that exclude each other, each word every other one. */
const OPPOSITES = `
  largest/smallest/least | biggest/smallest | most/least/fewest | more/less/fewer | many/few | highest/lowest | tallest/shortest/smallest
  | longest/shortest | oldest/youngest/newest | older/younger/newer | first/last/second/third | final/first | earliest/latest | early/late
  | fastest/slowest | fast/slow | heaviest/lightest | heavy/light | hottest/coldest | hot/cold | warm/cold | best/worst
  | richest/poorest | rich/poor | strongest/weakest | strong/weak | deepest/shallowest | widest/narrowest | brightest/darkest/dimmest
  | closest/farthest/furthest | nearest/farthest/furthest | hardest/softest/easiest | hard/soft/easy | maximum/minimum | max/min
  | large/small | big/small | long/short | high/low | tall/short | old/young/new | new/used | before/after | above/below | over/under
  | inside/outside | inner/outer | internal/external | upper/lower | top/bottom | front/back/rear | left/right | up/down | in/out
  | north/south/east/west | northern/southern/eastern/western | northernmost/southernmost/easternmost/westernmost
  | northeast/northwest/southeast/southwest | arctic/antarctic | king/queen | prince/princess | emperor/empress | actor/actress
  | male/female | man/woman | men/women | boy/girl | boys/girls | husband/wife | father/mother/son/daughter | brother/sister | uncle/aunt
  | nephew/niece | grandfather/grandmother | god/goddess | hero/villain/heroine | bride/groom | true/false | odd/even | positive/negative
  | day/night | morning/evening | summer/winter/spring/autumn/fall | increase/decrease | increased/decreased | rise/fall | rises/falls
  | win/lose | won/lost | winner/loser | winning/losing | victory/defeat | attack/defend | buy/sell | bought/sold | start/end/finish
  | begin/end | began/ended | opened/closed | open/closed | birth/death | born/died | live/dead | alive/dead | love/hate | loved/hated
  | black/white/red/blue/green/yellow | solid/liquid/gas | plus/minus | add/subtract | multiply/divide | multiplied/divided | horizontal/vertical
  | domestic/foreign | import/export | imports/exports | legal/illegal | safe/dangerous | public/private | ancient/modern | offense/defense
  | wet/dry | full/empty | always/never | same/different | singular/plural | vowel/consonant | vowels/consonants | protagonist/antagonist
  | prequel/sequel | predecessor/successor | preceded/succeeded/followed | parent/child | teacher/student | student/teacher | saturday/sunday
  | monday/tuesday/wednesday/thursday/friday | single/double/triple | home/away | land/sea/air | sun/moon/earth | who/where/when/why/how/what
  | debut/last | include/exclude | includes/excludes | acid/base | proton/neutron/electron | series/movie | book/movie | song/album | lyrics/music
  | month/year/day/week/century/decade | city/state/country/continent | hour/minute/second | singer/drummer/guitarist/bassist | directed/produced/wrote/starred
`;

/** British spellings, abbreviations and irregular forms, each with its canonical form. */
const SPELLINGS = `
  grey gray | colour color | colours colors | favourite favorite | honour honor | labour labor | harbour harbor | neighbour neighbor
  | flavour flavor | humour humor | centre center | theatre theater | metre meter | metres meter | litre liter | litres liter | fibre fiber
  | kilometre kilometer | kilometres kilometer | km kilometer | kilometers kilometer | kg kilogram | kilograms kilogram | defence defense
  | offence offense | licence license | tyre tire | aluminium aluminum | programme program | catalogue catalog | dialogue dialog | plough plow
  | moustache mustache | mum mom | cheque check | jewellery jewelry | doughnut donut | pyjamas pajamas | sulphur sulfur | aeroplane airplane
  | okay ok | per_cent percent | mt mount | dr doctor | mr mister | st saint | vs versus | jr junior | sr senior | ft feet | movies movie | men man
  | women woman | children child | feet foot | teeth tooth | people person | wives wife | lives life | countries country | cities city | has have
  | whilst while | amongst among | learnt learned | spelt spelled | travelled traveled | cancelled canceled | t.v television | tv television
`;

const parseGroups = (table: string) => table.split('|').map((line) => split(line));

function indexGroups(table: string): Map<string, Set<number>> {
  const groups = new Map<string, Set<number>>();
  parseGroups(table).forEach((words, number) => {
    for (const word of words) groups.set(word, (groups.get(word) ?? new Set()).add(number));
  });
  return groups;
}

const spellings = new Map(parseGroups(SPELLINGS).map(([from, to]) => [from!, to!]));
const synonyms = indexGroups(SYNONYMS);
const opposites = indexGroups(OPPOSITES.replaceAll('/', ' '));

/** Expects lower case. */
export const toCanonicalSpelling = (word: string): string => spellings.get(word) ?? word;

const shareGroup = (groups: Map<string, Set<number>>, a: string, b: string): boolean => {
  const [groupsOfA, groupsOfB] = [groups.get(a), groups.get(b)];
  return groupsOfA !== undefined && groupsOfB !== undefined && !groupsOfA.isDisjointFrom(groupsOfB);
};

const synonymGroups = parseGroups(SYNONYMS);

/** The words that are interchangeable with the word, itself included; none if it is not listed. */
export const listSynonyms = (word: string): string[] =>
  [...(synonyms.get(word) ?? [])].flatMap((group) => synonymGroups[group]!);

export const areSynonyms = (a: string, b: string): boolean => shareGroup(synonyms, a, b);

const NEGATIVE_PREFIXES = ['un', 'in', 'im', 'il', 'ir', 'dis', 'non', 'a', 'anti', 'ab'];

export const areOpposites = (a: string, b: string): boolean =>
  shareGroup(opposites, a, b) ||
  NEGATIVE_PREFIXES.some(
    (prefix) => (a === prefix + b && b.length > 3) || (b === prefix + a && a.length > 3),
  );

/** Whether adding or removing the word changes the question because it has an opposite. */
export const hasOpposite = (word: string): boolean => opposites.has(word);
