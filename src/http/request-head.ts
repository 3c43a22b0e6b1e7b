/** Reads what load shedding needs to know of a request, without the cost of the HTTP parser. */

export interface RequestHead {
  method: string;
  /** Without the query string. */
  path: string;
  /** A token in a header, or the cookie of a session. */
  hasCredentials: boolean;
  /**
   * Bytes of the request with its body; undefined if the head alone does not determine them, so
   * that the connection has to be closed after the response.
   */
  bytes: number | undefined;
}

const MAX_HEAD_BYTES = 16 * 1024;
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^ \r\n?]*)[^ \r\n]* HTTP\/1\.1\r\n/;
/** Headers that change where the request ends, or what follows it. */
const AMBIGUOUS = /\n(?:transfer-encoding|expect|upgrade|connection: *(?!keep-alive\r?$)\S)/m;
const CREDENTIALS = /\n(?:authorization:|cookie:[^\r\n]*quaestor)/;
const CONTENT_LENGTH = /\ncontent-length:([^\r\n]*)/g;

/** Returns undefined unless the chunk begins with a complete and ordinary request head. */
export function parseRequestHead(chunk: Buffer): RequestHead | undefined {
  const end = chunk.indexOf('\r\n\r\n');
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
  const text = chunk.toString('latin1', 0, end);
  const line = REQUEST_LINE.exec(text);
  if (!line) return undefined;
  const headers = text.toLowerCase();
  const bodyBytes = parseContentLength(headers);
  return {
    method: line[1]!,
    path: line[2]!,
    hasCredentials: CREDENTIALS.test(headers),
    bytes: bodyBytes === undefined || AMBIGUOUS.test(headers) ? undefined : end + 4 + bodyBytes,
  };
}

/** Returns undefined if the length is given twice, or is not a plain number. */
function parseContentLength(headers: string): number | undefined {
  const first = headers.indexOf('\ncontent-length:');
  if (first < 0) return 0;
  const [value, ...more] = Array.from(headers.matchAll(CONTENT_LENGTH), ([, text]) => text!.trim());
  return more.length === 0 && /^\d{1,8}$/.test(value ?? '') ? Number(value) : undefined;
}
