/** The demo bank: its questions are valid, and the analyses find what is planted in it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../src/config.ts';
import { runDemo } from '../src/demo/demo.ts';
import { EMPTY_CELL, FAULTS, MISSPELLED } from '../src/demo/faults.ts';
import { fillBank } from '../src/demo/fill.ts';
import { prepareFolder } from '../src/demo/folder.ts';
import { readQuestions } from '../src/demo/questions.ts';
import { RESPONDENTS, simulateResponses } from '../src/demo/simulation.ts';
import { kindOf } from '../src/schemas/question-kinds.ts';
import { onEveryEngine } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';

const questions = readQuestions();
const isPlanted = (external_id: string) => external_id.startsWith('planted-');

// biome-ignore lint/suspicious/noExplicitAny: rows of any analysis
type Json = any;

describe('the questions of the demo bank', () => {
  it('are of all kinds, categories and difficulties', () => {
    const sound = questions.filter(({ external_id }) => !isPlanted(external_id));
    assert.ok(sound.length >= 180, `${sound.length} questions`);
    assert.equal(new Set(questions.map(({ external_id }) => external_id)).size, questions.length);
    const kinds = new Set(sound.map(kindOf));
    assert.deepEqual([...kinds].sort(), ['multiple_choice', 'multiple_response', 'numeric', 'short_answer']);
    assert.ok(sound.some(({ text_format }) => text_format === 'markdown'));
    assert.ok(
      sound.every(({ explanation, topic_focus, tags }) => explanation && topic_focus && tags?.length),
    );
    const cells = Map.groupBy(sound, ({ category, difficulty }) => `${category}, ${difficulty}`);
    assert.equal(cells.size, 6 * 3 - 1);
    assert.equal(cells.has(`${EMPTY_CELL.category}, ${EMPTY_CELL.difficulty}`), false);
    for (const [cell, members] of cells) assert.ok(members.length >= 9, `${members.length} in ${cell}`);
  });

  it('have the same simulated responses each time', () => {
    const ids = questions.map((_, i) => String(i));
    const first = () => simulateResponses(questions, ids).take(20).toArray();
    assert.deepEqual(first(), first());
  });
});

onEveryEngine(
  'The demo bank',
  (getService) => {
    let ids: Map<string, string>;
    before(async () => {
      const { call, engine } = getService();
      const valid = await call('POST', '/questions?validate_only=true&check_duplicates=false', {
        body: questions,
      });
      assert.equal(valid.status, 200, valid.text.slice(0, 1000));
      const filled = await fillBank(engine);
      assert.equal(filled.questions, questions.length);
      assert.ok(filled.responses > 50 * RESPONDENTS);
      const { body } = await call('GET', '/questions?limit=1000');
      ids = new Map(body.data.map(({ id, external_id }: Json) => [id, external_id]));
    });

    const run = async (analysis_type: string): Promise<{ rows: Map<string, Json>; summary: Json }> => {
      const headers = { prefer: 'wait=30' };
      const { body } = await getService().call('POST', '/analysis/run', { body: { analysis_type }, headers });
      assert.equal(body.status, 'succeeded');
      const rows = body.result.items.map((row: Json) => [ids.get(row.question_id), row]);
      return { rows: new Map(rows), summary: body.result.summary };
    };

    for (const [analysis, faults] of Map.groupBy(FAULTS, (fault) => fault.analysis)) {
      it(`shows the planted faults to ${analysis}, and hardly any other`, async () => {
        const { rows } = await run(analysis);
        for (const { question, flag } of faults)
          assert.ok(rows.get(question)?.flags.includes(flag), `${question} has no ${flag}`);
        // The first question of a group is the sound one.
        const others = [...rows].filter(
          ([question, { flags }]) => !isPlanted(question) && flags.some((flag: string) => flag !== 'first'),
        );
        const names = others.map(([question, { flags }]) => `${question} ${flags}`);
        assert.ok(others.length <= 4, names.join('; '));
        if (analysis !== 'item_statistics') return;
        const proposed = rows.get(MISSPELLED.question).proposed_answers;
        assert.deepEqual(
          proposed.map(({ answer }: Json) => answer),
          [MISSPELLED.answer],
        );
      });
    }

    it('has one hole that coverage finds', async () => {
      const { summary } = await run('coverage');
      assert.deepEqual(summary.gaps, { empty: 1, sparse: 0, cells: [{ ...EMPTY_CELL, questions: 0 }] });
    });
  },
  { workers: 1 },
);

describe('quaestor demo', () => {
  let folder: string;
  before(() => {
    folder = tempFolder();
  });
  after(() => removeFolder(folder));

  const options = (path: string, signal: AbortSignal, print = (_text: string) => {}) => ({
    ...{ folder: path, config: readConfig({}), port: 0, signal, report: () => {}, print },
  });

  it('refuses a folder that is not of a demo bank', () => {
    const path = join(folder, 'other');
    prepareFolder(path);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    assert.throws(() => prepareFolder(folder), /is not the folder of a demo bank, and not empty/);
    assert.throws(() => prepareFolder(join(folder, 'notes.txt')), /is not the folder of a demo bank/);
    assert.equal(existsSync(join(folder, 'demo-bank.json')), false);
  });

  it('ends a start that is interrupted while it fills the bank, and begins again at the next', async () => {
    const path = join(folder, 'interrupted');
    const ended = runDemo(options(path, AbortSignal.abort(new Error('stop'))));
    await assert.rejects(ended, /stop/);
    assert.deepEqual(prepareFolder(path), { path, isFilled: false });
    // The questions of the first start are removed, not created twice.
    await assert.rejects(runDemo(options(path, AbortSignal.abort(new Error('again')))), /again/);
  });

  it('serves a bank that is there, with a new key and link', async () => {
    const path = join(folder, 'served');
    prepareFolder(path);
    writeFileSync(join(path, 'demo-bank.json'), '{"filled":true}');
    const stop = new AbortController();
    const printed = Promise.withResolvers<string>();
    const ended = runDemo(options(path, stop.signal, printed.resolve));
    const text = await Promise.race([printed.promise, ended.then(() => '')]);
    const url = /export QUAESTOR_URL=(\S+) /.exec(text)![1];
    const key = /QUAESTOR_KEY=(\S+)/.exec(text)![1];
    const { status } = await fetch(`${url}/questions`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(status, 200);
    assert.match(text, /#link=qsl_/);
    for (const { analysis, description } of FAULTS)
      assert.ok(text.includes(analysis) && text.includes(description));
    stop.abort();
    await ended;
    assert.equal(readFileSync(join(path, 'demo-bank.json'), 'utf8'), '{"filled":true}');
  });
});
