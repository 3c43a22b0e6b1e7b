/**
 * The sentences of the analyses of responses, by the data that leads to them. A sentence must not
 * claim more than the data shows: each row of a table states what it says, and what it must not.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Definition } from '../../src/analyses/define.ts';
import { dif } from '../../src/analyses/dif/index.ts';
import { difficultyAudit } from '../../src/analyses/difficulty-audit/index.ts';
import { irt } from '../../src/analyses/irt/index.ts';
import { gradeDiscrimination } from '../../src/analyses/irt/verdicts.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import { reliability } from '../../src/analyses/reliability/index.ts';
import { createRandom } from '../support/random.ts';
import {
  analyse,
  type Cells,
  getIndex,
  simulateResponses,
  toChoices,
} from '../support/simulated-responses.ts';

const RESPONSE_ANALYSES = { itemStatistics, reliability, irt, dif, difficultyAudit };

/** Cases 0, 3, 6 … stop before the end. */
const stopEarly = (missing: 'not reached' | null) => (row: Cells, c: number) =>
  c % 3 === 0 ? row.map((cell, q) => (q >= row.length - 1 - (c % 7) ? missing : cell)) : row;
const SPEEDED = simulateResponses(300, 14, { edit: stopEarly('not reached') });
const STOPPED = simulateResponses(300, 14, { edit: stopEarly(null) });
const FORMS = simulateResponses(300, 14, {
  edit: (row, c) => row.map((cell, q) => ((c % 2 === 0 ? q < 10 : q >= 4) ? cell : null)),
});
const OMITTED = simulateResponses(300, 14, {
  edit: (row, _, next) => row.map((cell) => (cell === 0 && next() < 0.3 ? 'omitted' : cell)),
});
const COMPLETE = simulateResponses(300, 14);
const HALF_REVERSED = simulateResponses(400, 16, {
  edit: (row) => row.map((cell, q) => (q % 2 === 0 ? cell : 1 - (cell as number))),
});

describe('sentences about missing responses', () => {
  const WARNINGS: [name: string, rows: Cells[], parameters: object, says: RegExp, not: RegExp][] = [
    ['the end is not reached', SPEEDED, {}, /100 of 300 cases did not reach the end/, /asked different/],
    [
      'a speeded test',
      SPEEDED,
      {},
      /The test is speeded: 33 % .* last question.*Swineford/,
      /asked different/,
    ],
    [
      'not reached counts as wrong',
      SPEEDED,
      { not_reached: 'wrong' },
      /The test is speeded/,
      /asked different/,
    ],
    [
      'early ends that were not recorded',
      STOPPED,
      {},
      /as if they had stopped before the end/,
      /asked different/,
    ],
    ['two forms', FORMS, {}, /Cases were asked different questions/, /speeded|reach the end|stopped/],
    [
      'omissions not scored',
      OMITTED,
      { omitted: 'missing' },
      /Omitted questions are not scored/,
      /asked different/,
    ],
  ];
  for (const [type, definition] of Object.entries(RESPONSE_ANALYSES)) {
    for (const [name, rows, parameters, says, not] of WARNINGS) {
      // The calibration of incomplete data needs no explanation, and alpha of two forms is unknown.
      if (type === 'irt' && !/speeded|counts/.test(name)) continue;
      if (type === 'reliability' && name === 'two forms') continue;
      it(`${type}: ${name}`, async () => {
        const { warnings } = await analyse(definition as Definition, rows, { parameters, groups: true });
        assert.match(warnings.join('\n'), says);
        assert.doesNotMatch(warnings.join('\n'), not);
      });
    }
    it(`${type}: complete data`, async () => {
      const { warnings } = await analyse(definition as Definition, COMPLETE, { groups: true });
      assert.doesNotMatch(warnings.join('\n'), /speeded|reach|asked|stopped|scored/);
    });
  }

  it('state the share of complete cases, whatever it is', async () => {
    const { warnings } = await analyse(reliability, SPEEDED);
    assert.match(warnings.join('\n'), /67 % of the cases have a score on every question/);
    assert.doesNotMatch(warnings.join('\n'), /few cases took/);
  });
});

