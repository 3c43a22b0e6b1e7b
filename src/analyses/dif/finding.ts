import type { LogisticRegression } from './logistic-regression.ts';
import type { EtsClass, MantelHaenszel } from './mantel-haenszel.ts';

/** The results of one item. */
export interface Finding {
  result: MantelHaenszel;
  class: EtsClass | null;
  logistic: LogisticRegression | null;
  /** Why there is no regression, or no finite coefficient. */
  logisticReason: string | null;
  isAnchor: boolean;
  /** Whether there is a Mantel-Haenszel test. A tested item without a class has too few cases. */
  isTested: boolean;
  isNonuniform: boolean;
}

/** The groups compared, and the parameters that messages refer to. */
export interface Comparison {
  reference: string;
  focal: string;
  complete: boolean;
  min_cases: number;
  significance: number;
}
