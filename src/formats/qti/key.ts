/** The key of an item: from the correct response, the mapping, or the response processing. */
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { findChild, findChildren, findDescendants, textOf, walk, type XmlElement } from '../xml/tree.ts';

interface MapEntry {
  key: string;
  value: number;
  isCaseSensitive: boolean;
}
export interface Declaration {
  identifier: string;
  cardinality: string;
  baseType: string;
  correct: string[];
  mapping: MapEntry[];
}
export interface Key {
  /** With full marks: all of them for several, else each of them. */
  values: string[];
  isCaseSensitive: boolean;
}
type Processing = 'match' | 'map' | 'none' | 'custom';

export function readDeclaration(item: XmlElement, identifier: string, keepsSpace: boolean): Declaration {
  const element = findChildren(item, 'responseDeclaration').find(
    (d) => d.attributes.identifier === identifier,
  );
  if (!element)
    throw new RejectItem(
      'no_correct_answer',
      `There is no responseDeclaration "${identifier}". Add it with the answer.`,
    );
  const mapping = findChild(element, 'mapping');
  const readValue = (value: XmlElement) => (keepsSpace ? textOf(value) : textOf(value).trim());
  return {
    identifier,
    cardinality: element.attributes.cardinality ?? 'single',
    baseType: element.attributes.baseType ?? 'identifier',
    correct: findChildren(findChild(element, 'correctResponse') ?? element, 'value').map(readValue),
    mapping: (mapping ? findChildren(mapping, 'mapEntry') : []).map(({ attributes }) => ({
      key: attributes.mapKey ?? '',
      value: Number(attributes.mappedValue ?? '0'),
      isCaseSensitive: attributes.caseSensitive === 'true',
    })),
  };
}

function classify(processing: XmlElement | undefined, identifier: string): Processing {
  if (!processing) return 'none';
  const template = processing.attributes.template ?? processing.attributes.templateLocation ?? '';
  if (/match_correct|CC2_match/i.test(template)) return 'match';
  if (/map_response(?!_point)/i.test(template)) return 'map';
  let isEmpty = true;
  for (const element of walk(processing)) {
    isEmpty = false;
    if (element.name === 'mapResponse' && element.attributes.identifier === identifier) return 'map';
    const names = element.children.map((node) => (typeof node === 'string' ? '' : node.name));
    if (
      /^(?:match|equal|stringMatch)$/.test(element.name) &&
      names.includes('variable') &&
      names.includes('correct')
    )
      return 'match';
  }
  return isEmpty && template === '' ? 'none' : 'custom';
}

/** @throws RejectItem if there is no key. */
export function findKey(item: XmlElement, declaration: Declaration, report: ItemReport): Key {
  const processing = findChild(item, 'responseProcessing');
  const kind = classify(processing, declaration.identifier);
  const positive = declaration.mapping.filter(({ value }) => value > 0);
  const top = Math.max(0, ...positive.map(({ value }) => value));
  const isMultiple = declaration.cardinality === 'multiple';
  const isCaseSensitive = positive.some((entry) => entry.isCaseSensitive);
  if (kind === 'none')
    report.add('scoring_assumed', 'The item says how it is scored nowhere: its correct response is taken.');
  if (kind === 'map' && positive.length > 0) {
    const full = isMultiple ? positive : positive.filter(({ value }) => value === top);
    reportPartialCredit(declaration, full.length, top, report);
    const keys = full.map(({ key }) => key);
    const usesCorrect = isMultiple && declaration.correct.length > 0;
    const values = usesCorrect
      ? declaration.correct
      : [...declaration.correct.filter((v) => keys.includes(v)), ...keys];
    return { values: [...new Set(values)], isCaseSensitive };
  }
  if (declaration.correct.length > 0) {
    if (kind === 'custom')
      report.add(
        'response_processing_ignored',
        'The item has rules of its own for scoring: its correct response is taken.',
      );
    return { values: declaration.correct, isCaseSensitive };
  }
  const scored = positive.length > 0 ? positive : listScoredValues(processing, declaration.identifier);
  const best = Math.max(0, ...scored.map(({ value }) => value));
  const values = scored.filter(({ value }) => isMultiple || value === best).map(({ key }) => key);
  if (values.length === 0)
    throw new RejectItem('no_correct_answer', 'The item has no correct response. Add a correctResponse.');
  reportPartialCredit(declaration, values.length, top, report);
  return { values, isCaseSensitive };
}

function reportPartialCredit(
  { mapping, cardinality }: Declaration,
  full: number,
  top: number,
  report: ItemReport,
) {
  const positive = mapping.filter(({ value }) => value > 0);
  if (mapping.some(({ value }) => value < 0))
    report.add('negative_marks_dropped', 'Wrong answers take no marks away.');
  const isEqual = positive.every(({ value }) => value === top);
  if (cardinality === 'multiple' ? !isEqual : positive.length > full)
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
}

const COMPARISONS = new Set(['match', 'stringMatch', 'equal', 'equalRounded']);

/** Values that a rule compares with the response and gives marks for. */
function listScoredValues(processing: XmlElement | undefined, identifier: string) {
  if (!processing) return [];
  const branches = [...walk(processing)].filter(
    ({ name }) => name === 'responseIf' || name === 'responseElseIf',
  );
  return branches.flatMap((branch) => {
    const [condition] = branch.children.filter((node) => typeof node !== 'string');
    if (!condition || !COMPARISONS.has(condition.name)) return [];
    const variable = findChild(condition, 'variable');
    const value = findChild(condition, 'baseValue');
    const outcome = findChildren(branch, 'setOutcomeValue').find(
      (set) => set.attributes.identifier === 'SCORE',
    );
    const score = Number(textOf(outcome && findChild(outcome, 'baseValue')));
    if (variable?.attributes.identifier !== identifier || !value || !(score > 0)) return [];
    return [{ key: textOf(value).trim(), value: score }];
  });
}

export interface Tolerance {
  tolerance?: number;
  relative_tolerance?: number;
}

/** The tolerance of an `equal` in the response processing. */
export function findTolerance(item: XmlElement, identifier: string, report: ItemReport): Tolerance {
  const processing = findChild(item, 'responseProcessing');
  const equal = (processing ? findDescendants(processing, 'equal') : []).find((element) =>
    findChildren(element, 'variable').some(({ attributes }) => attributes.identifier === identifier),
  );
  const { toleranceMode = 'exact', tolerance = '' } = equal?.attributes ?? {};
  if (toleranceMode === 'exact') return {};
  const bounds = tolerance.trim().split(/\s+/).map(Number);
  if (bounds.length === 0 || bounds.some((bound) => !Number.isFinite(bound) || bound < 0))
    throw new RejectItem(
      'invalid_tolerance',
      `The tolerance "${tolerance.slice(0, 60)}" is not a number of 0 or more.`,
    );
  const bound = Math.min(...bounds);
  if (bounds.some((other) => other !== bound))
    report.add('tolerance_simplified', 'Different tolerances above and below become the smaller one.');
  return toleranceMode === 'relative'
    ? { relative_tolerance: Number((bound / 100).toPrecision(15)) }
    : { tolerance: bound };
}
