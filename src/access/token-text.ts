/**
 * The format of tokens: a prefix for the kind (`qsa_` access, `qsr_` refresh, `qsk_` key, `qss_` secret, `qsc_`
 * session cookie, `qsl_` sign-in link, `qsd_` token for draws), 30 random base-62 digits and a
 * checksum of six. The prefix lets secret scanners find leaked tokens; the checksum
 * rejects mistyped ones without a database query. Only hashes of tokens are stored.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = {
  access: 'qsa_',
  refresh: 'qsr_',
  key: 'qsk_',
  secret: 'qss_',
  session: 'qsc_',
  link: 'qsl_',
  draw: 'qsd_',
} as const;
export type TokenKind = keyof typeof PREFIX;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_DIGITS = 30;
const CHECKSUM_DIGITS = 6;
const FORMAT = /^qs[arkscld]_[0-9A-Za-z]{36}$/;

/** Generates a token with 178 bits of entropy. */
export const generateToken = (kind: TokenKind) => buildToken(kind, () => randomBytes(64));

/**
 * Derives a token from another one and a salt, with HMAC. The same input gives the same token, so a
 * lost response can be repeated although only hashes are stored.
 */
export function deriveToken(kind: TokenKind, from: string, salt: string): string {
  let round = 0;
  return buildToken(kind, () => createHmac('sha512', from).update(`${kind} ${salt} ${round++}`).digest());
}

function buildToken(kind: TokenKind, nextBytes: () => Buffer): string {
  let text: string = PREFIX[kind];
  const length = text.length + RANDOM_DIGITS;
  while (text.length < length) {
    // 248 is 4 × 62. Larger bytes are rejected, for they would make some digits more likely.
    for (const byte of nextBytes()) if (byte < 248 && text.length < length) text += DIGITS[byte % 62];
  }
  return text + computeChecksum(text);
}

function computeChecksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_DIGITS; i++) {
    digits = DIGITS[remainder % 62] + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}

/** Whether a text has the format and the checksum of a token. */
export const isToken = (text: string) =>
  FORMAT.test(text) && computeChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);

/** Redacts tokens in a text that is to be logged, such as a URL. */
export const redactTokens = (text: string) => text.replace(/qs[arkscld]_[0-9A-Za-z]{10,}/g, 'qs…');

/** One fast hash suffices: a token has too much entropy to be guessed. */
export const hashToken = (token: string) => hash('sha256', token, 'base64url');
