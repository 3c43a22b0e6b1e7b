/**
 * All rules about the writing of questions, in the order in which they are listed. A new one is added to its
 * theme.
 */
import { clueRules } from './clues.ts';
import { negativeRules } from './negative.ts';
import { optionRules } from './options.ts';
import type { Rule } from './rule.ts';
import { stemRules } from './stem.ts';
import { termRules } from './terms.ts';
import { textRules } from './text.ts';
import { timeRules } from './time.ts';

export const RULES: readonly Rule[] = [
  ...clueRules,
  ...optionRules,
  ...termRules,
  ...negativeRules,
  ...stemRules,
  ...timeRules,
  ...textRules,
];
