/** Rows of a result: the question, its values and findings, and what they mean. */
import type { AnalysisType, Row } from '../state/analysis.ts';
import { toWords } from '../state/format.ts';
import { useQuestionText } from '../state/question-texts.ts';

/** Values of one question and their names in the table. */
const SHORT: Record<string, string> = {
  facility: 'right',
  discrimination: 'disc.',
  similarity: 'alike',
  certainty: 'certain',
  cell_questions: 'in cell',
  distance_from_band: 'distance',
};
const AS_PERCENT = new Set(['facility', 'similarity', 'certainty']);
const INTEGERS = new Set(['n', 'words', 'findings', 'cell_questions']);

export function ResultRows({ rows, type }: { rows: Row[]; type: AnalysisType }) {
  const keys = type.sort_keys.filter((key) => rows.some((row) => typeof readValue(row, key) === 'number'));
  return (
    <table class="card rows-table">
      <thead>
        <tr>
          <th scope="col">Question</th>
          {keys.map((key) => (
            <th key={key} scope="col" class="number">
              {SHORT[key] ?? toWords(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={`${row.question_id} ${i}`}>
            <td>
              <QuestionLink row={row} />
              <span class="flags">
                {listFindings(row).map((name) => (
                  <span key={name} class={`flag ${type.findings[name] ?? ''}`}>
                    {toWords(name)}
                  </span>
                ))}
              </span>
              {row.message && <small class="quiet">{row.message}</small>}
            </td>
            {keys.map((key) => (
              <td key={key} class="number">
                {formatValue(key, readValue(row, key))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function QuestionLink({ row }: { row: Row }) {
  const text = useQuestionText(row.question_id, row.question_text);
  return row.question_id ? <a href={`/console/questions/${row.question_id}`}>{text}</a> : text;
}

const listFindings = ({ verdict, class: found, flags = [] }: Row): string[] => [
  ...new Set([verdict ?? found ?? [], flags].flat()),
];

/** The discrimination of item statistics is a correlation. */
const readValue = (row: Row, key: string): unknown =>
  row[key] ?? (key === 'discrimination' ? row.corrected_point_biserial : undefined);

function formatValue(key: string, value: unknown): string {
  if (typeof value !== 'number') return '–';
  if (AS_PERCENT.has(key)) return `${Math.round(value * 100)} %`;
  const text = INTEGERS.has(key) ? String(Math.round(value)) : value.toFixed(2);
  return text.replace('-', '−');
}
