/** Converts questions of the bank to questions as files carry them. */
import type { PortableQuestion } from '../formats/format.ts';
import type { ExportedQuestion } from '../store/questions/export.ts';

/** A file has no status, id, revision or times: an import assigns them. Empty fields are left out. */
export function toPortable({ fields, category }: ExportedQuestion): PortableQuestion {
  const { status: _, difficulty, ...others } = fields;
  const { question_text, correct_answer, ...optional } = others;
  const given = Object.entries(optional).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return {
    question_text,
    correct_answer,
    category,
    difficulty: difficulty as 0 | 1 | 2,
    ...Object.fromEntries(given),
  };
}
