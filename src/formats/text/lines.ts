/** Divides text into lines as it arrives. */
import type { DecodedText } from './encoding.ts';

export interface TextLine {
  /** Without the line break. */
  text: string;
  /** With the line break; empty for a line that is too large. */
  source: string;
  /** From 1. */
  line: number;
  isTooLarge: boolean;
}

/** Batches of lines, one for each chunk of the file. Line breaks are LF, CRLF, or CR alone. */
export async function* readLines(file: DecodedText, maxChars: number): AsyncGenerator<TextLine[]> {
  let pending = '';
  let newline: string | undefined;
  let line = 1;
  let isSkipping = false;
  const add = (lines: TextLine[], source: string, text: string) => {
    if (isSkipping) isSkipping = false;
    else if (source.length > maxChars) lines.push({ text: '', source: '', line, isTooLarge: true });
    else lines.push({ text, source, line, isTooLarge: false });
    line++;
  };
  for await (const chunk of file.chunks()) {
    newline ??= !chunk.includes('\n') && /\r[^\n]/.test(chunk) ? '\r' : '\n';
    const text = pending === '' ? chunk : pending + chunk;
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = text.indexOf(newline); end !== -1; end = text.indexOf(newline, start)) {
      const isCrLf = newline === '\n' && end > start && text.charCodeAt(end - 1) === 13;
      add(lines, text.slice(start, end + 1), text.slice(start, isCrLf ? end - 1 : end));
      start = end + 1;
    }
    pending = text.slice(start);
    if (pending.length > maxChars) {
      if (!isSkipping) lines.push({ text: '', source: '', line, isTooLarge: true });
      isSkipping = true;
      pending = '';
    }
    yield lines;
  }
  const lines: TextLine[] = [];
  if (pending !== '') add(lines, pending, pending.replace(/\r$/, ''));
  yield lines;
}
