/**
 * Differential test: both engines return equal responses to random requests, apart from ids and
 * times.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { analyses } from '../../src/analyses/index.ts';
import { isOffered } from '../../src/api/docs/openapi.ts';
import type { App } from '../../src/app.ts';
import type { Answer } from '../support/engines.ts';
import { createRandom, type Random } from '../support/random.ts';
import { nextRequests, SETUP } from './differential/requests.ts';
import { type ComparableResponse, type Request, Side } from './differential/side.ts';

/** More requests find rarer differences: `QUAESTOR_TEST_REQUESTS=20000`. */
const REQUESTS = Number(process.env.QUAESTOR_TEST_REQUESTS ?? 3000);
/** The sequence goes on until each route has succeeded, up to this many requests. */
const MAX_REQUESTS = 3 * REQUESTS;
const SEED = 42;
const STATUSES = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 409, 410, 412, 413, 414, 415, 422];
/** A stream is read repeatedly, since an event is sent only when no earlier transaction is open. */
const MAX_STREAM_READS = 20;

function* generateRequests(random: Random): Generator<Request> {
  yield* SETUP;
  for (;;) yield* nextRequests(random);
}

type Pair<T> = [left: T, right: T];
const both = async <T>([left, right]: Pair<Side>, call: (side: Side) => Promise<T>): Promise<Pair<T>> =>
  Promise.all([call(left), call(right)]);

const isStream = ({ url }: Request) => /^(?:\/v1)?\/events/.test(url);

/** Splits the text into one value per line, for a readable diff. */
const splitLines = (plain: ComparableResponse) => ({ ...plain, text: plain.text.split(/(?<=[,[{>])/) });

async function compare(sides: Pair<Side>, request: Request): Promise<Answer> {
  for (let attempts = isStream(request) ? MAX_STREAM_READS : 1; ; attempts--) {
    const answers = await both(sides, (side) => side.send(request));
    for (const [i, { status, text }] of answers.entries())
      assert.ok(status < 500, `${text} by ${sides[i]!.service.name}\n${sides[i]!.log.join('')}`);
    const [first, second] = [sides[0].normalize(answers[0]), sides[1].normalize(answers[1])];
    if (request.timingDependent || isDeepStrictEqual(first, second)) {
      for (const [i, side] of sides.entries()) side.record(answers[i]!);
      return answers[0];
    }
    if (attempts === 1)
      assert.deepEqual(splitLines(second), splitLines(first), 'the responses of the engines differ');
    await sleep(50);
  }
}

/** The routes with a matcher each; those without path parameters come first. */
function listRoutes(app: App): { name: string; matches(method: string, path: string): boolean }[] {
  return app.routes
    .filter(isOffered)
    .toSorted((a, b) => Number(a.url.includes(':')) - Number(b.url.includes(':')))
    .map(({ method, url }) => {
      const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
      return { name: `${method} ${url}`, matches: (verb, path) => verb === method && pattern.test(path) };
    });
}

describe('both engines', () => {
  let sides: Pair<Side>;
  before(async () => {
    sides = [await Side.open('sqlite'), await Side.open('postgres')];
  });
  after(() => both(sides, ({ service }) => service.close()));

  it('return equal responses to random requests to all routes', async () => {
    const routes = listRoutes(sides[0].service.app);
    const unreached = new Set<string | number>([
      ...routes.map(({ name }) => name),
      ...analyses.map(({ type }) => `run of ${type}`),
      ...STATUSES,
    ]);
    let i = 0;
    for (const request of generateRequests(createRandom(SEED))) {
      const { status, body } = await compare(sides, request).catch((cause) => {
        throw new Error(`request ${i} of seed ${SEED}: ${JSON.stringify(request)}\n${cause.message}`, {
          cause,
        });
      });
      unreached.delete(status);
      const path = request.url.split('?')[0]!.replace(/^\/v1(?=\/)/, '');
      const route = routes.find(({ matches }) => matches(request.method, path));
      if (route && (status < 300 || status === 304)) unreached.delete(route.name);
      if (body?.status === 'succeeded') unreached.delete(`run of ${body.analysis_type}`);
      i++;
      if (i >= REQUESTS && (unreached.size === 0 || i >= MAX_REQUESTS)) break;
    }
    assert.deepEqual([...unreached], []);
  });
});
