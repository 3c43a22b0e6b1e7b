import { Type } from './type.ts';

export const Health = Type.Object(
  { status: Type.Literal('ok') },
  { $id: 'Health', additionalProperties: false, examples: [{ status: 'ok' }] },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready') },
  { $id: 'Ready', additionalProperties: false, examples: [{ status: 'ready' }] },
);

export const Metrics = {
  content: {
    'text/plain': {
      schema: Type.String({
        description: 'The Prometheus text exposition format, version 0.0.4.',
        examples: [
          '# HELP quaestor_event_streams Open event streams.\n# TYPE quaestor_event_streams gauge\nquaestor_event_streams 2\n',
        ],
      }),
    },
  },
};
