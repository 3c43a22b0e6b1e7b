/** Prometheus metrics: the exposition format, the values, and the absence of stored content. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { SCOPES, type Scope } from '../src/schemas/scopes.ts';
import { claimAnalysis } from '../src/store/analyses/queue.ts';
import { NO_LIMITS, onEveryEngine, openService, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

interface Family {
  type: string;
  /** Values by name and labels. */
  samples: Map<string, number>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? (\\+Inf|NaN|-?[0-9][0-9.e+-]*)$`);

/** A strict parser of the text format, version 0.0.4. */
function read(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'the last line has an end, too');
  let name = '';
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('# HELP ')) {
      [, name] = line.match(`^# HELP (${NAME}) \\S.*$`) as unknown as [string, string];
      const type = lines[i + 1]!.match(`^# TYPE ${name} (counter|gauge|histogram)$`)![1]!;
      assert.ok(!families.has(name), `${name} comes twice`);
      families.set(name, { type, samples: new Map() });
    } else if (!line.startsWith('# TYPE ')) {
      const [, sample, labels = '', value] = SAMPLE.exec(line) ?? assert.fail(`this is no sample: ${line}`);
      const { type, samples } = families.get(name)!;
      assert.match(sample!.replace(name, ''), type === 'histogram' ? /^_(?:bucket|sum|count)$/ : /^$/, line);
      assert.equal(type === 'counter', name.endsWith('_total'), name);
      assert.ok(!samples.has(sample! + labels), `${line} comes twice`);
      samples.set(sample! + labels, Number(value));
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkHistogram(name, samples);
  return families;
}

/** Asserts that buckets are in order and cumulative, and that the last one has the total count. */
function checkHistogram(name: string, samples: Map<string, number>): void {
  const buckets = Map.groupBy(
    [...samples].filter(([key]) => key.startsWith(`${name}_bucket`)),
    ([key]) => key.replace(/,?le="[^"]+"/, '').replace('{}', ''),
  );
  assert.equal(samples.size, [...buckets.values()].flat().length + 2 * buckets.size);
  for (const [key, each] of buckets) {
    const bounds = each.map(([key]) => Number(/le="([^"]+)"/.exec(key)![1]!.replace('+Inf', 'Infinity')));
    const counts = each.map(([, count]) => count);
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      key,
    );
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      key,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, key);
    assert.equal(samples.get(key.replace('_bucket', '_count')), counts.at(-1), key);
    assert.ok(samples.get(key.replace('_bucket', '_sum'))! >= 0, key);
  }
}

const scrape = async ({ call }: Service) => read((await call('GET', '/metrics')).text);
const figure = (families: Map<string, Family>, key: string) =>
  [...families.values()].map(({ samples }) => samples.get(key)).find((value) => value !== undefined);

const requests = (method: string, route: string, status: number | string) =>
  `quaestor_http_requests_total{method="${method}",route="${route}",status="${status}"}`;

