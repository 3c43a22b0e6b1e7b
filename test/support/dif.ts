/** Runs the analysis of differential item functioning on small or simulated response matrices. */
import { dif } from '../../src/analyses/dif/index.ts';
import { buildResponses, plainQuestions, runInline } from './inline-analysis.ts';
import { numericalRecipesLcg } from './random.ts';

export type Cells = (number | string | null)[][];

export const run = (rows: Cells, groups: (string | null)[], parameters: object = {}) =>
  runInline(dif, plainQuestions(rows[0]?.length ?? 3), parameters, buildResponses(rows, { groups }));

export const parseIndex = ({ question_id }: { question_id: string }) => Number(question_id.slice(-12));

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape, asserted by the test
type Row = any;

export const findRow = (items: { question_id: string }[], index: number) =>
  items.find((item) => parseIndex(item) === index) as Row;

/**
 * Simulates responses under a Rasch model. `shift` makes the last question harder for group b;
 * `asked` selects the questions of each case.
 */
export function simulate(
  cases: number,
  questions: number,
  { shift = 0, asked = () => true }: { shift?: number; asked?: (c: number, q: number) => boolean } = {},
) {
  const next = numericalRecipesLcg(1);
  const groups: string[] = Array.from({ length: cases }, (_, c) => (c % 2 === 0 ? 'a' : 'b'));
  const rows = groups.map((group, c) => {
    const ability = (next() + next() + next() - 1.5) * 2;
    return Array.from({ length: questions }, (_, q) => {
      const difficulty = -1.5 + (3 * q) / questions + (q === questions - 1 && group === 'b' ? shift : 0);
      const right = next() < 1 / (1 + Math.exp(difficulty - ability)) ? 1 : 0;
      return asked(c, q) ? right : null;
    });
  });
  return { rows, groups };
}
