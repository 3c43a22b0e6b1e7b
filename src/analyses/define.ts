/**
 * What an analysis is. One file makes one: it says what may be set, what comes out, how it is computed and how it is
 * shown. With its line in index.ts it is offered by the API, described in its documents, and tried by the tests.
 */
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Uuid } from '../schemas/common.ts';

/** A question as everybody may see it. */
export interface Face {
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
export interface Whole extends Face {
  correct_answer: string;
  incorrect_answers: string[];
  explanation: string | null;
}

export interface Input<Q> {
  /** How many questions there are. */
  readonly count: number;
  /** The questions in batches, in the order of their creation. They can be gone through once. */
  readonly questions: AsyncIterable<readonly Q[]>;
  /**
   * How much of the work is done, from 0 to 1. Wait for it, a few times a second at least: that is when a run that nobody
   * wants any more is noticed.
   */
  progress(share: number): Promise<void>;
}

export interface Outcome<S, I> {
  /** A few figures about the whole set; its size does not grow with the bank. */
  summary: S;
  /** Rows about single questions, in the order to be read. May be gone through more than once. */
  items: Iterable<I>;
  /** What a reader should know before trusting it, in sentences. */
  warnings: string[];
}

/** What comes of looking at answers: one result for those who may see them, and one for the others. */
export interface Sides<S, I> {
  whole: Outcome<S, I>;
  /**
   * Nothing in it may depend on which option is the right one, on a wrong one as such, or on the answer to a question without
   * options: not what is in it, nor its order, nor a count.
   */
  open: Outcome<S, I>;
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

export interface Definition<
  P extends TObject = TObject,
  S extends TObject = TObject,
  I extends TObject = TObject,
  A extends boolean = boolean,
  F = unknown,
> {
  /** The value of `analysis_type`. */
  type: string;
  /** Counted up when the same input gives another result. */
  version: number;
  title: string;
  /** What it finds and how, for whoever is to decide whether to run it. Markdown. */
  description: string;
  /** Whether it looks at answers. If not, it is not given any, and so cannot tell any. */
  answers: A;
  /** Each has a default; its description says where the default comes from. */
  parameters: P;
  /** What is wrong with parameters that are as the schema says, each with its place in them. */
  check?(parameters: Static<P>): { pointer: string; code: string; detail: string }[];
  result: { summary: S; item: I };
  example: { parameters: Partial<Static<P>>; questions: ExampleQuestion[] };
  run(
    input: Input<A extends true ? Whole : Face>,
    parameters: Static<P>,
  ): Promise<A extends true ? Sides<Static<S>, Static<I>> : Outcome<Static<S>, Static<I>>>;
  /** The picture of a result: one of the figures that charts/ can draw. Made when the run ends, so it may look at all items. */
  plot(outcome: Outcome<Static<S>, Static<I>>): F;
}

/** Says what an analysis is; the types of its parts follow from its schemas. */
export function defineAnalysis<
  P extends TObject,
  S extends TObject,
  I extends TObject,
  const A extends boolean,
  const F,
>(definition: Definition<P, S, I, A, F>): Definition<P, S, I, A, F> {
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
