/** Sessions of the console. */
import type { Static } from 'typebox';
import { Text, Timestamp } from './common.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { Type } from './type.ts';

const LINK = 'qsl_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000';

export const SessionRequest = Type.Object(
  {
    client_id: Type.Optional(Text(200, { description: 'With `client_secret`.' })),
    client_secret: Type.Optional(Text(1_024)),
    link: Type.Optional(
      Text(100, { description: 'The token of a sign-in link, instead of a client id and secret.' }),
    ),
  },
  {
    $id: 'SessionRequest',
    additionalProperties: false,
    examples: [{ client_id: 'admin', client_secret: '$QUAESTOR_ADMIN_SECRET' }],
  },
);
export type SessionRequest = Static<typeof SessionRequest>;

export const Session = Type.Object(
  {
    client: Type.Object(
      { id: Type.String(), name: Type.String(), role: Type.String() },
      { additionalProperties: false },
    ),
    scopes: Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[])),
    expires_at: Timestamp(),
  },
  {
    $id: 'Session',
    description: 'A session. `expires_at` moves while it is used.',
    additionalProperties: false,
    examples: [
      {
        client: { id: 'admin', name: 'Administrator', role: 'admin' },
        scopes: ['questions:read'],
        expires_at: '2026-03-01T21:30:00.000Z',
      },
    ],
  },
);

/** `client` is null if the request has no valid session or token. */
export const CurrentSession = Type.Union([
  Session,
  Type.Object({ client: Type.Null() }, { additionalProperties: false }),
]);

export const SignInLink = Type.Object(
  {
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Shown once: null when the request is repeated under its Idempotency-Key.',
    }),
    expires_at: Timestamp(),
  },
  {
    $id: 'SignInLink',
    description: 'Open `/#link=` followed by `link` in a browser. It can be used once.',
    additionalProperties: false,
    examples: [{ link: LINK, expires_at: '2026-03-01T10:00:00.000Z' }],
  },
);
