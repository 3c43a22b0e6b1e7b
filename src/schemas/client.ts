import Type, { type Static } from 'typebox';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { ROLES, type Role, SCOPES, type Scope } from './scopes.ts';

const RoleName = Type.Enum(Object.keys(ROLES) as Role[], {
  description: 'What it may do at the most. Each role is a set of scopes.',
});
const Scopes = Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[]), { description: 'What it may do.' });
const Name = Text(200, { description: 'For people: who or what it is.' });
const secretOnce = (what: string) =>
  Nullable(Type.String(), {
    description: `${what}. Shown this once and stored nowhere; null where an \`Idempotency-Key\` repeats the answer.`,
  });

const exampleClient = {
  id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  name: 'Physics department',
  role: 'author',
  scopes: [...ROLES.author],
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
};
const clientFields = {
  id: Type.String({ description: 'What OAuth calls `client_id`.' }),
  name: Type.String(),
  role: RoleName,
  scopes: Scopes,
  created_at: Timestamp(),
  updated_at: Timestamp(),
};

export const Client = Type.Object(clientFields, {
  $id: 'Client',
  additionalProperties: false,
  examples: [exampleClient],
});
export type Client = Static<typeof Client>;

export const ClientWithSecret = Type.Object(
  { ...clientFields, secret: secretOnce('The secret') },
  {
    $id: 'ClientWithSecret',
    additionalProperties: false,
    examples: [{ ...exampleClient, secret: 'qss_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000' }],
  },
);

export const ClientInput = Type.Object(
  { name: Name, role: RoleName },
  {
    $id: 'ClientInput',
    additionalProperties: false,
    examples: [{ name: 'Physics department', role: 'author' }],
  },
);
export type ClientInput = Static<typeof ClientInput>;

export const ClientChange = Type.Object(
  { name: Type.Optional(Name), role: Type.Optional(RoleName) },
  { $id: 'ClientChange', additionalProperties: false, examples: [{ role: 'analyst' }] },
);
export type ClientChange = Static<typeof ClientChange>;

export const ClientList = Type.Object(
  { data: Type.Array(Client), pagination: Pagination },
  { $id: 'ClientList', description: 'In the order they were made.', additionalProperties: false },
);

export const ClientQuery = Type.Object(
  { limit: Type.Optional(Limit), offset: Type.Optional(Offset) },
  { additionalProperties: false },
);
export type ClientQuery = Static<typeof ClientQuery>;

const exampleKey = {
  id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31',
  name: 'Nightly import',
  client_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  scopes: ['questions:read'],
  created_at: '2026-03-01T09:30:00.000Z',
  expires_at: '2026-05-30T09:30:00.000Z',
};
const keyFields = {
  id: Uuid(),
  name: Type.String(),
  client_id: Type.String({ description: 'Whose it is.' }),
  scopes: Scopes,
  created_at: Timestamp(),
  expires_at: Timestamp(),
};

export const Key = Type.Object(keyFields, {
  $id: 'Key',
  additionalProperties: false,
  examples: [exampleKey],
});
export type Key = Static<typeof Key>;

export const KeyWithToken = Type.Object(
  { ...keyFields, token: secretOnce('The key itself: send it as `Authorization: Bearer`') },
  {
    $id: 'KeyWithToken',
    additionalProperties: false,
    examples: [{ ...exampleKey, token: 'qsk_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX00000' }],
  },
);

export const KeyInput = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[]), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description:
          'What it may do: all that your token may, if left out; for another client, all its role may.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 365, default: 90, description: 'How long it is good for.' }),
    ),
    client_id: Type.Optional(
      Text(200, { description: 'For another client than yourself; needs the scope `clients:manage`.' }),
    ),
  },
  {
    $id: 'KeyInput',
    additionalProperties: false,
    examples: [{ name: 'Nightly import', scopes: ['questions:read'], expires_in_days: 90 }],
  },
);
export type KeyInput = Static<typeof KeyInput>;

export const KeyList = Type.Object(
  { data: Type.Array(Key), pagination: Pagination },
  {
    $id: 'KeyList',
    description: 'In the order they were made; without the keys themselves.',
    additionalProperties: false,
  },
);

export const KeyQuery = Type.Object(
  {
    client_id: Type.Optional(Type.String({ maxLength: 200, description: "Only this client's." })),
    ...ClientQuery.properties,
  },
  { additionalProperties: false },
);
export type KeyQuery = Static<typeof KeyQuery>;
