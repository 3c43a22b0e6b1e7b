/** The difficulty levels. */
export const DIFFICULTIES = [
  { level: 0, name: 'Basic' },
  { level: 1, name: 'Intermediate' },
  { level: 2, name: 'Advanced' },
] as const;

/** The options of a schema of levels: errors name the values. */
export const LEVELS = {
  minimum: 0,
  maximum: DIFFICULTIES.length - 1,
  'x-value-names': DIFFICULTIES.map(({ name }) => name),
};
