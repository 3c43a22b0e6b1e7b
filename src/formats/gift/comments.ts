/**
 * What comments of GIFT carry: the id and tags of Moodle, `// [id:x] [tag:y]`, and the fields that
 * GIFT does not have, `// quaestor: {…}`, which other programs ignore.
 */
import type { PortableQuestion } from '../format.ts';
import { readCategory, trim } from './text.ts';

const OWN = /^\s*\/\/ quaestor: (\{.*\})\s*$/;
/** Ids and tags that need no escape. */
const SIMPLE = /^[^\s\]\\\p{Cc}](?:[^\]\\\p{Cc}]*[^\s\]\\\p{Cc}])?$/u;
const PREFIX = '$CATEGORY: $course$/top/';

type Extension = Partial<PortableQuestion> & { no_category?: true };

export function readComments(comments: readonly string[]): Extension {
  const fields: Extension = {};
  const tags: string[] = [];
  for (const comment of comments) {
    const own = OWN.exec(comment)?.[1];
    if (own !== undefined) {
      Object.assign(fields, parseObject(own));
      continue;
    }
    for (const [, name, value] of comment.matchAll(/\[(id|tag):((?:\\\]|[^\]\p{Cc}])+)\]/gu)) {
      const text = trim(value!.replaceAll('\\]', ']'));
      if (name === 'id') fields.external_id = text;
      else if (!tags.includes(text)) tags.push(text);
    }
  }
  if (tags.length > 0) fields.tags = tags;
  return fields;
}

function parseObject(text: string): Extension {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Extension) : {};
  } catch {
    return {};
  }
}

/** A category on a line of its own; undefined if it cannot be written so. */
export function writeCategory(category: string): string | undefined {
  const path = category.replaceAll('/', '//');
  return /\p{Cc}/u.test(path) || readCategory(`$course$/top/${path}`) !== category
    ? undefined
    : `${PREFIX}${path}\n\n`;
}

/** Undefined if nothing is to be written. */
export function writeComments(
  question: PortableQuestion,
  category: { isWritten: boolean; isReset: boolean },
): { text: string; extension: string[] } {
  const { external_id, tags = [] } = question;
  const isSimpleId = external_id !== undefined && SIMPLE.test(external_id);
  const areSimpleTags = tags.every((tag) => SIMPLE.test(tag));
  const extension: Extension = {
    ...(external_id !== undefined && !isSimpleId && { external_id }),
    ...(!areSimpleTags && { tags }),
    ...(!category.isWritten && question.category !== undefined && { category: question.category }),
    ...(category.isReset && { no_category: true as const }),
    ...pickFields(question),
  };
  const marks = [
    ...(isSimpleId ? [`[id:${external_id}]`] : []),
    ...(areSimpleTags ? tags.map((tag) => `[tag:${tag}]`) : []),
  ];
  const names = Object.keys(extension);
  const text =
    (marks.length > 0 ? `// ${marks.join(' ')}\n` : '') +
    (names.length > 0 ? `// quaestor: ${toJson(extension)}\n` : '');
  return { text, extension: names.filter((name) => name !== 'no_category') };
}

function pickFields(question: PortableQuestion): Extension {
  const { difficulty, topic_focus, source, choices_order, choose, answer_matching, numeric } = question;
  const { relative_tolerance, unit } = numeric ?? {};
  return {
    ...(difficulty !== undefined && { difficulty }),
    ...(topic_focus !== undefined && { topic_focus }),
    ...(source !== undefined && { source }),
    ...(choices_order !== undefined && choices_order !== 'shuffled' && { choices_order }),
    ...(choose !== undefined && { choose }),
    ...(answer_matching !== undefined && { answer_matching }),
    ...((relative_tolerance !== undefined || unit !== undefined) && {
      numeric: {
        ...(relative_tolerance !== undefined && { relative_tolerance }),
        ...(unit !== undefined && { unit }),
      },
    }),
  };
}

/** On one line, also for programs that break lines at U+2028. */
const toJson = (value: object) =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Adds the fields of comments to a question. */
export function addComments(question: PortableQuestion, extension: Extension, options: string[]): void {
  const { numeric, choices_order, no_category: _, category: __, ...fields } = extension;
  Object.assign(question, fields);
  if (numeric && question.numeric) {
    if (numeric.relative_tolerance !== undefined) delete question.numeric.tolerance;
    Object.assign(question.numeric, numeric);
  }
  if (choices_order === undefined || options.length === 0) return;
  question.choices_order = choices_order;
  if (choices_order === 'as_given') question.choices = options;
}
