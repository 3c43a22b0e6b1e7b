/** Requirements on every type of analysis, tested with its example. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ExampleSitting } from '../src/analyses/define.ts';
import { type Analysis, analyses, withDefaults } from '../src/analyses/index.ts';
import { renderFigure } from '../src/charts/render.ts';
import { execute } from '../src/jobs/execute.ts';
import { buildResultSchema } from '../src/schemas/analysis-run.ts';
import type { Row, Tx } from '../src/store/db.ts';
import { sets } from '../src/store/index/postings.ts';
import { openService, type Service, testCommand } from './support/engines.ts';
import { assertFinite } from './support/numbers.ts';

// biome-ignore lint/suspicious/noExplicitAny: results of any shape
type Json = any;

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

/** Removes the `$id` of a schema and of all its parts. */
const withoutIds = (schema: unknown) =>
  JSON.parse(JSON.stringify(schema), (key, value) => (key === '$id' ? undefined : value));

/** Copies the rows of questions, so that both engines have the same ids. */
async function copyQuestions(tx: Tx, rows: Row[]): Promise<void> {
  for (const row of rows) {
    const names = Object.keys(row);
    await tx.run(
      `INSERT INTO questions (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      ...Object.values(row),
    );
    tx.index.add(sets.created('all'), row.created_slot as number);
  }
}

/**
 * Numeric parameters that are neither a minimum nor a maximum, with the reason for their name. All
 * others are `min_*` or `max_*`.
 */
const OTHER_NUMERIC_PARAMETERS = new Map([
  ['significance', 'the significance level of tests and confidence intervals'],
  ['tolerance', 'the convergence criterion of an iteration'],
  ['folds', 'k of k-fold cross-validation'],
  ['guessing_alpha', 'a parameter of the beta prior of the lower asymptote'],
  ['guessing_beta', 'a parameter of the beta prior of the lower asymptote'],
  ['discrimination_log_mean', 'a parameter of the lognormal prior of discriminations'],
  ['discrimination_log_sd', 'a parameter of the lognormal prior of discriminations'],
]);

function isNumeric({ type, anyOf }: { type?: string; anyOf?: { type?: string }[] }): boolean {
  return type === 'number' || type === 'integer' || (anyOf?.some(isNumeric) ?? false);
}

/** The size of a run on one question: a summary, a row and the parameters, each once. */
const MAX_RUN_BYTES = 5_000;

/** The responses of an example, as request bodies. */
const listResponses = ({ example }: { example: { responses?: ExampleSitting[] } }, ids: string[]) =>
  (example.responses ?? []).flatMap(({ respondent, group = null, answers }) =>
    answers.map((given, i) => ({
      question_id: ids[i],
      respondent,
      group,
      ...(typeof given === 'boolean' ? { correct: given } : { answer: given }),
    })),
  );

describe('every type of analysis', () => {
  const services: Service[] = [];
  before(async () => {
    const [sqlite, postgres] = [await openService('sqlite'), await openService('postgres')];
    services.push(sqlite, postgres);
    const names = new Set(
      analyses.flatMap(({ example }) => example.questions.map(({ category }) => category)),
    );
    for (const { call } of services) {
      const { body } = await call('GET', '/categories');
      const known = body.data.map(({ name }: Json) => name);
      for (const name of [...names].filter((each) => !known.includes(each)))
        assert.equal((await call('POST', '/categories', { body: { name } })).status, 201);
    }
  });
  after(() => Promise.all(services.map((service) => service.close())));

  for (const analysis of analyses) {
    describe(analysis.type, () => {
      let ids: string[];
      before(async () => {
        const [sqlite, postgres] = services as [Service, Service];
        const made = await sqlite.call('POST', '/questions', { body: analysis.example.questions });
        assert.equal(made.status, 201, made.text);
        ids = made.body.data.map(({ id }: Json) => id);
        const rows = await sqlite.engine.db.all(
          `SELECT * FROM questions WHERE id IN (SELECT value->>0 FROM json_each($1)) ORDER BY created_slot`,
          JSON.stringify(ids.map((id) => [id])),
        );
        await postgres.engine.write(testCommand(copyQuestions), rows);
        const body = listResponses(analysis, ids);
        assert.equal(body.length > 0, analysis.readsResponses === true);
        for (const { call } of body.length > 0 ? services : [])
          assert.equal((await call('POST', '/responses', { body })).status, 201);
      });

      const run = async ({ call }: Service, token?: string, question_ids = ids) => {
        const { parameters } = analysis.example;
        const { status, body } = await call('POST', '/analysis/run', {
          body: { analysis_type: analysis.type, question_ids, parameters },
          headers: { prefer: 'wait=30' },
          ...(token && { token }),
        });
        assert.equal(status, 201);
        assert.equal(body.status, 'succeeded', JSON.stringify(body.error));
        const plot = await call('GET', `/analysis/${body.id}/plot.svg`, token ? { token } : {});
        return { id: body.id, shown: { result: body.result, plot: plot.text } };
      };

      it('draws all its plots, also of single questions', async () => {
        const { id, shown }: Json = await run(services[0]!);
        const { call } = services[0]!;
        const drawn = async (query: string) => {
          const { status, text } = await call('GET', `/analysis/${id}/plot.svg?${query}`);
          assert.equal(status, 200, text);
          assert.match(text, /^<svg.*<\/svg>\s*$/s);
          assert.doesNotMatch(text, /NaN|Infinity|undefined|null/);
          // The data of the same figure: conforms to its schema, draws the same, and names questions.
          const data = await call('GET', `/analysis/${id}/plot.json?${query}`);
          assert.equal(renderFigure(data.body), text);
          for (const [, question] of data.text.matchAll(/"question_id":"([^"]+)"/g))
            assert.ok(ids.includes(question!));
          return text;
        };
        const names = Object.keys(analysis.plots ?? {});
        assert.equal(await drawn(''), shown.plot);
        const all = [shown.plot, ...(await Promise.all(names.map((name) => drawn(`figure=${name}`))))];
        assert.equal(new Set(all).size, names.length + 1);
        const [item] = shown.result.items;
        if (analysis.plotQuestion) await drawn(`question_id=${item.question_id}`);
        else {
          const none = await call('GET', `/analysis/${id}/plot.svg?question_id=${item.question_id}`);
          assert.deepEqual([none.status, none.body.code], [404, 'no_such_figure']);
        }
      });

      it('returns a result for its example that conforms to its schema', async () => {
        const { result }: Json = (await run(services[0]!)).shown;
        const validate = ajv.compile(withoutIds(buildResultSchema(analysis)) as object);
        const valid: boolean = validate(result);
        assert.ok(valid, ajv.errorsText(validate.errors));
        assert.ok(result.items.length > 0);
        assert.ok(result.items.every(({ message }: Json) => /^\p{Lu}.*[.?!]$/su.test(message)));
        assert.equal(result.questions.count, ids.length);
      });

      it('returns the same bytes inline and in a worker process, on every engine, twice', async () => {
        const bytes: string[] = [];
        for (const service of services) {
          for (const _ of [1, 2]) {
            const { id, shown } = await run(service);
            bytes.push(JSON.stringify(shown));
            bytes.push(
              JSON.stringify(await runInProcess(service.engine.db, analysis, { id, count: ids.length })),
            );
          }
        }
        assert.equal(bytes.length, 8);
        for (const other of bytes) assert.equal(other, bytes[0]);
      });

      it('returns a short response for one question', async () => {
        const { id } = await run(services[0]!, undefined, ids.slice(0, 1));
        const { text } = await services[0]!.call('GET', `/analysis/${id}`);
        assert.ok(Buffer.byteLength(text) < MAX_RUN_BYTES, `${Buffer.byteLength(text)} bytes`);
      });

      it('never returns NaN or infinity', async () => {
        const outcomes: unknown[] = [];
        const watched = {
          ...analysis,
          plot: (outcome: { items: Iterable<unknown>; summary: unknown }) => {
            outcomes.push({ ...outcome, items: [...outcome.items] }, analysis.plot(outcome as never));
            return analysis.plot(outcome as never);
          },
        };
        for (const count of [1, 2, ids.length]) {
          const { id } = await run(services[0]!, undefined, ids.slice(0, count));
          await runInProcess(services[0]!.engine.db, watched as never, { id, count });
        }
        assert.ok(outcomes.length >= 6);
        assertFinite(outcomes);
      });

      it('has a default for every parameter', () => {
        const validate = ajv.compile(JSON.parse(JSON.stringify(analysis.parameters)));
        assert.ok(validate(withDefaults(analysis, {})), ajv.errorsText(validate.errors));
        assert.ok(validate(withDefaults(analysis, analysis.example.parameters)));
      });

      it('names every numeric parameter min_*, max_* or by a listed exception', () => {
        const properties = Object.entries(analysis.parameters.properties as Record<string, object>);
        const numeric = properties.filter(([, schema]) => isNumeric(schema)).map(([name]) => name);
        const others = numeric.filter(
          (name) => !/^(min|max)_/.test(name) && !OTHER_NUMERIC_PARAMETERS.has(name),
        );
        assert.deepEqual(others, []);
      });

      it('reveals no answer without answers:read', async () => {
        const { call, keyFor } = services[0]!;
        const token = await keyFor('questions:read', 'analysis:read', 'analysis:run');
        const before = (await run(services[0]!, token)).shown;
        const withAnswers = (await run(services[0]!)).shown;
        for (const id of ids) {
          const { body } = await call('GET', `/questions/${id}`);
          const [next, ...others] = body.incorrect_answers;
          const change =
            next === undefined
              ? { correct_answer: `Another answer, not ${body.correct_answer.length} letters long` }
              : { correct_answer: next, incorrect_answers: [...others, body.correct_answer] };
          const changed = await call('PUT', `/questions/${id}`, {
            body: { ...change, explanation: 'Because.' },
          });
          assert.equal(changed.status, 200);
        }
        const after: Json = (await run(services[0]!, token)).shown;
        const changed = (await run(services[0]!)).shown;
        const texts = analysis.example.responses?.flatMap(({ answers }) => answers) ?? [];
        const options = texts.filter((text) => typeof text === 'string');
        // The number of correct responses changes with the key, but no option is shown.
        if (options.length === 0) assert.deepEqual(after, before);
        for (const text of options)
          assert.ok(!JSON.stringify([before, after]).includes(JSON.stringify(text)), text);
        if (analysis.readsAnswers)
          assert.notDeepEqual(changed, withAnswers, 'the example depends on answers');
        else assert.deepEqual(changed, withAnswers);
      });

      it('runs on an empty selection', async () => {
        for (const filter of [{ external_id: 'nothing' }, { q: `"${ids[0]}"` }]) {
          const { call } = services[0]!;
          const { body } = await call('POST', '/analysis/run', {
            body: { analysis_type: analysis.type, filter },
            headers: { prefer: 'wait=30' },
          });
          assert.deepEqual([body.status, body.question_count], ['succeeded', 0]);
          assert.match((await call('GET', `/analysis/${body.id}/plot.svg`)).text, /^<svg/);
        }
      });
    });
  }
});

/** Repeats a run in this process, and returns the result and the plot as the API does. */
async function runInProcess(
  db: Service['engine']['db'],
  analysis: Analysis,
  earlier: { id: string; count: number },
) {
  const { results } = await execute(
    analysis,
    db,
    {
      id: earlier.id,
      type: analysis.type,
      parameters: withDefaults(analysis, analysis.example.parameters),
      filter: undefined,
      view: 'with_answers',
      unapproved: false,
    },
    () => {},
  );
  const { head, summary, blocks, figure } = results[0]!;
  const lines = blocks.flatMap((block) => inflateRawSync(block).toString().split('\n'));
  const items = lines.map((line) => JSON.parse(line));
  const pagination = { limit: 1000, offset: 0, total: items.length, has_more: false, next_cursor: null };
  const result = { ...JSON.parse(head), summary: JSON.parse(summary), items, pagination };
  return { result, plot: renderFigure(JSON.parse(figure)) };
}
