/** Parses the XML of a workbook as a stream of events, chunk by chunk. */
import { SaxesParser } from 'saxes';
import { RejectItem } from '../reject-item.ts';

export interface XmlHandlers {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

/** Text between two tags is kept by the parser until the second one. */
const MAX_TEXT_CHARS = 20_000_000;

/** Yields after every chunk. @throws RejectItem if the XML is not well-formed. */
export async function* parseStream(
  chunks: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns?: false }>();
  const decoder = new TextDecoder();
  let pending = 0;
  const fail = (reason: string): never => {
    throw new RejectItem('xml_malformed', `The workbook is damaged: ${reason}. Save it again.`);
  };
  parser.on('error', ({ message }) => fail(message.replace(/^[^ ]*?\d+:\d+: /, '').replace(/\.$/, '')));
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0;
    const local: Record<string, string> = {};
    for (const key in attributes) local[toLocal(key)] = attributes[key]!;
    handlers.open(toLocal(name), local);
  });
  parser.on('closetag', ({ name }) => {
    pending = 0;
    handlers.close(toLocal(name));
  });
  parser.on('text', (text) => handlers.text(text));
  parser.on('cdata', (text) => handlers.text(text));
  for await (const chunk of chunks) {
    pending += chunk.length;
    if (pending > MAX_TEXT_CHARS) fail('a text is too large');
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder.decode()).close();
  yield;
}

const toLocal = (name: string) => name.slice(name.indexOf(':') + 1);

/** `_x000D_` is the character with that code. */
export const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot have.
const NOT_XML = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;

/** The inverse, for texts that look like an escape or have characters that XML cannot have. */
export const encodeEscapes = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(NOT_XML, (c) => `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
