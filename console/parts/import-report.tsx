/** What became of the items of a file, or would become of them. */
import { formatCount, plural, toWords } from '../state/format.ts';
import type { Import } from '../state/imports.ts';

const MAX_LINES = 8;
const SEVERITIES = { rejected: 'major', skipped: 'info', noticed: 'minor' };

export function ImportReport({ report }: { report: Import }) {
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
              <small class="quiet"> {formatPlaces(reason.examples)}</small>
            </li>
          ))}
        </ul>
      )}
      {!options.dry_run && rejected > 0 && (
        <p class="actions">
          <a class="button" href={`/imports/${id}/rejects`} download="rejected">
            Download the {formatCount(rejected)} rejected
          </a>
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

function formatPlaces(examples: Import['reasons'][number]['examples']): string {
  const lines = examples
    .filter(({ line }) => line > 0)
    .slice(0, MAX_LINES)
    .map(({ line, column, path }) => `${path ? `${path} ` : ''}${line}${column ? `:${column}` : ''}`);
  return lines.length > 0 ? `line ${lines.join(', ')}` : '';
}
