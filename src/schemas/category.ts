import type { Static } from 'typebox';
import { Nullable, Text, Timestamp, Uuid } from './common.ts';
import { DIFFICULTIES } from './difficulties.ts';
import { Type } from './type.ts';

const Name = Text(200, { description: 'Unique in the bank, compared case-insensitively.' });
const Description = Nullable(Text(2_000));

export const CategoryInput = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  {
    $id: 'CategoryInput',
    additionalProperties: false,
    examples: [{ name: 'History', description: 'Events of the past and their causes.' }],
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
  description: Nullable(Type.String(), { examples: ['Events of the past and their causes.'] }),
  fixed: Type.Boolean({
    description: 'Whether it is one of the six built-in categories, which cannot be renamed or deleted.',
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
          question_count: Type.Integer({
            description: 'The number of questions in the category.',
            examples: [12],
          }),
          counts_by_difficulty: Type.Object(
            { 0: Type.Integer(), 1: Type.Integer(), 2: Type.Integer() },
            {
              additionalProperties: false,
              description: 'The number of questions by difficulty level.',
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
