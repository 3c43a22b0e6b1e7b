/** Renders the Markdown subset of descriptions: paragraphs, lists, `code` and **strong**. */
import { PROBLEMS } from '../../schemas/problems.ts';
import { escapeHtml, Html, html } from './html.ts';

export function renderMarkdown(markdown: string): Html {
  const blocks = markdown.trim().split(/\n{2,}/);
  return html`${blocks.map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block
          .split(/\n?- /)
          .slice(1)
          .map((item) => html`<li>${renderInline(item)}</li>`)}</ul>`
      : html`<p>${renderInline(block)}</p>`,
  )}`;
}

/** Problem codes link to their row in the table of errors. */
export function renderInline(markdown: string): Html {
  return new Html(
    escapeHtml(markdown)
      .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
      .replace(/`(.+?)`/g, (_, code: string) =>
        Object.hasOwn(PROBLEMS, code)
          ? `<a href="#problem-${code}"><code>${code}</code></a>`
          : `<code>${code}</code>`,
      ),
  );
}
