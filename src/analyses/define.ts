/**
 * The definition of an analysis type: its parameters, its result, its computation and its figures.
 *
 * A type is one folder with the same files: index.ts (the definition), schemas.ts, figures.ts,
 * messages.ts, example.ts, and the computation. Registered in index.ts, it is offered by the API,
 * described in the OpenAPI document and covered by the tests that hold for every type
 * (test/analysis-types.test.ts).
 *
 * Invariants: the same input gives the same bytes, on every engine, inline and in a worker process;
 * no result contains NaN or infinity; a result without answers does not depend on the key.
 */
import type { Static, TObject, TProperties } from 'typebox';
import type { Figure } from '../charts/figure.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import { Uuid } from '../schemas/common.ts';
import type { AnswerMatching, CorrectAnswer, Kind } from '../schemas/question-kinds.ts';
import { Type } from '../schemas/type.ts';

export interface QuestionWithoutAnswers {
  id: string;
  kind: Kind;
  /** Without markup. */
  question_text: string;
  /** All options, in an order that does not reveal the key; empty for an open question. */
  choices: string[];
  category: string;
  difficulty: number;
  topic_focus: string | null;
  tags: string[];
}

export interface QuestionWithAnswers extends QuestionWithoutAnswers {
  /** Hidden with the answers: it reveals that they have changed. */
  revision: number;
  correct_answer: CorrectAnswer;
  incorrect_answers: string[];
  explanation: string | null;
  accepted_answers?: string[];
  answer_matching?: AnswerMatching;
  /** Whether the texts had markup, so that they cannot be written back. */
  had_markup?: true;
  /** Whether the choices are in an order that was given, so that a change of one has to repeat it. */
  choices_given?: true;
}

/** Outcomes of a response. */
export const WRONG = 0;
export const CORRECT = 1;
/** The respondent saw the question and did not answer it. */
export const OMITTED = 2;
/** The session ended before the respondent saw the question. */
export const NOT_REACHED = 3;

/** The option of a response that chose none of the question's current options. */
export const NO_OPTION = 255;

/** The largest number of different wrong answers to one question that are kept. */
export const MAX_WRONG_TEXTS = 1_000;

/**
 * The response matrix, cases by questions, sparse and stored by rows. A case is a respondent or one
 * session of a respondent (parameter `cases`); each has at least one response.
 */
export interface Responses {
  readonly cases: number;
  /**
   * The responses of case c are at starts[c] up to but not including starts[c + 1], by ascending
   * question.
   */
  readonly starts: Uint32Array;
  /** The index of the question among those of the run. Occurs at most once per case. */
  readonly questions: Uint32Array;
  /** WRONG, CORRECT, OMITTED or NOT_REACHED. */
  readonly outcomes: Uint8Array;
  /**
   * The index into the question's `choices`, or NO_OPTION. Undefined if the analysis does not read
   * answers.
   */
  readonly options: Uint8Array | undefined;
  /** Undefined if the analysis does not read answers. */
  readonly details: ResponseDetails | undefined;
  /** By case: an index into groupNames, or -1 without a group. */
  readonly groups: Int32Array;
  readonly groupNames: readonly string[];
}

/** What is known of single responses beyond one option: a sparse column of the matrix. */
interface ResponseDetails {
  /** The indices of the responses that have a value, ascending. */
  readonly at: Uint32Array;
  /**
   * For `multiple_response`, the set of the chosen `choices`, as bits. For `short_answer`, the index
   * of a wrong answer in `wrongTexts`.
   */
  readonly values: Uint32Array;
  /** By question: its different wrong answers, the first `MAX_WRONG_TEXTS` of them. */
  readonly wrongTexts: ReadonlyMap<number, readonly string[]>;
}

/** The labels that questions of the selection can have, whether or not there are such questions. */
export interface Scope {
  /** Empty if the questions were listed by id. */
  readonly categories: readonly string[];
  readonly difficulties: readonly number[];
}

export interface Input<Q> {
  /** The number of questions. */
  readonly count: number;
  readonly scope: Scope;
  /** The questions in batches, in order of creation. Can be iterated once. */
  readonly questions: AsyncIterable<readonly Q[]>;
  /**
   * Yields to the event loop between slices of the computation, and reports progress from 0 to 1.
   */
  readonly ticker: Ticker;
}

export interface InputWithResponses<Q> extends Input<Q> {
  /** Loads the responses. To be called after the last batch of questions. */
  responses(): Promise<Responses>;
}

export interface Outcome<S, I> {
  /** Statistics of all questions. Its size does not grow with the bank. */
  summary: S;
  /** One row per question, in reading order. Can be iterated more than once. */
  items: Iterable<I>;
  /** Limitations of the result, in sentences. */
  warnings: string[];
  /** Estimates of single cases, in order of cases, from an analysis that measures respondents. */
  abilities?: Iterable<RespondentAbility>;
}

