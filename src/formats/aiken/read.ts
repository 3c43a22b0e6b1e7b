/**
 * Reads the lines of an Aiken file. Options are recognised by the next letter of the alphabet, so
 * that a stem may begin with `C. S. Lewis`; of two lines `A.` the first belongs to the stem.
 */
import type { Notice, ReadItem } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import type { TextLine } from '../text/lines.ts';

const OPTION = /^([A-Z])[).](?:[ \t]*)(.*)$/;
const LENIENT_OPTION = /^([A-Za-z])[).](?:[ \t]*)(.*)$/;
const ANSWER = /^(?:ANSWER|ANTWORT|RÉPONSE\s?|RESPUESTA|RESPOSTA|RISPOSTA|ANTWOORD):\s*(.*)$/i;
const LETTERS = /^\(?([A-Z])(?:[).]|\s|$)/i;
const SEVERAL_LETTERS = /^[A-Z](?:\s*(?:,|;|&|and)\s*[A-Z])+[.)]?$/i;

interface StemLine {
  text: string;
  followsBlank: boolean;
}

export class AikenReader {
  readonly #encode: (text: string) => Uint8Array;
  readonly #maxChars: number;
  readonly #option: RegExp;
  #stem: StemLine[] = [];
  #options: string[] = [];
  /** The first option as a line, which may turn out to be part of the stem. */
  #firstOption: StemLine | undefined;
  #sources: string[] = [];
  #size = 0;
  #line = 0;
  #followsBlank = false;

  constructor(encode: (text: string) => Uint8Array, maxChars: number, lenient: boolean) {
    this.#encode = encode;
    this.#maxChars = maxChars;
    this.#option = lenient ? LENIENT_OPTION : OPTION;
  }

  push({ text, source, line, isTooLarge }: TextLine): ReadItem[] {
    const trimmed = text.trim();
    if (trimmed === '' && !isTooLarge) {
      this.#followsBlank = this.#sources.length > 0;
      if (this.#followsBlank) this.#sources.push(source);
      return [];
    }
    const ended = this.#isNext(trimmed) ? this.end() : [];
    if (this.#sources.length === 0) this.#line = line;
    this.#sources.push(source);
    this.#size += source.length;
    if (isTooLarge || this.#size > this.#maxChars)
      return [
        ...ended,
        this.#reject(new RejectItem('item_too_large', 'The question is too large. Divide it.')),
      ];
    const answer = ANSWER.exec(trimmed)?.[1];
    if (answer !== undefined) return [...ended, this.#finish(answer)];
    this.#addLine(trimmed);
    this.#followsBlank = false;
    return ended;
  }

  /** A question that has options and no answer line ends where other text follows a blank line. */
  #isNext(text: string): boolean {
    if (!this.#followsBlank || this.#options.length === 0 || ANSWER.test(text)) return false;
    const letter = this.#option.exec(text)?.[1]?.toUpperCase();
    return letter !== this.#nextLetter() && !(letter === 'A' && this.#options.length === 1);
  }

  #nextLetter = () => String.fromCharCode(65 + this.#options.length);

  #addLine(text: string): void {
    const match = this.#option.exec(text);
    const letter = match?.[1]?.toUpperCase();
    const line = { text, followsBlank: this.#followsBlank };
    if (match && letter === this.#nextLetter()) {
      if (this.#options.length === 0) this.#firstOption = line;
      this.#options.push(match[2]!);
    } else if (match && letter === 'A' && this.#options.length === 1) {
      this.#stem.push(this.#firstOption!);
      this.#firstOption = line;
      this.#options = [match[2]!];
    } else if (this.#options.length > 0) this.#options.push(`${this.#options.pop()}\n${text}`);
    else this.#stem.push(line);
  }

  /** What is left at the end of the file, or where another question begins. */
  end(): ReadItem[] {
    if (this.#sources.length === 0) return [];
    const reason =
      this.#options.length > 0
        ? new RejectItem(
            'no_answer_line',
            'The question has no line such as "ANSWER: A". Add one after the options.',
          )
        : new RejectItem(
            'no_options',
            'This text has no options. Write them as "A) …", "B) …" and "ANSWER: A".',
          );
    return [this.#reject(reason)];
  }

  #finish(answer: string): ReadItem {
    const position = { line: this.#line };
    const notices: Notice[] = [];
    try {
      const keys = this.#readKeys(answer);
      const notice = (code: string, detail: string) => notices.push({ code, detail, position });
      if (keys.length > 1)
        notice('several_keys', 'Several letters are correct; Moodle would take the first.');
      if (this.#stem.slice(1).some(({ followsBlank }) => followsBlank))
        notice(
          'paragraphs_joined',
          'Blank lines divide the question. Check that its first lines belong to it.',
        );
      const correct = keys.map((index) => this.#options[index]!);
      const question = {
        question_text: this.#stem
          .map(({ text, followsBlank }, i) => (i > 0 && followsBlank ? `\n${text}` : text))
          .join('\n'),
        correct_answer: correct.length === 1 ? correct[0]! : correct,
        incorrect_answers: this.#options.filter((_, index) => !keys.includes(index)),
      };
      return { kind: 'question', value: { question, position, notices, raw: this.#takeRaw() } };
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      return this.#reject(error);
    }
  }

  #readKeys(answer: string): number[] {
    if (this.#stem.length === 0)
      throw new RejectItem('no_question_text', 'The question has no text before its options.');
    if (this.#options.length === 0)
      throw new RejectItem('no_options', 'The question has no options. Write them as "A) …", "B) …".');
    if (this.#options.length === 1)
      throw new RejectItem('too_few_options', 'The question has one option. Give at least two.');
    if (this.#options.some((option) => option.trim() === ''))
      throw new RejectItem('empty_option', 'An option has no text. Write one, or remove it.');
    const letters = SEVERAL_LETTERS.test(answer)
      ? answer.match(/\b[A-Z]\b/gi)!
      : [LETTERS.exec(answer)?.[1] ?? ''];
    const keys = letters.map((letter) => letter.toUpperCase().charCodeAt(0) - 65);
    if (keys.every((key) => key >= 0 && key < this.#options.length)) return [...new Set(keys)];
    const last = String.fromCharCode(64 + this.#options.length);
    throw new RejectItem(
      'key_not_among_options',
      `The answer "${answer.slice(0, 60)}" is not the letter of an option, A to ${last}.`,
    );
  }

  #reject({ code, detail }: RejectItem): ReadItem {
    const position = { line: this.#line };
    const isTooLarge = code === 'item_too_large';
    const raw = this.#takeRaw();
    return { kind: 'reject', value: { code, detail, position, raw: isTooLarge ? undefined : raw } };
  }

  #takeRaw(): Uint8Array {
    const raw = this.#encode(this.#sources.join(''));
    this.#stem = [];
    this.#options = [];
    this.#sources = [];
    this.#size = 0;
    this.#followsBlank = false;
    return raw;
  }
}
