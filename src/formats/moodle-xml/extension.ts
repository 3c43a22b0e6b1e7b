/** Fields that Moodle does not have, in an element of a question that Moodle ignores. */
import type { PortableQuestion } from '../format.ts';
import { findChild, isElement, textOf, type XmlElement } from '../xml/tree.ts';
import { escapeXml } from '../xml/write.ts';

const ELEMENT = 'quaestor';
const ORDERS = ['shuffled', 'sorted', 'as_given'] as const;

export function readExtension(element: XmlElement, question: PortableQuestion): void {
  const extension = findChild(element, ELEMENT);
  if (!extension) return;
  for (const field of extension.children.filter(isElement)) {
    const value = textOf(field);
    if (field.name === 'difficulty' && /^[012]$/.test(value))
      question.difficulty = Number(value) as 0 | 1 | 2;
    else if (field.name === 'topic_focus') question.topic_focus = value;
    else if (field.name === 'source') question.source = value;
    else if (field.name === 'choose' && /^\d+$/.test(value)) question.choose = Number(value);
    else if (field.name === 'choices_order') setOrder(question, value);
    else if (field.name === 'relative_tolerance' && Number.isFinite(Number(value)) && question.numeric) {
      delete question.numeric.tolerance;
      question.numeric.relative_tolerance = Number(value);
    } else if (field.name === 'answer_matching')
      question.answer_matching = Object.fromEntries(
        Object.entries(field.attributes).map(([name, flag]) => [name, flag === 'true']),
      );
  }
}

function setOrder(question: PortableQuestion, value: string): void {
  const order = ORDERS.find((name) => name === value);
  if (!order) return;
  question.choices_order = order;
  if (order !== 'as_given') delete question.choices;
}

/** Undefined if there is nothing to write. */
export function writeExtension(question: PortableQuestion): string | undefined {
  const { difficulty, topic_focus, source, choose, choices_order, numeric, answer_matching } = question;
  const field = (name: string, value: string | number | undefined) =>
    value === undefined ? '' : `<${name}>${escapeXml(String(value))}</${name}>`;
  const flags = Object.entries(answer_matching ?? {}).map(([name, flag]) => ` ${name}="${flag}"`);
  const content = [
    field('difficulty', difficulty),
    field('topic_focus', topic_focus),
    field('source', source),
    field('choose', choose),
    field('choices_order', choices_order === 'sorted' ? choices_order : undefined),
    field('relative_tolerance', numeric?.relative_tolerance),
    flags.length > 0 ? `<answer_matching${flags.join('')}/>` : '',
  ].join('');
  return content === '' ? undefined : `    <${ELEMENT}>${content}</${ELEMENT}>\n`;
}
