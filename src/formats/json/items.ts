/** Reads texts of JSON objects as items of a file. */
import type { Position, ReadItem } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import type { Remark } from '../table/draft.ts';
import { type ObjectContext, toQuestion } from './object.ts';

export interface JsonText {
  text: string;
  /** Absent if the text is not parsed yet, or not valid. */
  value?: unknown;
  position: Position;
  raw: Uint8Array;
}

export type ReadObject = typeof toQuestion;

export function readItem(
  { text, value, position, raw }: JsonText,
  context: ObjectContext,
  read: ReadObject = toQuestion,
): ReadItem {
  try {
    const remarks: Remark[] = [];
    const question = read(value === undefined ? parse(text, position) : value, context, remarks);
    const notices = remarks.map((remark) => ({ ...remark, position }));
    return { kind: 'question', value: { question, position, notices, raw } };
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    const { code, detail } = error;
    return { kind: 'reject', value: { code, detail, position: error.position ?? position, raw } };
  }
}

export const rejectTooLarge = (position: Position): ReadItem => ({
  kind: 'reject',
  value: {
    code: 'item_too_large',
    detail: 'The question is too large. Divide it, or leave embedded files out.',
    position,
    raw: undefined,
  },
});

function parse(text: string, start: Position): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = (error as Error).message;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? findBadToken(text));
    const what = message.replace(/,? ?\.\.\..*$|,? in JSON at position.*$|,? ".*" is not valid JSON$/s, '');
    throw new RejectItem('invalid_json', `This is not valid JSON: ${what}.`, locate(text, offset, start));
  }
}

/** V8 gives no position for a character that begins no token. */
function findBadToken(text: string): number {
  const token = /\s*(?:"(?:[^"\\\p{Cc}]|\\.)*"|[{}[\],:]|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)/iuy;
  let end = 0;
  while (token.test(text)) end = token.lastIndex;
  return text.length - text.slice(end).trimStart().length;
}

/** The position of an offset in a text that begins at `start`. */
function locate(text: string, offset: number, start: Position): Position {
  const before = text.slice(0, offset);
  const newline = before.lastIndexOf('\n');
  if (newline === -1) return { line: start.line, column: (start.column ?? 1) + offset };
  return { line: start.line + before.split('\n').length - 1, column: offset - newline };
}
