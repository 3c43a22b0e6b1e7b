/** Renders the OpenAPI document as one HTML page without scripts. */
import { STATUS_CODES } from 'node:http';
import { PROBLEMS } from '../../schemas/problems.ts';
import { breakable, listFields, renderFieldTable, renderType, resolveRef } from './fields.ts';
import { Html, html } from './html.ts';
import type { OpenApi, Operation, Parameter, Ref, Response } from './openapi-types.ts';
import { renderInline, renderMarkdown } from './prose.ts';
import { STYLE } from './style.ts';
import { findBranches, mergeBranches } from './unions.ts';

/** A placeholder for the URL of the service. */
export const SERVER = 'http://127.0.0.1:3000';

interface Endpoint {
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
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({ method, path, operation })),
  );
  const [intro = '', ...chapters] = description.split(/^## /m);
  const guide = chapters.map(toSection);
  const errors = guide.find(({ id }) => id === 'errors');
  const before = guide.filter((section) => section !== errors);
  const groups = document.tags.map((tag) => ({
    tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
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
<ul>${before.map(renderLink)}</ul>
${groups.map(
  ({ tag, endpoints }) => html`<h2><a href="#${slug(tag.name)}">${tag.name}</a></h2>
<ul class="operations">${endpoints.map(renderEndpointLink)}</ul>
`,
)}<h2>Reference</h2>
<ul>${errors && renderLink(errors)}${renderLink({ id: 'schemas', title: 'Schemas' })}</ul>
</nav>
<main id="content">
<h1>${title} API</h1>
<p class="lead">${summary}</p>
${renderMarkdown(intro)}
<p>The <a href="openapi.json">OpenAPI document</a> is available for programs.</p>
${before.map(renderSection)}
${groups.map(
  ({ tag, endpoints }) => html`<section aria-labelledby="${slug(tag.name)}">
<h2 id="${slug(tag.name)}">${tag.name}</h2>
<p>${renderInline(tag.description)}</p>
${endpoints.map((endpoint) => renderEndpoint(document, endpoints, endpoint))}</section>
`,
)}${errors && renderSection({ ...errors, body: html`${errors.body}${renderProblems()}` })}
${renderSection({ id: 'schemas', title: 'Schemas', body: renderSchemas(document) })}
</main>
</body>
</html>
`.text;
}

const slug = (title: string) => title.toLowerCase().replace(/\W+/g, '-');

function toSection(chapter: string): Section {
  const cut = chapter.indexOf('\n');
  const title = chapter.slice(0, cut);
  return { id: slug(title), title, body: renderMarkdown(chapter.slice(cut)) };
}

const renderLink = ({ id, title }: { id: string; title: string }) =>
  html`<li><a href="#${id}">${title}</a></li>`;

const renderBadge = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const renderEndpointLink = ({ method, operation }: Endpoint) =>
  html`<li><a href="#${operation.operationId}">${renderBadge(method)} ${operation.summary}</a></li>`;

const renderSection = ({ id, title, body }: Section) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>
`;

function renderEndpoint(document: OpenApi, endpoints: Endpoint[], endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const { operationId: id, summary, description, security } = operation;
  const scopes = security.flatMap(({ bearer = [] }) => bearer);
  const isPublic = security.length === 0;
  return html`<article aria-labelledby="${id}">
<h3 id="${id}">${summary}</h3>
<p class="endpoint">${renderBadge(method)} <code>${path}</code></p>
<div class="columns">
<div>
${description && renderMarkdown(description)}
<p class="scopes">${
    scopes.length > 0
      ? html`Scopes: ${scopes.map((scope, i) => [i > 0 && ' ', html`<code>${scope}</code>`])}`
      : isPublic
        ? 'Public: no token required.'
        : 'Any valid token.'
  }</p>
${renderParameters(document, operation)}
${renderBody(document, operation)}
${renderResponses(document, operation)}
</div>
<div class="examples">
<figure><figcaption>Example request</figcaption><pre class="command"><code>${buildCurl(endpoints, endpoint)}</code></pre></figure>
${renderExample(operation)}
</div>
</div>
</article>
`;
}

function renderParameters(document: OpenApi, { parameters }: Operation): Html | false {
  const rows = parameters
    .map(
      (parameter): Parameter =>
        '$ref' in parameter ? document.components.parameters[getRefName(parameter)]! : parameter,
    )
    .map(({ in: location, ...rest }) => ({ ...rest, location }));
  return rows.length > 0 && renderFieldTable('Parameters', rows, 'required');
}

const getRefName = ({ $ref }: Ref) => $ref.split('/').at(-1)!;

function renderBody(document: OpenApi, { requestBody }: Operation): Html | false {
  if (!requestBody) return false;
  const json = requestBody.content['application/json'];
  if (!json) return html`<h4>Body</h4><p>A file.</p>`;
  const schema = resolveRef(document, json.schema);
  const one = schema.anyOf?.[0] ? resolveRef(document, schema.anyOf[0]) : schema;
  return renderFieldTable('Body', listFields(mergeBranches(document, one)), 'required', schema.description);
}

/** Indented JSON, with short lists on one line. */
const formatJson = (value: unknown) =>
  JSON.stringify(value, null, 2).replace(
    /\[\s+([^[\]{}]+?)\s+\]/g,
    (_, list: string) => `[${list.replace(/\n\s+/g, ' ')}]`,
  );

const AUTHORIZATION = `-H "Authorization: Bearer $QUAESTOR_KEY"`;

const captureId = (command: string, variable = 'id') =>
  `${variable}=$(${command} | grep -o '"id":"[^"]*' | tail -n 1 | cut -d '"' -f 4)\n`;

/** The id of an existing question that the example body refers to, if any. */
const getQuestionId = ({ requestBody }: Operation) =>
  (requestBody?.content['application/json']?.example as { question_id?: string } | undefined)?.question_id;

/** The ids of other items that the example body refers to, if any. */
function listOtherIds({ requestBody }: Operation): string[] {
  const example = requestBody?.content['application/json']?.example as
    | { question_ids?: string[]; category_ids?: string[]; responses?: { question_id: string }[] }
    | undefined;
  const responses = example?.responses?.map(({ question_id }) => question_id);
  return example?.question_ids ?? example?.category_ids ?? responses ?? [];
}

/** The command that sets $other: it creates an item for a body that refers to another one. */
function buildOtherCommand(endpoints: Endpoint[], { path, operation }: Endpoint): string {
  const [collection] = path.split('/{id}');
  const creator = endpoints.find((endpoint) => endpoint.method === 'post' && endpoint.path === collection);
  if (!creator || listOtherIds(operation).length === 0) return '';
  const data = formatJsonData(creator.operation);
  return captureId(`curl -s ${AUTHORIZATION} ${SERVER}${collection} \\\n  ${data}`, 'other');
}

/** A draw begins with its own id, and the last one is that of a question. */
const buildDrawIds = () =>
  `draw=$(curl -s ${AUTHORIZATION} ${SERVER}/draws -H 'Content-Type: application/json' -d '{"count": 1}')\n` +
  `id=$(echo "$draw" | cut -d '"' -f 4)\n${captureId('echo "$draw"', 'other')}`;

/** Requests that bring an item into the state that an operation requires. */
const PREPARATIONS: Record<string, [method: string, path: string, body?: object]> = {
  // A revision can be restored once the question is deleted.
  restoreQuestion: ['DELETE', ''],
  reviewQuestion: ['POST', '/status', { status: 'in_review', reason: 'To be checked again.' }],
  getPendingChange: ['POST', '/pending', { difficulty: 2 }],
  withdrawPendingChange: ['POST', '/pending', { difficulty: 2 }],
};

function buildPreparation(collection: string, [method, path, body]: [string, string, object?]): string {
  const data = body ? ` \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'` : '';
  return `curl -s -o /dev/null -X ${method} ${AUTHORIZATION} "${SERVER}${collection}/$id${path}"${data}\n`;
}

/**
 * The command that sets $id: a read takes the last item of the list, a change creates an item of
 * its own, so that trying the examples changes no other data.
 */
function buildIdCommand(endpoints: Endpoint[], { method, path, operation }: Endpoint): string {
  const [collection, rest] = path.split('/{id}');
  if (getQuestionId(operation)) return captureId(`curl -s ${AUTHORIZATION} ${SERVER}/questions`);
  if (rest === undefined) return '';
  const creator = endpoints.find(
    (endpoint) => endpoint.method === 'post' && [collection, `${collection}/run`].includes(endpoint.path),
  );
  const preparation = PREPARATIONS[operation.operationId];
  const nested = endpoints.find(
    (endpoint) => endpoint.method === 'post' && endpoint.path === `/questions/{id}${collection}`,
  );
  const isListed = endpoints.some((endpoint) => endpoint.method === 'get' && endpoint.path === collection);
  if (nested && !isListed) return captureId(buildCurl(endpoints, nested));
  // A category with the name of the example can be created only once.
  const useExisting = (method === 'get' && !preparation) || !creator || collection === '/categories';
  const command = useExisting
    ? `curl -s ${AUTHORIZATION} ${SERVER}${collection}`
    : `curl -s ${AUTHORIZATION} ${SERVER}${creator.path} \\\n  ${formatJsonData(creator.operation)}`;
  return captureId(command) + (preparation ? buildPreparation(collection!, preparation) : '');
}

function formatJsonData(operation: Operation): string {
  const file = operation.requestBody?.content['*/*'];
  if (file) return `--data-binary '${file.example}'`;
  const example = formatJson(operation.requestBody?.content['application/json']?.example);
  const question = getQuestionId(operation);
  // The shell replaces variables outside of single quotes.
  const quoted = example.replaceAll("'", "'\\''").replace(/\$[A-Z_]+/g, `'"$&"'`);
  let body = question ? quoted.replace(question, `'"$id"'`) : quoted;
  for (const other of listOtherIds(operation)) body = body.replace(other, `'"$other"'`);
  return `-H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

/** The required query parameters. */
function buildRequiredQuery({ parameters }: Operation): string {
  const required = parameters.filter(
    (parameter) => 'in' in parameter && parameter.in === 'query' && parameter.required,
  ) as Parameter[];
  const pairs = required.map(({ name, schema }) => [name, String(schema.examples?.[0] ?? '')]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

function buildCurl(endpoints: Endpoint[], endpoint: Endpoint): string {
  const { method, path, operation } = endpoint;
  const { requestBody, security } = operation;
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example as
    | Record<string, string>
    | undefined;
  const [collection, rest] = path.split('/{id}');
  const query = buildRequiredQuery(operation);
  const url = rest === undefined ? SERVER + path + query : `"${SERVER}${collection}/$id${rest}${query}"`;
  // -N: an event stream is shown unbuffered.
  const stream = (operation.responses[200] as Response | undefined)?.content?.['text/event-stream'];
  const parts = [
    `curl -i${stream ? 'N' : ''} ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`,
  ];
  if (security.length > 0) parts.push(AUTHORIZATION);
  if (form) {
    for (const [name, value] of Object.entries(form)) parts.push(`--data-urlencode "${name}=${value}"`);
  } else if (requestBody) parts.push(formatJsonData(operation));
  const ids =
    method !== 'get' && path.startsWith('/draws/{id}/')
      ? buildDrawIds()
      : buildIdCommand(endpoints, endpoint) + buildOtherCommand(endpoints, endpoint);
  return ids + parts.join(' \\\n  ');
}

function renderExample({ responses }: Operation): Html | false {
  const status = responses[201] ? '201' : '200';
  const response = responses[status] as Response | undefined;
  const example = response?.content?.['application/json']?.example;
  if (!example) return false;
  const title = `Example response: ${status} ${STATUS_CODES[status]}`;
  return html`<figure><figcaption>${title}</figcaption><pre><code>${formatJson(example)}</code></pre></figure>`;
}

function renderResponses(document: OpenApi, { responses }: Operation): Html {
  const { default: _, ...named } = responses;
  const statuses = Object.keys(named);
  return html`<details><summary>Responses <span class="statuses">${statuses.join(' ')}</span></summary>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${statuses.map((status) => renderResponseRow(document, status, named[status]!))}
<tr><th scope="row">Any other</th><td>A problem that any request can cause; see <a href="#errors">Errors</a>.</td></tr></tbody>
</table></details>`;
}

function renderResponseRow(document: OpenApi, status: string, answer: Response | Ref): Html {
  const response: Response = '$ref' in answer ? document.components.responses[getRefName(answer)]! : answer;
  const [[type, media] = []] = Object.entries(response.content ?? {});
  const headers = Object.keys(response.headers ?? {}).filter((name) => !COMMON_HEADERS.has(name));
  const title = STATUS_CODES[status];
  const description = answer.description ?? response.description;
  return html`<tr>
<th scope="row">${status} ${title}</th>
<td>${
    Number(status) < 400 &&
    media &&
    html`<p class="type">${type === 'application/json' ? renderType(media.schema) : type}</p>`
  }${description !== title && renderMarkdown(description)}${
    headers.length > 0 &&
    html`<p class="type">With ${headers.map((name, i) => [i > 0 && ', ', html`<code>${name}</code>`])}</p>`
  }</td>
</tr>
`;
}

/** Headers of every response, which the guide describes. */
const COMMON_HEADERS = new Set(['API-Version', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy']);

function renderProblems(): Html {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, meaning }]) => html`<tr id="problem-${code}">
<th scope="row">${breakable(code)}</th>
<td>${status}</td>
<td>${renderInline(meaning)}</td>
</tr>
`,
  );
  return html`<table>
<caption>All codes</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function renderSchemas(document: OpenApi): Html {
  const branches = findBranches(document);
  return html`${Object.entries(document.components.schemas).map(([name, schema]) => {
    const branch = branches.get(name);
    const fields = branch?.own ?? mergeBranches(document, schema);
    return html`<article aria-labelledby="schema-${name}">
<h3 id="schema-${name}">${name}</h3>
${schema.description !== undefined && renderMarkdown(schema.description)}
${!schema.properties && html`<p class="type">${renderType(schema)}</p>`}
${branch && html`<p>Has the fields of ${renderType({ $ref: branch.union })}, of which these depend on the type:</p>`}
${fields.properties && renderFieldTable('Fields', listFields(fields), 'optional')}
</article>
`;
  })}`;
}
