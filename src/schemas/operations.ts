import Type from 'typebox';

export const Health = Type.Object(
  { status: Type.Literal('ok') },
  { $id: 'Health', additionalProperties: false, examples: [{ status: 'ok' }] },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready') },
  { $id: 'Ready', additionalProperties: false, examples: [{ status: 'ready' }] },
);
