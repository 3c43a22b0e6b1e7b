import Type, { type Static } from 'typebox';
import { Nullable, Text, Timestamp, Uuid } from './common.ts';
import { DIFFICULTIES } from './difficulties.ts';

const Name = Text(200, { description: 'Unique in the bank, whatever its case.' });
const Description = Nullable(Text(2_000));

export const CategoryInput = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  {
    $id: 'CategoryInput',
    additionalProperties: false,
    examples: [{ name: 'History', description: 'What happened, when, and why.' }],
  },
);
export type CategoryInput = Static<typeof CategoryInput>;

export const CategoryChange = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { $id: 'CategoryChange', additionalProperties: false, examples: [{ name: 'World History' }] },
);
export type CategoryChange = Static<typeof CategoryChange>;

const properties = {
  id: Uuid(),
  name: Type.String({ examples: ['History'] }),
  description: Nullable(Type.String(), { examples: ['What happened, when, and why.'] }),
  fixed: Type.Boolean({
    description: 'One of the six that every bank has: neither renamed nor removed.',
    examples: [false],
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
};

export const Category = Type.Object(properties, { $id: 'Category', additionalProperties: false });
export type Category = Static<typeof Category>;

export const CategoryList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          ...properties,
          question_count: Type.Integer({ description: 'How many questions it has.', examples: [12] }),
          counts_by_difficulty: Type.Object(
            { 0: Type.Integer(), 1: Type.Integer(), 2: Type.Integer() },
            {
              additionalProperties: false,
              description: 'How many at each level of difficulty.',
              examples: [{ 0: 3, 1: 4, 2: 5 }],
            },
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'CategoryList', additionalProperties: false },
);

export const DifficultyList = Type.Object(
  {
    data: Type.Array(
      Type.Object({ level: Type.Integer(), name: Type.String() }, { additionalProperties: false }),
    ),
  },
  { $id: 'DifficultyList', additionalProperties: false, examples: [{ data: DIFFICULTIES }] },
);
