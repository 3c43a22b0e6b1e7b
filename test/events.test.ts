/** Server-sent events: their content, filters and order; resuming and ending a stream. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOldEvents, emit } from '../src/store/events.ts';
import { listen, onEveryEngine, openService, type Service, sample, testCommand } from './support/engines.ts';
import { EventStream, type Message } from './support/event-stream.ts';
import { until } from './support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const followers: EventStream[] = [];
  after(() => {
    for (const follower of followers) follower.close();
  });
  const follow = async (token = service().admin.key, lastId?: string) => {
    const { app } = service();
    if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const follower = new EventStream({ port, token }, { lastId });
    followers.push(follower);
    await follower.opened;
    return follower;
  };
  const add = async (n = 1): Promise<string[]> => {
    const body = Array.from({ length: n }, () => sample({ incorrect_answers: ['Mars', 'Venus'] }));
    return (await call('POST', '/questions', { body })).body.data.map(({ id }: Json) => id);
  };
  const waitForMessages = (follower: EventStream, n: number) =>
    until(
      `${n} messages, after ${follower.events}`,
      () => follower.messages.length >= n && follower.messages,
    );

  it('reports questions: created, updated, deleted, restored', async () => {
    const follower = await follow();
    const [id] = await add();
    await call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    await call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    await call('DELETE', `/questions/${id}`);
    await call('POST', `/questions/${id}/restore`, { body: { revision: 1 } });
    const messages = await waitForMessages(follower, 5);
    assert.deepEqual(follower.events, [
      'stream.opened',
      'question.created',
      'question.updated',
      'question.deleted',
      'question.created',
    ]);
    assert.ok(messages.slice(1).every(({ data }) => data.question_id === id && /T.*Z$/.test(data.at)));
    assert.deepEqual(Object.keys(messages[1]!.data), ['question_id', 'at']);
    follower.close();
  });

  it('reports concurrent changes of a question in the order of its revisions', async () => {
    const follower = await follow();
    for (let round = 0, n = 1; round < 4; round++) {
      const [id] = await add();
      const path = `/questions/${id}`;
      const changes = Array.from({ length: 10 }, async (_, client) => {
        for (let i = 0; i < 5; i++)
          if ((client + i) % 3 === 0) await call('PUT', path, { body: { source: `${client} ${i}` } });
          else if ((client + i) % 3 === 1) await call('DELETE', path);
          else await call('POST', `${path}/restore`, { body: { revision: 1 } });
      });
      await Promise.all(changes);
      const { data } = (await call('GET', `${path}/revisions?limit=1000`)).body;
      const messages = await waitForMessages(follower, n + data.length);
      const times = messages.slice(n).map(({ data }) => data.at);
      assert.deepEqual(
        times,
        data.toReversed().map(({ at }: Json) => at),
      );
      const kinds = data.toReversed().map(({ action }: Json, i: number, all: Json[]) => {
        if (action !== 'restored') return `question.${action}`;
        return all[i - 1].question === null ? 'question.created' : 'question.updated';
      });
      assert.deepEqual(follower.events.slice(n), kinds);
      n += data.length;
    }
    follower.close();
  });

  it('reports nothing for rejected requests', async () => {
    const follower = await follow();
    await call('POST', '/questions', { body: [sample(), sample({ difficulty: 7 })] });
    await call('POST', '/questions?validate_only=true', { body: sample() });
    await call('DELETE', '/questions/01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30');
    const [id] = await add();
    const messages = await waitForMessages(follower, 2);
    assert.deepEqual([messages.length, messages[1]!.data.question_id], [2, id]);
    follower.close();
  });

  it('resumes after the last event seen, also in the middle of a batch', async () => {
    const follower = await follow();
    const ids = [...(await add(5)), ...(await add(2))];
    const all = await waitForMessages(follower, 8);
    assert.deepEqual(
      all.slice(1).map(({ data }) => data.question_id),
      ids,
    );
    follower.close();
    const missed = await add(3);
    for (const seen of [0, 1, 3, 5, 6, 7]) {
      const again = await follow(undefined, all[seen]!.id);
      const messages = await waitForMessages(again, 1 + 7 - seen + 3);
      assert.equal(messages[0]!.event, 'stream.opened');
      assert.deepEqual(
        messages.slice(1).map(({ data }) => data.question_id),
        [...ids.slice(seen), ...missed],
      );
      assert.deepEqual(
        messages.slice(1, 8 - seen).map(({ id }) => id),
        all.slice(seen + 1).map(({ id }) => id),
        'the same event has the same id',
      );
      again.close();
    }
  });

  it('sends stream.reset when events may be missing', async () => {
    for (const lastId of ['nonsense', 'AAAAAAAAAAAAAAAAAAAAAA', '7']) {
      const follower = await follow(undefined, lastId);
      assert.deepEqual(follower.events, ['stream.reset'], lastId);
      follower.close();
    }
    const follower = await follow();
    for (const _ of [1, 2]) await add();
    const [, { id }] = (await waitForMessages(follower, 3)) as [Message, Message];
    follower.close();
    await service().engine.write(deleteOldEvents, Date.now() + 25 * 60 * 60 * 1000);
    const again = await follow(undefined, id);
    assert.deepEqual(again.events, ['stream.reset']);
    await add();
    assert.deepEqual((await waitForMessages(again, 2))[1]!.event, 'question.created');
    again.close();
  });

  it('reports a run from the queue to its end', async () => {
    const follower = await follow(await service().keyFor('analysis:read'));
    const { body } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage' },
      headers: { prefer: 'wait=30' },
    });
    await call('DELETE', `/analysis/${body.id}`);
    await until('the end', () => follower.events.includes('analysis.deleted'));
    const events = follower.events.filter((event) => event !== 'analysis.progress');
    assert.deepEqual(events, [
      'stream.opened',
      'analysis.queued',
      'analysis.started',
      'analysis.succeeded',
      'analysis.deleted',
    ]);
    const { at, ...data } = follower.messages.find(({ event }) => event === 'analysis.succeeded')!.data;
    assert.deepEqual(data, {
      analysis_id: body.id,
      analysis_type: 'coverage',
      status: 'succeeded',
      progress: 1,
    });
    follower.close();
  });

  it('filters events by scope, and hides changes of an answer without answers:read', async () => {
    const players = await follow(await service().keyFor('questions:read'));
    const analysts = await follow(await service().keyFor('analysis:read'));
    const authors = await follow(await service().keyFor('questions:read', 'answers:read'));
    const [id] = await add();
    const change = (body: object) => call('PUT', `/questions/${id}`, { body });
    await change({ correct_answer: 'Mars', incorrect_answers: ['Jupiter', 'Venus'] });
    await change({ explanation: 'It is.' });
    await change({ category: 'Science' });
    const filter = { q: 'jupiter', tag: ['none'] };
    await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage', filter },
      headers: { prefer: 'wait=30' },
    });
    await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage' },
      headers: { prefer: 'wait=30' },
    });
    await until('the end of the run', () => analysts.events.includes('analysis.succeeded'));
    await call('DELETE', `/questions/${id}`);
    await until(
      'the deletion',
      () => authors.events.includes('question.deleted') && players.events.includes('question.deleted'),
    );
    assert.deepEqual(players.events, [
      'stream.opened',
      'question.created',
      'question.updated',
      'question.deleted',
    ]);
    assert.deepEqual(authors.events, [
      'stream.opened',
      'question.created',
      'question.updated',
      'question.updated',
      'question.updated',
      'question.deleted',
    ]);
    assert.deepEqual(
      analysts.events.filter((event) => event !== 'analysis.progress'),
      ['stream.opened', 'analysis.queued', 'analysis.started', 'analysis.succeeded'],
    );
    for (const stream of [players, analysts, authors]) stream.close();
  });

  it('reports bulk changes to callers that may read them', async () => {
    const { keyFor } = service();
    const editors = await follow(await keyFor('questions:write', 'answers:read'));
    const others = await Promise.all([
      follow(await keyFor('questions:read', 'answers:read', 'analysis:read')),
      follow(await keyFor('questions:read', 'questions:write')),
    ]);
    const question_ids = await add(3);
    const started = await call('POST', '/questions/bulk', {
      body: { question_ids, change: { add_tags: ['bulk'] } },
    });
    await until('the end of the change', () => editors.events.includes('change.succeeded'));
    assert.deepEqual(editors.events, [
      'stream.opened',
      'change.queued',
      'change.started',
      'change.succeeded',
    ]);
    const { at, ...data } = editors.messages.at(-1)!.data;
    assert.deepEqual(data, {
      change_id: started.body.id,
      change_kind: 'update',
      status: 'succeeded',
      progress: 1,
    });
    await call('DELETE', `/questions/${question_ids[0]}`);
    for (const stream of others) {
      await until('the deletion', () => stream.events.includes('question.deleted'));
      assert.deepEqual(
        stream.events.filter((event) => event.startsWith('change.')),
        [],
      );
    }
    for (const stream of [editors, ...others]) stream.close();
  });

  it('begins a stream at the same id after a change of an answer alone', async () => {
    const token = await service().keyFor('questions:read');
    const [id] = await add();
    const readFirstId = async () => {
      const follower = await follow(token);
      follower.close();
      return follower.messages[0]!.id;
    };
    // PostgreSQL: an event is sent once no earlier transaction is open in any database of the
    // server.
    const { db } = service().engine;
    await until('all events to be settled', async () => {
      const row = await db.get<{ n: number }>(
        `SELECT count(*) AS n FROM events WHERE NOT (${db.dialect.settled})`,
      );
      return row!.n === 0;
    });
    const before = await readFirstId();
    await call('PUT', `/questions/${id}`, { body: { explanation: 'It is so.' } });
    await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage' },
      headers: { prefer: 'wait=30' },
    });
    assert.equal(await readFirstId(), before);
    await call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    assert.notEqual(await readFirstId(), before);
  });

  it('releases readers that disconnect at once', async () => {
    const { port } = service().app.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${service().admin.key}` };
    for (let i = 0; i < 60; i++) {
      const request = http.get({ port, path: '/events', headers, agent: false }).on('error', () => {});
      request.once('socket', (socket) =>
        socket.once('connect', () => setImmediate(() => socket.resetAndDestroy())),
      );
    }
    await until('all connections to be released', async () => {
      const streams = await Promise.all(Array.from({ length: 20 }, () => follow()));
      for (const stream of streams) stream.close();
      return streams.every(({ status }) => status === 200);
    });
    // An open stream receives events at once, not at the next heartbeat.
    const open = await follow();
    await sleep(500);
    await add();
    await until('a message', () => open.messages.length === 2, 5_000);
    open.close();
  });

  it('sends many events in pieces, to readers that lag and to current ones', async () => {
    const live = await follow();
    const start = live.messages[0]!.id;
    const made = [...(await add(1000)), ...(await add(1000))];
    const behind = await follow(undefined, start);
    for (const follower of [live, behind]) {
      const messages = await waitForMessages(follower, 2001);
      assert.deepEqual(
        messages.slice(1).map(({ data }) => data.question_id),
        made,
      );
      assert.equal(new Set(messages.map(({ id }) => id)).size, 2001);
      follower.close();
    }
  });

  it('403 without a scope for events; ends the stream of a revoked token', async () => {
    const withoutScope = await service().keyFor('answers:check');
    assert.equal((await call('GET', '/events', { token: withoutScope })).status, 403);
    const { body } = await call('POST', '/auth/tokens', {
      body: { name: 'short', scopes: ['questions:read'] },
    });
    const follower = await follow(body.token);
    assert.equal(follower.ended, false);
    await call('DELETE', `/auth/tokens/${body.id}`);
    await until('its end', () => follower.ended);
  });

  it('429: limits the streams of a client; closed ones do not count', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow()));
    assert.deepEqual(
      streams.map(({ status }) => status),
      streams.map(() => 200),
    );
    const refused = await call('GET', '/events');
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_streams']);
    for (const stream of streams) stream.close();
    await until('a free stream', async () => (await call('GET', '/events')).status === 200);
  });

  it('sends the events of concurrent writers once, in the same order to all', async () => {
    const [one, two] = [await follow(), await follow()];
    const created = (await Promise.all(Array.from({ length: 40 }, () => add(3)))).flat();
    const [first, second] = [await waitForMessages(one, 121), await waitForMessages(two, 121)];
    await sleep(300);
    assert.equal(one.messages.length, 121);
    const ids = first.slice(1).map(({ data }) => data.question_id);
    assert.deepEqual(ids.toSorted(), created.toSorted());
    assert.deepEqual(
      second.slice(1).map(({ id }) => id),
      first.slice(1).map(({ id }) => id),
    );
    one.close();
    two.close();
  });
}

onEveryEngine('events', cases, { timings: { streamCheckMs: 200 } });

describe('an idle stream', () => {
  it('carries comments that keep the connection alive', async (t) => {
    const service = await openService('sqlite', { timings: { heartbeatMs: 100 } });
    t.after(() => service.close());
    const { port, token } = await listen(service);
    const stream = new EventStream({ port, token });
    await until('comments', () => stream.comments >= 3);
    assert.deepEqual(stream.events, ['stream.opened']);
    stream.close();
  });
});

describe('a reader that stalls', () => {
  it('is disconnected', async (t) => {
    const timings = { streamCheckMs: 200, streamStallMs: 1_000 };
    const { app, admin, close } = await openService('sqlite', { timings });
    t.after(close);
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const headers = { authorization: `Bearer ${admin.key}` };
    const request = http.get({ port, path: '/events', headers, agent: false });
    request.on('error', () => {});
    await new Promise<void>((resolve) => {
      request.on('response', (response) => {
        response.once('data', () => {
          request.socket!.pause();
          resolve();
        });
      });
    });
    const connections = () => new Promise((resolve) => app.server.getConnections((_, n) => resolve(n)));
    assert.equal(await connections(), 1);
    // More than the socket buffers of the operating system.
    const payload = Array.from({ length: 1000 }, () => sample());
    for (let i = 0; i < 60; i++) {
      const { statusCode } = await app.inject({ method: 'POST', url: '/questions', headers, payload });
      assert.equal(statusCode, 201);
    }
    await until('its end', async () => (await connections()) === 0, 40_000);
    request.destroy();
  });
});

describe('events on PostgreSQL', () => {
  it('are sent in the order of their transactions, however late an earlier one commits', async (t) => {
    const service = await openService('postgres');
    const { engine, call, admin, app, close } = service;
    t.after(close);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const follower = new EventStream({ port, token: admin.key });
    await follower.opened;
    const early = Promise.withResolvers<void>();
    const slow = engine.write(
      testCommand(async (tx, subject: string) => {
        await emit(tx, { kind: 'question.deleted', at: 1, subjects: [subject] });
        await early.promise;
      }),
      'early',
    );
    const { body } = await call('POST', '/questions', { body: sample() });
    await sleep(500);
    assert.deepEqual(
      follower.events,
      ['stream.opened'],
      'no event is sent while an earlier transaction is open',
    );
    early.resolve();
    await slow;
    await until('both', () => follower.messages.length === 3);
    assert.deepEqual(
      follower.messages.slice(1).map(({ data }) => data.question_id),
      ['early', body.id],
    );
    follower.close();
  });
});
