/** The little Markdown that descriptions use: paragraphs, lists, `code` and **strong**. */
import { PROBLEMS } from '../../schemas/problems.ts';
import { escapeHtml, Html, html } from './html.ts';

export function prose(markdown: string): Html {
  const blocks = markdown.trim().split(/\n{2,}/);
  return html`${blocks.map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block
          .split(/\n?- /)
          .slice(1)
          .map((item) => html`<li>${inline(item)}</li>`)}</ul>`
      : html`<p>${inline(block)}</p>`,
  )}`;
}

/** The code of a problem leads to what it means. */
export function inline(markdown: string): Html {
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
