/**
 * The parts of the OpenAPI document that do not come from routes: guide, tags, headers and header
 * parameters.
 */
import type { HeaderParameter } from '../../http/route-config.ts';
import { ROLE_PURPOSES, ROLES, type Role, SCOPES } from '../../schemas/scopes.ts';
import type { Header, Parameter } from './openapi-types.ts';

export const GUIDE = `Requests and responses are JSON in UTF-8. Field names are \`snake_case\`, times are RFC 3339 in UTC with milliseconds, and ids are UUIDs.

## Conventions

- **Strict validation.** Values are not converted: \`"1"\` is not an integer. Unknown fields and query parameters are rejected.
- **Text** is trimmed and normalised to NFC. Control characters other than newline and tab are rejected.
- **Conditional requests.** A single resource has a strong \`ETag\`. Send it as \`If-None-Match\` to get 304 if the resource is unchanged, and as \`If-Match\` with PUT, PATCH or DELETE to get 412 instead of overwriting a change you have not seen.
- **Changes.** PATCH changes the fields that are sent (JSON merge patch, RFC 7396): fields that are left out keep their value, and null clears an optional field; so do the members of objects. PUT does the same: it never clears a field that is left out.
- **Read-only fields** of a question, such as \`id\` and \`revision\`, may be sent back with their current values. A create does not take them: they are assigned.
- **Idempotency.** A POST with an \`Idempotency-Key\` can be repeated for 24 hours. The same key with the same request returns the first response and writes nothing; with a different request it is rejected.
- **Versions.** The paths are version 1 and are also served under \`/v1\`. Changes within a version only add: ignore unknown fields. Every response has an \`API-Version\` and an \`X-Request-Id\`, which identifies the request in the log.
- **HEAD** is supported wherever GET is.
- **Compression.** With \`Accept-Encoding: gzip\`, reads of 1 kB or more that contain no answers are compressed. The ETag of a compressed response ends in \`+gzip\`; both ETags are accepted as conditions.

## Paging

Lists take \`limit\` and \`offset\`, and return \`data\` and \`pagination\`: \`total\` is exact, and \`has_more\` says whether another page follows. The \`Link\` header (RFC 8288) has the URLs of the first, previous, next and last page.

Lists that take \`cursor\` can also be followed page by page: pass the \`next_cursor\` of each page as the \`cursor\` of the next, with the same filters and sort, until it is null. A list sorted by time that is followed in this way is not shifted by concurrent inserts and deletions.

## Authentication

Nearly every operation requires a token, sent as \`Authorization: Bearer …\`. There are two kinds. An **access token** is valid for minutes: request one from \`/auth/token\` with a client id and secret, as in OAuth 2.0, or with a refresh token. A **key** has a name and is valid for months: create one at \`/auth/tokens\`, or use the one that is printed at the first start. The examples expect the key in the variable \`QUAESTOR_KEY\`, the secret of the client \`admin\` in \`QUAESTOR_ADMIN_SECRET\`, and a token to revoke in \`TOKEN\`.

A token has scopes; each operation lists those it requires. A client has a role, which is a set of scopes:

${Object.entries(ROLES)
  .map(
    ([role, scopes]) =>
      `- **${role}**: ${ROLE_PURPOSES[role as Role]} ${scopes.map((scope) => `\`${scope}\``).join(', ')}`,
  )
  .join('\n')}

The scopes are:

${Object.entries(SCOPES)
  .map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  .join('\n')}

**Answers are protected.** Without \`answers:read\`, questions are shown without \`correct_answer\`, \`incorrect_answers\`, \`explanation\`, \`revision\` and \`updated_at\`; full-text search covers only the question, topic and tags; and neither ETags nor the sort order change when only an answer changes.

## Handing questions out

\`GET /questions?sort=random\` lists questions in an order that a \`seed\` determines; its pages have each question once. \`POST /draws\` draws questions by \`count\` or \`quotas\`, leaves out what a respondent has seen, and stores what was handed out: \`GET /draws/{id}\` repeats it.

## Recording responses

\`POST /responses\` records the answers of respondents, one response or up to 10,000 at a time. A response names the question, the respondent (preferably a pseudonym) and exactly one outcome: an \`answer\`, which is stored as given and scored as \`check\` does; \`correct\`, if you have scored it yourself; or \`missing\`, if the question was \`omitted\` or \`not_reached\`. Incorrect, omitted and not reached are kept apart. A \`session\` identifies the occasion, a \`group\` the population to compare. There is one response per question, respondent and session; a repeated one replaces it.

Answers are scored by the current key each time they are read: correcting a key rescores every response. \`DELETE /responses?respondent=…\` deletes a respondent, also from the results of analyses.

## Running analyses

\`POST /analysis/run\` analyses the questions you list, those that match a filter, or the whole bank. The response is the record of the run: with its result if it finishes within five seconds, otherwise with status 202 while the run continues. A run is \`queued\`, \`running\`, and then \`succeeded\`, \`failed\` or \`cancelled\`. It survives a restart of the service. Its result is kept until it is deleted.

All results have the same structure: the version of the algorithm, the input, a \`summary\`, \`items\` (rows about questions, paged) and \`warnings\`. The same questions and parameters give the same result, byte for byte. Without \`answers:read\`, a result does not disclose correct answers: it shows how many responses were correct, but not which. \`/analysis/types\` and the schemas below describe each type.

\`GET /events\` streams changes as they happen, including the progress of runs.

## Rate limits

Requests are counted per minute: by client or, without a valid token, by address (an IPv6 /64 network counts as one address). Reads, writes, runs of analyses and token requests have separate limits; checks of answers are also limited for each question, by respondent and by client. Every response shows the status of its limit: \`RateLimit-Policy: "read";q=600;w=60\` and \`RateLimit: "read";r=599;t=42\` mean 600 reads per 60 seconds, of which 599 remain for the next 42 seconds. Requests beyond the limit get 429 with \`Retry-After\`. Wrong secrets also count against the client they were sent for.

## Errors

Every error is a problem document (RFC 9457) of type \`application/problem+json\`. \`code\` is stable and meant for programs; \`detail\` is meant for people and says what to do; \`errors\` lists every fault of the request. Quote \`request_id\` when you report a problem.
`;

