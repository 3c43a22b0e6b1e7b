import type { FastifyInstance, RouteOptions } from 'fastify';
export function docsRoutes(_app: FastifyInstance, _routes: RouteOptions[]): void {}
