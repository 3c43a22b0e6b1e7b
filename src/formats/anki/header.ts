/** The header of a text file of Anki: lines such as `#separator:tab` before the notes. */

export interface AnkiHeader {
  separator: string | undefined;
  isHtml: boolean;
  /** The names of columns, if they are given. */
  columns: string[] | undefined;
  /** Indices of columns with a meaning of their own. */
  guid: number | undefined;
  deck: number | undefined;
  tags: number | undefined;
  notetype: number | undefined;
  /** Of all notes. */
  deckName: string | undefined;
  allTags: string[];
  /** The number of lines. */
  lines: number;
  chars: number;
}

const SEPARATORS: Record<string, string> = {
  ...{ comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', space: ' ', pipe: '|', colon: ':' },
};
export const HEADER_LINE =
  /^#\s*(separator|html|tags|columns|notetype|deck|guid column|deck column|tags column|notetype column|if matches|duplicate policy)\s*:(.*)$/i;

/** Reads the lines that begin with `#` at the beginning of a text. */
export function readAnkiHeader(text: string): AnkiHeader {
  const header: AnkiHeader = {
    separator: undefined,
    isHtml: true,
    columns: undefined,
    guid: undefined,
    deck: undefined,
    tags: undefined,
    notetype: undefined,
    deckName: undefined,
    allTags: [],
    lines: 0,
    chars: 0,
  };
  let columns: string | undefined;
  while (text[header.chars] === '#') {
    const newline = text.indexOf('\n', header.chars);
    const end = newline === -1 ? text.length : newline;
    const match = HEADER_LINE.exec(text.slice(header.chars, end).replace(/\r$/, ''));
    if (match && /^columns$/i.test(match[1]!)) columns = match[2]!;
    // Spreadsheets add separators to every line: `#html:true,,,`.
    else if (match)
      setOption(header, match[1]!.toLowerCase(), match[2]!.replace(/(?<=.)[,;\t|]+$/, '').trim());
    header.lines++;
    header.chars = newline === -1 ? text.length : newline + 1;
  }
  if (columns !== undefined)
    header.columns = columns.split(header.separator ?? '\t').map((name) => name.trim());
  return header;
}

function setOption(header: AnkiHeader, name: string, value: string): void {
  const index = /^\d+$/.test(value) && Number(value) > 0 ? Number(value) - 1 : undefined;
  if (name === 'separator')
    header.separator = SEPARATORS[value.toLowerCase()] ?? (value.length === 1 ? value : undefined);
  else if (name === 'html') header.isHtml = !/^false$/i.test(value);
  else if (name === 'tags') header.allTags = splitTags(value);
  else if (name === 'deck') header.deckName = value === '' ? undefined : value;
  else if (name === 'guid column') header.guid = index;
  else if (name === 'deck column') header.deck = index;
  else if (name === 'tags column') header.tags = index;
  else if (name === 'notetype column') header.notetype = index;
}

/** Tags of Anki have no spaces. */
export const splitTags = (text: string) => text.split(/[\s\u3000]+/).filter((tag) => tag !== '');