/** Returns the increase of each request counter during `work`. */
async function countRequests(
  service: Service,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const readCounters = async () => (await scrape(service)).get('quaestor_http_requests_total')?.samples;
  await scrape(service);
  const before = await readCounters();
  await work();
  const after = [...(await readCounters())!];
  return Object.fromEntries(
    after.map(([key, n]) => [key, n - (before!.get(key) ?? 0)]).filter(([, n]) => n !== 0),
  );
}

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);

  it('requires the scope for metrics', async () => {
    assert.equal((await call('GET', '/metrics', { token: null })).status, 401);
    const others = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== 'admin');
    const refused = await call('GET', '/metrics', { token: await service().keyFor(...others) });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    const answer = await call('GET', '/metrics', { token: await service().keyFor('admin') });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
    read(answer.text);
  });

  it('answers HEAD without a body', async () => {
    const counts = await countRequests(service(), async () => {
      const { status, headers, text } = await call('HEAD', '/v1/metrics');
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
      assert.ok(Number(headers['content-length']) > 1_000);
    });
    assert.deepEqual(counts, {
      [requests('HEAD', '/metrics', 200)]: 1,
      [requests('GET', '/metrics', 200)]: 1,
    });
  });

  it('counts requests by route and status', async () => {
    const key = await service().keyFor('questions:read');
    const counts = await countRequests(service(), async () => {
      const { headers } = await call('POST', '/questions', { body: sample() });
      await call('POST', '/questions', { body: sample({ difficulty: 9 }) });
      for (let i = 0; i < 5; i++) await call('GET', headers.location!);
      await call('HEAD', headers.location!);
      await call('GET', `/v1${headers.location!}?unknown=1`);
      await call('GET', headers.location!, { headers: { 'if-none-match': '*' } });
      await call('GET', `/questions/${randomUUID()}`);
      await call('DELETE', headers.location!, { token: key });
      await call('DELETE', headers.location!);
      await call('GET', '/questions', { token: 'unknown' });
      for (const method of ['PROPPATCH', 'PROPFIND', 'QUERY', 'OPTIONS'])
        await call(method, headers.location!);
      for (const method of ['GET', 'POST', 'LOCK']) await call(method, `/nowhere/${randomUUID()}`);
      await call('GET', '/nowhere');
    });
    assert.deepEqual(counts, {
      [requests('POST', '/questions', 201)]: 1,
      [requests('POST', '/questions', 422)]: 1,
      [requests('GET', '/questions/:id', 200)]: 5,
      [requests('HEAD', '/questions/:id', 200)]: 1,
      [requests('GET', '/questions/:id', 400)]: 1,
      [requests('GET', '/questions/:id', 304)]: 1,
      [requests('GET', '/questions/:id', 404)]: 1,
      [requests('DELETE', '/questions/:id', 403)]: 1,
      [requests('DELETE', '/questions/:id', 204)]: 1,
      [requests('GET', '/questions', 401)]: 1,
      [requests('other', '/questions/:id', 405)]: 4,
      [requests('other', 'none', 404)]: 4,
      [requests('GET', '/metrics', 200)]: 1,
    });
  });

  it('records the duration of every request', async () => {
    const families = await scrape(service());
    const counts = families.get('quaestor_http_requests_total')!.samples;
    const durations = families.get('quaestor_http_request_duration_seconds')!.samples;
    const sums = new Map<string, number>();
    for (const [key, n] of counts) {
      const labels = /\{(.*),status=/.exec(key)![1]!;
      sums.set(labels, (sums.get(labels) ?? 0) + n);
    }
    for (const [labels, n] of sums)
      assert.equal(durations.get(`quaestor_http_request_duration_seconds_count{${labels}}`), n, labels);
    const began = figure(families, 'process_start_time_seconds')!;
    const spent = [...durations].filter(([key]) => key.includes('_sum{')).map(([, seconds]) => seconds);
    assert.ok(spent.reduce((a, b) => a + b) < Date.now() / 1000 - began + 1);
  });

  it('shows routes, never paths or stored text', async () => {
    const marker = `marker${randomUUID().replaceAll('-', '')}`;
    const made = await call('POST', '/questions', {
      body: sample({ question_text: `Is it ${marker}?`, tags: [marker], external_id: marker }),
    });
    const client = await call('POST', '/auth/clients', { body: { name: marker, role: 'reader' } });
    const key = await call('POST', '/auth/tokens', { body: { name: marker, client_id: client.body.id } });
    await call('GET', `/questions?q=${marker}`, { token: key.body.token });
    for (const path of [`/${marker}`, `/questions/${marker}`, `/questions/${marker}/more`, `/%22${marker}`])
      await call('GET', path);
    await call('GET', '/auth/me', { token: marker });
    const { text } = await call('GET', '/metrics');
    const { id, secret } = client.body;
    for (const word of [marker, made.body.id, id, secret, key.body.id, key.body.token, service().admin.key])
      assert.ok(!text.includes(word), word);
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-|qs[akrs]_|admin/);
    const { routes } = service().app;
    const allowed: Record<string, RegExp> = {
      method: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|other)$/,
      status: /^(?:[1-5]\d\d|none|queued|running)$/,
      route: new RegExp(`^(?:none|${routes.map(({ url }) => url.replaceAll('.', '\\.')).join('|')})$`),
      le: /^(?:[0-9.]+|\+Inf)$/,
      version: /^\d+\.\d+\.\d+$/,
      analysis_type: /^[a-z_]+$/,
      outcome: /^(?:succeeded|failed|interrupted|released|lease_lost)$/,
    };
    for (const [, label, value] of text.matchAll(/[{,](\w+)="([^"]*)"/g))
      assert.match(value!, allowed[label!]!);
  });

  it('counts queued and running analyses', async () => {
    const under = async (status: string) =>
      figure(await scrape(service()), `quaestor_analyses{status="${status}"}`);
    assert.deepEqual([await under('queued'), await under('running')], [0, 0]);
    const body = { analysis_type: 'coverage' };
    // Without workers, all runs stay queued.
    for (let i = 0; i < 3; i++)
      await call('POST', '/analysis/run', { body, headers: { prefer: 'respond-async' } });
    await service().engine.write(claimAnalysis, { lease: 'test', durationMs: 60_000 });
    assert.deepEqual([await under('queued'), await under('running')], [2, 1]);
    const here = await scrape(service());
    assert.deepEqual(
      [figure(here, 'quaestor_runs_in_flight'), figure(here, 'quaestor_analysis_slots')],
      [0, 0],
    );
  });

  it('reports the state of the database', async (context) => {
    const { engine } = service();
    const families = await scrape(service());
    assert.equal(figure(families, 'quaestor_database_up'), 1);
    for (const name of Object.keys(engine.gauges()))
      assert.ok(figure(families, `quaestor_database_${name}`)! >= 0, name);
    context.mock.method(engine, 'ready', async () => {
      throw new Error('away');
    });
    const away = await scrape(service());
    assert.equal(figure(away, 'quaestor_database_up'), 0);
    assert.ok(!away.has('quaestor_analyses'));
  });

  it('reports memory and CPU time of the process', async () => {
    const used = () => process.cpuUsage().user / 1e6;
    const before = used();
    const families = await scrape(service());
    const value = (name: string) => figure(families, name)!;
    assert.ok(value('process_cpu_seconds_total') >= before);
    assert.ok(Math.abs(value('process_start_time_seconds') + process.uptime() - Date.now() / 1000) < 5);
    assert.ok(value('process_resident_memory_bytes') > value('nodejs_heap_size_used_bytes'));
    assert.ok(value('nodejs_heap_size_used_bytes') > 1e6);
    assert.ok(value('nodejs_eventloop_active_seconds_total') > 0);
    assert.equal(families.get('quaestor_build_info')!.samples.size, 1);
  });

  it('reports delays of the event loop', async () => {
    const late = async () => {
      const { samples } = (await scrape(service())).get('nodejs_eventloop_delay_seconds')!;
      const count = (le: string) => samples.get(`nodejs_eventloop_delay_seconds_bucket{le="${le}"}`)!;
      return count('+Inf') - count('0.25');
    };
    const before = await late();
    const end = performance.now() + 400;
    while (performance.now() < end);
    await until('the delay to be seen', async () => (await late()) > before);
  });

  it('counts open streams and aborted requests', async (t) => {
    await service().app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service().app.server.address() as { port: number };
    const send = (request: string) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      t.after(() => socket.destroy());
      socket.write(request.replaceAll('\n', '\r\n'));
      return socket;
    };
    const value = async (key: string) => figure(await scrape(service()), key);
    const becomes = (key: string, n: number) => until(`${key} ${n}`, async () => (await value(key)) === n);
    const authorization = `Host: x\nAuthorization: Bearer ${service().admin.key}`;
    const follow = `GET /events HTTP/1.1\n${authorization}\n\n`;
    const ended = requests('GET', '/events', 200);
    const before = (await value(ended)) ?? 0;
    const streams = [send(follow), send(follow)];
    await Promise.all(streams.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    assert.equal(await value('quaestor_event_streams'), 2);
    assert.equal(await value('quaestor_http_requests_in_flight'), 3);
    streams[0]!.destroy();
    await becomes('quaestor_event_streams', 1);
    streams[1]!.destroy();
    await becomes(ended, before + 2);
    const body = 'Content-Type: application/json\nContent-Length: 100';
    const half = send(`POST /questions HTTP/1.1\n${authorization}\n${body}\n\n{`);
    await becomes('quaestor_http_requests_in_flight', 2);
    half.destroy();
    await becomes(requests('POST', '/questions', 'none'), 1);
    assert.equal(await value('quaestor_http_requests_in_flight'), 1);
  });
}

onEveryEngine('/metrics', cases, { workers: 0 });

describe('/metrics', () => {
  it('counts rate-limited requests', async (t) => {
    const service = await openService('sqlite', { limits: { ...NO_LIMITS, write: 2 } });
    t.after(() => service.close());
    const counts = await countRequests(service, async () => {
      for (let i = 0; i < 5; i++) await service.call('POST', '/questions', { body: sample() });
    });
    const { [requests('POST', '/questions', 201)]: created, [requests('POST', '/questions', 429)]: limited } =
      counts;
    // More than two are created if a minute ends between them.
    assert.equal(created! + (limited ?? 0), 5);
    assert.ok(created! < 5);
  });
});