interface Tag {
  name: string;
  description: string;
  /** The first segments of its paths. */
  segments: readonly string[];
}

export const TAGS: readonly Tag[] = [
  {
    name: 'Questions',
    description: 'Questions with full-text search, filters, revisions, reviews and comments.',
    segments: ['questions', 'pending', 'comments'],
  },
  {
    name: 'Categories',
    description: 'Categories and difficulty levels.',
    segments: ['categories', 'difficulties'],
  },
  {
    name: 'Bulk changes',
    description: 'Changes of many questions, which run in the background and can be undone.',
    segments: ['changes'],
  },
  {
    name: 'Draws',
    description: 'Random questions that are handed out together, by quotas and without repeats.',
    segments: ['draws'],
  },
  {
    name: 'Imports',
    description: 'Files of questions, which are imported in the background and can be undone.',
    segments: ['imports'],
  },
  {
    name: 'Reports',
    description: 'Reports of faults in questions by respondents, until they are resolved.',
    segments: ['reports'],
  },
  {
    name: 'Responses',
    description:
      'Answers of respondents: one response per question, respondent and session, scored by the current key.',
    segments: ['responses'],
  },
  {
    name: 'Analyses',
    description:
      'Analyses of questions (duplicates, labels, writing flaws, readability, coverage) and of responses (item statistics, reliability, item response theory, differential item functioning). Results are stored; /events reports progress.',
    segments: ['analysis', 'dismissals', 'attention', 'events'],
  },
  {
    name: 'Tokens and clients',
    description: 'Access tokens, keys and the clients that own them.',
    segments: ['auth', 'session'],
  },
  {
    name: 'Operations',
    description: 'Health checks and metrics.',
    segments: ['health', 'ready', 'metrics'],
  },
  {
    name: 'Documentation',
    description: 'The OpenAPI document and this page.',
    segments: ['openapi.json', 'docs'],
  },
];

const etag: Header = {
  description: 'The current strong ETag of the resource, for `If-Match` and `If-None-Match`.',
  required: true,
  schema: { type: 'string', pattern: '^"[^"]+"$', examples: ['"1"'] },
};
const location: Header = {
  description: 'The URL of the new resource.',
  required: true,
  schema: {
    type: 'string',
    format: 'uri-reference',
    examples: ['/questions/01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'],
  },
};
const retryAfter: Header = {
  description: 'Seconds to wait before the next attempt.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};

export const HEADERS = {
  'API-Version': {
    description: 'The version of the API.',
    required: true,
    schema: { type: 'string', const: '1' },
  },
  'X-Request-Id': {
    description: 'Identifies the request in the log.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: etag,
  ETagOfOne: {
    ...etag,
    required: false,
    description: `${etag.description} Absent if the request was an array.`,
  },
  Location: location,
  LocationOfOne: {
    ...location,
    required: false,
    description: `${location.description} Absent if the request was an array.`,
  },
  Link: {
    description: 'The first, previous, next and last page (RFC 8288).',
    required: true,
    schema: { type: 'string', examples: ['</questions?limit=20&offset=20>; rel="next"'] },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme and the reason for the error.',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="quaestor", error="invalid_token"'] },
  },
  RateLimit: {
    description:
      'The remaining requests (`r`) and the seconds until the limit resets (`t`). Absent if there is no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"\\w+";r=\\d+;t=\\d+$', examples: ['"read";r=599;t=42'] },
  },
  'RateLimit-Policy': {
    description: 'The limit: requests (`q`) per window of `w` seconds. Absent if there is no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"\\w+";q=\\d+;w=60$', examples: ['"read";q=600;w=60'] },
  },
  'Retry-After': retryAfter,
  RetryAfterConflict: {
    ...retryAfter,
    required: false,
    description: `${retryAfter.description} Only with \`idempotency_in_flight\`.`,
  },
} satisfies Record<string, Header>;

export const HEADER_PARAMETERS = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The change is applied only if the current ETag is in this list.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETags you have. If one is current, the response is 304 without a body.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'How long to wait for the result (RFC 7240): `wait=10`, or `respond-async` to respond at once.',
    schema: { type: 'string', examples: ['wait=10'] },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event received: the stream resumes after it.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A unique key for this request, which makes it safe to repeat.',
    schema: {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      examples: ['b9f3a1c2-5f0e-4c39-8d5a-7e2f64a1c0de'],
    },
  },
} satisfies Record<HeaderParameter, Parameter>;

export const SECURITY = {
  oauth: {
    type: 'oauth2',
    description: 'Request an access token with a client id and secret.',
    flows: { clientCredentials: { tokenUrl: '/auth/token', refreshUrl: '/auth/token', scopes: SCOPES } },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token or a key.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-quaestor',
    description:
      'The session of the console, for requests from the same origin. Without TLS the cookie is named `quaestor-` and the port.',
  },
};
