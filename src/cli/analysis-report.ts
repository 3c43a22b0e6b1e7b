/** Results of analyses as text, and as one HTML page with its figures. */
import { renderFigure } from '../charts/render.ts';
import type { AnalysisResult, Row } from './analysis-sources.ts';
import { renderTable } from './table.ts';

const MAX_TEXT_ROWS = 20;
const MAX_TEXT_CHARS = 60;
/** A page with more rows is slow to open. */
const MAX_PAGE_ROWS = 1000;

const toWords = (name: string) => name.replaceAll('_', ' ');

function listFindings({ verdict, class: found, flags = [] }: Row): string {
  return [...new Set([verdict ?? found ?? [], flags].flat() as string[])].map(toWords).join(', ');
}

const clip = (text: string) =>
  text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS - 1)}…` : text;

/** A table of the first rows. */
export function renderText({ title, questions, warnings, items }: AnalysisResult): string {
  const rows = items
    .slice(0, MAX_TEXT_ROWS)
    .map((row) => [clip(row.question_text ?? row.question_id ?? ''), listFindings(row), row.message ?? '']);
  const more = items.length - rows.length;
  return [
    `${title}: ${questions.toLocaleString('en')} questions, ${items.length.toLocaleString('en')} rows\n`,
    ...warnings.map((warning) => `${warning}\n`),
    ...(rows.length > 0 ? ['\n', renderTable(['QUESTION', 'FINDINGS', 'MESSAGE'], rows)] : []),
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more; --format json has them all\n`] : []),
  ].join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);

const STYLE = `
  :root { color-scheme: light; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1d21; background: #fff;
    font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
  h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { margin: 2.5rem 0 .3rem; padding-top: .6rem; border-top: 1px solid #ddd; }
  .quiet { color: #565961; } nav a { margin-right: .9rem; }
  figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
  table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
  th, td { padding: .35rem .5rem; border-bottom: 1px solid #e2e1da; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
  th { color: #565961; font-weight: 500; } td.number { text-align: right; white-space: nowrap; }
  .facts { width: auto; } .facts th { font-weight: 400; }
  @media print { body { max-width: none; margin: 0; font-size: 10pt; } nav { display: none; }
    section { break-before: page; } section:first-of-type { break-before: auto; } tr, figure { break-inside: avoid; } thead { display: table-header-group; } }`;

interface Page {
  subject: string;
  at: Date;
  results: readonly AnalysisResult[];
}

/** One file that needs no other: figures are embedded, nothing is fetched, no script runs. */
export function renderPage({ subject, at, results }: Page): string {
  const links = results.map(
    ({ analysis_type, title }) => `<a href="#${analysis_type}">${escapeHtml(title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Analysis of ${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Analysis of ${escapeHtml(subject)}</h1>
<p class="quiet">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC. The rows may contain correct answers.</p>
<nav>${links.join(' ')}</nav>
${results.map(renderSection).join('\n')}
</body>
</html>
`;
}

function renderSection(result: AnalysisResult): string {
  const { analysis_type, title, questions, warnings, items, figures } = result;
  const more = items.length - MAX_PAGE_ROWS;
  return `<section id="${analysis_type}">
<h2>${escapeHtml(title)}</h2>
<p class="quiet">${questions.toLocaleString('en')} questions, ${items.length.toLocaleString('en')} rows</p>
${warnings.map((warning) => `<p>${escapeHtml(warning)}</p>`).join('\n')}
${figures.map((figure) => renderImage(renderFigure(figure), title)).join('\n')}
${renderSummary(result)}
${items.length > 0 ? renderRows(items.slice(0, MAX_PAGE_ROWS)) : '<p>No question stands out.</p>'}
${more > 0 ? `<p class="quiet">and ${more.toLocaleString('en')} more rows</p>` : ''}
</section>`;
}

/** An image of its own, so that names within figures do not collide. */
const renderImage = (svg: string, title: string) =>
  `<figure><img alt="${escapeHtml(title)}" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}"></figure>`;

/** The values of a summary that are numbers, texts or truth values. */
function renderSummary({ summary }: AnalysisResult): string {
  const facts = Object.entries(summary).flatMap(([name, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value) ? [[name, value] as const] : [],
  );
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(toWords(name))}</th><td>${escapeHtml(formatValue(value))}</td></tr>`,
  );
  return `<table class="facts">${rows.join('')}</table>`;
}

const formatValue = (value: unknown): string =>
  typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value);

function renderRows(rows: readonly Row[]): string {
  const cells = rows.map(
    (row) =>
      `<tr><td>${escapeHtml(row.question_text ?? row.question_id ?? '')}</td><td>${escapeHtml(listFindings(row))}</td>` +
      `<td>${escapeHtml(row.message ?? '')}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">Question</th><th scope="col">Findings</th><th scope="col">What it means</th></tr></thead>
<tbody>${cells.join('\n')}</tbody></table>`;
}