describe('sentences of item_statistics', () => {
  const first = (a: number, cases: number, seed: number) =>
    simulateResponses(cases, 12, {
      seed,
      a: (q) => (q === 0 ? a : 1.2),
      b: (q) => (q === 0 ? 0 : -1.5 + q / 4),
    });
  const judge = async (rows: Cells[], parameters = {}) =>
    (await analyse(itemStatistics, rows, { parameters })).items.find((item) => getIndex(item) === 0);

  it('keep no question below the minimum discrimination, nor one that may not discriminate', async () => {
    const verdicts = new Map<string, number>();
    for (let seed = 1; seed <= 60; seed++) {
      for (const a of [0, 0.2, 0.5]) {
        const row = await judge(first(a, 100, seed));
        verdicts.set(row.verdict, (verdicts.get(row.verdict) ?? 0) + 1);
        if (row.verdict !== 'keep') continue;
        assert.ok(row.corrected_point_biserial >= 0.195, row.message);
        assert.ok(row.corrected_point_biserial_interval.low >= -0.005, row.message);
      }
    }
    assert.ok(verdicts.get('watch')! > 20 && verdicts.get('revise')! > 5 && verdicts.get('keep')! > 5);
  });

  it('watch a low discrimination that may be due to chance, with the interval', async () => {
    const row = await judge(first(0.2, 100, 4));
    assert.equal(row.verdict, 'watch');
    assert.match(
      row.message,
      /^Watch: .*discrimination −?0\.[01]\d is poor; 0\.2 is within the 95 % interval \(−?0\.\d\d to 0\.\d\d\), so more cases are needed to judge it\.$/,
    );
  });

  it('call a discrimination negative only if its interval is', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const row = await judge(first(-0.2, 80, seed));
      const isNegative = row.corrected_point_biserial_interval.high < -0.005;
      assert.equal(/is negative/.test(row.message), isNegative, row.message);
    }
  });

  it('say that the direction is uncertain if half of the keys are reversed', async () => {
    const { items, summary, warnings } = await analyse(itemStatistics, HALF_REVERSED);
    assert.equal(summary.direction_uncertain, true);
    assert.equal(summary.verdicts.keep + summary.verdicts.revise, 0);
    assert.match(warnings.join('\n'), /direction of the score is arbitrary/);
    for (const { message } of items)
      assert.match(message, /the keys of other questions may be wrong instead/);
    const one = await analyse(
      itemStatistics,
      simulateResponses(400, 16, {
        edit: (row) => row.map((cell, q) => (q === 3 ? 1 - (cell as number) : cell)),
      }),
    );
    assert.equal(one.summary.direction_uncertain, false);
    assert.equal(one.items[0].verdict, 'check_key');
    assert.doesNotMatch(one.items[0].message, /direction/);
  });

  it('say that there is no common score if no questions correlate, and question no key', async () => {
    let check = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const random = createRandom(seed);
      const rows = Array.from({ length: 200 }, () => Array.from({ length: 12 }, () => random.below(2)));
      const { summary, warnings } = await analyse(itemStatistics, rows);
      check += summary.verdicts.check_key;
      if (summary.independence_p >= 0.01) {
        assert.equal(summary.direction_uncertain, false);
        assert.match(warnings.join('\n'), /do not correlate with one another more than by chance/);
      }
    }
    // 240 questions, each below the interval with a probability of 0.025.
    assert.ok(check <= 20, `${check} of 240 keys were questioned`);
  });

  it('name the outcome if all responses are the same', async () => {
    const rows = simulateResponses(60, 6, { edit: (row) => [1, 0, ...row.slice(2)] });
    const { items } = await analyse(itemStatistics, rows);
    const messages = items.filter((item) => getIndex(item) < 2).map(({ message }) => message);
    assert.ok(messages.some((message) => /unknown, because all responses are correct;/.test(message)));
    assert.ok(messages.some((message) => /unknown, because all responses are incorrect;/.test(message)));
  });
});

