import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { errors } from '../errors.ts';
import { uuidv7 } from '../store/ids.ts';
import { endWithProblem } from './server.ts';

/**
 * Registers routes that respond 405 with Allow to every method that a known path does not support.
 */
export function registerMethodNotAllowed(app: FastifyInstance, routes: RouteOptions[]): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const offered = listMethods(routes);
  // CONNECT names no path: Node passes its connection here, without a response object.
  app.server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => {});
    endWithProblem(socket, errors.methodNotAllowed('CONNECT', offered), uuidv7(Date.now()));
  });
  for (const [url, group] of [...Map.groupBy(routes, (route) => route.url)]) {
    const allow = listMethods(group);
    app.route({
      method: app.supportedMethods.filter((method) => !allow.includes(method)),
      url,
      config: { public: true, ...(group.some(({ config }) => config?.anyOrigin) && { anyOrigin: true }) },
      // Refused in onRequest, before the body is read.
      onRequest: async (request) => {
        throw errors.methodNotAllowed(request.method, allow);
      },
      handler: () => {},
    });
  }
}

/** The methods of these routes, with HEAD where there is GET. */
function listMethods(routes: RouteOptions[]): string[] {
  const methods = new Set(routes.map(({ method }) => String(method)));
  return methods.has('GET') ? ['GET', 'HEAD', ...methods.difference(new Set(['GET']))] : [...methods];
}
