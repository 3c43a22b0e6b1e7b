/** Server-sent events: what happens in the bank, as it happens, to whoever may know of it. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller, Guard } from '../../access/guard.ts';
import { errors } from '../../errors.ts';
import type { Engine } from '../../store/db.ts';
import {
  type EventFilter,
  type EventPosition,
  type EventRow,
  findLastPosition,
  isRetained,
} from '../../store/events.ts';
import { formatTime } from '../../store/time.ts';
import type { Cursors, EventPlace } from '../cursors.ts';
import { callerOf } from '../requests.ts';
import { Feed } from './feed.ts';

const MOST_STREAMS = 500;
const MOST_OF_ONE = 20;

const Stream = {
  content: {
    'text/event-stream': {
      schema: Type.String({
        description:
          'Each event has an `id` to resume from, a name in `event`, and in `data` an object with `at` and either `question_id`, or `analysis_id`, ' +
          '`analysis_type`, `status` and `progress`.',
      }),
    },
  },
};

const hearingOf = ({ scopes }: Caller): EventFilter => ({
  questions: scopes.has('questions:read'),
  analyses: scopes.has('analysis:read'),
  answers: scopes.has('answers:read'),
});

const mayHear = (hearing: EventFilter, { kind, reveals_answers }: EventRow) =>
  (kind.startsWith('question.') ? hearing.questions : hearing.analyses) &&
  (reveals_answers === 0 || hearing.answers);

export function eventRoutes(
  app: FastifyInstance,
  { engine, guard, cursors }: { engine: Engine; guard: Guard; cursors: Cursors },
): void {
  const feed = new Feed(engine);
  /** The answers that are under way, and to whom. */
  const streams = new Map<ServerResponse, string>();
  app.addHook('preClose', async () => {
    feed.close();
    for (const response of streams.keys()) response.destroy();
  });

  app.get(
    '/events',
    {
      config: { scopes: [], lasts: true },
      schema: {
        operationId: 'followEvents',
        summary: 'Follow what happens',
        description:
          'Server-sent events: `question.created`, `.updated`, `.deleted` with `questions:read`; `analysis.queued`, `.started`, `.progress`, ' +
          '`.succeeded`, `.failed`, `.cancelled`, `.deleted` with `analysis:read`. A change that only touches what tells the answer is told to those with ' +
          '`answers:read` alone. The stream begins with `stream.opened`. After an interruption send the last `id` as `Last-Event-ID` to go on behind it. ' +
          'Events are kept for 24 hours; where some are missing, `stream.reset` says so: fetch anew what you keep. A comment every 15 seconds keeps the ' +
          'connection alive. A reader that falls behind is cut off, and can resume.',
        takes: ['LastEventId'],
        response: { 200: Stream },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const hearing = hearingOf(caller);
      if (!hearing.questions && !hearing.analyses) throw errors.insufficientScope(['questions:read']);
      const own = [...streams.values()].filter((client) => client === caller.client).length;
      if (own >= MOST_OF_ONE) throw errors.tooManyStreams(MOST_OF_ONE);
      if (streams.size >= MOST_STREAMS) throw errors.overloaded();
      const gone = follow(request, reply);
      const begin = await opening(engine, { cursors, hearing }, request.headers['last-event-id']);
      if (feed.closed || gone.aborted) throw errors.unavailable('The service is stopping.');
      const { heartbeatMs } = app.timings;
      const following = { feed, cursors, hearing, begin, gone, heartbeatMs };
      const stream = Readable.from(messages(following), { highWaterMark: 1 });
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    },
  );

  /** Counts a stream in until its answer has ended, however it does. Aborted when there is nobody to read it. */
  function follow(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { raw } = reply;
    const { socket } = request.raw;
    const gone = new AbortController();
    const leave = feed.join();
    const watch = setInterval(watcher(request, reply, guard), app.timings.streamCheckMs);
    streams.set(raw, callerOf(request).client);
    const end = () => {
      // It may have been gone before it was listened for.
      if (gone.signal.aborted) return;
      clearInterval(watch);
      leave();
      streams.delete(raw);
      gone.abort();
    };
    raw.once('close', end);
    // Elsewhere whoever has said all they have to say still gets the answer; here they have gone.
    socket.once('end', () => raw.destroy());
    if (raw.destroyed || socket.destroyed || socket.readableEnded) end();
    return gone.signal;
  }
}

