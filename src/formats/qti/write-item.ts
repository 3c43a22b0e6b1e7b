/** Writes one item of QTI 2.1, 2.2 or 3.0, without white space but that of its texts. */
import type { PortableQuestion } from '../format.ts';
import { escapeAttribute, escapeXml } from '../xml/write.ts';
import { TOOL_NAME } from './item.ts';
import { toKebabName } from './names.ts';

export type QtiVersion = '2.1' | '2.2' | '3.0';
type NoticeHandler = (code: string, detail: string) => void;
type Attributes = Record<string, string | number | boolean | undefined>;

const HTML = new Set(['p', 'br', 'span']);
const MAX_TITLE_CHARS = 100;
const NAMESPACES: Record<QtiVersion, { item: string; schema: string; templates: string; suffix: string }> = {
  '2.1': {
    item: 'http://www.imsglobal.org/xsd/imsqti_v2p1',
    schema: 'http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd',
    templates: 'http://www.imsglobal.org/question/qti_v2p1/rptemplates/',
    suffix: '',
  },
  '2.2': {
    item: 'http://www.imsglobal.org/xsd/imsqti_v2p2',
    schema: 'http://www.imsglobal.org/xsd/qti/qtiv2p2/imsqti_v2p2.xsd',
    templates: 'http://www.imsglobal.org/question/qti_v2p2/rptemplates/',
    suffix: '',
  },
  '3.0': {
    item: 'http://www.imsglobal.org/xsd/imsqtiasi_v3p0',
    schema: 'https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqti_asiv3p0_v1p0.xsd',
    templates: 'https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/',
    suffix: '.xml',
  },
};