describe('positive distractors', () => {
  const NULL_QUESTIONS = 120;

  it('are flagged about as often as the level says if choices are random', async () => {
    let unadjusted = 0;
    let flagged = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const rows = simulateResponses(250, NULL_QUESTIONS, {
        seed,
        a: () => 0,
        edit: (row, _, n) => toChoices(row, n),
      });
      const { items, summary } = await analyse(itemStatistics, rows, { choices: true });
      assert.equal(summary.distractors_tested, 3 * NULL_QUESTIONS);
      flagged += summary.flags.positive_distractor;
      unadjusted += items
        .flatMap(({ options }) => options)
        .filter((option) => !option.key && option.point_biserial_interval.low > 0).length;
    }
    assert.ok(unadjusted > 50, `${unadjusted} intervals above 0 by chance`);
    assert.ok(flagged <= 3, `${flagged} flags in 10 runs of 360 tests`);
  });

  /** Able cases choose D on the first question instead of the key; others choose at random. */
  const attract = (share: number, cases: number) =>
    simulateResponses(cases, 20, {
      edit: (row, _, next) => {
        const able = row.slice(1).filter((cell) => cell === 1).length > 11;
        const choices = toChoices(row, next);
        return [able && next() < share ? 'D' : choices[0]!, ...choices.slice(1)];
      },
    });
  it('are flagged if able cases choose one, and the question is not kept', async () => {
    const { items } = await analyse(itemStatistics, attract(0.5, 400), { choices: true });
    const row = items.find((item) => getIndex(item) === 0);
    assert.ok(row.flags.includes('positive_distractor'));
    assert.notEqual(row.verdict, 'keep');
    assert.match(row.message, /“D”/);
    for (const { flags, verdict } of items)
      if (flags.includes('positive_distractor')) assert.notEqual(verdict, 'keep');
  });

  it('are not flagged below the minimum correlation, nor if almost no case chose them', async () => {
    const rows = attract(0.5, 400);
    const flags = async (parameters: object) =>
      (await analyse(itemStatistics, rows, { choices: true, parameters })).items.find(
        (item) => getIndex(item) === 0,
      ).flags;
    assert.ok(!(await flags({ min_distractor_correlation: 0.9 })).includes('positive_distractor'));
    assert.ok(!(await flags({ min_distractor_share: 0.6 })).includes('positive_distractor'));
  });
});

describe('sentences of dif', () => {
  const NO_DIF = [1, 2, 3, 4, 5, 6].map((seed) => simulateResponses(160, 40, { seed }));

  it('agree with the interval, and call nothing DIF that does not survive adjustment', async () => {
    let contradictions = 0;
    let classes = 0;
    for (const rows of NO_DIF) {
      const { items } = await analyse(dif, rows, { groups: true });
      for (const { mantel_haenszel: result, message, class: etsClass } of items) {
        const excludesZero = (result.delta_low ?? -1) > 0 || (result.delta_high ?? 1) < 0;
        assert.equal(excludesZero, result.p_value < 0.05, message);
        assert.match(message, /p [=<] \d\.\d+, adjusted p [=<] \d/);
        if (excludesZero && result.p_adjusted >= 0.05) {
          contradictions++;
          assert.match(message, /^No significant difference .* after adjustment for the 40 questions tested/);
        }
        if (etsClass !== 'A') classes++;
      }
    }
    assert.ok(contradictions > 3, 'some differences are significant by chance before adjustment');
    assert.equal(classes, 0);
  });

  it('do not take a wide interval for equality', async () => {
    const small = await analyse(dif, NO_DIF[0]!.slice(0, 60), { groups: true });
    assert.match(small.items[0].message, /includes large differences \(class C\), which are not ruled out\./);
    assert.match(small.items[0].message, /Only 30 and 30 cases .*: a difference may be missed\./);
    const large = await analyse(dif, simulateResponses(4000, 20), { groups: true });
    for (const { message } of large.items) assert.doesNotMatch(message, /ruled out/);
  });
});

