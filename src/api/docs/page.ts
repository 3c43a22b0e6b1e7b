/** The documentation for people: one page without scripts, rendered from the OpenAPI document alone. */
import { STATUS_CODES } from 'node:http';
import { PROBLEMS } from '../../schemas/problems.ts';
import { breakable, fieldsOf, fieldTable, resolve, typeOf } from './fields.ts';
import { Html, html } from './html.ts';
import type { OpenApi, Operation, Parameter, Ref, Response } from './openapi-types.ts';
import { inline, prose } from './prose.ts';
import { STYLE } from './style.ts';

/** Stands for where the service is found. */
export const SERVER = 'http://127.0.0.1:3000';

interface Offer {
  method: string;
  path: string;
  operation: Operation;
}

interface Section {
  id: string;
  title: string;
  body: Html;
}

export function renderDocs(document: OpenApi): string {
  const { title, version, summary, description } = document.info;
  const offers = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Offer => ({ method, path, operation })),
  );
  const [intro = '', ...chapters] = description.split(/^## /m);
  const guide = chapters.map(asSection);
  const errors = guide.find(({ id }) => id === 'errors');
  const before = guide.filter((section) => section !== errors);
  const groups = document.tags.map((tag) => ({
    tag,
    offers: offers.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="#content">${title}</a> <span class="version">API ${version}</span><a class="to-contents" href="#contents">Contents</a></header>
<nav id="contents" aria-label="Contents">
<h2>Guide</h2>
<ul>${before.map(link)}</ul>
${groups.map(
  ({ tag, offers }) => html`<h2><a href="#${slug(tag.name)}">${tag.name}</a></h2>
<ul class="operations">${offers.map(offerLink)}</ul>
`,
)}<h2>Reference</h2>
<ul>${errors && link(errors)}${link({ id: 'schemas', title: 'Schemas' })}</ul>
</nav>
<main id="content">
<h1>${title} API</h1>
<p class="lead">${summary}</p>
${prose(intro)}
<p>For programs: <a href="openapi.json">the OpenAPI document</a>.</p>
${before.map(section)}
${groups.map(
  ({ tag, offers }) => html`<section aria-labelledby="${slug(tag.name)}">
<h2 id="${slug(tag.name)}">${tag.name}</h2>
<p>${inline(tag.description)}</p>
${offers.map((offer) => article(document, offers, offer))}</section>
`,
)}${errors && section({ ...errors, body: html`${errors.body}${problemTable()}` })}
${section({ id: 'schemas', title: 'Schemas', body: schemas(document) })}
</main>
</body>
</html>
`.text;
}

const slug = (title: string) => title.toLowerCase().replace(/\W+/g, '-');

function asSection(chapter: string): Section {
  const cut = chapter.indexOf('\n');
  const title = chapter.slice(0, cut);
  return { id: slug(title), title, body: prose(chapter.slice(cut)) };
}

const link = ({ id, title }: { id: string; title: string }) => html`<li><a href="#${id}">${title}</a></li>`;

const badge = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const offerLink = ({ method, operation }: Offer) =>
  html`<li><a href="#${operation.operationId}">${badge(method)} ${operation.summary}</a></li>`;

const section = ({ id, title, body }: Section) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>
`;

function article(document: OpenApi, offers: Offer[], offer: Offer): Html {
  const { method, path, operation } = offer;
  const { operationId: id, summary, description, security } = operation;
  const scopes = security.flatMap(({ bearer = [] }) => bearer);
  const open = security.length === 0;
  return html`<article aria-labelledby="${id}">
<h3 id="${id}">${summary}</h3>
<p class="endpoint">${badge(method)} <code>${path}</code></p>
<div class="columns">
<div>
${description && prose(description)}
<p class="scopes">${
    scopes.length > 0
      ? html`Scopes: ${scopes.map((scope, i) => [i > 0 && ' ', html`<code>${scope}</code>`])}`
      : open
        ? 'Public: needs no token.'
        : 'Any token will do.'
  }</p>
${parameterTable(document, operation)}
${bodyTable(document, operation)}
${answerTable(document, operation)}
</div>
<div class="examples">
<figure><figcaption>Example request</figcaption><pre class="command"><code>${curl(offers, offer)}</code></pre></figure>
${exampleAnswer(operation)}
</div>
</div>
</article>
`;
}

function parameterTable(document: OpenApi, { parameters }: Operation): Html | false {
  const rows = parameters
    .map((each): Parameter => ('$ref' in each ? document.components.parameters[last(each)]! : each))
    .map(({ in: place, ...rest }) => ({ ...rest, place }));
  return rows.length > 0 && fieldTable('Parameters', rows, 'required');
}

const last = ({ $ref }: Ref) => $ref.split('/').at(-1)!;

function bodyTable(document: OpenApi, { requestBody }: Operation): Html | false {
  if (!requestBody) return false;
  const given = requestBody.content['application/json']!.schema;
  const schema = resolve(document, given);
  const one = schema.anyOf?.[0] ? resolve(document, schema.anyOf[0]) : schema;
  return fieldTable('Body', fieldsOf(one), 'required', schema.description);
}

/** Indented, with short lists on one line. */
const pretty = (value: unknown) =>
  JSON.stringify(value, null, 2).replace(
    /\[\s+([^[\]{}]+?)\s+\]/g,
    (_, list: string) => `[${list.replace(/\n\s+/g, ' ')}]`,
  );

const AUTHORIZATION = `-H "Authorization: Bearer $QUAESTOR_KEY"`;

const idOf = (made: string) => `id=$(${made} | grep -o '"id":"[^"]*' | tail -n 1 | cut -d '"' -f 4)\n`;

/** The question that a body is about, if it is about one that has to be there. */
const questionIn = ({ requestBody }: Operation) =>
  (requestBody?.content['application/json']?.example as { question_id?: string } | undefined)?.question_id;

/** What gives a command its id: a read takes the last one of the list, a change makes one, and leaves the others alone. */
function idFor(offers: Offer[], { method, path, operation }: Offer): string {
  const [collection, rest] = path.split('/{id}');
  if (questionIn(operation)) return idOf(`curl -s ${AUTHORIZATION} ${SERVER}/questions`);
  if (rest === undefined) return '';
  const maker = offers.find(
    (offer) => offer.method === 'post' && [collection, `${collection}/run`].includes(offer.path),
  );
  // A category of the example's name can be made but once.
  const found = method === 'get' || !maker || collection === '/categories';
  const made = found
    ? `curl -s ${AUTHORIZATION} ${SERVER}${collection}`
    : `curl -s ${AUTHORIZATION} ${SERVER}${maker.path} \\\n  ${jsonData(maker.operation)}`;
  const id = idOf(made);
  // There is something to go back to once it is deleted.
  const deleted = `curl -s -X DELETE ${AUTHORIZATION} "${SERVER}${collection}/$id"\n`;
  return operation.operationId.startsWith('restore') ? id + deleted : id;
}

function jsonData(operation: Operation): string {
  const example = pretty(operation.requestBody?.content['application/json']?.example);
  const question = questionIn(operation);
  const quoted = example.replaceAll("'", "'\\''");
  const body = question ? quoted.replace(question, `'"$id"'`) : quoted;
  return `-H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

/** The parameters that cannot be left out. */
function requiredQuery({ parameters }: Operation): string {
  const required = parameters.filter(
    (each) => 'in' in each && each.in === 'query' && each.required,
  ) as Parameter[];
  const pairs = required.map(({ name, schema }) => [name, String(schema.examples?.[0] ?? '')]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

function curl(offers: Offer[], offer: Offer): string {
  const { method, path, operation } = offer;
  const { requestBody, security } = operation;
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example as
    | Record<string, string>
    | undefined;
  const [collection, rest] = path.split('/{id}');
  const url =
    rest === undefined ? SERVER + path + requiredQuery(operation) : `"${SERVER}${collection}/$id${rest}"`;
  // What has no end is shown as it comes.
  const endless = (operation.responses[200] as Response | undefined)?.content?.['text/event-stream'];
  const parts = [
    `curl -i${endless ? 'N' : ''} ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`,
  ];
  if (security.length > 0) parts.push(AUTHORIZATION);
  if (form) {
    for (const [name, value] of Object.entries(form)) parts.push(`--data-urlencode "${name}=${value}"`);
  } else if (requestBody) parts.push(jsonData(operation));
  return idFor(offers, offer) + parts.join(' \\\n  ');
}

function exampleAnswer({ responses }: Operation): Html | false {
  const status = responses[201] ? '201' : '200';
  const response = responses[status] as Response | undefined;
  const example = response?.content?.['application/json']?.example;
  if (!example) return false;
  const title = `Example answer: ${status} ${STATUS_CODES[status]}`;
  return html`<figure><figcaption>${title}</figcaption><pre><code>${pretty(example)}</code></pre></figure>`;
}

function answerTable(document: OpenApi, { responses }: Operation): Html {
  const { default: _, ...named } = responses;
  const statuses = Object.keys(named);
  return html`<details><summary>Answers <span class="statuses">${statuses.join(' ')}</span></summary>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${statuses.map((status) => answerRow(document, status, named[status]!))}
<tr><th scope="row">Any other</th><td>A problem that any request may meet; see <a href="#errors">Errors</a>.</td></tr></tbody>
</table></details>`;
}

function answerRow(document: OpenApi, status: string, answer: Response | Ref): Html {
  const response: Response = '$ref' in answer ? document.components.responses[last(answer)]! : answer;
  const [[type, media] = []] = Object.entries(response.content ?? {});
  const headers = Object.keys(response.headers ?? {}).filter((name) => !COMMON.has(name));
  const title = STATUS_CODES[status];
  const description = answer.description ?? response.description;
  return html`<tr>
<th scope="row">${status} ${title}</th>
<td>${
    Number(status) < 400 &&
    media &&
    html`<p class="type">${type === 'application/json' ? typeOf(media.schema) : type}</p>`
  }${description !== title && prose(description)}${
    headers.length > 0 &&
    html`<p class="type">With ${headers.map((name, i) => [i > 0 && ', ', html`<code>${name}</code>`])}</p>`
  }</td>
</tr>
`;
}

/** What every answer has is said once, in the guide. */
const COMMON = new Set(['API-Version', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy']);

function problemTable(): Html {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, meaning }]) => html`<tr id="problem-${code}">
<th scope="row">${breakable(code)}</th>
<td>${status}</td>
<td>${inline(meaning)}</td>
</tr>
`,
  );
  return html`<table>
<caption>Every code</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function schemas(document: OpenApi): Html {
  return html`${Object.entries(document.components.schemas).map(
    ([name, schema]) => html`<article aria-labelledby="schema-${name}">
<h3 id="schema-${name}">${name}</h3>
${schema.description !== undefined && prose(schema.description)}
${schema.properties ? fieldTable('Fields', fieldsOf(schema), 'optional') : html`<p class="type">${typeOf(schema)}</p>`}
</article>
`,
  )}`;
}
