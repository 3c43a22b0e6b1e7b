/** Coverage: counts, evenness, gaps and the comparison with a blueprint. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coverage } from '../../src/analyses/coverage/index.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { findFaults } from '../../src/http/validation.ts';
import { expectChart } from '../support/figures.ts';
import { runInline } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';

const ask = (category: string, difficulty: number, topic_focus?: string) => ({
  question_text: `Something about ${category}?`,
  correct_answer: 'Yes',
  category,
  difficulty,
  ...(topic_focus && { topic_focus }),
});
const repeat = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
const run = (questions: ReturnType<typeof ask>[], parameters: object = {}) =>
  runInline(coverage, questions, parameters);
const listFlags = (items: { flags: string[] }[]) => items.map(({ flags }) => flags.join(' '));

describe('coverage', () => {
  it('counts by category, difficulty and topic, ignoring case and Unicode composition', async () => {
    const { summary } = await run([
      ask('History', 0, 'Rome'),
      ask('HISTORY', 2, 'rome'),
      ask('History', 1, 'Greece'),
      ask('Éclairs', 1),
      ask('E\u0301clairs', 1),
    ]);
    assert.equal(summary.questions, 5);
    assert.equal(summary.categories, 2);
    assert.equal(summary.topics, 2);
    assert.equal(summary.without_topic, 2);
    assert.deepEqual(summary.by_difficulty, [1, 3, 1]);
    assert.deepEqual(summary.top_categories[0], {
      category: 'History',
      questions: 3,
      share: 0.6,
      by_difficulty: [1, 1, 1],
      topics: 2,
      without_topic: 0,
      top_topics: [
        { topic_focus: 'Rome', questions: 2, by_difficulty: [1, 0, 1] },
        { topic_focus: 'Greece', questions: 1, by_difficulty: [0, 1, 0] },
      ],
    });
    assert.equal(summary.top_categories[1].category, 'Éclairs');
  });

  it('computes evenness over all difficulties, including empty ones', async () => {
    const { summary } = await run([...repeat(6, ask('A', 0)), ...repeat(6, ask('B', 0))]);
    const { categories, difficulties, cells } = summary.evenness;
    assert.deepEqual([categories.classes, categories.evenness, categories.p_value], [2, 1, 1]);
    assert.deepEqual([difficulties.classes, difficulties.evenness], [3, 0]);
    assert.equal(cells.classes, 6);
    assertClose(cells.evenness, Math.log(2) / Math.log(6), { absolute: 1e-12 });
  });

  it('lists the largest categories and topics and sums the others', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ask(`Category ${i}`, i % 3, `Topic ${i}`));
    const topics = Array.from({ length: 12 }, (_, i) => ask('Category 59', 0, `Another ${i}`));
    const { summary } = await run([...many, ...topics]);
    assert.equal(summary.top_categories.length, 50);
    assert.equal(summary.top_categories[0].category, 'Category 59');
    assert.equal(summary.top_categories[1].category, 'Category 0', 'ties keep the order of occurrence');
    assert.equal(summary.top_categories[0].topics, 13);
    assert.equal(summary.top_categories[0].top_topics.length, 10);
    assert.deepEqual(summary.other_categories, { categories: 10, questions: 10, by_difficulty: [3, 4, 3] });
    assert.equal(summary.gaps.cells.length, 50);
    assert.deepEqual([summary.gaps.empty, summary.gaps.sparse], [119, 60]);
  });

  it('lists gaps by emptiness, then by the size of the category', async () => {
    const { summary, items } = await run(
      [...repeat(2, ask('Small', 0)), ...repeat(3, ask('Large', 0)), ask('Large', 1)],
      { min_per_cell: 3 },
    );
    assert.deepEqual(summary.gaps, {
      empty: 3,
      sparse: 2,
      cells: [
        { category: 'Large', difficulty: 2, questions: 0 },
        { category: 'Small', difficulty: 1, questions: 0 },
        { category: 'Small', difficulty: 2, questions: 0 },
        { category: 'Large', difficulty: 1, questions: 1 },
        { category: 'Small', difficulty: 0, questions: 2 },
      ],
    });
    assert.deepEqual(listFlags(items), repeat(3, 'sparse_cell'));
    assert.match(items[0].message, /one of only 2 questions in Small at level Basic/);
    assert.match(items[2].message, /the only question in Large at level Intermediate/);
  });

  it('flags a missing topic only if most of the category have one', async () => {
    const { items } = await run(
      [ask('A', 0, 'x'), ask('A', 0, 'y'), ask('A', 0), ask('B', 0, 'x'), ask('B', 0), ask('C', 0)],
      { min_per_cell: 1 },
    );
    assert.equal(items.length, 1);
    assert.deepEqual(items[0].flags, ['no_topic']);
    assert.match(items[0].message, /2 of the 3 questions in A/);
  });

  it('gives the reason if the association is undefined', async () => {
    const { summary } = await run([ask('A', 0), ask('A', 1)]);
    assert.equal(summary.association.cramers_v, null);
    assert.match(summary.association.reason, /two rows/);
  });

  it('warns of small expected counts', async () => {
    const few = await run([ask('A', 0), ask('B', 1)]);
    assert.match(few.warnings.join(), /not reliable/);
    const enough = await run(
      ['A', 'B'].flatMap((name) => [...repeat(9, ask(name, 0)), ...repeat(9, ask(name, 1))]),
    );
    assert.deepEqual(enough.warnings, ['No question has the difficulty Advanced.']);
  });
});

describe('a blueprint', () => {
  const BANK = [
    ...repeat(4, ask('History', 0)),
    ...repeat(2, ask('History', 1)),
    ...repeat(2, ask('Science', 0, 'Physics')),
    ask('Science', 2, 'Physics'),
    ask('Art', 0),
  ];
  const lines = async (blueprint: object[]) => {
    const outcome = await run(BANK, { blueprint, min_per_cell: 1 });
    const shown = outcome.summary.blueprint.lines.map(
      ({ wanted, observed, missing, surplus }: Record<string, number>) => [
        wanted,
        observed,
        missing,
        surplus,
      ],
    );
    return { ...outcome, shown };
  };

  it('is null unless it is given', async () => assert.equal((await run(BANK)).summary.blueprint, null));

  it('of counts reports missing and surplus questions', async () => {
    const { summary, shown, items } = await lines([
      { category: 'history', count: 5 },
      { category: 'Science', count: 5 },
      { category: 'Music', difficulty: 1, count: 2 },
    ]);
    assert.deepEqual(shown, [
      [5, 6, 0, 1],
      [5, 3, 2, 0],
      [2, 0, 2, 0],
    ]);
    const { missing, surplus, outside, degrees_of_freedom, doubtful } = summary.blueprint;
    assert.deepEqual([missing, surplus, outside, degrees_of_freedom, doubtful], [4, 1, 1, 2, true]);
    assert.deepEqual(listFlags(items), repeat(6, 'surplus_cell'));
    assert.match(items[0].message, /asks for 5 in history, and there are 6: 1 too many/);
    assert.equal(items[0].surplus, 1);
  });

  it('of shares that sum to 1 flags questions outside it', async () => {
    const { items, summary } = await lines([
      { category: 'History', share: 0.6 },
      { category: 'Science', share: 0.4 },
    ]);
    assert.deepEqual(listFlags(items), ['outside_blueprint']);
    assert.equal(items[0].category, 'Art');
    assert.equal(items[0].surplus, null);
    assert.equal(summary.blueprint.degrees_of_freedom, 1);
    assertClose(summary.blueprint.dissimilarity, 0.1, { absolute: 1e-12 });
  });

  it('of shares that sum to less than 1 has one more class for the other questions', async () => {
    const { summary } = await lines([
      { category: 'History', share: 0.5 },
      { category: 'Science', share: 0.3 },
    ]);
    const { chi_squared, degrees_of_freedom, dissimilarity } = summary.blueprint;
    assert.equal(degrees_of_freedom, 2);
    assertClose(chi_squared, 1 / 5 + 0 + 1 / 2, { absolute: 1e-12 });
    assertClose(dissimilarity, 0.1, { absolute: 1e-12 });
  });

  it('rounds shares by the largest remainder method', async () => {
    const third = 1 / 3;
    const { shown } = await lines(
      ['History', 'Science', 'Art'].map((category) => ({ category, share: third })),
    );
    assert.deepEqual(
      shown.map(([wanted]: number[]) => wanted),
      [4, 3, 3],
    );
  });

  it('counts a question for the most specific line', async () => {
    const { shown } = await lines([
      { category: 'Science', count: 0 },
      { category: 'Science', difficulty: 0, count: 0 },
      { category: 'Science', topic_focus: 'PHYSICS', count: 0 },
      { category: 'Science', topic_focus: 'Physics', difficulty: 2, count: 0 },
      { category: 'History', difficulty: 1, count: 0 },
      { category: 'History', count: 0 },
    ]);
    assert.deepEqual(
      shown.map(([, observed]: number[]) => observed),
      [0, 0, 2, 1, 2, 4],
    );
  });

  const WARNINGS: [name: string, blueprint: object[], warning: RegExp, wanted: number[]][] = [
    [
      'shares above 1',
      [
        { category: 'History', share: 1 },
        { category: 'Science', share: 1 },
      ],
      /sum to 2\. They were rescaled/,
      [5, 5],
    ],
    [
      'a category without questions',
      [
        { category: 'History', count: 3 },
        { category: 'Histroy', count: 4 },
      ],
      /^No question is in category Histroy/m,
      [3, 4],
    ],
  ];
  for (const [name, blueprint, warning, wanted] of WARNINGS) {
    it(`warns of ${name}`, async () => {
      const { warnings, shown } = await lines(blueprint);
      assert.match(warnings.join('\n'), warning);
      assert.deepEqual(
        shown.map(([count]: number[]) => count),
        wanted,
      );
    });
  }

  it('is invalid if a line has both or neither of share and count, or repeats another line', () => {
    const blueprint = [
      { category: 'History', share: 0.5, count: 3 },
      { category: 'Science' },
      { category: 'Art', count: 2 },
      { category: 'ART', share: 0.1 },
      { category: 'Art', difficulty: 0, count: 1 },
    ];
    const faults = coverage.check!({ blueprint, min_per_cell: 5 });
    assert.deepEqual(
      faults.map(({ pointer, code }) => `${pointer} ${code}`),
      ['/blueprint/0 share_or_count', '/blueprint/1 share_or_count', '/blueprint/3 repeated'],
    );
  });

  it('tolerates rounding errors in the sum of shares', async () => {
    const { warnings, shown } = await lines(
      repeat(1, 'History')
        .flatMap((category) => [0, 1, 2].map((difficulty) => ({ category, difficulty, share: 0.1 })))
        .concat(['Science', 'Art', 'Music'].map((category) => ({ category, difficulty: 0, share: 0.7 / 3 }))),
    );
    assert.doesNotMatch(warnings.join(), /sum to/);
    assert.deepEqual(
      shown.map(([wanted]: number[]) => wanted).reduce((a: number, b: number) => a + b),
      10,
    );
  });

  it('that requires no questions has null statistics and gives the reason', async () => {
    const { summary } = await lines([{ category: 'History', count: 0 }]);
    assert.equal(summary.blueprint.chi_squared, null);
    assert.equal(summary.blueprint.dissimilarity, null);
    assert.ok(summary.blueprint.reason);
    assert.equal(summary.blueprint.surplus, 6);
  });
});

describe('coverage of unusual banks', () => {
  const BANKS: [name: string, questions: ReturnType<typeof ask>[]][] = [
    ['no question', []],
    ['one question', [ask('A', 2)]],
    ['many copies of one question', repeat(1500, ask('A', 1, 'x'))],
    [
      'names in any script',
      [
        ask('Géographie 🗺️', 0, 'Flüsse'),
        ask('تاريخ', 1),
        ask('\u202eabc', 2),
        ask('__proto__', 0, 'constructor'),
      ],
    ],
    [
      'a category for each question',
      Array.from({ length: 200 }, (_, i) => ask(`C${i}`, i % 3, 'x'.repeat(200))),
    ],
  ];
  for (const [name, questions] of BANKS) {
    it(`is finite for ${name}`, async () => {
      const outcome = await run(questions);
      assert.equal(outcome.summary.questions, questions.length);
      assert.doesNotMatch(JSON.stringify([outcome, coverage.plot(outcome)]), /NaN|Infinity|undefined/);
      for (const number of numbersIn(outcome)) assert.ok(Number.isFinite(number));
    });
  }

  describe('of a scope', () => {
    const questions = [ask('Rome', 0), ask('rome', 0), ask('Greece', 1)];
    const runIn = (categories: string[], difficulties = [0, 1, 2], asked = questions, parameters = {}) =>
      runInline(coverage, asked, { min_per_cell: 2, ...parameters }, undefined, { categories, difficulties });

    it('includes categories without questions', async () => {
      const outcome = await runIn(['Egypt', 'Rome', 'Persia']);
      const { summary, warnings } = outcome;
      assert.deepEqual(findFaults(coverage.result.summary, summary), []);
      assert.deepEqual(summary.empty_categories, { count: 2, names: ['Egypt', 'Persia'] });
      assert.equal(summary.categories, 2);
      assert.deepEqual(
        summary.top_categories.map((row: { category: string; questions: number }) => [
          row.category,
          row.questions,
        ]),
        [
          ['Rome', 2],
          ['Greece', 1],
          ['Egypt', 0],
          ['Persia', 0],
        ],
      );
      assert.equal(summary.evenness.categories.classes, 4);
      // 12 cells, of which Rome has 2 questions in one, and Greece 1 in one.
      assert.deepEqual([summary.gaps.empty, summary.gaps.sparse], [10, 1]);
      assert.ok(warnings.includes('Categories without questions: Egypt, Persia.'));
      assert.deepEqual(expectChart(coverage.plot(outcome), 'heat-map').rows, [
        'Rome',
        'Greece',
        'Egypt',
        'Persia',
      ]);
      assert.match(coverage.plot(outcome).description, /Categories: 2, and 2 without questions\./);
    });

    it('reports a difficulty that no question has', async () => {
      const { summary, warnings } = await runIn([]);
      assert.deepEqual(summary.empty_difficulties, [2]);
      assert.ok(warnings.includes('No question has the difficulty Advanced.'));
      const two = await runIn([], [0, 1, 2], [ask('Rome', 1)]);
      assert.ok(two.warnings.includes('No question has the difficulty Basic or Advanced.'));
    });

    it('does not report difficulties that the selection excludes', async () => {
      const { summary, warnings } = await runIn(['Egypt'], [0], [ask('Rome', 0)]);
      assert.deepEqual(summary.empty_difficulties, []);
      assert.deepEqual(
        summary.gaps.cells.map((cell: { category: string; difficulty: number }) => [
          cell.category,
          cell.difficulty,
        ]),
        [
          ['Egypt', 0],
          ['Rome', 0],
        ],
      );
      assert.equal(summary.evenness.difficulties.classes, 1);
      assert.ok(!warnings.some((warning) => warning.includes('difficulty')));
    });

    it('is finite without any question', async () => {
      const { summary, warnings } = await runIn(['Egypt'], [0, 1, 2], []);
      assert.deepEqual(summary.top_categories[0].share, 0);
      assert.deepEqual(summary.empty_difficulties, [], 'the selection is empty');
      assert.deepEqual(warnings, ['Categories without questions: Egypt.']);
    });

    it('names at most five categories in the warning and 50 in the list', async () => {
      const names = Array.from({ length: 60 }, (_, i) => `C${i}`);
      const { summary, warnings } = await runIn(names);
      assert.equal(summary.empty_categories.count, 60);
      assert.equal(summary.empty_categories.names.length, 50);
      assert.ok(warnings.includes('Categories without questions: C0, C1, C2, C3, C4 and 55 more.'));
    });

    it('does not call an empty category of a blueprint misspelt', async () => {
      const blueprint = [
        { category: 'egypt', share: 0.5 },
        { category: 'Egpyt', share: 0.5 },
      ];
      const { warnings } = await runIn(['Egypt'], [0, 1, 2], questions, { blueprint });
      const unknown = warnings.filter((warning) => warning.includes('which the blueprint names'));
      assert.deepEqual(unknown.length, 1);
      assert.match(unknown[0]!, /category Egpyt/);
    });
  });

  it('has items that can be iterated more than once', async () => {
    const input = {
      count: 1,
      scope: { categories: [], difficulties: [0, 1, 2] },
      questions: (async function* () {
        yield [
          {
            id: 'x',
            kind: 'short_answer' as const,
            question_text: 'Q',
            choices: [],
            category: 'A',
            difficulty: 0,
            topic_focus: null,
            tags: [],
          },
        ];
      })(),
      ticker: new Ticker(),
    };
    const { items } = await coverage.run(input, { blueprint: [], min_per_cell: 5 });
    assert.equal([...items].length, 1);
    assert.deepEqual([...items], [...items]);
  });
});

describe('the example of coverage', () => {
  it('has every flag and conforms to its schemas', async () => {
    const { parameters, questions } = coverage.example;
    const { summary, items, warnings } = await run(questions, parameters);
    assert.deepEqual([...new Set(items.flatMap(({ flags }) => flags))].sort(), [
      'no_topic',
      'outside_blueprint',
      'sparse_cell',
      'surplus_cell',
    ]);
    assert.deepEqual(findFaults(coverage.parameters, parameters), []);
    assert.deepEqual(findFaults(coverage.result.summary, summary), []);
    for (const item of items) assert.deepEqual(findFaults(coverage.result.item, item), []);
    assert.ok(warnings.length > 0);
  });
});

describe('the heat map of coverage', () => {
  it('has a row for each of the largest categories and one for the others', async () => {
    const outcome = await run(Array.from({ length: 40 }, (_, i) => ask(`C${i % 30}`, i % 3)));
    const { rows, cells, columns } = expectChart(coverage.plot(outcome), 'heat-map');
    assert.equal(rows.length, 25);
    assert.equal(rows[24], '6 others');
    assert.equal(cells.length, 25);
    assert.deepEqual(columns, ['Basic', 'Intermediate', 'Advanced']);
    assert.equal(
      cells.flat().reduce((sum: number, count) => sum + count!, 0),
      40,
    );
  });
});

/** All numbers in a value, recursively. */
function* numbersIn(value: unknown): Generator<number> {
  if (typeof value === 'number') yield value;
  else if (value && typeof value === 'object')
    for (const inner of Object.values(value)) yield* numbersIn(inner);
}
