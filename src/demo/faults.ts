/**
 * The faults that are planted in the demo bank, and what finds each. How respondents answer the
 * questions of some of them is in simulation.ts.
 */
export interface PlantedFault {
  /** The `external_id` of the question with the fault. */
  question: string;
  /** The analysis that finds it, and the flag of the row. */
  analysis: 'duplicates' | 'labels' | 'quality' | 'item_statistics' | 'difficulty_audit' | 'dif';
  flag: string;
  description: string;
}

export const FAULTS: readonly PlantedFault[] = [
  {
    question: 'planted-duplicate',
    analysis: 'duplicates',
    flag: 'duplicate',
    description: 'a question that the bank has twice',
  },
  {
    question: 'planted-duplicate-reworded',
    analysis: 'duplicates',
    flag: 'likely',
    description: 'the same question in other words',
  },
  {
    question: 'planted-conflict',
    analysis: 'duplicates',
    flag: 'conflict',
    description: 'the same question with another answer',
  },
  {
    question: 'planted-misfiled-astronomy',
    analysis: 'labels',
    flag: 'category_suspect',
    description: 'a planet among the books',
  },
  {
    question: 'planted-misfiled-literature',
    analysis: 'labels',
    flag: 'category_suspect',
    description: 'a novelist among the stars',
  },
  {
    question: 'planted-misfiled-geography',
    analysis: 'labels',
    flag: 'category_suspect',
    description: 'a river among the equations',
  },
  {
    question: 'planted-misrated-advanced',
    analysis: 'difficulty_audit',
    flag: 'misrated_easier',
    description: 'a sum that is rated Advanced',
  },
  {
    question: 'planted-misrated-basic',
    analysis: 'difficulty_audit',
    flag: 'misrated_harder',
    description: 'an atomic number that is rated Basic',
  },
  {
    question: 'planted-wrong-key',
    analysis: 'item_statistics',
    flag: 'likely_wrong_key',
    description: 'a key that the best respondents contradict',
  },
  {
    question: 'planted-dead-option',
    analysis: 'item_statistics',
    flag: 'nonfunctioning_distractor',
    description: 'an option that attracts no respondent',
  },
  {
    question: 'planted-dif',
    analysis: 'dif',
    flag: 'dif_large',
    description: 'a question on cricket, easier in Leeds than for equally able respondents in Boston',
  },
  {
    question: 'planted-all-of-the-above',
    analysis: 'quality',
    flag: 'all_of_the_above',
    description: '“all of the above” as an option',
  },
  {
    question: 'planted-negative',
    analysis: 'quality',
    flag: 'negative_unmarked',
    description: 'a negation that is easily overlooked',
  },
  {
    question: 'planted-longest-answer',
    analysis: 'quality',
    flag: 'answer_is_longest',
    description: 'a correct answer that is longer than the other options',
  },
  {
    question: 'planted-clue',
    analysis: 'quality',
    flag: 'answer_in_question',
    description: 'a question that contains its answer',
  },
  {
    question: 'planted-typing',
    analysis: 'quality',
    flag: 'doubled_word',
    description: 'typing errors, which can be mended by one click',
  },
  {
    question: 'planted-misread',
    analysis: 'quality',
    flag: 'misread_characters',
    description: 'characters that were read in another encoding',
  },
  {
    question: 'planted-media',
    analysis: 'quality',
    flag: 'media_missing',
    description: 'a picture that the question does not have',
  },
  {
    question: 'planted-time-bound',
    analysis: 'quality',
    flag: 'time_bound',
    description: 'an answer that does not stay true',
  },
];

/** The short answer that many respondents misspell: `item_statistics` proposes to accept it. */
export const MISSPELLED = { question: 'planted-spelling', answer: 'Roald Amundson' };

/** The combination of category and difficulty without a question, which `coverage` reports. */
export const EMPTY_CELL = { category: 'Literature', difficulty: 2 };
