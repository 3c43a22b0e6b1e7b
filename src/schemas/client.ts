import type { Static } from 'typebox';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { ROLE_PURPOSES, ROLES, type Role, SCOPES, type Scope } from './scopes.ts';
import { Type } from './type.ts';

const RoleName = Type.Enum(Object.keys(ROLES) as Role[], {
  description: `The role, a set of scopes, limits what the client may do. ${Object.entries(ROLE_PURPOSES)
    .map(([role, purpose]) => `\`${role}\`: ${purpose}`)
    .join(' ')}`,
});
const Scopes = Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[]), { description: 'The scopes.' });
const Name = Text(200, { description: 'A name for display.' });
const ShownOnce = (subject: string) =>
  Nullable(Type.String(), {
    description: `${subject}. Shown only once; null if the response is repeated for an \`Idempotency-Key\`.`,
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
  id: Type.String({ description: 'The `client_id` of OAuth 2.0.' }),
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
  { ...clientFields, secret: ShownOnce('The secret') },
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
  { $id: 'ClientList', description: 'In order of creation.', additionalProperties: false },
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
  client_id: Type.String({ description: 'The client that owns the key.' }),
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
  { ...keyFields, token: ShownOnce('The key itself: send it as `Authorization: Bearer`') },
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
        description: 'Default: the scopes of your token; for another client, the scopes of its role.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 365, description: 'Days until the key expires. Default: 90.' }),
    ),
    client_id: Type.Optional(
      Text(200, {
        description:
          'The client that owns the key. Default: your own. Another one requires `clients:manage`.',
      }),
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
    description: 'In order of creation. The keys themselves are not shown.',
    additionalProperties: false,
  },
);

export const KeyQuery = Type.Object(
  {
    client_id: Type.Optional(Type.String({ maxLength: 200, description: 'Only keys of this client.' })),
    ...ClientQuery.properties,
  },
  { additionalProperties: false },
);
export type KeyQuery = Static<typeof KeyQuery>;
