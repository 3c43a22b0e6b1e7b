/** The numbers of categories in the Open Trivia DB's API. */
import { hash32 } from '../../bits/hash.ts';
import { toNameKey } from '../../schemas/names.ts';

/** The categories of the Open Trivia DB. The first has the number 9. */
const OPENTDB_NAMES = [
  'General Knowledge',
  'Entertainment: Books',
  'Entertainment: Film',
  'Entertainment: Music',
  'Entertainment: Musicals & Theatres',
  'Entertainment: Television',
  'Entertainment: Video Games',
  'Entertainment: Board Games',
  'Science & Nature',
  'Science: Computers',
  'Science: Mathematics',
  'Mythology',
  'Sports',
  'Geography',
  'History',
  'Politics',
  'Art',
  'Celebrities',
  'Animals',
  'Vehicles',
  'Entertainment: Comics',
  'Science: Gadgets',
  'Entertainment: Japanese Anime & Manga',
  'Entertainment: Cartoon & Animations',
];
const FIRST_NUMBER = 9;
const NUMBERS = new Map(OPENTDB_NAMES.map((name, i) => [toNameKey(name), FIRST_NUMBER + i]));
/** Other categories have numbers from here on, which follow from their ids and never change. */
const FIRST_OTHER_NUMBER = 1000;
const OTHER_NUMBERS = 1_000_000_000;

/** Numbers the categories in their order. The number of one is not among those that are taken. */
export function chooseNumber(name: string, uid: string, taken: Set<number>): number {
  let number = NUMBERS.get(toNameKey(name)) ?? FIRST_OTHER_NUMBER + (hash32(uid) % OTHER_NUMBERS);
  while (taken.has(number)) number++;
  taken.add(number);
  return number;
}
