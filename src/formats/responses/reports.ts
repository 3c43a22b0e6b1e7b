/** Reports of platforms: the responses of a quiz in Moodle, the student analysis of Canvas. */
import type { CsvRecord } from '../csv/records.ts';
import { UnreadableFile } from '../format.ts';
import { flatten } from '../text/batches.ts';
import { ENCODING_LOSSES } from '../text/losses.ts';
import type {
  PortableResponse,
  QuestionReference,
  ResponseFormat,
  ResponseItem,
  ResponseReadOptions,
} from './format.ts';
import { type RowReader, readFirstRow, readRows } from './rows.ts';
import { findMissing, readTime } from './values.ts';

const LOSSES = {
  ...ENCODING_LOSSES,
  missing_ambiguous:
    'Moodle writes - for questions that were left out and for those that were not seen: both are omitted.',
  attempts_are_sessions: 'Several attempts of a respondent are sessions attempt-1, attempt-2 …',
  average_skipped: 'The row of averages is skipped.',
  respondent_by_name:
    'Without an id or address, respondents are known by their names, which may not be unique.',
};

/** A column of responses, and the one with the text of its question, if there is one. */
interface QuestionColumn {
  index: number;
  reference: QuestionReference;
  textIndex: number | undefined;
}

interface Layout {
  questions: QuestionColumn[];
  /** The columns of the id, the first that has a value. */
  ids: number[];
  /** The columns of the name. */
  names: number[];
  group: number | undefined;
  attempt: number | undefined;
  time: number | undefined;
}

const RESPONSE =
  /^(?:response|antwort|réponse|respuesta|resposta|risposta|antwoord|odpowiedź|ответ|回答|解答)\s*(\d+)$/i;
const QUESTION = /^(?:question|frage|pregunta|questão|pergunta|domanda|vraag|pytanie|вопрос|問題)\s*(\d+)$/i;
const CANVAS = /^(\d+):\s*([\s\S]*)$/;
const AVERAGE =
  /^(?:overall average|gesamtdurchschnitt|moyenne (?:générale|globale)|promedio general|media (?:geral|complessiva)|algemeen gemiddelde)/i;

const findColumn = (cells: string[], pattern: RegExp) => {
  const index = cells.findIndex((cell) => pattern.test(cell.trim()));
  return index === -1 ? undefined : index;
};
const listColumns = (cells: string[], patterns: RegExp[]) =>
  patterns.map((pattern) => findColumn(cells, pattern)).filter((index) => index !== undefined);

function readMoodleLayout(cells: string[]): Layout {
  const questions = cells.flatMap((cell, index) => {
    const number = RESPONSE.exec(cell.trim())?.[1];
    if (number === undefined) return [];
    const textIndex = cells.findIndex((other) => QUESTION.exec(other.trim())?.[1] === number);
    const reference = { index: Number(number) - 1, name: cell.trim() };
    return [{ index, reference, textIndex: textIndex === -1 ? undefined : textIndex }];
  });
  return {
    questions,
    ids: listColumns(cells, [
      /^(?:id number|id-nummer|matrikelnummer|numéro d.identification|número de id)$/i,
      /^(?:email address|e-mail-adresse|adresse de courriel|dirección de correo|e-?mail)/i,
    ]),
    names: listColumns(cells, [
      /^(?:last name|surname|nachname|nom(?: de famille)?|apellido\(?s?\)?|cognome)$/i,
      /^(?:first name|vorname|prénom|nombre|nome)$/i,
    ]),
    group: findColumn(cells, /^(?:department|institution|abteilung|institution)$/i),
    attempt: undefined,
    time: undefined,
  };
}

function readCanvasLayout(cells: string[]): Layout {
  const questions = cells.flatMap((cell, index) => {
    const match = CANVAS.exec(cell.trim());
    return match ? [{ index, id: match[1]!, text: match[2]!.trim() }] : [];
  });
  return {
    questions: questions.map(({ index, id, text }, i) => ({
      index,
      reference: { index: i, name: `${id}: ${text}`, id, text },
      textIndex: undefined,
    })),
    ids: listColumns(cells, [/^id$/i, /^sis_id$/i]),
    names: listColumns(cells, [/^name$/i]),
    group: findColumn(cells, /^section$/i),
    attempt: findColumn(cells, /^attempt$/i),
    time: findColumn(cells, /^submitted$/i),
  };
}