/** The ability of one case. Shown only to clients that may read responses. */
export interface RespondentAbility {
  case: number;
  /** Questions scored for this case, and of these the correct ones. */
  answered: number;
  correct: number;
  ability: number;
  standard_error: number;
}

/** The results of an analysis that reads answers, one for each view. */
export interface ResultsByView<S, I> {
  with_answers: Outcome<S, I>;
  /**
   * Must not depend on which option is the key, on any distractor, or on the answer to an open
   * question: neither in content nor in order nor in a count. It may count correct responses, but
   * not by option.
   */
  without_answers: Outcome<S, I>;
}

/** A question of an example, in the form of a request body. */
export interface ExampleQuestion {
  question_text: string;
  correct_answer: string;
  category: string;
  difficulty: number;
  topic_focus?: string;
  incorrect_answers?: string[];
  tags?: string[];
}

export interface ExampleSitting {
  respondent: string;
  group?: string;
  /** By question: an answer, whether it was correct, or null for an omitted question. */
  answers: (string | boolean | null)[];
}

/** `major`: mend it before use. `minor`: should be mended. `info`: acceptable if intended. */
export const FINDING_SEVERITIES = ['info', 'minor', 'major'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export interface Definition<
  P extends TObject = TObject,
  S extends TObject = TObject,
  I extends TObject = TObject,
  A extends boolean = boolean,
  R extends boolean = boolean,
> {
  /** The value of `analysis_type`. */
  type: string;
  /** Incremented when the same input gives a different result. */
  version: number;
  title: string;
  /** Purpose, method and limits of the analysis. Markdown. */
  description: string;
  /** Whether it judges language. Code and formulas of its texts are replaced by words. */
  readsProse?: true;
  /** Whether it reads answers. If not, it is given questions without them. */
  readsAnswers: A;
  /**
   * Whether it reads responses. Its parameters then include RESPONSE_PARAMETERS
   * (shared/responses.ts).
   */
  readsResponses?: R;
  /** Whether it compares groups. A run on fewer than two groups is rejected. */
  comparesGroups?: true;
  /** Each has a default, and a description that gives the reason for the default. */
  parameters: P;
  /** Faults of parameters that are valid by the schema, each with its JSON pointer. */
  check?(parameters: Static<P>): { pointer: string; code: string; detail: string }[];
  result: { summary: S; item: I };
  /**
   * The findings that rows report, by name: sets of questions are kept by them
   * (store/findings/finding-sets.ts).
   */
  findings: Readonly<Record<string, FindingSeverity>>;
  /** The names of a row's findings. By default its flags; those without a severity are no findings. */
  listFindings?(item: Static<I>): readonly string[];
  /** Whether flags are names of rules, and rows can be filtered by `rule`. */
  flagsAreRules?: true;
  /** The values that rows can be sorted by, under the name of the parameter `sort`. */
  sortKeys?: Readonly<Record<string, (item: Static<I>) => number | null>>;
  example: { parameters: Partial<Static<P>>; questions: ExampleQuestion[]; responses?: ExampleSitting[] };
  run(
    input: R extends true
      ? InputWithResponses<A extends true ? QuestionWithAnswers : QuestionWithoutAnswers>
      : Input<A extends true ? QuestionWithAnswers : QuestionWithoutAnswers>,
    parameters: Static<P>,
  ): Promise<A extends true ? ResultsByView<Static<S>, Static<I>> : Outcome<Static<S>, Static<I>>>;
  /** The main figure of a result. Built when the run ends, so it may read all items. */
  plot(outcome: Outcome<Static<S>, Static<I>>): Figure;
  /** Further figures, by the name they are requested with. */
  plots?: Record<string, (outcome: Outcome<Static<S>, Static<I>>) => Figure>;
  /**
   * The figure of one question, built from its row on request; undefined if the row has nothing to
   * plot.
   */
  plotQuestion?(item: Static<I>): Figure | undefined;
}

/** Infers the types of an analysis from its schemas. */
export function defineAnalysis<
  P extends TObject,
  S extends TObject,
  I extends TObject,
  const A extends boolean,
  const R extends boolean = false,
>(definition: Definition<P, S, I, A, R>): Definition<P, S, I, A, R> {
  return definition;
}

/** The names of the findings that a row of a result reports. */
export function listFindings(definition: Definition, row: object): string[] {
  const names =
    definition.listFindings?.(row as Record<string, unknown>) ?? (row as { flags: string[] }).flags;
  return names.filter((name) => Object.hasOwn(definition.findings, name));
}

/**
 * The schema of a row: flags for programs, a message for people, and the fields of the analysis.
 */
export const Item = <const Flag extends string, T extends TProperties>(flags: readonly Flag[], fields: T) =>
  Type.Object(
    {
      question_id: Uuid(),
      flags: Type.Array(Type.Enum([...flags] as Flag[])),
      message: Type.String({ description: 'The finding, in a sentence.' }),
      ...fields,
    },
    { additionalProperties: false },
  );
