/**
 * English words of one family: irregular forms, nouns of agent and their verbs, countries and their
 * adjectives. They are equal only in the comparison of two questions with the same answer
 * (rewording.ts): "Who wrote Emma?", "Who is the author of Emma?".
 */

const FAMILIES = `
  wrote write written writer writing author novelist penned composed composer novel | sang sing sung singer vocalist sings song performed
  recorded | won win winner wins winning champion | began begin begun start started beginning commenced commence | sank sink sunk sinking
  | fell fall fallen falling | fought fight fighting | led lead leader leading leads headed | sold sell selling seller | taught teach teacher
  | caught catch | thought think | brought bring | bought buy | built build builder constructed architect designed | made make maker
  making makes | held hold held holding took take taken place takes | gave give given gives | came come comes coming | went go gone goes
  | got get gotten | ran run running runs | spoke speak spoken speaks language | stole steal stolen | broke break broken | chose choose chosen
  | flew fly flown flying flies flight | grew grow grown grows | knew know known knows nicknamed nickname dubbed | drew draw drawn | threw throw
  thrown | wore wear worn wears wearing | rode ride ridden rider | drove drive driven driver | rose rise risen | ate eat eaten eats eating feed
  | drank drink drunk | slew slay slain killed kill kills killer murdered murder assassinated assassination shot | lost lose loses losing
  defeated | found find finds finding | founded founder founding establish established | left leave leaves leaving | met meet meets | paid pay
  | said say says saying phrase quote | sent send | spent spend | stood stand stands standing lie lies located situated home | told tell | lay laid
  | died die dies death dead | born birth birthplace birthday | played play plays playing portrayed portrays portray role part starred stars star starring
  actor actress character portrayal | directed director directs directing | produced producer produces production | invented inventor inventing
  invention invents | discovered discoverer discovery discovers | painted painter painting paints artist | sculpted sculptor sculpture
  | drums drummer drum | guitar guitarist | bass bassist | created creator creates creating create | protagonist hero main lead character
  | rule rules ruler ruled rulers reign reigned king | marry married husband wife spouse marriage | measure measures measured measuring | collect
  collecting collection collector | contain contains containing consist consists made | convert converts converting turn turns | base based main
  | host hosted hosts hosting held venue | sport game played | film movie picture motion | tv television show series sitcom program
  | band group | company firm corporation manufacturer maker | city town | plane aircraft airplane | hair haired
  | long length longest | tall height tallest high highest | fast speed fastest | old age oldest | deep depth deepest | heavy weight heaviest
  | wide width | hot heat hottest | far distance | rich richest wealth | popular popularity | strong strength | abundant abundance common
  | female woman women | male man men | human man person | final finale last | globe world earth
  | circumnavigate circumnavigated circumnavigation | greater more | above over more than | maximum most | triggered sparked caused began started
  | mainly primarily mostly chiefly main primary | occurring occur occurs | naturally natural nature | approximate approximately about roughly
  | comprise comprises comprised | happen happened happens occur occurred place | inhabit inhabited live lives lived home | publish published publication
  released release issued recorded | appear appears appeared appearance feature features featured | assist assistant sidekick | capital capitol
  | nation country national | real birth actual | symbol sign stand | currency money monetary unit | ingredient ingredients made
  | nickname called name | title named name | kid child baby young | orbit orbits orbiting
  | england english | france french | germany german germans | spain spanish spaniard | italy italian italians | russia russian russians
  | japan japanese | china chinese | india indian | greece greek greeks | rome roman romans | egypt egyptian egyptians | netherlands dutch holland
  | ireland irish | scotland scottish scots | wales welsh | sweden swedish | denmark danish | norway norwegian | poland polish | portugal portuguese
  | brazil brazilian | canada canadian | australia australian aussie | mexico mexican | turkey turkish | austria austrian | belgium belgian
  | switzerland swiss | finland finnish | iceland icelandic | hungary hungarian | korea korean | vietnam vietnamese | thailand thai
  | israel israeli | cuba cuban | argentina argentine argentinian | chile chilean | peru peruvian | africa african | asia asian | europe european
  | usa american america us | uk british britain | olympics olympic | shakespeare shakespearean | norse viking
`;

const families = new Map<string, Set<number>>();
FAMILIES.split('|').forEach((line, family) => {
  for (const word of line.trim().split(/\s+/))
    families.getOrInsertComputed(word, () => new Set()).add(family);
});

/** Whether two words belong to one family. Expects canonical spellings. */
export function areRelated(a: string, b: string): boolean {
  const [ofA, ofB] = [families.get(a), families.get(b)];
  return ofA !== undefined && ofB !== undefined && !ofA.isDisjointFrom(ofB);
}
