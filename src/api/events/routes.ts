/** Server-sent events: of questions, analyses and bulk changes, as far as the caller may see them. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from '../../access/guard.ts';
import { Ticker } from '../../concurrency/ticker.ts';
import { errors } from '../../errors.ts';
import { Type } from '../../schemas/type.ts';
import type { Engine } from '../../store/db.ts';
import {
  type EventFilter,
  type EventPosition,
  type EventRow,
  findLastPosition,
  isRetained,
} from '../../store/events.ts';
import { formatTime } from '../../store/time.ts';
import type { Cursors, EventCursor } from '../cursors.ts';
import { getCaller, getVisibility } from '../requests.ts';
import { Feed } from './feed.ts';

const MAX_STREAMS = 500;
const MAX_STREAMS_PER_CLIENT = 20;

const EventStream = {
  content: {
    'text/event-stream': {
      schema: Type.String({
        description:
          'Each event has an `id` to resume from, a name in `event`, and in `data` an object with `at` and `question_id`, or `analysis_id`, ' +
          '`analysis_type`, `status` and `progress`, or `change_id`, `change_kind`, `status` and `progress`.',
      }),
    },
  },
};

const getFilter = (request: FastifyRequest): EventFilter => {
  const { scopes } = getCaller(request);
  const answers = scopes.has('answers:read');
  const maintains = answers && scopes.has('questions:write');
  return {
    questions: scopes.has('questions:read'),
    analyses: scopes.has('analysis:read'),
    changes: maintains,
    answers,
    audiences: [
      ...(['all', getVisibility(request) === 'all' ? 'editors' : 'readers'] as const),
      ...(maintains ? (['maintainers'] as const) : []),
    ],
  };
};

const NOUNS = { question: 'questions', analysis: 'analyses', change: 'changes' } as const;

const isVisible = (filter: EventFilter, { kind, reveals_answers, audience }: EventRow) =>
  filter[NOUNS[kind.split('.')[0] as keyof typeof NOUNS]] &&
  (reveals_answers === 0 || filter.answers) &&
  filter.audiences.includes(audience);

export function eventRoutes(
  app: FastifyInstance,
  { engine, guard, cursors }: { engine: Engine; guard: Guard; cursors: Cursors },
): void {
  const feed = new Feed(engine);
  /** Open streams, with the ids of their clients. */
  const streams = new Map<ServerResponse, string>();
  app.addHook('preClose', async () => {
    feed.close();
    for (const response of streams.keys()) response.destroy();
  });

  app.get(
    '/events',
    {
      config: { scopes: [], longRunning: true },
      schema: {
        operationId: 'streamEvents',
        summary: 'Stream events',
        description:
          'Server-sent events: `question.created`, `.updated`, `.deleted` with `questions:read`; `analysis.queued`, `.started`, `.progress`, ' +
          '`.succeeded`, `.failed`, `.cancelled`, `.deleted` with `analysis:read`; `change.queued`, `.started`, `.progress`, `.succeeded`, `.failed`, `.cancelled` of bulk changes and, without ' +
          'progress, of imports with `questions:write` and `answers:read`; `question.pending`, when a change waits for approval, and `question.reported`, when the third respondent reports a ' +
          'question, with `questions:read`, `questions:write` (or for the first `questions:review`) and `answers:read`. Events about changes of answers only are sent to callers with ' +
          '`answers:read`. The first event is `stream.opened`. To resume, send the last `id` as `Last-Event-ID`. Events are kept for 24 hours; if some ' +
          'may be missing, the first event is `stream.reset`: fetch your data again. A comment every 15 seconds keeps the connection alive. A reader ' +
          'that falls behind is disconnected and can resume.',
        takes: ['LastEventId'],
        response: { 200: EventStream },
      },
    },
    async (request, reply) => {
      const caller = getCaller(request);
      const filter = getFilter(request);
      if (!filter.questions && !filter.analyses && !filter.changes)
        throw errors.insufficientScope(['questions:read']);
      const own = [...streams.values()].filter((client) => client === caller.client).length;
      if (own >= MAX_STREAMS_PER_CLIENT) throw errors.tooManyStreams(MAX_STREAMS_PER_CLIENT);
      if (streams.size >= MAX_STREAMS) throw errors.overloaded();
      const disconnected = register(request, reply);
      const start = await findStart(engine, { cursors, filter }, request.headers['last-event-id']);
      if (feed.closed || disconnected.aborted) throw errors.unavailable('The service is stopping.');
      const { heartbeatMs } = app.timings;
      const messages = generateMessages({ feed, cursors, filter, start, disconnected, heartbeatMs });
      const stream = Readable.from(messages, { highWaterMark: 1 });
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    },
  );

  /**
   * Registers a stream until its response is closed. The signal is aborted when the client
   * disconnects.
   */
  function register(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { raw } = reply;
    const { socket } = request.raw;
    const disconnected = new AbortController();
    const leave = feed.join();
    const timer = setInterval(buildStreamCheck(request, reply, guard), app.timings.streamCheckMs);
    streams.set(raw, getCaller(request).client);
    const end = () => {
      if (disconnected.signal.aborted) return;
      clearInterval(timer);
      leave();
      streams.delete(raw);
      disconnected.abort();
    };
    raw.once('close', end);
    // A half-closed connection, which other routes respond to, ends a stream.
    socket.once('end', () => raw.destroy());
    // The client may have disconnected before the listeners were added.
    if (raw.destroyed || socket.destroyed || socket.readableEnded) end();
    return disconnected.signal;
  }
}