const defineReport = (
  about: Pick<ResponseFormat, 'name' | 'title'>,
  readLayout: (cells: string[]) => Layout,
  expected: string,
): ResponseFormat => ({
  ...about,
  extensions: ['.csv'],
  losses: LOSSES,
  detect(head) {
    const { questions, ids, names } = readLayout(readFirstRow(head));
    return questions.length > 0 && ids.length + names.length > 0 ? 0.95 : 0;
  },
  read: (source, options) =>
    flatten(readRows(source, options, new ReportReader(options, readLayout, expected))),
});

export const moodleResponses = defineReport(
  { name: 'responses-moodle', title: 'Moodle, report of responses' },
  readMoodleLayout,
  'columns "Response 1", "Response 2" …; download the report “Responses” with responses shown',
);

export const canvasAnalysis = defineReport(
  { name: 'responses-canvas', title: 'Canvas, student analysis' },
  readCanvasLayout,
  'columns such as "12345: text of the question"; download the “Student analysis” of the quiz',
);

class ReportReader implements RowReader {
  items: ResponseItem[] = [];
  readonly #options: ResponseReadOptions;
  readonly #readLayout: (cells: string[]) => Layout;
  readonly #expected: string;
  #layout: Layout | undefined;
  /** The number of attempts by respondent, where the file does not give it. */
  #attempts = new Map<string, number>();
  #reported = new Set<string>();

  constructor(options: ResponseReadOptions, readLayout: (cells: string[]) => Layout, expected: string) {
    this.#options = options;
    this.#readLayout = readLayout;
    this.#expected = expected;
  }

  end(): void {
    if (!this.#layout) throw new UnreadableFile('empty_file', 'The file has no rows.');
  }

  #notice(code: keyof typeof LOSSES, line: number): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.items.push({ kind: 'notice', value: { code, detail: LOSSES[code], position: { line } } });
  }

  add({ cells, line, source }: CsvRecord): void {
    if (!this.#layout) {
      const layout = this.#readLayout(cells);
      if (layout.questions.length === 0 || layout.ids.length + layout.names.length === 0)
        throw new UnreadableFile(
          'no_header',
          `The header must have ${this.#expected}, and a column with ids or names.`,
          { line },
        );
      this.#layout = layout;
      return;
    }
    if (cells.some((cell) => AVERAGE.test(cell.trim()))) {
      this.#notice('average_skipped', line);
      return;
    }
    const respondent = this.#findRespondent(cells, line);
    if (respondent === undefined) {
      const detail = 'The row has no id and no name.';
      this.items.push({
        kind: 'reject',
        value: { code: 'no_respondent', detail, position: { line }, raw: Buffer.from(source) },
      });
      return;
    }
    this.#readResponses(cells, line, respondent);
  }

  #findRespondent(cells: string[], line: number): string | undefined {
    const { ids, names } = this.#layout!;
    const id = ids.map((index) => cells[index]?.trim() ?? '').find((value) => value !== '');
    if (id !== undefined) return id;
    const name = names
      .map((index) => cells[index]?.trim() ?? '')
      .filter((value) => value !== '')
      .join(', ');
    if (name !== '') this.#notice('respondent_by_name', line);
    return name === '' ? undefined : name;
  }

  #readResponses(cells: string[], line: number, respondent: string): void {
    const { questions, group, attempt, time } = this.#layout!;
    const count = (this.#attempts.get(respondent) ?? 0) + 1;
    this.#attempts.set(respondent, count);
    if (count > 1) this.#notice('attempts_are_sessions', line);
    const given = attempt === undefined ? '' : (cells[attempt]?.trim() ?? '');
    const groupName = group === undefined ? '' : (cells[group]?.trim() ?? '');
    const answered_at = time === undefined ? undefined : readTime(cells[time] ?? '');
    for (const { index, reference, textIndex } of questions) {
      const value = cells[index]?.trim() ?? '';
      const text = textIndex === undefined ? undefined : cells[textIndex]?.trim();
      if (value === '-') this.#notice('missing_ambiguous', line);
      const missing = findMissing(value, this.#options);
      const response: PortableResponse = {
        respondent,
        question: text ? { ...reference, text } : reference,
        ...(missing ? { missing } : { answer: value }),
        session: `attempt-${given === '' ? count : given}`,
        ...(groupName !== '' && { group: groupName }),
        ...(answered_at !== undefined && { answered_at }),
      };
      this.items.push({ kind: 'response', value: { response, position: { line, column: index + 1 } } });
    }
  }
}
