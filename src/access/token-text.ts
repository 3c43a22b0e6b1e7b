/**
 * What a token looks like: `qsa_`, `qsr_`, `qsk_` or `qss_` for what it is, 30 letters and digits drawn at random, and six
 * that are a checksum: so that a scanner finds one that was left lying about, and a typing error costs no look into the
 * database. Only hashes are stored.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = { access: 'qsa_', refresh: 'qsr_', key: 'qsk_', secret: 'qss_' } as const;
export type TokenKind = keyof typeof PREFIX;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DRAWN = 30;
const CHECKED = 6;
const FORM = /^(?:qsa|qsr|qsk|qss)_[0-9A-Za-z]{36}$/;

/** A new token of this kind: 178 bits of chance. */
export const newToken = (kind: TokenKind) => tokenFrom(kind, () => randomBytes(64));

/**
 * The token that follows from another one and a salt: always the same, known to nobody who lacks either. That is how an
 * answer that got lost can be given again though only hashes are stored.
 */
export function derivedToken(kind: TokenKind, from: string, salt: string): string {
  let round = 0;
  return tokenFrom(kind, () => createHmac('sha512', from).update(`${kind} ${salt} ${round++}`).digest());
}

function tokenFrom(kind: TokenKind, bytes: () => Buffer): string {
  let text: string = PREFIX[kind];
  const length = text.length + DRAWN;
  while (text.length < length) {
    // 248 is four times 62: what is above would make some digits likelier than others.
    for (const byte of bytes()) if (byte < 248 && text.length < length) text += DIGITS[byte % 62];
  }
  return text + checksum(text);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKED; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether a text can be a token at all. */
export const isToken = (text: string) =>
  FORM.test(text) && checksum(text.slice(0, -CHECKED)) === text.slice(-CHECKED);

/** A text that somebody may have put a token into, where none belongs. */
export const withoutTokens = (text: string) => text.replace(/qs[arks]_[0-9A-Za-z]{10,}/g, 'qs…');

/** What is stored in a token's place. It has more chance in it than could be tried, so that one fast hash will do. */
export const hashOf = (token: string) => hash('sha256', token, 'base64url');
