/** Nobody waits for an answer for longer than ten seconds. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareAccess } from '../src/access/first-start.ts';
import { DEFAULT_LIFETIMES } from '../src/access/sessions.ts';
import { buildApp } from '../src/app.ts';
import { openEngine } from '../src/engines/index.ts';
import type { Engine } from '../src/store/db.ts';
import { NO_LIMITS } from './support/engines.ts';
import { tempFolder } from './support/process.ts';

it('what takes too long is answered in time, and what comes of it late goes nowhere', async () => {
  const folder = tempFolder();
  const opened = await openEngine({ dataDir: folder });
  let ended = false;
  const engine: Engine = {
    ...opened,
    search: async (work, args) => {
      await sleep(10_500);
      ended = true;
      return opened.search(work, args);
    },
  };
  const lines: string[] = [];
  const log = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } };
  const app = await buildApp({ engine, limits: NO_LIMITS, log });
  const access = await prepareAccess(engine, DEFAULT_LIFETIMES, undefined);
  assert.ok('key' in access);
  const at = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${access.key}` };
  const before = performance.now();
  const answer = await fetch(`${at}/questions?q=hush`, { headers });
  assert.equal(answer.status, 503);
  assert.ok(performance.now() - before < 10_000);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const { code } = (await answer.json()) as { code: string };
  assert.equal(code, 'too_slow');
  while (!ended) await sleep(50);
  await sleep(200);
  assert.equal((await fetch(`${at}/questions`, { headers })).status, 200);
  await app.close();
  await opened.close();
  assert.ok(lines.some((line) => line.includes('"status":503')));
  for (const line of lines) assert.doesNotMatch(line, /hush/);
  rmSync(folder, { recursive: true, force: true });
});
