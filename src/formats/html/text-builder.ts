/** Builds text from inline texts and blocks: collapses white space and separates blocks by lines. */
export class TextBuilder {
  #text = '';
  #gap = 0;
  #hasSpace = false;
  /** Length of the text behind the prefix of the line, to know whether the line is empty. */
  #lineStart = 0;
  readonly #blockGap: number;
  readonly #preserveSpace: boolean;

  constructor({ blockGap, preserveSpace }: { blockGap: number; preserveSpace: boolean }) {
    this.#blockGap = blockGap;
    this.#preserveSpace = preserveSpace;
  }

  get isAtLineStart(): boolean {
    return this.#gap > 0 || this.#text.length === this.#lineStart;
  }

  addText(text: string) {
    if (this.#preserveSpace) return this.addVerbatim(text);
    const collapsed = text.replace(/[ \t\n\r\f]+/g, ' ');
    if (collapsed === '') return;
    if (collapsed === ' ') {
      this.#hasSpace = true;
      return;
    }
    if (collapsed.startsWith(' ')) this.#hasSpace = true;
    this.#open();
    this.#text += collapsed.trimStart() === collapsed ? collapsed : collapsed.replace(/^ /, '');
    this.#hasSpace = false;
    if (collapsed.endsWith(' ')) {
      this.#text = this.#text.slice(0, -1);
      this.#hasSpace = true;
    }
  }

  addVerbatim(text: string) {
    if (text === '') return;
    this.#open();
    this.#text += text;
    if (text.endsWith('\n')) this.#lineStart = this.#text.length;
  }

  /** The mark of a list item or heading, which does not count as content of the line. */
  addPrefix(prefix: string) {
    this.#open();
    this.#text += prefix;
    this.#lineStart = this.#text.length;
    this.#hasSpace = false;
  }

  addBreak(text: string) {
    this.#closeGap();
    this.#hasSpace = false;
    this.#text += text;
    this.#lineStart = this.#text.length;
  }

  /** What follows begins on a new line. */
  startBlock(gap = this.#blockGap) {
    if (this.#text.length > this.#lineStart) this.#gap = Math.max(this.#gap, gap);
    this.#hasSpace = false;
  }

  #open() {
    this.#closeGap();
    if (this.#hasSpace && this.#text.length > this.#lineStart) this.#text += ' ';
    this.#hasSpace = false;
  }

  #closeGap() {
    if (this.#gap === 0) return;
    this.#text += '\n'.repeat(this.#gap);
    this.#gap = 0;
    this.#lineStart = this.#text.length;
  }

  finish(): string {
    if (this.#preserveSpace) return this.#text + (this.#hasSpace ? ' ' : '');
    return this.#text
      .replaceAll('\u00a0', ' ')
      .replace(/[ \t]+$/gm, '')
      .trim();
  }
}
