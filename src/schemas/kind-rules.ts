/**
 * Rules between the fields of a complete question: which fields its kind can have, and how they
 * depend on each other. They accept invalid values as well.
 */
import type { Fault } from '../errors.ts';
import { parseQuantity } from '../text/quantity.ts';
import { type CorrectAnswer, type Kind, kindOf } from './question-kinds.ts';

type Fields = Record<string, unknown>;

const isSet = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const isArrayOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** The kinds that have options. */
const WITH_OPTIONS: readonly Kind[] = ['multiple_choice', 'multiple_response'];

/** The kinds for which a field has a meaning. */
const KINDS_OF_FIELD: Record<string, readonly Kind[]> = {
  accepted_answers: ['short_answer'],
  answer_matching: ['short_answer'],
  choose: ['multiple_response'],
  choices_order: WITH_OPTIONS,
  choices: WITH_OPTIONS,
  incorrect_answers: WITH_OPTIONS,
};

/** Faults of a complete question. Those of single fields are found by the schema. */
export function findKindFaults(question: unknown, pointer: string): Fault[] {
  if (typeof question !== 'object' || question === null) return [];
  const fields = question as Fields;
  const { correct_answer, incorrect_answers } = fields;
  const isValid = typeof correct_answer === 'string' || isArrayOfTexts(correct_answer);
  if (!isValid || (isSet(incorrect_answers) && !isArrayOfTexts(incorrect_answers))) return [];
  const kind = kindOf(fields as { correct_answer: CorrectAnswer });
  const fault = (name: string, code: string, detail: string): Fault => ({
    pointer: `${pointer}/${name}`,
    code,
    detail,
  });
  const faults = Object.entries(KINDS_OF_FIELD)
    .filter(([name, kinds]) => isSet(fields[name]) && !kinds.includes(kind))
    .map(([name, kinds]) =>
      fault(
        name,
        'not_for_kind',
        `is only for questions of the kind ${kinds.join(' or ')}, this one is ${kind}`,
      ),
    );
  if (isSet(fields.kind) && fields.kind !== kind)
    faults.push(fault('kind', 'kind_mismatch', `is read-only, and follows from the other fields: ${kind}`));
  if (kind === 'numeric') faults.push(...findNumericFaults(fields, fault));
  if (kind === 'multiple_response') faults.push(...findResponseFaults(fields, fault));
  if (WITH_OPTIONS.includes(kind)) faults.push(...findChoiceFaults(fields, fault));
  return faults;
}

type ToFault = (name: string, code: string, detail: string) => Fault;

function findNumericFaults({ correct_answer, numeric }: Fields, fault: ToFault): Fault[] {
  const faults: Fault[] = [];
  const quantity = typeof correct_answer === 'string' ? parseQuantity(correct_answer) : undefined;
  if (!quantity || quantity.unit !== null)
    faults.push(
      fault(
        'correct_answer',
        'not_a_number',
        'must be a number without its unit, such as 1.5, 3/2 or 6.02e23',
      ),
    );
  const { tolerance, relative_tolerance, unit } = numeric as Fields;
  if (typeof unit === 'string' && !parseQuantity(`1 ${unit}`)?.unit)
    faults.push(fault('numeric/unit', 'invalid_format', 'must be a unit such as km, m/s^2, % or €'));
  if (isSet(tolerance) && isSet(relative_tolerance))
    faults.push(fault('numeric', 'conflict', 'must have only one of tolerance and relative_tolerance'));
  return faults;
}

function findResponseFaults({ correct_answer, incorrect_answers, choose }: Fields, fault: ToFault): Fault[] {
  const { length } = correct_answer as string[];
  return [
    ...(isSet(incorrect_answers)
      ? []
      : [
          fault(
            'incorrect_answers',
            'required',
            'must have at least one answer if there are several correct ones',
          ),
        ]),
    ...(isSet(choose) && choose !== length
      ? [fault('choose', 'wrong_count', `must be the number of correct answers, which is ${length}`)]
      : []),
  ];
}

function findChoiceFaults(
  { correct_answer, incorrect_answers, choices_order, choices }: Fields,
  fault: ToFault,
): Fault[] {
  if (!isSet(choices))
    return choices_order === 'as_given'
      ? [fault('choices', 'required', 'is required with the choices_order as_given')]
      : [];
  if (!isArrayOfTexts(choices)) return [];
  const options = [correct_answer, incorrect_answers].flat() as string[];
  const isSame = JSON.stringify(choices.toSorted()) === JSON.stringify(options.toSorted());
  return isSame
    ? []
    : [fault('choices', 'choices_mismatch', 'must have every correct and incorrect answer exactly once')];
}
