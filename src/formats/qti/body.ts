/** The texts of an item: stem, options and feedback. */
import { type MarkupOptions, renderMarkup } from '../html/render.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { type UnsupportedKind, unsupported } from '../unsupported.ts';
import {
  findChild,
  findChildren,
  isElement,
  textOf,
  walk,
  type XmlElement,
  type XmlNode,
} from '../xml/tree.ts';

const GAP = '_____';
const FEEDBACK = new Set(['feedbackBlock', 'feedbackInline', 'modalFeedback']);
const HIDDEN = new Set([
  ...FEEDBACK,
  'catalogInfo',
  'templateBlock',
  'templateInline',
  'stylesheet',
  'infoControl',
]);
const UNSUPPORTED: Record<string, UnsupportedKind> = {
  extendedTextInteraction: 'essay',
  orderInteraction: 'ordering',
  graphicOrderInteraction: 'ordering',
  matchInteraction: 'matching',
  associateInteraction: 'matching',
  graphicAssociateInteraction: 'matching',
  gapMatchInteraction: 'drag_and_drop',
  graphicGapMatchInteraction: 'drag_and_drop',
  positionObjectInteraction: 'drag_and_drop',
  hotspotInteraction: 'hotspot',
  hottextInteraction: 'hotspot',
  selectPointInteraction: 'hotspot',
  sliderInteraction: 'slider',
  drawingInteraction: 'drawing',
  uploadInteraction: 'upload',
  mediaInteraction: 'media',
  customInteraction: 'custom',
  portableCustomInteraction: 'custom',
};

/** The only interaction of an item. @throws RejectItem for none, several, or one without a text as answer. */
export function findInteraction(body: XmlElement): XmlElement {
  const interactions = [...walk(body)].filter(({ name }) => name.endsWith('Interaction'));
  const [interaction, ...others] = interactions;
  if (!interaction) throw unsupported('description');
  if (others.length > 0)
    throw unsupported(
      interactions.every(({ name }) => name === 'textEntryInteraction') ? 'cloze' : 'several_interactions',
    );
  const kind = UNSUPPORTED[interaction.name];
  if (kind) throw unsupported(kind);
  return interaction;
}

/** What cannot be read from the item alone. @throws RejectItem */
export function requireStaticItem(item: XmlElement): void {
  if (item.attributes.adaptive === 'true') throw unsupported('adaptive');
  for (const { name } of walk(item)) {
    if (name === 'templateDeclaration' || name === 'printedVariable') throw unsupported('template');
    if (name === 'include')
      throw new RejectItem(
        'needs_include',
        'The item includes another file, which is not read. Insert its content.',
      );
  }
}

export class ItemTexts {
  readonly #options: MarkupOptions;
  readonly #isExact: boolean;
  readonly #report: ItemReport;

  /** `isExact`: the item was written by Quaestor, without white space of its own. */
  constructor(report: ItemReport, isExact: boolean) {
    this.#report = report;
    this.#isExact = isExact;
    this.#options = { ...report.markup, preserveSpace: isExact, ...(isExact ? { to: 'text' } : {}) };
  }

  render(nodes: readonly XmlNode[]): string {
    return renderMarkup(nodes, this.#options);
  }

  /** The body with its prompt; an interaction within a sentence becomes a gap. */
  renderStem(nodes: readonly XmlNode[]): string {
    const text = this.render(nodes.flatMap((node) => this.#toStem(node)));
    return this.#isExact ? text : text.replace(/\s*\n_____$/, '').trim();
  }

  #toStem(node: XmlNode): XmlNode[] {
    if (!isElement(node)) return [node];
    if (HIDDEN.has(node.name)) return [];
    if (node.name === 'textEntryInteraction' || node.name === 'inlineChoiceInteraction')
      return this.#isExact ? [] : [GAP];
    if (node.name === 'choiceInteraction') {
      const prompt = findChild(node, 'prompt');
      return prompt ? [{ ...prompt, children: prompt.children.flatMap((child) => this.#toStem(child)) }] : [];
    }
    if (node.name === 'rubricBlock' && !isForCandidate(node)) return [];
    if (node.name === 'rubricBlock')
      this.#report.add('rubric_in_text', 'Instructions for candidates are part of the question.');
    if (this.#isExact && node.attributes.label === 'unit') return [];
    return [{ ...node, children: node.children.flatMap((child) => this.#toStem(child)) }];
  }

  /** The text of an option, without its feedback. */
  renderOption(choice: XmlElement): string {
    return this.render(choice.children.filter((node) => !(isElement(node) && FEEDBACK.has(node.name))));
  }

  /** Feedback and rubrics of scorers, one text each. */
  listFeedback(item: XmlElement, options: ReadonlyMap<string, string>): string[] {
    const texts: string[] = [];
    for (const element of walk(item)) {
      const isRubric = element.name === 'rubricBlock' && !isForCandidate(element);
      if (!isRubric && !FEEDBACK.has(element.name)) continue;
      const text = this.render((findChild(element, 'contentBody') ?? element).children);
      if (text === '') continue;
      if (isRubric) this.#report.add('rubric_in_explanation', 'A rubric is part of the explanation.');
      else if (!this.#isExact) this.#report.add('feedback_appended', 'Feedback is added to the explanation.');
      const option = options.get(element.attributes.identifier ?? '');
      texts.push(option === undefined ? text : `${option}: ${text}`);
    }
    return [...new Set(texts)];
  }
}

const isForCandidate = (rubric: XmlElement) => /\bcandidate\b/.test(rubric.attributes.view ?? 'candidate');

/** The options of a choice by their identifiers. */
export function listChoices(interaction: XmlElement, texts: ItemTexts): Map<string, string> {
  const name = interaction.name === 'choiceInteraction' ? 'simpleChoice' : 'inlineChoice';
  return new Map(
    findChildren(interaction, name).map((choice) => [
      choice.attributes.identifier ?? '',
      texts.renderOption(choice),
    ]),
  );
}

/** The unit that Quaestor writes behind a number. */
export function findUnit(body: XmlElement): string | undefined {
  const unit = [...walk(body)].find(({ attributes }) => attributes.label === 'unit');
  return unit && textOf(unit);
}
