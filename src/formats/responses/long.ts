/** One row per response: respondent, question, answer or score, perhaps session, group, time. */
import type { CsvRecord } from '../csv/records.ts';
import { UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { flatten } from '../text/batches.ts';
import { ENCODING_LOSSES } from '../text/losses.ts';
import type { PortableResponse, ResponseFormat, ResponseItem, ResponseReadOptions } from './format.ts';
import { type ResponseField, type RowReader, readFirstRow, readRows, recogniseField } from './rows.ts';
import { readAnswer, readScore, readTime } from './values.ts';

export const long: ResponseFormat = {
  name: 'responses-long',
  title: 'Responses, one row each',
  extensions: ['.csv', '.tsv'],
  losses: {
    ...ENCODING_LOSSES,
    column_ignored: 'A column that is not recognised by its name is not read.',
    time_not_read: 'A time that is not ISO 8601 is left out.',
  },
  detect(head) {
    const fields = readFirstRow(head).map(recogniseField);
    const hasValue = fields.includes('answer') || fields.includes('correct');
    return fields.includes('respondent') && fields.includes('question') && hasValue ? 0.9 : 0;
  },
  read: (source, options) => flatten(readRows(source, options, new LongReader(options))),
};

class LongReader implements RowReader {
  items: ResponseItem[] = [];
  readonly #options: ResponseReadOptions;
  #fields: (ResponseField | undefined)[] | undefined;
  /** The index of a question by its name. */
  #questions = new Map<string, number>();
  #hasTimeNotice = false;

  constructor(options: ResponseReadOptions) {
    this.#options = options;
  }

  end(): void {
    if (!this.#fields) throw new UnreadableFile('empty_file', 'The file has no rows.');
  }

  add(record: CsvRecord): void {
    if (!this.#fields) {
      this.#readHeader(record);
      return;
    }
    const position = { line: record.line };
    try {
      this.items.push({ kind: 'response', value: { response: this.#read(record), position } });
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      const { code, detail } = error;
      this.items.push({ kind: 'reject', value: { code, detail, position, raw: Buffer.from(record.source) } });
    }
  }

  #readHeader({ cells, line }: CsvRecord): void {
    const chosen = Object.entries(this.#options.columns ?? {});
    this.#fields = cells.map((cell) => {
      const field = chosen.find(([, name]) => name.toLowerCase() === cell.trim().toLowerCase())?.[0];
      return (field as ResponseField | undefined) ?? recogniseField(cell);
    });
    const has = (field: ResponseField) => this.#fields!.includes(field);
    if (!has('respondent') || !has('question') || !(has('answer') || has('correct')))
      throw new UnreadableFile(
        'no_header',
        'The first row must name the columns: respondent, question, and answer or correct. Rename them, or name the column of each field.',
        { line },
      );
    for (const [i, name] of cells.entries())
      if (name.trim() !== '' && (this.#fields[i] === undefined || this.#fields[i] === 'ignored'))
        this.items.push({
          kind: 'notice',
          value: {
            code: 'column_ignored',
            detail: `The column "${name.slice(0, 60)}" is not read.`,
            position: { line, column: i + 1 },
          },
        });
  }

  #read({ cells, line }: CsvRecord): PortableResponse {
    const find = (field: ResponseField) => cells[this.#fields!.indexOf(field)]?.trim() ?? '';
    const [respondent, name] = [find('respondent'), find('question')];
    if (respondent === '') throw new RejectItem('no_respondent', 'The row has no respondent. Give an id.');
    if (name === '') throw new RejectItem('no_question', 'The row names no question.');
    const score = find('correct');
    const outcome =
      score !== '' || !this.#fields!.includes('answer')
        ? readScore(score, this.#options)
        : readAnswer(find('answer'), this.#options);
    const response: PortableResponse = {
      respondent,
      question: { index: this.#questions.getOrInsertComputed(name, () => this.#questions.size), name },
      ...outcome,
    };
    const [session, group, time] = [find('session'), find('group'), find('answered_at')];
    if (session !== '') response.session = session;
    if (group !== '') response.group = group;
    const answered_at = time === '' ? undefined : readTime(time);
    if (answered_at !== undefined) response.answered_at = answered_at;
    else if (time !== '' && !this.#hasTimeNotice) {
      this.#hasTimeNotice = true;
      const detail = `The time "${time.slice(0, 40)}" is not ISO 8601 and is left out.`;
      this.items.push({ kind: 'notice', value: { code: 'time_not_read', detail, position: { line } } });
    }
    return response;
  }
}
