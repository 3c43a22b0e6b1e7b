/**
 * LSAT section 7 (Bock & Lieberman 1970), a reference data set: 1,000 respondents by five
 * questions.
 */

/** The frequency of each response pattern, from 00000 to 11111. */
const COUNTS = [
  12, 19, 1, 7, 3, 19, 3, 17, 10, 5, 3, 7, 7, 23, 8, 28, 7, 39, 11, 34, 14, 51, 15, 90, 6, 25, 7, 35, 18, 136,
  32, 308,
];

export const LSAT7: (0 | 1)[][] = COUNTS.flatMap((count, pattern) =>
  Array.from({ length: count }, () => [16, 8, 4, 2, 1].map((bit) => (pattern & bit ? 1 : 0))),
);
