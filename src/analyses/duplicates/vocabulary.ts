/** Word statistics of the bank, as the comparison of two texts needs them. */
export interface Vocabulary {
  /** The inverse document frequency of a stem. Above 0. */
  idf(stem: string): number;
  /** The inverse document frequency as if the bank were part of a larger one: for small banks, too. */
  smoothedIdf(stem: string): number;
  /** Whether enough texts use the stem that it is not a typo. */
  isEstablished(stem: string): boolean;
}
