/**
 * Measures bulk changes: questions changed a second, alone and with concurrent readers, and the p99
 * of a page meanwhile; then the undo.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLoad } from './load.ts';
import { seed } from './seed.ts';
import { fetchJson, post, type Service, startService } from './service.ts';
import { format, median, runBenchmark, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '20000' },
    postgres: { type: 'boolean', default: false },
  },
});
const questions = Number(values.questions);
const POLL_INTERVAL_MS = 50;

/** Starts a change and waits for its end; returns the change and how many questions it changed a second. */
async function run(service: Service, path: string, body?: object) {
  const { id } = await fetchJson(service, path, body ? post(body) : { method: 'POST' });
  for (;;) {
    const change = await fetchJson(service, `/changes/${id}`);
    if (change.status === 'failed') throw new Error(JSON.stringify(change.error));
    if (change.status === 'succeeded') {
      const seconds = (Date.parse(change.finished_at) - Date.parse(change.started_at)) / 1000;
      return { id, perSecond: change.changed / seconds };
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

await runBenchmark(async (stack) => {
  const service = await startService(stack, values);
  const load = startLoad(stack);
  await seed(service, questions);
  const { authorization } = service;
  const reading = { connections: 2, seconds: 1, authorization, get: [{ path: '/questions?limit=20' }] };
  const alone = (await load.run(service, reading)).p99;
  const tag = (name: string) => ({ filter: {}, change: { add_tags: [name] } });
  const quiet = await run(service, '/questions/bulk', tag('first'));
  const busy: number[] = [];
  let ended = false;
  const readers = async () => {
    while (!ended) busy.push((await load.run(service, reading)).p99);
  };
  const change = async () => {
    const result = await run(service, '/questions/bulk', tag('second'));
    ended = true;
    return result;
  };
  const [loaded] = await Promise.all([change(), readers()]);
  const undone = await run(service, `/changes/${loaded.id}/undo`);
  const p99 = median(busy);
  console.log(
    format.table(
      ['bulk change', 'questions/s'],
      [
        ['alone', format.integer(quiet.perSecond)],
        ['with readers', format.integer(loaded.perSecond)],
        ['undo', format.integer(undone.perSecond)],
      ],
    ),
  );
  console.log(
    `p99 of a page meanwhile ${format.ms(p99)} ms, alone ${format.ms(alone)} ms, ratio ${format.ratio(p99 / alone)}.`,
  );
  writeResults('bulk', { questions, quiet, loaded, undone, p99, alone });
});