interface Begin {
  place: EventPlace;
  /** Whether events behind the place asked for may be missing. */
  reset: boolean;
}

async function opening(
  { db }: Engine,
  { cursors, hearing }: { cursors: Cursors; hearing: EventFilter },
  lastId: string | string[] | undefined,
): Promise<Begin> {
  const asked = typeof lastId === 'string' && lastId !== '' ? cursors.readEvent(lastId) : undefined;
  if (asked && (await isRetained(db, asked))) return { place: asked, reset: false };
  const place = { ...(await findLastPosition(db, hearing)), sent: ALL };
  return { place, reset: lastId !== undefined && lastId !== '' };
}

/** More than an event can have subjects. */
const ALL = 0xffff;

interface Following {
  feed: Feed;
  cursors: Cursors;
  hearing: EventFilter;
  begin: Begin;
  /** Aborted when nobody is listening any more. */
  gone: AbortSignal;
  heartbeatMs: number;
}

async function* messages({
  feed,
  cursors,
  hearing,
  begin,
  gone,
  heartbeatMs,
}: Following): AsyncGenerator<string> {
  let place: EventPosition = begin.place;
  let { sent } = begin.place;
  const event = begin.reset ? 'stream.reset' : 'stream.opened';
  const at = new Date().toISOString();
  yield `retry: 2000\n${message(event, cursors.writeEvent(begin.place), { at })}`;
  let spoken = performance.now();
  while (!gone.aborted && !feed.closed) {
    // What was sent of the event at the place itself is less than all of it where a stream broke off in the middle.
    const from = sent === ALL ? place : { ...place, id: place.id - 1 };
    const left = Math.max(0, spoken + heartbeatMs - performance.now());
    for (const row of await feed.next(from, { ms: left, signal: gone })) {
      const known = row.tx === place.tx && row.id === place.id ? sent : 0;
      place = row;
      sent = ALL;
      if (!mayHear(hearing, row)) continue;
      for (const piece of told(cursors, row, known)) {
        yield piece;
        spoken = performance.now();
        await nextTurn();
      }
    }
    // By the clock alone: what may not be heard must not be noticed either.
    if (performance.now() - spoken < heartbeatMs) continue;
    yield ': still here\n\n';
    spoken = performance.now();
  }
}

/** Messages sent in one piece: an event about many questions must neither hold up others nor fill the memory. */
const IN_ONE_PIECE = 200;

/** An event's messages, one for each subject behind those known already, in pieces. */
function* told(cursors: Cursors, { tx, id, at, kind, subjects }: EventRow, known: number): Generator<string> {
  const all: (string | object)[] = JSON.parse(subjects);
  for (let first = known; first < all.length; first += IN_ONE_PIECE) {
    let piece = '';
    for (const [i, subject] of all.slice(first, first + IN_ONE_PIECE).entries()) {
      const sent = first + i + 1 === all.length ? ALL : first + i + 1;
      const about = typeof subject === 'string' ? { question_id: subject } : subject;
      piece += message(kind, cursors.writeEvent({ tx, id, sent }), { ...about, at: formatTime(at) });
    }
    yield piece;
  }
}

const message = (event: string, id: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Ends a stream whose token has ended, or whose reader takes nothing any more. */
function watcher(request: FastifyRequest, { raw }: FastifyReply, guard: Guard) {
  let stuckSince: number | undefined;
  return async () => {
    stuckSince = raw.writableNeedDrain ? (stuckSince ?? Date.now()) : undefined;
    const stuck = stuckSince !== undefined && Date.now() - stuckSince > request.server.timings.streamStallMs;
    // While the database is away nobody can say; it is asked again.
    if (stuck || !(await guard.isGood(request).catch(() => true))) raw.destroy();
  };
}
