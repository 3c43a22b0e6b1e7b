/** GIFT, the text format of Moodle, as Moodle reads it. */
import { MARKUP_LOSSES } from '../common-losses.ts';
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type Notice,
  type ReadItem,
  type ReadOptions,
} from '../format.ts';
import { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { readLines } from '../text/lines.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import { type GiftBlock, GiftBlocks } from './blocks.ts';
import { readQuestion } from './question.ts';
import { readCategory } from './text.ts';
import { writeGift } from './write.ts';

export const gift: Format = {
  name: 'gift',
  title: 'GIFT',
  extensions: ['.gift', '.txt'],
  mediaTypes: ['text/x-gift'],
  losses: {
    ...TEXT_LOSSES,
    ...MARKUP_LOSSES,
    name_dropped: 'The name of a question is not kept unless it is the beginning of its text.',
    partial_credit_dropped: 'Answers that give a part of the marks give none.',
    negative_marks_dropped: 'Wrong answers take no marks away.',
    option_feedback_appended: 'Feedback on an answer becomes a line of the explanation.',
    wildcard_answer_dropped: 'Accepted answers with the wildcard * are not kept.',
    accepted_answers_dropped: 'Further accepted numbers of a numerical question are not kept.',
    single_key_of_several: 'A question with checkboxes and one correct answer becomes multiple choice.',
    empty_option_dropped: 'Options without text are not kept.',
    lowercase_truth: 'An answer such as {true} is a short answer; {TRUE} is a true-false question.',
    text_after_answers: 'Punctuation after the answers is read as a part of the question.',
    blank_line_in_answers: 'A blank line within the braces does not end the question, as it does in Moodle.',
    blank_line_missing: 'A question that no blank line separates from the one before is read on its own.',
    category_not_separate: 'A category and a question that no blank line separates are read as two.',
    metadata_extension: 'Fields that GIFT does not have are written into a comment.',
    relative_tolerance_converted: 'A relative tolerance is written as the absolute one that it is.',
    space_trimmed: 'Spaces at the beginning and end of a text are not written.',
    arrow_replaced: 'The characters -> in a short answer are written as →.',
  },
  detect(head, fileName) {
    const text = decodeHead(head);
    const isNamed = /\.gift(?:\.txt)?$/i.test(fileName ?? '');
    const hasAnswers = /\{\s*(?:[=~#}]|(?:T|F|TRUE|FALSE)\s*[#}])/.test(text);
    if (!hasAnswers || /^\s*[[{<]/.test(text.replace(/^\s*\[(html|plain|markdown|moodle)\]/, '')))
      return isNamed ? 0.5 : 0;
    return isNamed ? 0.97 : /^\s*::|^\$CATEGORY:|^\/\//m.test(text) ? 0.85 : 0.7;
  },
  read: (source, options) => toItems(readBatches(source, options)),
  write: (questions, options) => encodeTexts(writeGift(questions, options)),
};

const CATEGORY = /^\s*\$CATEGORY:(.*)$/;

async function* readBatches(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem[]> {
  const file = decodeFile(source, options);
  const maxChars = options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES;
  const blocks = new GiftBlocks(maxChars);
  const reader = new BlockReader(options, file.encode);
  for await (const lines of readLines(file, maxChars)) {
    const items: ReadItem[] = file.notices.splice(0).map((value) => ({ kind: 'notice', value }));
    for (const line of lines) for (const block of blocks.push(line)) items.push(...reader.read(block));
    yield items;
  }
  yield blocks.flush().flatMap((block) => reader.read(block));
}

class BlockReader {
  readonly #options: ReadOptions;
  readonly #encode: (text: string) => Uint8Array;
  #category: string | undefined;

  constructor(options: ReadOptions, encode: (text: string) => Uint8Array) {
    this.#options = options;
    this.#encode = encode;
  }

  read(block: GiftBlock): ReadItem[] {
    const first = block.lines.findIndex((line) => line.trim() !== '');
    const position = { line: block.line + Math.max(0, first) };
    if (block.isTooLarge) {
      const detail = 'The question is too large. Divide it, or leave embedded files out.';
      return [{ kind: 'reject', value: { code: 'item_too_large', detail, position, raw: undefined } }];
    }
    const category = CATEGORY.exec(block.lines[first]!)?.[1];
    if (category === undefined) return [this.#readQuestion(block, position.line)];
    this.#category = readCategory(category) || undefined;
    const rest = { ...block, lines: block.lines.with(first, '') };
    if (rest.lines.every((line) => line.trim() === '')) return [];
    const notice: Notice = {
      code: 'category_not_separate',
      detail:
        'No blank line follows the category; Moodle takes the question for a part of its name. Add one.',
      position,
    };
    return [{ kind: 'notice', value: notice }, ...this.read(rest)];
  }

  #readQuestion(block: GiftBlock, line: number): ReadItem {
    const raw = this.#encode(block.source);
    const report = new ItemReport({ line }, this.#options);
    try {
      const question = readQuestion(block, this.#category, report, this.#options);
      return { kind: 'question', value: { question, position: { line }, notices: report.notices, raw } };
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      const { code, detail, position = { line } } = error;
      return { kind: 'reject', value: { code, detail, position, raw } };
    }
  }
}
