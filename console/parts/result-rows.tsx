/**
 * Rows of a result: the question, its values and findings, what they mean, and what mends them. With
 * the keys of the current row, the rows are worked off one by one.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { navigate } from '../state/address.ts';
import type { AnalysisType, Row } from '../state/analysis.ts';
import { useCommands } from '../state/commands.ts';
import { toWords } from '../state/format.ts';
import { dismiss, findRemedy, listDismissible, listFindings } from '../state/mending.ts';
import { useQuestionText } from '../state/question-texts.ts';
import { may } from '../state/session.ts';

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

interface ResultRowsProps {
  rows: Row[];
  type: AnalysisType;
  runId: string;
}

export function ResultRows({ rows, type, runId }: ResultRowsProps) {
  const keys = type.sort_keys.filter((key) => rows.some((row) => typeof readValue(row, key) === 'number'));
  const canMend = may('questions:write', 'answers:read');
  /** What was done about a row. The result stays as it was when the run ended. */
  const done = useSignal<ReadonlyMap<string, string>>(new Map());
  const current = useSignal(-1);
  const body = useRef<HTMLTableSectionElement>(null);
  // A reload after a change brings the same rows.
  useEffect(() => {
    current.value = -1;
  }, [rows.map(getKey).join()]);

  const select = (next: number) => {
    if (rows.length === 0) return;
    current.value = Math.max(0, Math.min(next, rows.length - 1));
    const row = body.current?.rows[current.value];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  const act = async (row: Row, words: string, run: () => Promise<boolean>) => {
    if (done.value.has(getKey(row)) || !(await run())) return;
    done.value = new Map(done.value).set(getKey(row), words);
    // The next one that is left, unless the person has gone elsewhere meanwhile.
    const at = rows.indexOf(row);
    if (current.value !== at) return;
    const next = rows.findIndex((each, i) => i > at && !done.value.has(getKey(each)));
    if (next >= 0) select(next);
  };
  const mend = (row: Row | undefined) => {
    const remedy = row && canMend ? findRemedy(row, runId) : undefined;
    if (row && remedy) void act(row, 'mended', remedy.apply);
  };
  const excuse = (row: Row | undefined) => {
    const names = row && canMend ? listDismissible(row, type) : [];
    if (row?.question_id && names.length > 0)
      void act(row, 'dismissed', () => dismiss(row.question_id!, type.analysis_type, names));
  };
  const open = () => {
    const id = rows[current.value]?.question_id;
    if (id) navigate(`/console/questions/${id}`);
  };
  useCommands([
    { key: 'j', words: 'Next row', run: () => select(current.value + 1) },
    { key: 'k', words: 'Previous row', run: () => select(current.value - 1) },
    { key: 'o', words: 'Open the question of the row', run: open },
    ...(canMend
      ? [
          { key: 'm', words: 'Mend the finding of the row', run: () => mend(rows[current.value]) },
          { key: 'd', words: 'Dismiss the finding of the row', run: () => excuse(rows[current.value]) },
        ]
      : []),
  ]);
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
      <tbody ref={body}>
        {rows.map((row, i) => (
          <tr
            key={getKey(row)}
            tabIndex={-1}
            class={`${i === current.value ? 'current' : ''} ${done.value.has(getKey(row)) ? 'done' : ''}`}
            onFocus={() => {
              current.value = i;
            }}
          >
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
              {canMend && (
                <RowActions
                  done={done.value.get(getKey(row))}
                  remedy={findRemedy(row, runId)?.words}
                  isDismissible={row.question_id !== undefined && listDismissible(row, type).length > 0}
                  onMend={() => mend(row)}
                  onDismiss={() => excuse(row)}
                />
              )}
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

/** A question can be in several groups. */
const getKey = ({ question_id, group, message }: Row): string => `${question_id ?? message} ${group ?? ''}`;

interface RowActionsProps {
  done: string | undefined;
  remedy: string | undefined;
  isDismissible: boolean;
  onMend(): void;
  onDismiss(): void;
}

function RowActions({ done, remedy, isDismissible, onMend, onDismiss }: RowActionsProps) {
  if (done !== undefined) return <small class="outcome">{done}</small>;
  if (remedy === undefined && !isDismissible) return null;
  return (
    <span class="actions">
      {remedy !== undefined && (
        <button type="button" class="button" title="m" onClick={onMend}>
          {remedy}
        </button>
      )}
      {isDismissible && (
        <button type="button" class="button plain" title="d" onClick={onDismiss}>
          Not a fault
        </button>
      )}
    </span>
  );
}

function QuestionLink({ row }: { row: Row }) {
  const text = useQuestionText(row.question_id, row.question_text);
  return row.question_id ? <a href={`/console/questions/${row.question_id}`}>{text}</a> : text;
}

/** The discrimination of item statistics is a correlation. */
const readValue = (row: Row, key: string): unknown =>
  row[key] ?? (key === 'discrimination' ? row.corrected_point_biserial : undefined);

function formatValue(key: string, value: unknown): string {
  if (typeof value !== 'number') return '–';
  if (AS_PERCENT.has(key)) return `${Math.round(value * 100)} %`;
  const text = INTEGERS.has(key) ? String(Math.round(value)) : value.toFixed(2);
  return text.replace('-', '−');
}
