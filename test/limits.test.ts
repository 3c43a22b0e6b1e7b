/** Rate limits: by client and by address, within a process and across processes. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { TrustedProxies, truncateAddress } from '../src/access/addresses.ts';
import { DEFAULT_LIMITS, RateLimiter } from '../src/access/rate-limiter.ts';
import { type App, buildApp } from '../src/app.ts';
import { openEngine } from '../src/engines/index.ts';
import type { RateCounts } from '../src/store/access/rate-counters.ts';
import type { Engine } from '../src/store/db.ts';
import { NO_LIMITS, onEveryEngine, openService, type Service, sample } from './support/engines.ts';
import { freshDatabase } from './support/postgres.ts';
import { until } from './support/until.ts';

/** Stops the clock ten seconds into a minute, so that no test crosses the end of a minute. */
function stopClock(context: TestContext): { advance(ms: number): void } {
  const start = Math.floor(Date.now() / 60_000) * 60_000 + 10_000;
  let elapsed = 0;
  context.mock.method(Date, 'now', () => start + elapsed);
  return {
    advance: (ms) => {
      elapsed += ms;
    },
  };
}

/** The warnings in the log. */
const warnings: string[] = [];

const LIMITS = { read: 5, write: 3, analysis: 2, token: 4, check: 0, opentdb: 0 };

interface SendOptions {
  token?: string;
  from?: string;
  forwarded?: string;
  body?: object;
}

async function send(
  service: Service,
  method: string,
  url: string,
  { token, from = '192.0.2.1', forwarded, body }: SendOptions = {},
) {
  const {
    statusCode,
    headers,
    body: text,
  } = await service.app.inject({
    method: method as 'GET',
    url,
    remoteAddress: from,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(forwarded && { 'x-forwarded-for': forwarded }),
    },
    ...(body && { payload: body }),
  });
  return { status: statusCode, headers, text };
}

