import { METHODS } from 'node:http';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { errors } from '../errors.ts';

/**
 * Registers routes that respond 405 with Allow to every method that a known path does not support.
 */
export function registerMethodNotAllowed(app: FastifyInstance, routes: RouteOptions[]): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const [url, group] of [...Map.groupBy(routes, (route) => route.url)]) {
    const methods = group.map(({ method }) => String(method));
    const allow = methods.includes('GET')
      ? ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET')]
      : methods;
    app.route({
      method: app.supportedMethods.filter((method) => !allow.includes(method)),
      url,
      config: { public: true },
      // Refused in onRequest, before the body is read.
      onRequest: async (request) => {
        throw errors.methodNotAllowed(request.method, allow);
      },
      handler: () => {},
    });
  }
}
