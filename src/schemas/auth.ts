/** The token flow, in the words of OAuth 2.0: RFC 6749, 7009 and 7662. */
import Type, { type Static } from 'typebox';
import { Timestamp } from './common.ts';
import { SCOPES, type Scope } from './scopes.ts';

const scope = Type.String({
  description: 'Scopes, separated by spaces.',
  examples: ['questions:read analysis:read'],
});
const ACCESS = 'qsa_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000';
const REFRESH = 'qsr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000';

const credentials = {
  client_id: Type.Optional(Type.String({ description: 'Unless it comes by HTTP Basic.' })),
  client_secret: Type.Optional(Type.String({ description: 'Unless it comes by HTTP Basic.' })),
};

export const TokenRequest = Type.Object(
  {
    grant_type: Type.Enum(['client_credentials', 'refresh_token']),
    ...credentials,
    refresh_token: Type.Optional(Type.String({ description: 'For `refresh_token`.' })),
    scope: Type.Optional({ ...scope, description: 'Fewer scopes than there could be, separated by spaces.' }),
  },
  {
    $id: 'TokenRequest',
    examples: [
      {
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: '$QUAESTOR_ADMIN_SECRET',
        scope: 'questions:read',
      },
    ],
  },
);

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'In seconds.' }),
    refresh_token: Type.String({ description: 'For new tokens, once: it is replaced each time it is used.' }),
    scope,
  },
  {
    $id: 'TokenAnswer',
    additionalProperties: false,
    examples: [
      {
        access_token: ACCESS,
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token: REFRESH,
        scope: 'questions:read',
      },
    ],
  },
);
export type TokenAnswer = Static<typeof TokenAnswer>;

export const OAUTH_ERRORS = {
  invalid_request: 'A parameter is missing, given twice, or not readable.',
  invalid_client: 'The client is unknown or its secret is wrong.',
  invalid_grant: 'The refresh token is unknown, expired, revoked, or was used before.',
  unsupported_grant_type: 'Only `client_credentials` and `refresh_token` are offered.',
  invalid_scope: 'A scope is unknown, or more than the client may have.',
} as const;
export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

export const OAuthProblem = Type.Object(
  {
    error: Type.Enum(Object.keys(OAUTH_ERRORS) as OAuthErrorCode[]),
    error_description: Type.String(),
  },
  {
    $id: 'OAuthProblem',
    description: `An error in the form of RFC 6749:\n\n${Object.entries(OAUTH_ERRORS)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n')}`,
    additionalProperties: false,
    examples: [{ error: 'invalid_client', error_description: OAUTH_ERRORS.invalid_client }],
  },
);

export const RevokeRequest = Type.Object(
  {
    token: Type.String({
      description: 'A token of any kind. A refresh token ends with all that came of it.',
    }),
    token_type_hint: Type.Optional(Type.String({ description: 'Not needed here, and not looked at.' })),
    ...credentials,
  },
  { $id: 'RevokeRequest', examples: [{ token: '$TOKEN' }] },
);

export const Revoked = Type.Object(
  {},
  { description: 'The token is good no more, if it ever was.', additionalProperties: false, examples: [{}] },
);

export const IntrospectRequest = Type.Object(
  {
    token: Type.String({ description: 'A token of yours; of anybody with the scope `clients:manage`.' }),
    token_type_hint: Type.Optional(Type.String({ description: 'Not needed here, and not looked at.' })),
    ...credentials,
  },
  { $id: 'IntrospectRequest', examples: [{ token: '$QUAESTOR_KEY' }] },
);

export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    scope: Type.Optional(scope),
    token_type: Type.Optional(Type.Literal('Bearer')),
    iat: Type.Optional(Type.Integer({ description: 'When it was made, in seconds since 1970.' })),
    exp: Type.Optional(Type.Integer({ description: 'When it ends, in seconds since 1970.' })),
    jti: Type.Optional(Type.String()),
  },
  {
    $id: 'Introspection',
    description:
      'What is known of the token; of one that is not good, or not for you to ask about, `active: false` alone.',
    additionalProperties: false,
    examples: [
      {
        active: true,
        client_id: 'admin',
        sub: 'admin',
        scope: 'questions:read',
        token_type: 'Bearer',
        iat: 1772357400,
        exp: 1772358300,
        jti: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
      },
    ],
  },
);

export const Me = Type.Object(
  {
    client: Type.Object(
      { id: Type.String(), name: Type.String(), role: Type.String() },
      { additionalProperties: false },
    ),
    scopes: Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[]), { description: 'What this token may do.' }),
    token: Type.Object(
      {
        kind: Type.Enum(['access', 'key']),
        id: Type.String(),
        created_at: Timestamp(),
        expires_at: Timestamp(),
      },
      { additionalProperties: false },
    ),
  },
  {
    $id: 'Me',
    additionalProperties: false,
    examples: [
      {
        client: { id: 'admin', name: 'Administrator', role: 'admin' },
        scopes: ['questions:read'],
        token: {
          kind: 'access',
          id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
          created_at: '2026-03-01T09:30:00.000Z',
          expires_at: '2026-03-01T09:45:00.000Z',
        },
      },
    ],
  },
);
