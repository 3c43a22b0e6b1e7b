/** A request to the token endpoints, as RFC 6749 has it: a form or JSON, the client named in it or by HTTP Basic. */
import { OAUTH_ERRORS, type OAuthErrorCode } from '../schemas/auth.ts';

export class OAuthError extends Error {
  readonly status: number;
  readonly code: OAuthErrorCode;
  /** The client whose tokens were stolen, by the look of it. */
  readonly alarm: string | undefined;

  constructor(code: OAuthErrorCode, description: string = OAUTH_ERRORS[code], alarm?: string) {
    super(description);
    this.status = code === 'invalid_client' ? 401 : 400;
    this.code = code;
    this.alarm = alarm;
  }
}

const invalid = (description: string) => new OAuthError('invalid_request', description);

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The fields of a form; one that is given twice is an error, an empty one counts as left out. */
export function parseForm(body: Buffer): Record<string, string> {
  let pairs: string[];
  try {
    pairs = UTF8.decode(body).split('&');
  } catch {
    throw invalid('The body is not UTF-8.');
  }
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    if (cut < 0) continue;
    const name = decoded(pair.slice(0, cut));
    if (fields.has(name)) throw invalid(`${name} is given twice.`);
    fields.set(name, decoded(pair.slice(cut + 1)));
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('The body has a % that is not followed by valid UTF-8 in hexadecimal.');
  }
}

/** The same of a body that came as a form or as JSON. */
export function formOf(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('Send the parameters as a form or as a JSON object.');
  }
  const fields = Object.entries(body).filter(([, value]) => value !== '' && value !== null);
  const wrong = fields.find(([, value]) => typeof value !== 'string');
  if (wrong) throw invalid(`${wrong[0]} must be a string.`);
  for (const [name, value] of fields) refuseControl(name, value);
  return Object.fromEntries(fields);
}

/** No database stores them, and no person types them. */
function refuseControl(name: string, value: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  if (/[\x00-\x1f\x7f]/.test(value) || !value.isWellFormed())
    throw invalid(`${name} has a character that is none.`);
}

export interface Credentials {
  id: string;
  /** None if only the name was given; two where the sender's way of writing it can be read in two ways. */
  secrets: string[];
}

/** Who asks, if they say so: by one of the two ways, not by both. */
export function credentialsIn(
  authorization: string | undefined,
  form: Record<string, string>,
): Credentials | undefined {
  const { client_id, client_secret } = form;
  // A client may send its old access token along with whatever it asks.
  if (!/^Basic\b/i.test(authorization ?? '')) {
    if (client_id === undefined && client_secret !== undefined) throw invalid('client_id is missing.');
    return client_id === undefined
      ? undefined
      : { id: client_id, secrets: client_secret === undefined ? [] : [client_secret] };
  }
  if (client_secret !== undefined)
    throw invalid('Name the client by HTTP Basic or in the body, not by both.');
  const basic = fromBasic(authorization!);
  if (client_id !== undefined && client_id !== basic.id)
    throw invalid('Basic and client_id name two clients.');
  return basic;
}

/**
 * Both parts are encoded as in a form, says RFC 6749, and OAuth's libraries do it; curl and others do not. A secret that can
 * be read in both ways is tried in both.
 */
function fromBasic(authorization: string): Credentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization) ?? [];
  if (!encoded) throw new OAuthError('invalid_client', 'HTTP Basic is not readable.');
  const text = Buffer.from(encoded, 'base64').toString();
  const cut = text.indexOf(':');
  if (cut < 0) throw new OAuthError('invalid_client', 'HTTP Basic has no colon in it.');
  const secret = text.slice(cut + 1);
  refuseControl('HTTP Basic', text + lenient(text));
  return { id: lenient(text.slice(0, cut)), secrets: [...new Set([lenient(secret), secret])] };
}

function lenient(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
