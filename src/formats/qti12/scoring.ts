/** The rules that score a response in QTI 1.2. */
import { findChild, findChildren, isElement, textOf, type XmlElement } from '../xml/tree.ts';

export interface Condition {
  score: number;
  /** Values that the response must have, and that it must not have. */
  equal: Comparison[];
  notEqual: Comparison[];
  /** Bounds of a number. */
  bounds: { name: string; value: number }[];
  /** `contains` instead of `equals`. */
  isSubset: boolean;
  /** Identifiers of feedback that the condition shows. */
  feedback: string[];
}
interface Comparison {
  value: string;
  isCaseSensitive: boolean;
}

const DEFAULT_MAX = 100;
const BOUNDS = new Set(['vargte', 'vargt', 'varlte', 'varlt']);

export function listConditions(item: XmlElement): Condition[] {
  return findChildren(item, 'resprocessing').flatMap((processing) => {
    const max = findMax(processing);
    return findChildren(processing, 'respcondition').map((element) => readCondition(element, max));
  });
}

function findMax(processing: XmlElement): number {
  const outcomes = findChild(processing, 'outcomes');
  const max = Number(outcomes && findChild(outcomes, 'decvar')?.attributes.maxvalue);
  return Number.isFinite(max) && max > 0 ? max : DEFAULT_MAX;
}

function readCondition(element: XmlElement, max: number): Condition {
  const condition: Condition = {
    score: 0,
    equal: [],
    notEqual: [],
    bounds: [],
    isSubset: false,
    feedback: findChildren(element, 'displayfeedback').map(({ attributes }) => attributes.linkrefid ?? ''),
  };
  const variables = findChild(element, 'conditionvar');
  if (variables) collect(variables, condition, false);
  const sets = findChildren(element, 'setvar').filter(isScore);
  for (const set of sets) {
    const text = textOf(set).trim();
    const value = /^SCORE\.max$/i.test(text) ? max : Number(text);
    const sign = /^subtract$/i.test(set.attributes.action ?? '') ? -1 : 1;
    if (Number.isFinite(value)) condition.score += sign * value;
  }
  // Blackboard gives no score to the answers of a gap: they show the feedback on a correct answer.
  const names = [element.attributes.title ?? '', ...condition.feedback];
  if (sets.length === 0 && names.some((name) => /^correct$/i.test(name))) condition.score = max;
  return condition;
}

const isScore = ({ attributes }: XmlElement) =>
  /score/i.test(attributes.varname ?? attributes.variablename ?? 'SCORE');

function collect(element: XmlElement, condition: Condition, isNegated: boolean): void {
  for (const node of element.children) {
    if (!isElement(node)) continue;
    if (node.name === 'varequal' || node.name === 'varsubset') {
      if (node.name === 'varsubset') condition.isSubset = true;
      const comparison = {
        value: textOf(node).trim(),
        isCaseSensitive: /^yes$/i.test(node.attributes.case ?? ''),
      };
      (isNegated ? condition.notEqual : condition.equal).push(comparison);
    } else if (BOUNDS.has(node.name)) {
      condition.bounds.push({ name: node.name, value: Number(textOf(node).trim()) });
    } else collect(node, condition, isNegated !== (node.name === 'not'));
  }
}