export function writeItem(
  question: PortableQuestion,
  identifier: string,
  version: QtiVersion,
  notice: NoticeHandler,
): string {
  const writer = new ItemWriter(question, version, notice);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writer.write(identifier)}\n`;
}

class ItemWriter {
  readonly #question: PortableQuestion;
  readonly #version: QtiVersion;
  readonly #notice: NoticeHandler;

  constructor(question: PortableQuestion, version: QtiVersion, notice: NoticeHandler) {
    this.#question = question;
    this.#version = version;
    this.#notice = notice;
  }

  write(identifier: string): string {
    const { question_text, explanation, correct_answer, incorrect_answers = [], numeric } = this.#question;
    const { item, schema } = NAMESPACES[this.#version];
    const isChoice = !numeric && (Array.isArray(correct_answer) || incorrect_answers.length > 0);
    const { declaration, interaction, processing } = isChoice ? this.#choice() : this.#entry();
    const line = question_text.replace(/\s+/g, ' ').trim();
    const attributes = {
      xmlns: item,
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': `${item} ${schema}`,
      identifier,
      title: line.slice(0, MAX_TITLE_CHARS).trimEnd(),
      adaptive: false,
      timeDependent: false,
      toolName: TOOL_NAME,
    };
    return this.#tag(
      'assessmentItem',
      attributes,
      declaration,
      this.#outcome('SCORE', 'float', '0'),
      explanation === undefined ? '' : this.#outcome('FEEDBACK', 'identifier', 'EXPLANATION'),
      this.#tag('itemBody', {}, this.#paragraph(question_text), interaction),
      processing,
      explanation === undefined ? '' : this.#explanation(explanation),
    );
  }

  #tag(name: string, attributes: Attributes, ...content: string[]): string {
    const isQti3 = this.#version === '3.0';
    const tagName = isQti3 && !HTML.has(name) ? `qti-${toKebabName(name)}` : name;
    const written = Object.entries(attributes)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => {
        const attribute = isQti3 && !key.includes(':') ? toKebabName(key) : key;
        return ` ${attribute}="${escapeAttribute(String(value))}"`;
      });
    const inner = content.join('');
    return inner === ''
      ? `<${tagName}${written.join('')}/>`
      : `<${tagName}${written.join('')}>${inner}</${tagName}>`;
  }

  #paragraph(text: string, extra = ''): string {
    const label = this.#question.text_format === 'markdown' ? 'markdown' : undefined;
    return this.#tag('p', { label }, this.#text(text) + extra);
  }

  #text(text: string): string {
    return escapeXml(text).replaceAll('\n', '<br/>');
  }

  #outcome(identifier: string, baseType: string, value: string): string {
    const attributes = { identifier, cardinality: 'single', baseType };
    return this.#tag(
      'outcomeDeclaration',
      attributes,
      this.#tag('defaultValue', {}, this.#tag('value', {}, value)),
    );
  }

  /** The outcome has this value from the beginning, so the feedback is shown after every attempt. */
  #explanation(text: string): string {
    const content = this.#paragraph(text);
    const attributes = { outcomeIdentifier: 'FEEDBACK', identifier: 'EXPLANATION', showHide: 'show' };
    return this.#tag(
      'modalFeedback',
      attributes,
      this.#version === '3.0' ? this.#tag('contentBody', {}, content) : content,
    );
  }

  #template(name: string): string {
    const { templates, suffix } = NAMESPACES[this.#version];
    return this.#tag('responseProcessing', { template: `${templates}${name}${suffix}` });
  }

  #declaration(cardinality: string, baseType: string, values: readonly string[], ...rest: string[]): string {
    const correct = values.map((value) => this.#tag('value', {}, escapeXml(value)));
    const attributes = { identifier: 'RESPONSE', cardinality, baseType };
    return this.#tag(
      'responseDeclaration',
      attributes,
      this.#tag('correctResponse', {}, ...correct),
      ...rest,
    );
  }

  #choice() {
    const { correct_answer, incorrect_answers = [], choices_order, choices, choose } = this.#question;
    const correct = Array.isArray(correct_answer) ? correct_answer : [correct_answer];
    const isMultiple = Array.isArray(correct_answer);
    const all = [...correct, ...incorrect_answers];
    if (choices_order === 'sorted')
      this.#notice(
        'sorted_order_fixed',
        'Sorted options are written in the order of their texts, not shuffled.',
      );
    const options =
      choices_order === 'sorted' ? all.toSorted() : choices_order === 'as_given' ? (choices ?? all) : all;
    const shuffle = (choices_order ?? 'shuffled') === 'shuffled';
    const identifierOf = (text: string) => `A${options.indexOf(text) + 1}`;
    const attributes = {
      responseIdentifier: 'RESPONSE',
      shuffle,
      maxChoices: isMultiple ? (choose ?? 0) : 1,
    };
    return {
      declaration: this.#declaration(
        isMultiple ? 'multiple' : 'single',
        'identifier',
        correct.map(identifierOf),
      ),
      interaction: this.#tag(
        'choiceInteraction',
        attributes,
        ...options.map((text) =>
          this.#tag('simpleChoice', { identifier: identifierOf(text) }, this.#text(text)),
        ),
      ),
      processing: this.#template('match_correct'),
    };
  }

  #entry() {
    const { correct_answer, accepted_answers = [], numeric, answer_matching } = this.#question;
    const correct = String(correct_answer);
    const entry = this.#tag('textEntryInteraction', { responseIdentifier: 'RESPONSE' });
    const unit =
      numeric?.unit === undefined ? '' : this.#tag('span', { label: 'unit' }, escapeXml(numeric.unit));
    const interaction = this.#tag('p', {}, entry + unit);
    if (numeric)
      return {
        declaration: this.#declaration('single', 'float', [correct]),
        interaction,
        processing: this.#comparison(numeric),
      };
    const { ignore_case, ...others } = answer_matching ?? {};
    if (Object.keys(others).length > 0)
      this.#notice('matching_options_dropped', 'How answers are compared, apart from their case, is lost.');
    const caseSensitive = ignore_case === false;
    const entries = [correct, ...accepted_answers].map((mapKey) =>
      this.#tag('mapEntry', { mapKey, mappedValue: 1, caseSensitive }),
    );
    return {
      declaration: this.#declaration(
        'single',
        'string',
        [correct],
        this.#tag('mapping', { defaultValue: 0 }, ...entries),
      ),
      interaction,
      processing: this.#template('map_response'),
    };
  }

  #comparison({ tolerance, relative_tolerance }: NonNullable<PortableQuestion['numeric']>): string {
    if (!tolerance && !relative_tolerance) return this.#template('match_correct');
    const percent = Number(((relative_tolerance ?? 0) * 100).toPrecision(15));
    const bound = tolerance ?? percent;
    const isRelative = tolerance === undefined;
    const attributes = {
      toleranceMode: isRelative ? 'relative' : 'absolute',
      tolerance: `${bound} ${bound}`,
      includeLowerBound: true,
      includeUpperBound: true,
    };
    const response = { identifier: 'RESPONSE' };
    const equal = this.#tag(
      'equal',
      attributes,
      this.#tag('variable', response),
      this.#tag('correct', response),
    );
    const set = this.#tag(
      'setOutcomeValue',
      { identifier: 'SCORE' },
      this.#tag('baseValue', { baseType: 'float' }, '1'),
    );
    return this.#tag(
      'responseProcessing',
      {},
      this.#tag('responseCondition', {}, this.#tag('responseIf', {}, equal, set)),
    );
  }
}
