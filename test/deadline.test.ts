/** Every request is answered within ten seconds. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareAccess } from '../src/access/first-start.ts';
import { DEFAULT_LIFETIMES } from '../src/access/sessions.ts';
import { buildApp } from '../src/app.ts';
import { openEngine } from '../src/engines/index.ts';
import { DEFAULT_HTTP_TIMINGS } from '../src/http/timings.ts';
import type { Engine } from '../src/store/db.ts';
import { NO_LIMITS } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { until } from './support/until.ts';

it('answers 503 when a request takes too long, and discards its late result', async (t) => {
  assert.ok(DEFAULT_HTTP_TIMINGS.responseDeadlineMs < 10_000);
  const folder = tempFolder();
  const opened = await openEngine({ dataDir: folder });
  t.after(async () => {
    await opened.close();
    removeFolder(folder);
  });
  const late = Promise.withResolvers<void>();
  let ended = false;
  const engine: Engine = {
    ...opened,
    search: async (work, args) => {
      await late.promise;
      const result = await opened.search(work, args);
      ended = true;
      return result;
    },
  };
  const lines: string[] = [];
  const log = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } };
  const app = await buildApp({ engine, limits: NO_LIMITS, log, timings: { responseDeadlineMs: 300 } });
  t.after(() => app.close());
  const access = await prepareAccess(engine, DEFAULT_LIFETIMES, undefined);
  assert.ok('key' in access);
  const at = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${access.key}` };
  const answer = await fetch(`${at}/questions?q=hush`, { headers });
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const { code } = (await answer.json()) as { code: string };
  assert.equal(code, 'too_slow');
  late.resolve();
  await until('the late result', () => ended);
  await sleep(200);
  assert.equal((await fetch(`${at}/questions`, { headers })).status, 200);
  await app.close();
  assert.ok(lines.some((line) => line.includes('"status":503')));
  for (const line of lines) assert.doesNotMatch(line, /hush/);
});