onEveryEngine(
  'limits',
  (service) => {
    it('reports the remaining requests and rejects those over the limit', async (context) => {
      const clock = stopClock(context);
      const { key: token } = service().admin;
      const get = () => send(service(), 'GET', '/questions', { token });
      for (let left = 4; left >= 0; left--) {
        const { status, headers } = await get();
        assert.equal(status, 200);
        assert.equal(headers['ratelimit-policy'], '"read";q=5;w=60');
        assert.equal(headers.ratelimit, `"read";r=${left};t=50`);
      }
      const rejected = await get();
      assert.equal(rejected.status, 429);
      assert.equal(rejected.headers['retry-after'], '50');
      assert.equal(rejected.headers.ratelimit, '"read";r=0;t=50');
      assert.equal(rejected.headers['content-type'], 'application/problem+json; charset=utf-8');
      assert.equal(JSON.parse(rejected.text).code, 'too_many_requests');
      // Each kind of request has its own rate limit, which is reset every minute.
      const written = await send(service(), 'POST', '/questions', { token, body: sample() });
      assert.equal(written.status, 201);
      assert.equal(written.headers.ratelimit, '"write";r=2;t=50');
      clock.advance(50_000);
      assert.equal((await get()).status, 200);
    });

    it('counts a client across addresses, and apart from others', async (context) => {
      stopClock(context).advance(120_000);
      const made = [];
      for (const name of ['A', 'B']) {
        const body = { name, role: 'reader' };
        const { text } = await send(service(), 'POST', '/auth/clients', { token: service().admin.key, body });
        const { id: client_id, secret: client_secret } = JSON.parse(text);
        const grant = { grant_type: 'client_credentials', client_id, client_secret };
        made.push(
          JSON.parse((await send(service(), 'POST', '/auth/token', { body: grant })).text).access_token,
        );
      }
      const [a, b] = made;
      for (let i = 0; i < 5; i++) {
        assert.equal(
          (await send(service(), 'GET', '/questions', { token: a, from: `192.0.2.${i}` })).status,
          200,
        );
      }
      assert.equal(
        (await send(service(), 'GET', '/questions', { token: a, from: '198.51.100.9' })).status,
        429,
      );
      assert.equal((await send(service(), 'GET', '/questions', { token: b })).status, 200);
    });

    it('counts requests without a valid token by address, an IPv6 /64 as one', async (context) => {
      stopClock(context).advance(240_000);
      const from = (address: string) => send(service(), 'GET', '/questions', { from: address });
      for (let i = 0; i < 5; i++) assert.equal((await from(`2001:db8::${i}`)).status, 401);
      assert.equal((await from('2001:db8:0:0:ffff::1')).status, 429);
      assert.equal((await from('2001:db8:0:1::1')).status, 401);
      for (let i = 0; i < 5; i++) assert.equal((await from('203.0.113.5')).status, 401);
      assert.equal((await from('::ffff:203.0.113.5')).status, 429);
      // Unknown paths and malformed URLs count as well.
      for (const url of ['/nowhere', '/%zz', '/nowhere', '/%zz', '/nowhere'])
        assert.ok([400, 404].includes((await send(service(), 'GET', url, { from: '203.0.113.6' })).status));
      for (const url of ['/nowhere', '/%zz', '/docs', '/questions'])
        assert.equal((await send(service(), 'GET', url, { from: '203.0.113.6' })).status, 429, url);
    });

    it('uses X-Forwarded-For of trusted proxies alone', async (context) => {
      stopClock(context).advance(360_000);
      const get = (from: string, forwarded: string) =>
        send(service(), 'GET', '/questions', { from, forwarded });
      for (let i = 0; i < 5; i++) assert.equal((await get('203.0.113.7', `192.0.2.${i}`)).status, 401);
      assert.equal((await get('203.0.113.7', '192.0.2.99')).status, 429);
      // 10.0.0.0/8 is trusted: the address before it counts, not the ones that this address claims.
      for (let i = 0; i < 5; i++)
        assert.equal((await get('10.1.2.3', `192.0.2.${i}, 198.51.100.7, 10.9.9.9`)).status, 401);
      assert.equal((await get('10.4.5.6', '198.51.100.7')).status, 429);
      assert.equal((await get('10.4.5.6', '198.51.100.8')).status, 401);
    });

    it('never limits health checks', async (context) => {
      stopClock(context).advance(480_000);
      for (let i = 0; i < 10; i++) {
        const { status, headers } = await send(service(), 'GET', i % 2 ? '/health' : '/ready');
        assert.equal(status, 200);
        assert.equal(headers.ratelimit, '"read";r=5;t=50');
      }
    });

    it('429: counts wrong secrets by address and by client, and still admits the owner', async (context) => {
      const clock = stopClock(context);
      clock.advance(600_000);
      const { secret } = service().admin;
      const signIn = async (from: string, client_secret: string, client_id = 'admin') =>
        (
          await send(service(), 'POST', '/auth/token', {
            from,
            body: { grant_type: 'client_credentials', client_id, client_secret },
          })
        ).status;
      for (let i = 0; i < 4; i++) assert.equal(await signIn('192.0.2.50', 'guess'), 401);
      assert.equal(await signIn('192.0.2.50', secret), 429);
      // Guesses at one client also count across addresses.
      assert.equal(await signIn('192.0.2.51', 'guess'), 429);
      assert.equal(await signIn('192.0.2.51', secret), 429);
      assert.equal(await signIn('192.0.2.52', secret), 200);
      assert.equal(await signIn('192.0.2.53', 'guess', 'unknown'), 401);
      clock.advance(60_000);
      assert.equal(await signIn('192.0.2.50', secret), 200);
    });

    it('counts a secret as a token request on every route', async (context) => {
      stopClock(context).advance(1_200_000);
      const introspect = (client_id: string) =>
        send(service(), 'POST', '/auth/introspect', {
          from: '192.0.2.70',
          body: { token: 'x', client_id, client_secret: 'guess' },
        });
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push((await introspect(`c${i}`)).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    });

    it('admits the remaining requests of a burst and rejects the others', async (context) => {
      stopClock(context).advance(1_500_000);
      const burst = Array.from({ length: 9 }, () =>
        send(service(), 'POST', '/auth/token', { from: '192.0.2.71', body: {} }),
      );
      const rejected = (await Promise.all(burst)).filter(({ status }) => status === 429);
      assert.equal(rejected.length, 9 - LIMITS.token);
    });

    it('limits guesses that are made concurrently', async (context) => {
      stopClock(context).advance(1_800_000);
      const guess = (from: string, client_secret = 'guess') =>
        send(service(), 'POST', '/auth/token', {
          from,
          body: { grant_type: 'client_credentials', client_id: 'admin', client_secret },
        });
      const statuses = async (from: string) =>
        (await Promise.all(Array.from({ length: 4 }, () => guess(from)))).map(({ status }) => status);
      assert.deepEqual(await statuses('192.0.2.80'), [401, 401, 401, 401]);
      const compared = () => warnings.filter((line) => line.includes('client authentication failed')).length;
      const before = compared();
      assert.deepEqual(await statuses('192.0.2.81'), [429, 429, 429, 429]);
      // Only one secret is compared, since it might be the owner's.
      assert.equal(compared() - before, 1);
      assert.equal((await guess('192.0.2.82', service().admin.secret)).status, 200);
    });

    it('counts a check of an answer as a write', async (context) => {
      stopClock(context).advance(900_000);
      const token = service().admin.key;
      const { text } = await send(service(), 'POST', '/questions', { token, body: sample() });
      const path = `/questions/${JSON.parse(text).id}/check`;
      const body = { answer: 'Jupiter' };
      assert.equal(
        (await send(service(), 'POST', path, { token, body })).headers.ratelimit,
        '"write";r=1;t=50',
      );
    });
  },
  {
    limits: LIMITS,
    trustedProxies: ['10.0.0.0/8'],
    log: { level: 'warn', stream: { write: (line) => void warnings.push(line) } },
  },
);

onEveryEngine(
  'the limit of checks',
  (service) => {
    it('is for each respondent and question, and for each client and question', async (context) => {
      const clock = stopClock(context);
      const body = [sample(), sample()];
      const [one, two] = (await service().call('POST', '/questions', { body })).body.data;
      const check = async (id: string, respondent?: string) => {
        const given = { answer: 'Mars', ...(respondent !== undefined && { respondent }) };
        return (await service().call('POST', `/questions/${id}/check`, { body: given })).status;
      };
      assert.deepEqual([await check(one.id, 'ada'), await check(one.id, 'ada')], [200, 200]);
      assert.equal(await check(one.id.toUpperCase(), 'ada'), 429);
      assert.deepEqual([await check(one.id, 'ben'), await check(two.id, 'ada')], [200, 200]);
      const statuses: number[] = [];
      for (let i = 0; i < 10; i++) statuses.push(await check(one.id, `invented ${i}`));
      assert.deepEqual(statuses, [...Array(8).fill(200), 429, 429]);
      assert.deepEqual([await check(one.id), await check(two.id)], [429, 200]);
      clock.advance(60_000);
      assert.equal(await check(one.id, 'ada'), 200);
    });
  },
  { limits: { ...NO_LIMITS, check: 2 } },
);

describe('limits', () => {
  it('have the documented defaults, and no headers when switched off', async (context) => {
    assert.deepEqual(DEFAULT_LIMITS, {
      read: 600,
      write: 120,
      analysis: 20,
      token: 10,
      check: 10,
      opentdb: 15,
    });
    const service = await openService('sqlite');
    context.after(() => service.close());
    const { headers } = await service.call('GET', '/questions');
    assert.equal(headers.ratelimit, undefined);
    assert.equal(headers['ratelimit-policy'], undefined);
  });

  it('hold across processes on one database', async (context) => {
    const clock = stopClock(context);
    const database = await freshDatabase();
    const nodes: { engine: Engine; app: App }[] = [];
    context.after(async () => {
      for (const { app, engine } of nodes) {
        await app.close();
        await engine.close();
      }
      await database.drop();
    });
    for (let i = 0; i < 3; i++) {
      const engine = await openEngine({ dataDir: '', databaseUrl: database.url });
      nodes.push({ engine, app: await buildApp({ engine, limits: { ...LIMITS, token: 4, read: 30 } }) });
    }
    const spread = async (method: 'GET' | 'POST', url: string, n: number, over = 3) => {
      const statuses: number[] = [];
      for (let i = 0; i < n; i++) {
        const { statusCode } = await nodes[i % over]!.app.inject({ method, url, payload: {} });
        statuses.push(statusCode);
      }
      return statuses.filter((status) => status === 429).length;
    };
    assert.equal(await spread('POST', '/auth/token', 10), 6);
    assert.equal(await spread('GET', '/questions', 24), 0);
    // The processes synchronize their counts every second. /health shows what is left.
    await until('the counts of all', async () => {
      const { headers } = await nodes[0]!.app.inject('/health');
      return /;r=6;/.test(String(headers.ratelimit));
    });
    assert.equal(await spread('GET', '/questions', 12, 1), 12 - 6);
    clock.advance(60_000);
    assert.equal(await spread('GET', '/questions', 24), 0);
  });

  it('503: rejects more concurrent requests than can be served', async (context) => {
    const service = await openService('postgres');
    context.after(() => service.close());
    const calls = Array.from({ length: 1500 }, () => service.call('GET', '/questions'));
    const answers = await Promise.all(calls);
    const [rejected, admitted] = [true, false].map((overloaded) =>
      answers.filter(({ body }) => (body.code === 'overloaded') === overloaded),
    );
    assert.ok(rejected!.length > 0 && rejected!.length <= 500, `${rejected!.length} were rejected`);
    for (const { status, headers } of rejected!)
      assert.deepEqual([status, headers['retry-after']], [503, '1']);
    // On a busy machine some of them exceed a time limit.
    for (const { status, body } of admitted!)
      assert.ok(status === 200 || ['too_slow', 'unavailable'].includes(body.code), `${status} ${body.code}`);
    assert.equal((await service.call('GET', '/questions')).status, 200);
  });
});

describe('the rate limiter', () => {
  it('limits its memory under a flood of addresses', () => {
    const limiter = new RateLimiter({ ...DEFAULT_LIMITS, read: 10 }, { now: () => 1_000_000 });
    for (let i = 0; i < 100_000; i++) assert.equal(limiter.consume('read', `address ${i}`)!.exceeded, false);
    for (let i = 0; i < 10; i++) assert.equal(limiter.consume('read', `late ${i}`)!.exceeded, false);
    assert.equal(limiter.consume('read', 'late 11')!.exceeded, true);
    // Clients and other limits are not affected.
    assert.equal(limiter.consume('read', 'client x')!.exceeded, false);
    assert.equal(limiter.consume('token', 'late 11')!.exceeded, false);
    assert.equal(limiter.consume('read', 'address 5')!.remaining, 8);
  });

  it('adds the counts of other processes once', async () => {
    const shared = new Map<string, number>();
    const share = async ({ counted, watched }: RateCounts) => {
      for (const [key, n] of counted) shared.set(key, (shared.get(key) ?? 0) + n);
      return watched.map((key): [string, number] => [key, shared.get(key) ?? 0]);
    };
    const [a, b] = [0, 1].map(
      () => new RateLimiter({ ...DEFAULT_LIMITS, read: 10 }, { share, now: () => 0 }),
    );
    for (let i = 0; i < 4; i++) a!.consume('read', 'x');
    for (let i = 0; i < 3; i++) b!.consume('read', 'x');
    await a!.sync();
    await b!.sync();
    assert.equal(b!.peek('read', 'x')!.remaining, 3);
    a!.consume('read', 'x');
    await a!.sync();
    assert.equal(a!.peek('read', 'x')!.remaining, 2);
    await a!.sync();
    assert.equal(shared.get('read x'), 8);
    // Counts that another process has lost are not subtracted.
    shared.clear();
    await a!.sync();
    assert.equal(a!.peek('read', 'x')!.remaining, 5);
  });
});

describe('an address', () => {
  it('is one key per IPv4 address or IPv6 /64', () => {
    const cases: [string, string][] = [
      ['192.0.2.1', '192.0.2.1'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['2001:DB8::1', '2001:db8:0:0::/64'],
      ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
      ['2001:db8:0:1::', '2001:db8:0:1::/64'],
      ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
      ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ];
    for (const [address, key] of cases) assert.equal(truncateAddress(address), key);
  });

  it('is the nearest one that is not a trusted proxy', () => {
    const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']);
    const cases: [peer: string, forwarded: string | undefined, client: string][] = [
      ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
      ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
      ['fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
      ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
      ['10.0.0.1', '1.1.1.1, 198.51.100.1, 192.0.2.1', '198.51.100.1'],
      ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
      ['10.0.0.1', 'nonsense', '10.0.0.1'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ];
    for (const [peer, forwarded, client] of cases)
      assert.equal(proxies.findClientAddress(peer, forwarded), client);
    for (const wrong of ['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0/8', '/8'])
      assert.throws(() => new TrustedProxies([wrong]), /is neither an IP address nor a CIDR block/, wrong);
  });
});