describe('sentences of irt', () => {
  const GRADES: [discrimination: number, grade: string][] = [
    [0.348, 'low'],
    [0.344, 'very low'],
    [0.646, 'moderate'],
    [1.346, 'high'],
    [1.696, 'very high'],
    [-0.004, 'very low'],
    [-0.006, 'negative'],
  ];
  for (const [discrimination, grade] of GRADES) {
    it(`grade a discrimination as it is rounded: ${discrimination}`, () => {
      assert.equal(gradeDiscrimination(discrimination), grade);
    });
  }

  it('give the number of responses, and do not call it small', async () => {
    const rows = simulateResponses(650, 12, { seed: 1, a: (q) => (q === 0 ? 0.3 : 1.2) });
    const { items } = await analyse(irt, rows);
    const row = items.find((item) => getIndex(item) === 0);
    assert.ok(row.flags.includes('low_discrimination'), row.message);
    assert.match(
      row.message,
      /estimated below 0\.35, but the interval includes 0\.35: the 650 responses do not settle/,
    );
    for (const { message } of items) assert.doesNotMatch(message, /so few/);
  });

  it('do not question a key on few right responses', async () => {
    const total = (row: Cells) => row.reduce<number>((sum, cell) => sum + (cell as number), 0);
    const rows = simulateResponses(300, 12)
      .map((row) => row.slice(1))
      .sort((one, other) => total(one) - total(other))
      .map((row, rank) => [rank < 4 ? 1 : 0, ...row]);
    const { items } = await analyse(irt, rows);
    const row = items.find((item) => getIndex(item) === 0);
    assert.ok(row.right < 10 && row.discrimination < 0, row.message);
    assert.doesNotMatch(row.message, /Check the key/);
    assert.ok(!row.flags.includes('negative_discrimination'));
  });

  it('say that the direction is arbitrary if half of the keys are reversed', async () => {
    const { items, warnings, summary } = await analyse(irt, HALF_REVERSED);
    assert.equal(summary.estimation.direction_uncertain, true);
    assert.match(warnings.join('\n'), /direction of the scale is arbitrary/);
    for (const { message } of items) {
      assert.match(message, /direction of the scale is uncertain/);
      assert.doesNotMatch(message, /No problems found/);
    }
  });
});

describe('sentences of reliability and difficulty_audit', () => {
  it('do not name a correlation that cannot be distinguished from 0', async () => {
    const { items } = await analyse(reliability, simulateResponses(60, 10, { a: () => 0 }));
    for (const { message, corrected_item_total_correlation: r } of items) {
      if (Math.abs(r) < 0.25) assert.match(message, /cannot be distinguished from 0 .*95 % interval −/);
      assert.doesNotMatch(message, /^Uncorrelated/);
    }
  });

  it('do not interpret a negative alpha', async () => {
    const { summary } = await analyse(reliability, HALF_REVERSED);
    assert.match(summary.message, /A negative value is no estimate of reliability/);
    assert.doesNotMatch(summary.message, /Nunnally/);
  });

  it('name both ends of an interval that extends over grades', async () => {
    const { summary } = await analyse(reliability, simulateResponses(60, 14));
    assert.match(
      summary.message,
      /The interval extends (up to|down to|from) .*: more cases are needed to decide\.$/,
    );
  });

  it('name the other bands that the interval of a misrated question extends into', async () => {
    const rows = Array.from({ length: 40 }, (_, c) => [Number(c < 15), c % 2]);
    const { items } = await analyse(difficultyAudit, rows, { difficulty: 0 });
    const row = items.find((item) => getIndex(item) === 0);
    assert.match(row.message, /Suggested: Advanced \(the interval also extends into Intermediate\)\.$/);
    assert.doesNotMatch(row.message, /probably|surely|certain/);
  });
});
