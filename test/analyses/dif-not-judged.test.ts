/** Groups and questions that cannot be compared or judged, and the reasons given. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dif } from '../../src/analyses/dif/index.ts';
import { findFaults } from '../../src/http/validation.ts';
import { type Cells, parseIndex, run, simulate } from '../support/dif.ts';
import { expectChart } from '../support/figures.ts';
import { assertFinite } from '../support/numbers.ts';

describe('dif that is not tested or not judged', () => {
  const NOT_COMPARABLE: [
    name: string,
    rows: Cells,
    groups: (string | null)[],
    parameters: object,
    reason: RegExp,
  ][] = [
    ['no responses', [[null, null]], ['a'], {}, /No case .* has a group/],
    [
      'no groups',
      [
        [1, 0],
        [0, 1],
      ],
      [null, null],
      {},
      /No case .* has a group/,
    ],
    [
      'one group',
      [
        [1, 0],
        [0, 1],
      ],
      ['a', 'a'],
      {},
      /All cases .* are in “a”/,
    ],
    [
      'a group that does not occur',
      [
        [1, 0],
        [0, 1],
      ],
      ['a', 'b'],
      { focal: 'z' },
      /in the group “z”/,
    ],
    ['no scored response', [['omitted', 1]], ['a'], { omitted: 'missing' }, /two groups/],
    [
      'too few questions per case',
      [
        [1, 0],
        [1, null],
      ],
      ['a', 'b'],
      {},
      /too few questions to be matched/,
    ],
  ];
  for (const [name, rows, groups, parameters, reason] of NOT_COMPARABLE) {
    it(`explains why nothing was tested: ${name}`, async () => {
      const { summary, items, warnings } = await run(rows, groups, parameters);
      assert.equal(summary.tested, false);
      assert.match(summary.reason, reason);
      assert.match(warnings[0]!, /^Nothing was tested\./);
      assert.deepEqual(items, []);
      assert.deepEqual(
        expectChart(dif.plot({ summary, items, warnings } as never), 'intervals').groups[0]!.rows,
        [],
      );
      assertFinite(summary);
    });
  }

  const EDGES: [name: string, rows: Cells, groups: string[]][] = [
    ['one question', [[1], [0], [1], [0]], ['a', 'a', 'b', 'b']],
    [
      'all correct',
      [
        [1, 1],
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      ['a', 'a', 'b', 'b'],
    ],
    [
      'all incorrect',
      [
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      ['a', 'a', 'b', 'b'],
    ],
    [
      'one case in each group',
      [
        [1, 0, 1],
        [0, 1, 1],
      ],
      ['a', 'b'],
    ],
    [
      'equal scores',
      [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
      ['a', 'a', 'b', 'b'],
    ],
    [
      'groups without common scores',
      [
        [1, 1, 0],
        [1, 1, 1],
        [0, 0, 0],
        [0, 1, 0],
      ],
      ['a', 'a', 'b', 'b'],
    ],
    [
      'a question not asked in one group',
      [
        [1, 0, 1, 1, 0, 1],
        [0, 1, 1, 0, 1, null],
      ],
      ['a', 'b'],
    ],
    [
      'one group all correct, the other all incorrect',
      [
        [1, 1],
        [1, 1],
        [0, 0],
        [0, 0],
      ],
      ['a', 'a', 'b', 'b'],
    ],
  ];
  for (const [name, rows, groups] of EDGES) {
    it(`handles ${name}`, async () => {
      const { summary, items, warnings } = await run(rows, groups);
      assertFinite({ summary, items });
      assert.equal(items.length, rows[0]!.length);
      for (const item of items) {
        assert.match(item.message, /^[A-Z].*\.$/);
        assert.equal(item.class === null, /not_(tested|judged)/.test(item.flags));
        if (item.class === null) assert.match(item.reason, /\.$/);
        assert.equal(item.logistic === null, item.logistic_reason !== null);
      }
      assert.deepEqual([summary.tested, summary.questions_tested], [false, 0]);
      assertFinite(dif.plot({ summary, items, warnings } as never));
    });
  }

  const repeat10 = <T>(rows: T[]): T[] => Array.from({ length: 10 }, () => rows).flat();
  const UNTESTABLE: [name: string, rows: Cells, reason: RegExp][] = [
    [
      'all correct',
      [
        [1, 1],
        [1, 1],
      ],
      /all responses are correct\.$/,
    ],
    [
      'all incorrect',
      [
        [0, 0],
        [0, 0],
      ],
      /all responses are incorrect\.$/,
    ],
    [
      'all correct or all incorrect',
      [
        [0, 1],
        [0, 1],
      ],
      /incorrect \(1 question\); all responses are correct \(1 question\)\.$/,
    ],
    [
      'a perfect Guttman scale',
      [
        [1, 1, 0],
        [1, 0, 0],
        [1, 1, 1],
        [1, 1, 0],
      ],
      /no stratum .*\(2 questions\)/,
    ],
    ['one question', [[1], [0]], /Only one question has scores/],
  ];
  for (const [name, rows, reason] of UNTESTABLE) {
    it(`explains why no question could be judged: ${name}`, async () => {
      const cases = repeat10([...rows, ...rows]);
      const result = await run(
        cases,
        cases.map((_, c) => (c % 2 === 0 ? 'a' : 'b')),
      );
      const { summary, items, warnings } = result;
      assert.deepEqual([summary.tested, summary.purification_ending], [false, null]);
      assert.match(summary.reason, reason);
      assert.equal(warnings[0], `Nothing was tested. ${summary.reason}`);
      assert.ok(warnings.every((warning: string) => !warning.includes('matched by')));
      assert.equal(dif.plot(result as never).description, warnings[0]);
      assert.ok(items.length === rows[0]!.length && summary.reference.group === 'a');
      assert.deepEqual(findFaults(dif.result.summary, summary), []);
    });
  }

  it('does not judge questions with fewer than 10 cases in a group', async () => {
    const { rows } = simulate(300, 25);
    const assignGroups = (focal: number) => rows.map((_, c) => (c % 30 === 7 && c < 30 * focal ? 'b' : 'a'));
    for (const few of [1, 9]) {
      const result = await run(rows, assignGroups(few));
      const { summary, items } = result;
      assert.deepEqual([summary.tested, summary.classes], [false, { A: 0, B: 0, C: 0 }]);
      assert.match(summary.reason, /one of the groups has fewer than 10 cases/);
      assert.ok(summary.not_judged > 0);
      const notJudged = items.filter((item) => item.flags.includes('not_judged'));
      assert.equal(notJudged.length, summary.not_judged);
      for (const item of notJudged) {
        assert.deepEqual([item.class, item.favours, item.logistic], [null, null, null]);
        assert.equal(item.mantel_haenszel.p_adjusted, null);
        const only = few === 1 ? 'only 1 case' : 'only 9 cases';
        assert.equal(item.message, `Not judged: ${only} of “b”; at least 10 are needed.`);
      }
      assert.deepEqual(expectChart(dif.plot(result as never), 'intervals').groups[0]!.rows, []);
    }
    const enough = await run(rows, assignGroups(10));
    assert.ok(enough.summary.tested && enough.summary.not_judged === 0);
  });

  it('does not plot questions that are not judged, but counts them', async () => {
    // Question 5 is asked of all cases in group a and of 6 in group b. Not judged, it stays an
    // anchor.
    const { rows, groups } = simulate(400, 12, { asked: (c, q) => q !== 5 || c % 2 === 0 || c < 12 });
    for (const row of rows.filter((_, c) => c % 2 === 1 && c < 12)) row[5] = 0;
    const result = await run(rows, groups, { continuity_correction: false, significance: 0.2 });
    const { summary, items, warnings } = result;
    assert.deepEqual([summary.tested, summary.not_judged, summary.questions_tested], [true, 1, 11]);
    const last = items.at(-1);
    assert.deepEqual([parseIndex(last), last.flags, last.anchor], [5, ['not_judged'], true]);
    assert.ok(warnings.some((warning: string) => /^Not judged .*: 1 of 12 questions\.$/.test(warning)));
    const { description, groups: drawn, series } = expectChart(dif.plot(result as never), 'intervals');
    assert.match(description, /Not judged and not drawn, with fewer than 10 cases in a group: 1\.$/);
    assert.match(drawn[0]!.label, /not judged: 1$/);
    assert.equal(drawn[0]!.rows.length, 11);
    assert.match(series[2]!, /^A: not significant/);
  });
});
