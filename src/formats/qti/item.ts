/** Reads one item of QTI 2.x or 3.0, in the names of 2.x. */
import type { PortableQuestion } from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { findChild, findChildren, type XmlElement, type XmlNode } from '../xml/tree.ts';
import { findInteraction, findUnit, ItemTexts, listChoices, requireStaticItem } from './body.ts';
import { type Declaration, findKey, findTolerance, readDeclaration } from './key.ts';

/** Items that name this tool have no white space but that of their texts. */
export const TOOL_NAME = 'Quaestor';

/** `stimulus`: the shared text that the item refers to. @throws RejectItem */
export function readItem(
  item: XmlElement,
  report: ItemReport,
  stimulus: readonly XmlNode[] = [],
): PortableQuestion {
  requireStaticItem(item);
  const body = findChild(item, 'itemBody');
  if (!body) throw new RejectItem('no_question_text', 'The item has no itemBody.');
  const interaction = findInteraction(body);
  const isExact = item.attributes.toolName === TOOL_NAME;
  const texts = new ItemTexts(report, isExact);
  const stem = texts.renderStem([...stimulus, ...body.children]);
  if (stem.trim() === '' || stem === '_____')
    throw new RejectItem('no_question_text', 'The item has no text. Write one into the itemBody.');
  const declaration = readDeclaration(item, interaction.attributes.responseIdentifier ?? 'RESPONSE', isExact);
  const isChoice = interaction.name !== 'textEntryInteraction';
  const options = isChoice ? listChoices(interaction, texts) : new Map<string, string>();
  const answers = isChoice
    ? readChoices(item, interaction, declaration, options, report)
    : readEntry(item, body, declaration, report, isExact);
  const question: PortableQuestion = { question_text: stem, ...answers };
  const isMarkdown = isExact
    ? findChildren(body, 'p')[0]?.attributes.label === 'markdown'
    : report.markup.to === 'markdown';
  if (isMarkdown) question.text_format = 'markdown';
  const { identifier, title } = item.attributes;
  if (identifier && !isExact) question.external_id = identifier.trim();
  const explanation = texts.listFeedback(item, options).join('\n');
  if (explanation !== '') question.explanation = explanation;
  if (title && !isExact && !fold(stem).startsWith(fold(title)))
    report.add('title_dropped', `The title "${title.slice(0, 100)}" is lost.`);
  return question;
}

const fold = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();

function readChoices(
  item: XmlElement,
  interaction: XmlElement,
  declaration: Declaration,
  options: ReadonlyMap<string, string>,
  report: ItemReport,
) {
  const key = findKey(item, declaration, report);
  const values = key.values.filter((value) => options.has(value));
  if (values.length === 0)
    throw new RejectItem(
      'no_correct_answer',
      'The correct response is not an option. Correct its identifier.',
    );
  const isMultiple = declaration.cardinality === 'multiple';
  if (!isMultiple && values.length > 1)
    throw new RejectItem(
      'several_correct_answers',
      `${values.length} options have full marks, but only one can be chosen.`,
    );
  if (isMultiple && values.length === 1)
    report.add(
      'single_key_of_several',
      'Several options can be chosen, but one is correct: multiple choice.',
    );
  const correct = values.map((value) => options.get(value)!);
  const fields: Omit<PortableQuestion, 'question_text'> = {
    correct_answer: correct.length === 1 ? correct[0]! : correct,
    incorrect_answers: [...options].filter(([id]) => !values.includes(id)).map(([, text]) => text),
  };
  const isShuffled = interaction.attributes.shuffle === 'true';
  const hasFixed = interaction.children.some(
    (node) => typeof node !== 'string' && node.attributes.fixed === 'true',
  );
  if (isShuffled && hasFixed)
    report.add('shuffle_dropped', 'The options keep their order, because some of them have a fixed place.');
  if (!isShuffled || hasFixed) {
    fields.choices_order = 'as_given';
    fields.choices = [...options.values()];
  }
  if (correct.length > 1 && Number(interaction.attributes.maxChoices) === correct.length)
    fields.choose = correct.length;
  return fields;
}

function readEntry(
  item: XmlElement,
  body: XmlElement,
  declaration: Declaration,
  report: ItemReport,
  isExact: boolean,
): Omit<PortableQuestion, 'question_text'> {
  const { values, isCaseSensitive } = findKey(item, declaration, report);
  const [first, ...others] = values;
  if (declaration.baseType === 'float' || declaration.baseType === 'integer') {
    if (others.length > 0)
      report.add('accepted_answers_dropped', 'Only the first number with full marks is kept.');
    const numeric: NonNullable<PortableQuestion['numeric']> = findTolerance(
      item,
      declaration.identifier,
      report,
    );
    const unit = isExact ? findUnit(body) : undefined;
    if (unit !== undefined) numeric.unit = unit;
    return { correct_answer: first!, numeric };
  }
  if (declaration.baseType !== 'string')
    throw new RejectItem(
      'unsupported_kind',
      `Text entries of the base type "${declaration.baseType}" are not supported.`,
    );
  const fields: Omit<PortableQuestion, 'question_text'> = { correct_answer: first! };
  if (others.length > 0) fields.accepted_answers = others;
  if (isCaseSensitive) fields.answer_matching = { ignore_case: false };
  return fields;
}
