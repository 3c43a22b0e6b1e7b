/** OAuth 2.0: token requests (RFC 6749), revocation (RFC 7009) and introspection (RFC 7662). */
import type { Static } from 'typebox';
import { Timestamp } from './common.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { Type } from './type.ts';

const scope = Type.String({
  description: 'Space-separated scopes.',
  examples: ['questions:read analysis:read'],
});
const ACCESS = 'qsa_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000';
const REFRESH = 'qsr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000';

const credentials = {
  client_id: Type.Optional(Type.String({ description: 'Required unless sent by HTTP Basic.' })),
  client_secret: Type.Optional(Type.String({ description: 'Required unless sent by HTTP Basic.' })),
};

export const TokenRequest = Type.Object(
  {
    grant_type: Type.Enum(['client_credentials', 'refresh_token']),
    ...credentials,
    refresh_token: Type.Optional(
      Type.String({ description: 'Required for the grant type `refresh_token`.' }),
    ),
    scope: Type.Optional({
      ...scope,
      description: 'Space-separated scopes. Default: all that the client or the refresh token has.',
    }),
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

export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'In seconds.' }),
    refresh_token: Type.String({ description: 'Valid for one use, which replaces it.' }),
    scope,
  },
  {
    $id: 'TokenResponse',
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
export type TokenResponse = Static<typeof TokenResponse>;

export const OAUTH_ERRORS = {
  invalid_request: 'A parameter is missing, duplicate or malformed.',
  invalid_client: 'The client is unknown or its secret is wrong.',
  invalid_grant: 'The refresh token is unknown, expired, revoked or already used.',
  unsupported_grant_type: 'The grant type must be `client_credentials` or `refresh_token`.',
  invalid_scope: 'A scope is unknown or not allowed for the client.',
} as const;
export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

export const OAuthProblem = Type.Object(
  {
    error: Type.Enum(Object.keys(OAUTH_ERRORS) as OAuthErrorCode[]),
    error_description: Type.String(),
  },
  {
    $id: 'OAuthProblem',
    description: `An OAuth 2.0 error response (RFC 6749):\n\n${Object.entries(OAUTH_ERRORS)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n')}`,
    additionalProperties: false,
    examples: [{ error: 'invalid_client', error_description: OAUTH_ERRORS.invalid_client }],
  },
);

export const RevokeRequest = Type.Object(
  {
    token: Type.String({
      description: 'A token of any kind. A refresh token is revoked together with its family.',
    }),
    token_type_hint: Type.Optional(Type.String({ description: 'Accepted and ignored.' })),
    ...credentials,
  },
  { $id: 'RevokeRequest', examples: [{ token: '$TOKEN' }] },
);

export const Revoked = Type.Object(
  {},
  {
    description: 'The token is invalid from now on, or was not valid before.',
    additionalProperties: false,
    examples: [{}],
  },
);

export const IntrospectRequest = Type.Object(
  {
    token: Type.String({
      description: 'A token of your client; with the scope `clients:manage`, of any client.',
    }),
    token_type_hint: Type.Optional(Type.String({ description: 'Accepted and ignored.' })),
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
    iat: Type.Optional(Type.Integer({ description: 'Creation time, in seconds since 1970.' })),
    exp: Type.Optional(Type.Integer({ description: 'Expiry time, in seconds since 1970.' })),
    jti: Type.Optional(Type.String()),
  },
  {
    $id: 'Introspection',
    description: 'For an invalid token, or one of another client, only `active: false`.',
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

export const CurrentClient = Type.Object(
  {
    client: Type.Object(
      { id: Type.String(), name: Type.String(), role: Type.String() },
      { additionalProperties: false },
    ),
    scopes: Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[]), {
      description: 'The scopes of the token.',
    }),
    token: Type.Object(
      {
        kind: Type.Enum(['access', 'key', 'session']),
        id: Type.String(),
        created_at: Timestamp(),
        expires_at: Timestamp(),
      },
      { additionalProperties: false },
    ),
  },
  {
    $id: 'CurrentClient',
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
