/**
 * The baseline: a bare `node:http` server. GET returns the bytes that the service returned for the
 * same path; POST reads the body and returns the bytes of a created question. The parent process
 * sends the bodies and ends this one.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Bodies by path; `POST` is the body for every POST. */
export type Bodies = Record<string, Uint8Array>;

process.once('message', (given: Bodies) => {
  const bodies = new Map(Object.entries(given).map(([path, bytes]) => [path, Buffer.from(bytes)]));
  const server = createServer((request, response) => {
    const send = (status: number, body: Buffer | undefined) => {
      response.writeHead(body ? status : 404, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body?.length ?? 0,
      });
      response.end(body);
    };
    if (request.method === 'GET') return send(200, bodies.get(request.url!));
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      send(201, bodies.get('POST'));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
});

process.once('disconnect', () => process.exit(0));
