/** What the OpenAPI document says that no route does: the guide, the tags, headers and the parameters made of them. */
import { ROLES, SCOPES } from '../../schemas/scopes.ts';
import type { Header, Parameter } from './openapi-types.ts';

export const GUIDE = `Requests and answers are JSON in UTF-8. Field names are \`snake_case\`, times are RFC 3339 in UTC with milliseconds, ids are UUIDs.

## Conventions

- **Strict.** Nothing is coerced or dropped in silence: \`"1"\` is no integer, and an unknown field or query parameter is refused.
- **Text** is trimmed at the ends and normalised to NFC. Newline and tab are text; other control characters are refused.
- **ETags.** A single resource carries a strong \`ETag\`. Send it as \`If-None-Match\` to be answered 304 while nothing has changed, and as \`If-Match\` with PUT or DELETE to be answered 412 instead of overwriting what you have not seen.
- **Repeating safely.** A POST with an \`Idempotency-Key\` can be repeated for 24 hours: the same key with the same request is answered as the first time and writes nothing; with another request it is refused.
- **Versions.** These paths are version 1, and answer under \`/v1\` too. Within a version, changes only add: ignore fields you do not know. Every answer says its \`API-Version\`, and in \`X-Request-Id\` by which name the log knows it.
- **HEAD** is answered wherever GET is, with the same headers and no body.

## Paging

Long lists take \`limit\` and \`offset\`, and answer with \`data\` and \`pagination\`: \`total\` is exact, and \`has_more\` says whether a page follows. The \`Link\` header (RFC 8288) has the addresses of the first, previous, next and last page.

A list that takes \`cursor\` can also be followed from page to page: pass the \`next_cursor\` of each as the \`cursor\` of the next, with the same filters and sort, until it is null. Followed so, a list in the order of time is not shifted by what is added or deleted meanwhile.

## Access

Nearly every operation needs a token, sent as \`Authorization: Bearer …\` and in no other way. There are two kinds. An **access token** is good for minutes: get one from \`/auth/token\` with a client’s id and secret, as in OAuth 2.0, or with the refresh token that came with the last. A **key** has a name and lasts for months: make one at \`/auth/tokens\`, or take the one that was printed at the first start. The examples here expect it in the variable \`QUAESTOR_KEY\`, the secret of the client \`admin\` in \`QUAESTOR_ADMIN_SECRET\`, and a token to be revoked in \`TOKEN\`.

A token has scopes; each operation names those it needs. A client has a role, which gives:

${Object.entries(ROLES)
  .map(([role, scopes]) => `- **${role}**: ${scopes.map((scope) => `\`${scope}\``).join(', ')}`)
  .join('\n')}

The scopes mean:

${Object.entries(SCOPES)
  .map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  .join('\n')}

**Answers do not leak.** Without \`answers:read\`, questions come without \`correct_answer\`, \`incorrect_answers\`, \`explanation\`, \`revision\` and \`updated_at\`; search looks at the question, topic and tags alone; and no ETag or order changes when only the answer does.

## What people answered

\`POST /responses\` records what people answered, one response or up to 10,000 at a time. A response names the question, the respondent (a pseudonym will do) and what came of it: an \`answer\`, which is kept as it was given and scored as \`check\` does; \`correct\`, where you have scored it; or \`missing\`, for a question that was \`omitted\` or \`not_reached\`. These are three things and stay three: wrong, left out, and never seen. A \`session\` says on which occasion, and a \`group\` whom to compare. There is one response for each question, respondent and session; a repetition takes its place.

Answers are scored whenever they are looked at, by the key as it is then: when a key was wrong, correct it, and every response counts anew. \`DELETE /responses?respondent=…\` forgets a person, in the results of analyses too.

## Runs and results

\`POST /analysis/run\` runs an analysis over the questions you name, over those that match a filter, or over the whole bank. It is answered with the run’s record: with its result, if that is there within five seconds, else with 202, and the run goes on. A run is \`queued\`, \`running\`, then \`succeeded\`, \`failed\` or \`cancelled\`; it survives a restart of the service. Its result stays until it is deleted.

Every result has the same frame: the settings and the version of the algorithm, what it ran on, a \`summary\`, \`items\` (rows about single questions, paged), and \`warnings\`. The same questions and settings give the same result, byte for byte. Without \`answers:read\`, nothing in it tells which answer is right: of responses it says how many were, never which. What each type finds and what can be set is described at \`/analysis/types\` and, below, by the schemas named after it.

\`GET /events\` tells what happens as it happens, a run’s progress included.

## Limits

Requests are counted by the minute: for each client, and for each address (an IPv6 network of 64 bits is one) where no token says whose they are. Reads, writes, runs of analyses and requests for tokens have budgets of their own. Every answer tells how it stands: \`RateLimit-Policy: "read";q=600;w=60\` and \`RateLimit: "read";r=599;t=42\` mean 600 reads in 60 seconds, of which 599 are left for the next 42. Whoever asks for more is answered 429 with \`Retry-After\`. Wrong secrets also count for the client whose they were to be.

## Errors

Every refusal is a problem document (RFC 9457) of the type \`application/problem+json\`. \`code\` is stable and made for programs; \`detail\` says what to do and is made for people; \`errors\` names each fault where there may be several. Quote \`request_id\` when you report a problem.
`;

