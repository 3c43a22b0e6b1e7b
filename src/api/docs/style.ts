/**
 * The style sheet of the documentation. The page's Content-Security-Policy allows it by its hash.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fdfdfc; --raised: #f4f4f1; --line: #dddcd6;
  --text: #1d1e22; --quiet: #5a5c66; --link: #1b4fa8; --mark: #a03a0b; --target: #fff3c4;
  --get: #14603a; --post: #1b4fa8; --put: #8a4b06; --delete: #a5202c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15161a; --raised: #1e2026; --line: #34363f;
    --text: #e8e8ea; --quiet: #a5a8b3; --link: #8fb6ff; --mark: #f0a271; --target: #3d3612;
    --get: #6fd39e; --post: #8fb6ff; --put: #f0b26b; --delete: #ff9199;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font: 0.875em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { overflow-wrap: anywhere; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.6rem; z-index: 2; background: var(--ground); padding: 0.3rem 0.6rem; }

.bar {
  position: sticky; top: 0; z-index: 1; height: 3.25rem; padding: 0 1.25rem;
  display: flex; align-items: center; gap: 0.75rem;
  background: var(--ground); border-bottom: 1px solid var(--line);
}
.brand { font-weight: 700; letter-spacing: 0.01em; color: inherit; text-decoration: none; }
.version { color: var(--quiet); font-size: 0.875rem; }
.to-contents { display: none; margin-left: auto; }

nav { padding: 1rem 1.25rem 2rem; font-size: 0.9rem; }
nav h2 { margin: 1.25rem 0 0.35rem; font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); }
nav h2 a { color: inherit; }
nav h2 a, nav li a { text-decoration: none; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: block; padding: 0.22rem 0.5rem; margin: 0 -0.5rem; border-radius: 4px; color: var(--text); }
nav .operations a { display: grid; grid-template-columns: 3.6rem 1fr; align-items: baseline; }
nav a:hover { background: var(--raised); }
nav .method { border: 0; padding: 0; min-width: 0; text-align: left; }

main { max-width: 54rem; padding: 1.5rem 1.25rem 6rem; }
h1 { margin: 0.5rem 0 0.25rem; font-size: 2rem; line-height: 1.2; letter-spacing: -0.015em; }
.lead { font-size: 1.15rem; color: var(--quiet); margin-top: 0; }
main h2 { margin: 3.5rem 0 0.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.5rem; line-height: 1.3; }
h3 { margin: 0 0 0.35rem; font-size: 1.15rem; line-height: 1.35; }
p, ul { margin: 0.6rem 0; }
main ul { padding-left: 1.2rem; }
main li { margin: 0.25rem 0; }
article { margin: 2.25rem 0 3rem; }
tr:target > * { background: var(--target); }
h2:target, h3:target { text-decoration: underline 0.15em var(--mark); text-underline-offset: 0.25em; }

.endpoint { margin: 0.4rem 0; font-size: 1.05rem; }
.method {
  display: inline-block; min-width: 3.9rem; padding: 0.05rem 0.4rem; text-align: center;
  border: 1px solid currentcolor; border-radius: 4px;
  font: 700 0.72rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
.scopes, .type { color: var(--quiet); font-size: 0.9rem; }

table { width: 100%; margin: 1rem 0; border-collapse: collapse; font-size: 0.93rem; }
caption, figcaption, summary { padding: 0.2rem 0; text-align: left; font-weight: 650; font-size: 0.93rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-top: 0; color: var(--quiet); font-size: 0.8rem; font-weight: 500; padding-bottom: 0.2rem; }
tbody th { width: 34%; font-weight: 500; }
th code, td { overflow-wrap: anywhere; }
td p, td ul { margin: 0.1rem 0; }
.note { display: block; font-weight: 400; color: var(--quiet); }
.mark { display: block; color: var(--mark); font-size: 0.78rem; }
summary { cursor: pointer; }
.statuses { margin-left: 0.5rem; color: var(--quiet); font-weight: 400; word-spacing: 0.4em; }
figure { margin: 1rem 0; }
pre {
  margin: 0.25rem 0 0; padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--raised);
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.command { user-select: all; -webkit-user-select: all; cursor: copy; }

@media (min-width: 60rem) {
  body { display: grid; grid-template: auto 1fr / 18rem minmax(0, 1fr); }
  .bar { grid-column: 1 / -1; }
  nav {
    position: sticky; top: 3.25rem; height: calc(100vh - 3.25rem); overflow-y: auto;
    border-right: 1px solid var(--line);
  }
  main { padding: 1.5rem 3rem 6rem; }
}
@media (min-width: 88rem) {
  main { max-width: 86rem; }
  main > p, main > section > p, main > section > ul { max-width: 46rem; }
  .columns { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 0 3rem; align-items: start; }
  .examples figure:first-child { margin-top: 0.4rem; }
}
@media (max-width: 59.99rem) {
  .to-contents { display: inline; }
  nav { border-bottom: 1px solid var(--line); }
  nav li a { padding-block: 0.4rem; }
}
@media print { nav, .bar, .skip { display: none; } }
`;
