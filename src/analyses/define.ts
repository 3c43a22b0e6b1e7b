/**
 * What an analysis is. One file makes one: it says what may be set, what comes out, how it is computed and how it is
 * shown. With its line in index.ts it is offered by the API, described in its documents, and tried by the tests.
 */
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { Figure } from '../charts/figure.ts';
import type { Ticker } from '../concurrency/ticker.ts';
import { Uuid } from '../schemas/common.ts';

/** A question as everybody may see it. */
export interface QuestionWithoutAnswers {
  id: string;
  question_text: string;
  /** All options in an order that tells nothing; empty where there is nothing to choose from. */
  choices: string[];
  category: string;
  difficulty: number;
  topic_focus: string | null;
  tags: string[];
}

/** A question with what tells the answer. */
export interface QuestionWithAnswers extends QuestionWithoutAnswers {
  correct_answer: string;
  incorrect_answers: string[];
  explanation: string | null;
}

/** What came of a response. */
export const WRONG = 0;
export const CORRECT = 1;
/** The question was seen and left out. */
export const OMITTED = 2;
/** The time was over, or the person gone, before they saw the question. */
export const NOT_REACHED = 3;

/** Stands for the option of a response that names none. */
export const NO_OPTION = 255;

/**
 * What people answered: cases by questions, and of that only what there is. A case is a respondent or one of their
 * sessions, as the parameter `cases` says; each has at least one response.
 */
export interface Responses {
  readonly cases: number;
  /** The responses of case c are those from starts[c] to before starts[c + 1], in the order of their questions. */
  readonly starts: Uint32Array;
  /** To which question: its place among the questions of the run. Never the same twice in a case. */
  readonly questions: Uint32Array;
  /** WRONG, CORRECT, OMITTED or NOT_REACHED. */
  readonly outcomes: Uint8Array;
  /** Which of the question's `choices` was chosen, by its place, or NO_OPTION. Nothing where the analysis sees no answers. */
  readonly options: Uint8Array | undefined;
  /** Each case's group: a place in groupNames, or -1 for none. */
  readonly groups: Int32Array;
  readonly groupNames: readonly string[];
}

export interface Input<Q> {
  /** How many questions there are. */
  readonly count: number;
  /** The questions in batches, in the order of their creation. They can be gone through once. */
  readonly questions: AsyncIterable<readonly Q[]>;
  /** Yields to the event loop between slices of the computation, and reports progress from 0 to 1. */
  readonly ticker: Ticker;
  progress(share: number): Promise<void>;
}

export interface InputWithResponses<Q> extends Input<Q> {
  /** What was answered to the questions. To be asked for after the last of them. */
  responses(): Promise<Responses>;
}

export interface Outcome<S, I> {
  /** A few figures about the whole set; its size does not grow with the bank. */
  summary: S;
  /** Rows about single questions, in the order to be read. May be gone through more than once. */
  items: Iterable<I>;
  /** What a reader should know before trusting it, in sentences. */
  warnings: string[];
  /** What was found about single cases, in their order, where an analysis measures people. */
  abilities?: Iterable<RespondentAbility>;
}

/** What a case has shown to be able to do. Whose it is, only those may see who may see responses. */
export interface RespondentAbility {
  case: number;
  /** How many of the questions count for this case, and how many of them are right. */
  answered: number;
  correct: number;
  ability: number;
  standard_error: number;
}

/** What comes of looking at answers: one result for those who may see them, and one for the others. */
export interface ResultsByView<S, I> {
  with_answers: Outcome<S, I>;
  /**
   * Nothing in it may depend on which option is the right one, on a wrong one as such, or on the answer to a question without
   * options: not what is in it, nor its order, nor a count. How many responses were right may be told; which option they chose not.
   */
  without_answers: Outcome<S, I>;
}

/** A question of an example: what a person would type in. */
export interface ExampleQuestion {
  question_text: string;
  correct_answer: string;
  category: string;
  difficulty: number;
  topic_focus?: string;
  incorrect_answers?: string[];
  tags?: string[];
}

/** What one person answered in an example. */
export interface ExampleSitting {
  respondent: string;
  group?: string;
  /** By question, in their order: an answer, whether it was right, or null for a question that was left out. */
  answers: (string | boolean | null)[];
}

export interface Definition<
  P extends TObject = TObject,
  S extends TObject = TObject,
  I extends TObject = TObject,
  A extends boolean = boolean,
  R extends boolean = boolean,
> {
  /** The value of `analysis_type`. */
  type: string;
  /** Counted up when the same input gives another result. */
  version: number;
  title: string;
  /** What it finds and how, for whoever is to decide whether to run it. Markdown. */
  description: string;
  /** Whether it looks at answers. If not, it is not given any, and so cannot tell any. */
  readsAnswers: A;
  /** Whether it is about what people answered. Its parameters then include RESPONSE_PARAMETERS (lib/responses.ts). */
  readsResponses?: R;
  /** Whether it compares groups: where there are not two, it is not begun. */
  comparesGroups?: true;
  /** Each has a default; its description says where the default comes from. */
  parameters: P;
  /** What is wrong with parameters that are as the schema says, each with its place in them. */
  check?(parameters: Static<P>): { pointer: string; code: string; detail: string }[];
  result: { summary: S; item: I };
  example: { parameters: Partial<Static<P>>; questions: ExampleQuestion[]; responses?: ExampleSitting[] };
  run(
    input: R extends true
      ? InputWithResponses<A extends true ? QuestionWithAnswers : QuestionWithoutAnswers>
      : Input<A extends true ? QuestionWithAnswers : QuestionWithoutAnswers>,
    parameters: Static<P>,
  ): Promise<A extends true ? ResultsByView<Static<S>, Static<I>> : Outcome<Static<S>, Static<I>>>;
  /** The picture of a result: one of the figures that charts/ can draw. Made when the run ends, so it may look at all items. */
  plot(outcome: Outcome<Static<S>, Static<I>>): Figure;
  /** Further pictures, by the name to ask for them. */
  plots?: Record<string, (outcome: Outcome<Static<S>, Static<I>>) => Figure>;
  /** The picture of one question, made of its row when it is asked for; nothing where the row has nothing to show. */
  plotQuestion?(item: Static<I>): Figure | undefined;
}

/** Says what an analysis is; the types of its parts follow from its schemas. */
export function defineAnalysis<
  P extends TObject,
  S extends TObject,
  I extends TObject,
  const A extends boolean,
  const R extends boolean = false,
>(definition: Definition<P, S, I, A, R>): Definition<P, S, I, A, R> {
  return definition;
}

/** A row about one question: what was found, as words for programs, and in a sentence for people. */
export const Item = <const Flag extends string, T extends TProperties>(flags: readonly Flag[], fields: T) =>
  Type.Object(
    {
      question_id: Uuid(),
      flags: Type.Array(Type.Enum([...flags] as Flag[])),
      message: Type.String({ description: 'What was found, in a sentence.' }),
      ...fields,
    },
    { additionalProperties: false },
  );
