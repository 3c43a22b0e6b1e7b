/**
 * Parses requests to the token endpoints (RFC 6749): a form or JSON, with credentials in it or in
 * HTTP Basic.
 */
import { OAUTH_ERRORS, type OAuthErrorCode } from '../schemas/auth.ts';

export class OAuthError extends Error {
  readonly status: number;
  readonly code: OAuthErrorCode;
  /** The client whose refresh token was reused and may be stolen. */
  readonly compromisedClient: string | undefined;

  constructor(code: OAuthErrorCode, description: string = OAUTH_ERRORS[code], compromisedClient?: string) {
    super(description);
    this.status = code === 'invalid_client' ? 401 : 400;
    this.code = code;
    this.compromisedClient = compromisedClient;
  }
}

const invalidRequest = (description: string) => new OAuthError('invalid_request', description);

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a form. A repeated field is an error; an empty one is ignored (RFC 6749, section 3.1). */
export function parseForm(body: Buffer): Record<string, string> {
  let pairs: string[];
  try {
    pairs = UTF8.decode(body).split('&');
  } catch {
    throw invalidRequest('The body is not valid UTF-8.');
  }
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 0) continue;
    const name = decodeField(pair.slice(0, equals));
    if (fields.has(name)) throw invalidRequest(`${name} is given more than once.`);
    fields.set(name, decodeField(pair.slice(equals + 1)));
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}

function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest('The body contains an invalid percent-encoding.');
  }
}

/** Reads the fields of a body that was sent as a form or as JSON. */
export function readFormFields(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest('Send the parameters as a form or as a JSON object.');
  }
  const fields = Object.entries(body).filter(([, value]) => value !== '' && value !== null);
  const wrong = fields.find(([, value]) => typeof value !== 'string');
  if (wrong) throw invalidRequest(`${wrong[0]} must be a string.`);
  for (const [name, value] of fields) refuseControlCharacters(name, value);
  return Object.fromEntries(fields);
}

function refuseControlCharacters(name: string, value: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are matched on purpose
  if (/[\x00-\x1f\x7f]/.test(value) || !value.isWellFormed())
    throw invalidRequest(`${name} contains a control character or an unpaired surrogate.`);
}

export interface Credentials {
  id: string;
  /** Empty if only the id was sent; two if HTTP Basic can be decoded in two ways. */
  secrets: string[];
}

/** Reads client credentials from HTTP Basic or from the body. Both at once are an error. */
export function readCredentials(
  authorization: string | undefined,
  form: Record<string, string>,
): Credentials | undefined {
  const { client_id, client_secret } = form;
  // A Bearer header is ignored: clients may send their old access token along.
  if (!/^Basic\b/i.test(authorization ?? '')) {
    if (client_id === undefined && client_secret !== undefined) throw invalidRequest('client_id is missing.');
    return client_id === undefined
      ? undefined
      : { id: client_id, secrets: client_secret === undefined ? [] : [client_secret] };
  }
  if (client_secret !== undefined)
    throw invalidRequest('Send client credentials either by HTTP Basic or in the body, not both.');
  const basic = parseBasic(authorization!);
  if (client_id !== undefined && client_id !== basic.id)
    throw invalidRequest('client_id differs from the client in HTTP Basic.');
  return basic;
}

/**
 * RFC 6749 form-encodes both parts, and OAuth libraries do so; curl and others do not. A secret
 * that decodes differently is tried in both forms.
 */
function parseBasic(authorization: string): Credentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization) ?? [];
  if (!encoded) throw new OAuthError('invalid_client', 'HTTP Basic is not valid Base64.');
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw new OAuthError('invalid_client', 'HTTP Basic has no colon.');
  const secret = text.slice(colon + 1);
  refuseControlCharacters('HTTP Basic', text + decodeLeniently(text));
  return {
    id: decodeLeniently(text.slice(0, colon)),
    secrets: [...new Set([decodeLeniently(secret), secret])],
  };
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
