/** Reads what load shedding needs to know of a request, without the cost of the HTTP parser. */

export interface RequestHead {
  method: string;
  /** Without the query string. */
  path: string;
  hasAuthorization: boolean;
  /**
   * Bytes of the request with its body; undefined if they cannot be told from the head alone, so
   * that the connection has to be closed after the response.
   */
  bytes: number | undefined;
}

const MAX_HEAD_BYTES = 16 * 1024;
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s?]*)\S* HTTP\/1\.1\r\n/;
const RELEVANT_HEADERS =
  /\n(content-length|transfer-encoding|expect|connection|upgrade|authorization):([^\r\n]*)/gi;

/** Returns undefined unless the chunk begins with a complete and ordinary request head. */
export function parseRequestHead(chunk: Buffer): RequestHead | undefined {
  const end = chunk.indexOf('\r\n\r\n');
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
  const text = chunk.toString('latin1', 0, end);
  const line = REQUEST_LINE.exec(text);
  if (!line) return undefined;
  let hasAuthorization = false;
  let bodyBytes: number | undefined;
  let ambiguous = false;
  for (const [, name = '', value = ''] of text.matchAll(RELEVANT_HEADERS)) {
    if (name.length === 'authorization'.length) hasAuthorization = true;
    else if (
      name.length === 'content-length'.length &&
      /^ *\d{1,8} *$/.test(value) &&
      bodyBytes === undefined
    )
      bodyBytes = Number(value);
    else if (name.length !== 'connection'.length || !/^ *keep-alive *$/i.test(value)) ambiguous = true;
  }
  return {
    method: line[1]!,
    path: line[2]!,
    hasAuthorization,
    bytes: ambiguous ? undefined : end + 4 + (bodyBytes ?? 0),
  };
}
