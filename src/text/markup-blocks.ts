/** The block structure of Markdown: removes what marks headings, quotations, lists and tables. */

/** Stands for a block of code; removed from the input. */
export const BLOCK_MARK = '\ufffc';

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const QUOTATION = /^ {0,3}> ?/;
const HEADING = /^ {0,3}#{1,6}(?:\s+|$)/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,}|=+ *)$/;
const TABLE_RULE = /^(?=.*-)(?=.*\|)[\s|:-]+$/;
const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:\s/;
const TABLE_ROW = /^\s*\|/;
/** Deeper quotations are left as they are. */
const MAX_NESTING = 20;

/** The text of all blocks but code, in which a mark stands for each block of code. */
export function stripBlocks(markdown: string): { text: string; blocks: string[] } {
  const blocks: string[] = [];
  const lines: string[] = [];
  let code: { fence: string; lines: string[] } | undefined;
  for (const line of markdown.replaceAll(BLOCK_MARK, ' ').split('\n')) {
    const bare = removeQuotation(line);
    if (code) {
      if (closes(bare, code.fence)) code = void blocks.push(code.lines.join('\n'));
      else code.lines.push(line);
      continue;
    }
    const fence = FENCE.exec(bare)?.[1];
    if (fence) {
      code = { fence, lines: [] };
      lines.push(BLOCK_MARK);
    } else lines.push(stripLine(bare));
  }
  // A fence that is not closed ends with the text.
  if (code) blocks.push(code.lines.join('\n'));
  return { text: lines.join('\n'), blocks };
}

const closes = (line: string, fence: string) => {
  const text = line.trim();
  return text.length >= fence.length && text === fence[0]!.repeat(text.length);
};

function removeQuotation(line: string): string {
  let rest = line;
  for (let depth = 0; depth < MAX_NESTING && QUOTATION.test(rest); depth++)
    rest = rest.replace(QUOTATION, '');
  return rest;
}

function stripLine(line: string): string {
  if (RULE.test(line) || TABLE_RULE.test(line) || DEFINITION.test(line)) return '';
  if (HEADING.test(line))
    return line
      .replace(HEADING, '')
      .trimEnd()
      .replace(/(?:^| )#+$/, '');
  if (TABLE_ROW.test(line))
    return line
      .split('|')
      .map((cell) => cell.trim())
      .join(' ')
      .trim();
  return line.replace(LIST_ITEM, '').trimEnd();
}
