// The answer to a request of node:http, as a promise that always settles.
//
// Node ends a request by one of four events. A server that switches protocols is seen only by a listener for that: without one, neither an
// answer nor an error comes, not even when the request is aborted.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server sent something that is no answer: another protocol begins, or the status is below 200. */
export class NoAnswerError extends Error {}

/** Resolves with the answer's headers; its body is still to be read. Rejects with a NoAnswerError, or the request's error. */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', (answer) => {
      const { statusCode = 0 } = answer;
      if (statusCode >= 200) return resolve(answer);
      answer.destroy();
      reject(new NoAnswerError(`the status ${statusCode} is no answer`));
    });
    request.once('upgrade', (_answer: IncomingMessage, socket: Duplex) => {
      socket.destroy();
      reject(new NoAnswerError('the server switches protocols'));
    });
    // It stays: an error can follow the answer.
    request.on('error', reject);
    request.once('close', () => reject(new NoAnswerError('the connection ended without an answer')));
  });
}
