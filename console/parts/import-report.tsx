/** What became of the items of a file, or would become of them. */
import { formatCount, plural, toWords } from '../state/format.ts';
import type { Import } from '../state/imports.ts';

const MAX_LINES = 8;
const SEVERITIES = { rejected: 'major', skipped: 'info', noticed: 'minor' };

interface ImportReportProps {
  report: Import;
  /** Shows a line in the text of the file, if it can be edited. */
  onEditLine?(line: number): void;
  /** Takes the rejected items as the file. */
  onEditRejected?(): void;
}

export function ImportReport({ report, onEditLine, onEditRejected }: ImportReportProps) {
  const { id, error, options, rejected, reasons } = report;
  if (error) return <p class="notice bad">{error.detail}</p>;
  return (
    <>
      <h2>{options.dry_run ? 'What would become of it' : 'What became of it'}</h2>
      <p class="verdict">{describe(report)}</p>
      {reasons.length > 0 && (
        <ul class="card queue">
          {reasons.map((reason) => (
            <li key={`${reason.outcome} ${reason.code}`}>
              <span class={`flag ${SEVERITIES[reason.outcome]}`}>
                {formatCount(reason.count)} {reason.outcome}
              </span>
              {reason.detail}
              <Places examples={reason.examples} onEditLine={onEditLine} />
            </li>
          ))}
        </ul>
      )}
      {!options.dry_run && rejected > 0 && (
        <p class="actions">
          <a class="button" href={`/imports/${id}/rejects`} download="rejected">
            Download the {formatCount(rejected)} rejected
          </a>{' '}
          {onEditRejected && (
            <button type="button" class="button" onClick={onEditRejected}>
              Mend them here
            </button>
          )}
        </p>
      )}
    </>
  );
}

/** Such as "GIFT, 214 items: 201 new, 6 skipped, 7 rejected." */
function describe(report: Import): string {
  const parts = [
    [report.created, 'new'],
    [report.updated, 'updated'],
    [report.unchanged, 'unchanged'],
    [report.skipped, 'skipped'],
    [report.rejected, 'rejected'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  const created = report.new_categories.length;
  const categories = created > 0 ? ` With ${plural(created, 'new category', 'new categories')}.` : '';
  return `${toWords(report.format).toUpperCase()}, ${plural(report.read, 'item')}: ${counts.join(', ')}.${categories}`;
}

interface PlacesProps {
  examples: Import['reasons'][number]['examples'];
  onEditLine: ImportReportProps['onEditLine'];
}

function Places({ examples, onEditLine }: PlacesProps) {
  const places = examples.filter(({ line }) => line > 0).slice(0, MAX_LINES);
  if (places.length === 0) return null;
  return (
    <small class="quiet">
      {' line '}
      {places.map(({ line, column, path }, i) => {
        const words = `${path ? `${path} ` : ''}${line}${column ? `:${column}` : ''}`;
        const isEditable = onEditLine && path === undefined;
        return (
          <span key={words}>
            {i > 0 && ', '}
            {isEditable ? (
              <button
                type="button"
                class="link"
                aria-label={`Edit line ${words}`}
                onClick={() => onEditLine(line)}
              >
                {words}
              </button>
            ) : (
              words
            )}
          </span>
        );
      })}
    </small>
  );
}