interface Tag {
  name: string;
  description: string;
  /** The first segments of its paths. */
  of: readonly string[];
}

export const TAGS: readonly Tag[] = [
  {
    name: 'Questions',
    description: 'The questions of the bank, found by filter or by word, with all their revisions.',
    of: ['questions'],
  },
  {
    name: 'Categories',
    description: 'What questions are sorted into: the categories, and the scale of difficulty.',
    of: ['categories', 'difficulties'],
  },
  {
    name: 'Responses',
    description:
      'What people answered: one response for each question, respondent and session, kept as it was given and scored by the key as it is.',
    of: ['responses'],
  },
  {
    name: 'Analyses',
    description:
      'Which questions are duplicates, misfiled, badly written, hard to read, how they cover their field and, once people have answered them, what they measure: run over any set of them, with results that stay. Following /events, progress is seen without asking.',
    of: ['analysis', 'events'],
  },
  {
    name: 'Tokens and clients',
    description: 'How to get a token, and who may have one.',
    of: ['auth'],
  },
  {
    name: 'Operations',
    description: 'For those who run the service.',
    of: ['health', 'ready', 'metrics'],
  },
  {
    name: 'Documentation',
    description: 'This interface, described for programs and for people.',
    of: ['openapi.json', 'docs'],
  },
];

const etag: Header = {
  description: 'The strong ETag of the resource as it is now: for `If-Match` and `If-None-Match`.',
  required: true,
  schema: { type: 'string', pattern: '^"[^"]+"$', examples: ['"1"'] },
};
const location: Header = {
  description: 'Where the new resource is.',
  required: true,
  schema: {
    type: 'string',
    format: 'uri-reference',
    examples: ['/questions/01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'],
  },
};
const retryAfter: Header = {
  description: 'When to try again, in seconds.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};

export const HEADERS = {
  'API-Version': {
    description: 'The version of the API that answered.',
    required: true,
    schema: { type: 'string', const: '1' },
  },
  'X-Request-Id': {
    description: 'The name of this request in the log.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: etag,
  ETagOfOne: { ...etag, required: false, description: `${etag.description} Absent for an array.` },
  Location: location,
  LocationOfOne: {
    ...location,
    required: false,
    description: `${location.description} Absent for an array.`,
  },
  Link: {
    description: 'The first, previous, next and last page (RFC 8288).',
    required: true,
    schema: { type: 'string', examples: ['</questions?limit=20&offset=20>; rel="next"'] },
  },
  'WWW-Authenticate': {
    description: 'How to prove who you are, and what was wrong with the proof.',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="quaestor", error="invalid_token"'] },
  },
  RateLimit: {
    description: 'What is left of which budget, and for how many seconds. Absent where there is no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"\\w+";r=\\d+;t=\\d+$', examples: ['"read";r=599;t=42'] },
  },
  'RateLimit-Policy': {
    description: 'The budget: how many requests, in how many seconds. Absent where there is no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"\\w+";q=\\d+;w=60$', examples: ['"read";q=600;w=60'] },
  },
  'Retry-After': retryAfter,
  RetryAfterConflict: {
    ...retryAfter,
    required: false,
    description: `${retryAfter.description} With \`idempotency_in_flight\` alone.`,
  },
} satisfies Record<string, Header>;

export const CONDITIONS = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Do it only if the ETag is still one of these.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETags you have: if one of them is current, the answer is 304 without a body.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: 'How long to wait (RFC 7240): `wait=10`, or `respond-async` for not at all.',
    schema: { type: 'string', examples: ['wait=10'] },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that was seen: the stream goes on behind it.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name for this request, unique to it, so that it can be repeated without being done twice.',
    schema: {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      examples: ['b9f3a1c2-5f0e-4c39-8d5a-7e2f64a1c0de'],
    },
  },
} satisfies Record<string, Parameter>;

export const SECURITY = {
  oauth: {
    type: 'oauth2',
    description: 'A client’s id and secret get an access token.',
    flows: { clientCredentials: { tokenUrl: '/auth/token', refreshUrl: '/auth/token', scopes: SCOPES } },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, or a key.',
  },
};
