import type { Position } from './format.ts';

/** Thrown while one item is read: the item is rejected, and the next one is read. */
export class RejectItem extends Error {
  override name = 'RejectItem';
  readonly code: string;
  readonly detail: string;
  /** Default: the beginning of the item. */
  readonly position: Position | undefined;

  constructor(code: string, detail: string, position?: Position) {
    super(detail);
    this.code = code;
    this.detail = detail;
    this.position = position;
  }
}