interface Start {
  position: EventCursor;
  /** Whether events after the requested position may be missing. */
  reset: boolean;
}

async function findStart(
  { db }: Engine,
  { cursors, filter }: { cursors: Cursors; filter: EventFilter },
  lastId: string | string[] | undefined,
): Promise<Start> {
  const requested = typeof lastId === 'string' && lastId !== '' ? cursors.decodeEvent(lastId) : undefined;
  if (requested && (await isRetained(db, requested))) return { position: requested, reset: false };
  const position = { ...(await findLastPosition(db, filter)), sent: ALL_SENT };
  return { position, reset: lastId !== undefined && lastId !== '' };
}

/** More than the number of subjects of any event. */
const ALL_SENT = 0xffff;

interface StreamOptions {
  feed: Feed;
  cursors: Cursors;
  filter: EventFilter;
  start: Start;
  disconnected: AbortSignal;
  heartbeatMs: number;
}

async function* generateMessages(options: StreamOptions): AsyncGenerator<string> {
  const { feed, cursors, filter, start, disconnected, heartbeatMs } = options;
  let position: EventPosition = start.position;
  let { sent } = start.position;
  const event = start.reset ? 'stream.reset' : 'stream.opened';
  const at = new Date().toISOString();
  yield `retry: 2000\n${formatMessage(event, cursors.encodeEvent(start.position), { at })}`;
  let lastSent = performance.now();
  const ticker = new Ticker();
  while (!disconnected.aborted && !feed.closed) {
    // After an interruption within an event, the rest of that event is read again.
    const from = sent === ALL_SENT ? position : { ...position, id: position.id - 1 };
    const maxWaitMs = Math.max(0, lastSent + heartbeatMs - performance.now());
    for (const row of await feed.next(from, { ms: maxWaitMs, signal: disconnected })) {
      const alreadySent = row.tx === position.tx && row.id === position.id ? sent : 0;
      position = row;
      sent = ALL_SENT;
      if (!isVisible(filter, row)) continue;
      for (const chunk of formatEvent(cursors, row, alreadySent)) {
        yield chunk;
        lastSent = performance.now();
        if (ticker.due()) await ticker.yield();
      }
    }
    // Heartbeats depend on the clock alone, so that their timing does not disclose hidden events.
    if (performance.now() - lastSent < heartbeatMs) continue;
    yield ': heartbeat\n\n';
    lastSent = performance.now();
  }
}

/** Limits the memory and the time that an event about many questions takes at once. */
const MESSAGES_PER_CHUNK = 200;

/** Formats an event, one message per subject that has not been sent, in chunks. */
function* formatEvent(
  cursors: Cursors,
  { tx, id, at, kind, subjects }: EventRow,
  alreadySent: number,
): Generator<string> {
  const all: (string | object)[] = JSON.parse(subjects);
  for (let first = alreadySent; first < all.length; first += MESSAGES_PER_CHUNK) {
    let chunk = '';
    for (const [i, subject] of all.slice(first, first + MESSAGES_PER_CHUNK).entries()) {
      const sent = first + i + 1 === all.length ? ALL_SENT : first + i + 1;
      const data = typeof subject === 'string' ? { question_id: subject } : subject;
      chunk += formatMessage(kind, cursors.encodeEvent({ tx, id, sent }), { ...data, at: formatTime(at) });
    }
    yield chunk;
  }
}

const formatMessage = (event: string, id: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Ends a stream whose token is no longer valid, or whose reader has stalled. */
function buildStreamCheck(request: FastifyRequest, { raw }: FastifyReply, guard: Guard) {
  const { streamStallMs } = request.server.timings;
  let stalledSince: number | undefined;
  return async () => {
    stalledSince = raw.writableNeedDrain ? (stalledSince ?? Date.now()) : undefined;
    const stalled = stalledSince !== undefined && Date.now() - stalledSince > streamStallMs;
    // While the database is unavailable the token cannot be checked; it is checked again later.
    if (stalled || !(await guard.isStillAuthorized(request).catch(() => true))) raw.destroy();
  };
}
