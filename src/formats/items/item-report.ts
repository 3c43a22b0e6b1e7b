/** Collects the notices of one item while it is read, and gives the options of its texts. */
import type { Notice, Position, ReadOptions } from '../format.ts';
import type { MarkupOptions } from '../html/render.ts';

export class ItemReport {
  readonly notices: Notice[] = [];
  readonly position: Position;
  readonly markup: MarkupOptions;

  constructor(position: Position, options: ReadOptions) {
    this.position = position;
    this.markup = {
      to: options.htmlTo,
      media: options.media,
      onNotice: (code, detail) => this.add(code, detail),
    };
  }

  /** A loss that occurs several times in an item is reported once. */
  add(code: string, detail: string): void {
    if (this.notices.some((notice) => notice.code === code)) return;
    this.notices.push({ code, detail, position: this.position });
  }
}
