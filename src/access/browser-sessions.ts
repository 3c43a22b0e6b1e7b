/**
 * Sessions of the console: an opaque token in a cookie that scripts cannot read.
 *
 * A browser sends the cookie with requests that other sites cause, too. `SameSite` does not separate
 * the ports of a host, so a session counts only for requests from the same origin: by
 * `Sec-Fetch-Site`, or by `Origin` where a browser does not send it, as over plain HTTP beyond
 * loopback. Without either, only safe methods are accepted: no other origin can read the response.
 */
import type { FastifyRequest } from 'fastify';
import type { NewToken } from '../store/access/tokens.ts';
import { uuidv7 } from '../store/ids.ts';
import { DAY_MS } from './sessions.ts';
import { generateToken, hashToken, isToken } from './token-text.ts';

const HOUR_MS = 60 * 60 * 1000;
export const SESSION_IDLE_MS = 12 * HOUR_MS;
const SESSION_MAX_MS = 14 * DAY_MS;
const LINK_LIFETIME_MS = HOUR_MS / 2;
/** The idle timeout is moved at most once in this time, so that reading rarely writes. */
export const SESSION_EXTENSION_MS = HOUR_MS;

type SessionRow = Omit<NewToken, 'client_id' | 'scope'>;

/** Generates a session and its row, which lacks its client. */
export function generateSession(now: number): { text: string; row: SessionRow } {
  const text = generateToken('session');
  return {
    text,
    row: {
      hash: hashToken(text),
      kind: 'session',
      id: uuidv7(now),
      family: uuidv7(now),
      name: null,
      created_at: now,
      expires_at: now + SESSION_IDLE_MS,
      ends_at: now + SESSION_MAX_MS,
    },
  };
}

/** Generates a link with which a client signs in once, without its secret. */
export function generateLink(client_id: string, now: number): { text: string; row: Omit<NewToken, 'scope'> } {
  const text = generateToken('link');
  const expires_at = now + LINK_LIFETIME_MS;
  return {
    text,
    row: {
      hash: hashToken(text),
      kind: 'link',
      id: uuidv7(now),
      client_id,
      family: null,
      name: null,
      created_at: now,
      expires_at,
      ends_at: expires_at,
    },
  };
}

/**
 * The name of the cookie. Cookies are shared by all ports of a host: without TLS the name has the
 * port, so that two banks on one machine do not end each other's sessions.
 */
function getCookieName(request: FastifyRequest, isSecure: boolean): string {
  if (isSecure) return '__Host-quaestor';
  const port = /:(\d{1,5})$/.exec(request.headers.host ?? '')?.[1] ?? '80';
  return `quaestor-${port}`;
}

const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

export function formatCookie(
  request: FastifyRequest,
  isSecure: boolean,
  session: { text: string; maxAgeMs: number },
): string {
  const secure = isSecure ? '; Secure' : '';
  const maxAge = Math.max(0, Math.floor(session.maxAgeMs / 1000));
  return `${getCookieName(request, isSecure)}=${session.text}; Max-Age=${maxAge}; ${ATTRIBUTES}${secure}`;
}

/** The session of a request that comes from the same origin; undefined if it has none. */
export function readSession(request: FastifyRequest, isSecure: boolean): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${getCookieName(request, isSecure)}=`;
  const pair = cookie.split(';').find((each) => each.trimStart().startsWith(start));
  const text = pair?.trim().slice(start.length);
  return text !== undefined && isToken(text) && isSameOrigin(request) ? text : undefined;
}

const SAFE_METHODS = new Set(['GET', 'HEAD']);

function isSameOrigin(request: FastifyRequest): boolean {
  return compareOrigin(request) ?? SAFE_METHODS.has(request.method);
}

/** Whether a page of another origin caused the request. Programs other than browsers name no origin. */
export const isCrossOrigin = (request: FastifyRequest): boolean => compareOrigin(request) === false;

/** Undefined if the request does not name its origin, or was not caused by a page. */
function compareOrigin({ headers }: FastifyRequest): boolean | undefined {
  const site = headers['sec-fetch-site'];
  if (site === 'none') return undefined;
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined) return undefined;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
