import type { LogisticRegression } from './logistic-regression.ts';
import type { EtsClass, MantelHaenszel } from './mantel-haenszel.ts';

/** The tests of one item. */
export interface ItemTests {
  result: MantelHaenszel;
  /** 95 % confidence interval of Δ. A limit is null if it is infinite. */
  interval: { delta_low: number | null; delta_high: number | null };
  logistic: LogisticRegression | null;
  /** Why there is no regression, or no finite coefficient. */
  logisticReason: string | null;
  isAnchor: boolean;
  /** Whether there is a Mantel-Haenszel test. A tested item without a class has too few cases. */
  isTested: boolean;
}

/** The p-values adjusted for the number of items tested. Null without the test. */
interface AdjustedP {
  mantelHaenszel: number | null;
  logistic: number | null;
  nonuniform: number | null;
}

/** The tests and the judgement of one item. */
export interface Finding extends ItemTests {
  class: EtsClass | null;
  isNonuniform: boolean;
  adjusted: AdjustedP;
}

/** The groups compared, and the parameters that messages refer to. */
export interface Comparison {
  reference: string;
  focal: string;
  complete: boolean;
  min_cases: number;
  significance: number;
  /** Whether significance is that of the adjusted p-values. */
  isAdjusted: boolean;
  /** Items with a class: the tests that p-values are adjusted for. */
  tests: number;
}
