import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body is first read, which is after admission and after the checks of
 * its type and length. A request that is refused before that gets its response instead, and Node
 * closes the connection, because the body may or may not follow.
 */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  request.on('newListener', function sendContinue(event) {
    if (event !== 'data') return;
    request.off('newListener', sendContinue);
    response.writeContinue();
  });
}
