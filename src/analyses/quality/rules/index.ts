/** All item-writing rules, in the order in which the summary lists them. */
import { clueRules } from './clues.ts';
import { negationRules } from './negation.ts';
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
  ...negationRules,
  ...stemRules,
  ...timeRules,
  ...textRules,
];
