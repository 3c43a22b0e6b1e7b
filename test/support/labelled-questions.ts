/**
 * Reads labelled questions: for each rule, questions that it must flag (+) and similar ones that it
 * must not (-). A line is a question and its options, the key first, separated by “ | ”. A section
 * begins with “# rule”; after “stem:”, lines are options of that stem. \u{…} is a character.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ExampleQuestion } from '../../src/analyses/define.ts';

export interface LabelledQuestions {
  rule: string;
  flagged: ExampleQuestion[];
  accepted: ExampleQuestion[];
}

export function readLabelledQuestions(folder: URL): LabelledQuestions[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => parseFile(readFileSync(new URL(file, folder), 'utf8')));
}

function parseFile(text: string): LabelledQuestions[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [head = '', ...lines] = section.split('\n');
      const [rule = '', stem] = head.split(' stem: ');
      const parse = (sign: string) =>
        lines.filter((line) => line.startsWith(sign)).map((line) => parseQuestion(line.slice(2), stem));
      return { rule: rule.trim(), flagged: parse('+ '), accepted: parse('- ') };
    });
}

function parseQuestion(line: string, stem: string | undefined): ExampleQuestion {
  const parts = line
    .replace(/\\u\{([0-9a-f]+)\}/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .split(' | ');
  const [question_text = '', correct_answer = 'Vienna', ...incorrect_answers] =
    stem === undefined ? parts : [stem, ...parts];
  return { question_text, correct_answer, incorrect_answers, category: 'Anything', difficulty: 0 };
}
