/** All item-writing rules, in the order in which the summary lists them. */
import { askingRules } from './asking.ts';
import { clueRules } from './clues.ts';
import { encodingRules } from './encoding.ts';
import { grammarRules } from './grammar.ts';
import { mediaRules } from './media.ts';
import { negationRules } from './negation.ts';
import { optionFormRules } from './option-form.ts';
import { optionRules } from './options.ts';
import type { Rule } from './rule.ts';
import { stemRules } from './stem.ts';
import { termRules } from './terms.ts';
import { timeRules } from './time.ts';
import { typingRules } from './typing.ts';

export const RULES: readonly Rule[] = [
  ...mediaRules,
  ...clueRules,
  ...grammarRules,
  ...optionRules,
  ...optionFormRules,
  ...termRules,
  ...negationRules,
  ...stemRules,
  ...askingRules,
  ...timeRules,
  ...encodingRules,
  ...typingRules,
];
