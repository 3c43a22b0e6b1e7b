/** Word statistics of the bank, as the comparison of two texts needs them. */
export interface Vocabulary {
  /** The inverse document frequency of a stem. Above 0. */
  idf(stem: string): number;
  /** Whether enough texts use the stem that it is not a typo. */
  isEstablished(stem: string): boolean;
}
