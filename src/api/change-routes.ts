/** Registers a partial change of a resource under PUT and under PATCH, which do the same. */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify';

const RULE = 'fields that are left out keep their value, and null clears an optional field';

interface ChangeRoute<T extends RouteGenericInterface>
  extends Pick<RouteOptions, 'config' | 'attachValidation'> {
  url: string;
  schema: FastifySchema & { summary: string };
  handler(request: FastifyRequest<T>, reply: FastifyReply): Promise<unknown>;
}

export function addChangeRoutes<T extends RouteGenericInterface>(
  app: FastifyInstance,
  { schema, handler, ...options }: ChangeRoute<T>,
): void {
  const add = (method: 'PUT' | 'PATCH', summary: string, rule: string) =>
    app.route({
      ...options,
      method,
      schema: { ...schema, summary, description: [rule, schema.description].filter(Boolean).join(' ') },
      handler: handler as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    });
  add('PUT', schema.summary, `The same as PATCH: ${RULE}.`);
  add(
    'PATCH',
    schema.summary.replace(/^Update/, 'Patch'),
    `A JSON merge patch (RFC 7396): ${RULE}. Sent as \`application/json\` or \`application/merge-patch+json\`.`,
  );
}
