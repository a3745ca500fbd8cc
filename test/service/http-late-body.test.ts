// A client that sends its headers first and its body much later: its key must still be valid when the body has arrived.
import net from 'node:net';
import { expect } from 'chai';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { sampleKey, startSample } from '../support/sample-app.ts';
import { waitFor } from '../support/wait.ts';

const BODIES: [string, string, string][] = [
  ['a plain request', '/v1/things', '{"name":"a"}'],
  ['a request whose cost depends on its body', '/v1/batch', '{"items":[1]}'],
];
const HOWS: [string, (refusal: ApiError) => never | Promise<never>][] = [
  [
    'at once',
    (refusal) => {
      throw refusal;
    },
  ],
  ['after a look-up', (refusal) => Promise.reject(refusal)],
];

describe('a body that arrives long after its headers', () => {
  for (const [what, path, body] of BODIES)
    for (const [how, refuse] of HOWS)
      for (const code of ['E1002', 'E1003', undefined] as const) {
        const fate = code === undefined ? 'is answered while the key is valid' : `is refused with ${code} meanwhile`;
        it(`${what} ${fate} (known ${how})`, async () => {
          let nowMs = 0;
          let asked = 0;
          const sample = await startSample({
            clock: { nowMs: Date.now, monotonicMs: () => nowMs },
            authenticate: (): AuthenticatedKey | Promise<AuthenticatedKey> => {
              asked += 1;
              return asked === 1 || code === undefined ? sampleKey() : refuse(new ApiError(code, 'No longer.'));
            },
          });
          try {
            let answer = '';
            let ended = false;
            const socket = net.connect(sample.port, '127.0.0.1');
            socket.on('data', (chunk) => (answer += chunk.toString('utf8')));
            socket.on('close', () => (ended = true));
            socket.write(
              `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
            );
            await waitFor(() => asked === 1, { what: 'the headers to arrive' });
            nowMs += 1_000;
            socket.write(body);
            await waitFor(() => ended, { what: 'the answer' });
            if (code === undefined) expect(answer).to.match(/^HTTP\/1\.1 20[01] /);
            else {
              expect(answer).to.match(/^HTTP\/1\.1 401 /);
              expect(answer).to.contain(`"code":"${code}"`);
            }
            expect(asked).to.equal(2);
          } finally {
            await sample.close();
          }
        });
      }
});
