/** Item statistics of questions with several correct answers, and proposed answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeMoments, pearson } from '../../src/analyses/classical/item-indices.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import { buildResponses, plainQuestions, runInline, toQuestions } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';
import { createRandom } from '../support/random.ts';

const OTHERS = 8;
const CASES = 120;
const several = {
  question_text: 'Which are noble gases?',
  correct_answer: ['argon', 'neon'],
  incorrect_answers: ['iron', 'gold'],
  category: 'Science',
  difficulty: 1,
};

type Cell = number | string | string[];

/** Cases by ability: each answers the plain questions, and the first one as `answer` says. */
function simulate(answer: (able: boolean, random: ReturnType<typeof createRandom>) => Cell) {
  const random = createRandom(7);
  return Array.from({ length: CASES }, (_, i) => {
    const able = i % 2 === 0;
    const others = Array.from({ length: OTHERS }, () => Number(random.maybe(able ? 0.85 : 0.3)));
    return [answer(able, random), ...others];
  });
}

async function run(first: Parameters<typeof toQuestions>[0][number], rows: Cell[][]) {
  const given = [first, ...plainQuestions(OTHERS)];
  const questions = toQuestions(given);
  const responses = buildResponses(rows, { questions });
  const { items, withoutAnswers } = await runInline(itemStatistics, given, {}, responses);
  const find = (rows: typeof items) => rows.find(({ question_id }) => question_id === questions[0]!.id)!;
  return { row: find(items), hidden: find(withoutAnswers.items) };
}

describe('options of which several are correct', () => {
  it('have the share and the correlation of those who chose them', async () => {
    const rows = simulate((able, random) =>
      able && random.maybe(0.8)
        ? ['argon', 'neon']
        : random.pick([['argon', 'iron'], ['gold'], ['neon', 'iron']]),
    );
    const { row, hidden } = await run(several, rows);
    assert.deepEqual([row.option_n, row.option_discrimination_n, row.other_answers], [CASES, CASES, 0]);
    const rests = rows.map(([, ...others]) => (others as number[]).reduce((sum, score) => sum + score, 0));
    for (const { text, key, n, share, point_biserial } of row.options) {
      const chose = rows.map(([answer]) => Number((answer as string[]).includes(text)));
      assert.equal(key, several.correct_answer.includes(text));
      assert.equal(
        n,
        chose.reduce((sum, each) => sum + each, 0),
      );
      assertClose(share, n / CASES);
      assertClose(point_biserial, pearson(computeMoments(chose, rests))!);
    }
    assert.equal(row.correct, rows.filter(([answer]) => String(answer) === 'argon,neon').length);
    assert.equal(row.key_evidence, null);
    assert.deepEqual([hidden.options, hidden.key_evidence, hidden.proposed_answers], [null, null, null]);
    const figure = itemStatistics.plotQuestion!(row)!;
    assert.match(figure.description, /The keys, “argon” and “neon”, should rise/);
  });

  it('have evidence of a wrong key', async () => {
    // Able cases choose iron instead of neon.
    const rows = simulate((able) => (able ? ['argon', 'iron'] : ['argon', 'neon']));
    const { row } = await run(several, rows);
    const { option, key, n, compared_with, compared_n } = row.key_evidence;
    assert.deepEqual([option, key, n, compared_with, compared_n], ['iron', 'neon', 60, 'key', 60]);
    assert.ok(row.flags.includes('likely_wrong_key'));
    assert.match(row.message, /“iron” may be a key: .* the key “neon”/);
  });
});

describe('proposed answers', () => {
  const open = { ...plainQuestions(1)[0]!, correct_answer: 'Marie Curie' };
  const propose = async (answers: string[], changes: object = {}) => {
    let i = 0;
    const rows = simulate((able) => (able ? 'Marie Curie' : answers[i++ % answers.length]!));
    const { row } = await run({ ...open, ...changes }, rows);
    return row.proposed_answers.map(({ answer, reasons }: { answer: string; reasons: string[] }) => [
      answer,
      ...reasons,
    ]);
  };

  it('are near the key', async () => {
    assert.deepEqual(await propose(['Marie Currie', 'the Marie Curie!', 'Mme Marie Curie', 'Pasteur']), [
      ['Marie Currie', 'spelling'],
      ['Mme Marie Curie', 'contains_key'],
      ['the Marie Curie!', 'typing'],
    ]);
  });

  it('are not those that few gave, that are accepted, or that have other digits', async () => {
    const rare = Array.from({ length: 58 }, (_, i) => `guess ${i}`);
    assert.deepEqual(await propose([...rare, 'Marie Currie', 'Marie Currie']), []);
    assert.deepEqual(await propose(['Mary Curie'], { accepted_answers: ['Mary Curie'] }), []);
    const rows = simulate((able) => (able ? '1914 or 1915' : '1914 or 1916'));
    const { row } = await run({ ...open, correct_answer: '1914 or 1915' }, rows);
    assert.deepEqual(row.proposed_answers, []);
  });

  it('are those of cases with high scores', async () => {
    const rows = simulate((able) => (able ? 'Skłodowska' : 'Marie Curie'));
    const { row } = await run(open, rows);
    assert.deepEqual(row.proposed_answers[0].reasons, ['high_scores']);
    assert.equal(row.proposed_answers[0].n, 60);
  });
});
