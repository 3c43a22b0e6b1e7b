/** What is wrong with the options of a question, and whether another one looks like the key. */

import { decimal, limitPercent, percent } from '../shared/format.ts';
import type { Option, Parameters } from './schemas.ts';
import type { Fault, Figures } from './verdict.ts';

export function optionFaults(figures: Figures, parameters: Parameters): Fault[] {
  const { options } = figures;
  if (!options || !enoughChose(figures, parameters)) return [];
  const wrong = options.filter(({ key }) => !key);
  const likely = likelyKey(figures, parameters);
  return [
    ...wrongKey(likely),
    ...positive(wrong, figures, parameters, likely?.option),
    ...dead(wrong, parameters),
  ];
}

const enoughChose = ({ option_n }: Figures, { min_cases }: Parameters) => (option_n ?? 0) >= min_cases;

/** What speaks against the key from too few to be relied on. */
export function optionHint(figures: Figures, parameters: Parameters): string[] {
  const evidence = significant(figures, parameters);
  if (!evidence || likelyKey(figures, parameters)) return [];
  return [
    `a first sign that “${evidence.option}” may be the right answer (${evidence.n} chose it) needs more cases to be trusted`,
  ];
}

function likelyKey(figures: Figures, parameters: Parameters) {
  const evidence = significant(figures, parameters);
  const enough = enoughChose(figures, parameters) && (evidence?.n ?? 0) >= parameters.min_per_outcome;
  return enough ? evidence : null;
}

/** One test for each wrong option: together they should err no more often than one. */
function significant({ options, key_evidence: evidence }: Figures, { significance }: Parameters) {
  const level = significance / Math.max(1, (options?.length ?? 0) - 1);
  return evidence && evidence.p_value < level ? evidence : null;
}

function wrongKey(evidence: Figures['key_evidence']): Fault[] {
  if (!evidence) return [];
  const { option, upper, key_upper, compared_with, p_value } = evidence;
  const text =
    `“${option}” looks more like the right answer: ${percent(upper)} of the best chose it and ` +
    `${percent(key_upper)} the key, and its choosers do better on the other questions than ${compared_with} ` +
    `(p ${p_value < 0.001 ? '< 0.001' : `= ${decimal(p_value, 3)}`})`;
  return [{ flag: 'likely_wrong_key', text }];
}

/** `named`: what was said to look like the key is not said to be wrong. */
function positive(
  wrong: readonly Option[],
  { options }: Figures,
  { min_per_outcome }: Parameters,
  named: string | undefined,
): Fault[] {
  const all = options!.reduce((sum, { discrimination_n }) => sum + discrimination_n, 0);
  const found = wrong.filter(
    ({ discrimination_n: n, point_biserial_interval: r }) =>
      r !== null && r.low > 0 && n >= min_per_outcome && all - n >= min_per_outcome,
  );
  const others = found.filter(({ text }) => text !== named);
  if (found.length === 0) return [];
  const text = others.length > 0 ? `better cases tend to choose the wrong ${listed(others)}` : '';
  return [{ flag: 'positive_distractor', text }];
}

/** An option that nobody has chosen may just be newer than the responses: it is told apart. */
function dead(wrong: readonly Option[], { dead_option_share }: Parameters): Fault[] {
  const found = wrong.filter(({ share }) => share < dead_option_share);
  const never = found.filter(({ n }) => n === 0);
  const rarely = found.filter(({ n }) => n > 0);
  const texts = [
    ...(never.length > 0 ? [`nobody has chosen ${listed(never)}`] : []),
    ...(rarely.length > 0
      ? [`hardly anybody chooses ${listed(rarely)} (less than ${limitPercent(dead_option_share)})`]
      : []),
  ];
  return found.length > 0 ? [{ flag: 'dead_option', text: texts.join('; ') }] : [];
}

const listed = (options: readonly Option[]) => options.map(({ text }) => `“${text}”`).join(' and ');
