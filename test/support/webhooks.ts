// For tests of webhooks: a receiver that verifies messages with the `standardwebhooks` package, and a deliverer in this process.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { createAddressRule } from '../../shared/domain/webhooks/addresses.ts';
import type { Attempt } from '../../shared/domain/webhooks/attempts.ts';
import { createDeliverer, type Deliverer } from '../../shared/domain/webhooks/deliver.ts';
import { createSender, type SenderDeps } from '../../shared/domain/webhooks/send.ts';
import { readAddressRanges } from '../../shared/platform/config/forms.ts';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import type { Service } from './service.ts';

export interface Received {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly signature: string;
  readonly body: string;
  // Tests read members of the payload that they expect.
  // oxlint-disable-next-line typescript/no-explicit-any -- a test states the shape it expects by reading it
  readonly json: any;
  readonly headers: http.IncomingHttpHeaders;
}

/** How the receiver answers: a status, or never. */
export type AnswerWith = number | 'never' | ((response: http.ServerResponse) => void);

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers to the next requests, in order; then `otherwise`. */
  readonly answers: AnswerWith[];
  otherwise: AnswerWith;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: AnswerWith[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const header = (name: string): string => String(request.headers[name]);
      received.push({
        id: header('webhook-id'),
        timestampSeconds: Number(header('webhook-timestamp')),
        signature: header('webhook-signature'),
        body,
        json: JSON.parse(body),
        headers: request.headers,
      });
      const answer = answers.shift() ?? receiver.otherwise;
      if (typeof answer === 'function') answer(response);
      else if (answer !== 'never') response.writeHead(answer).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/custos`,
    received,
    answers,
    otherwise: 204,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** The payload of a message. @throws when the reference implementation does not accept its signature under this secret */
export function verified(secret: string, { id, timestampSeconds, signature, body }: Received): unknown {
  // The package compares the timestamp with the wall clock, which a test may have shifted.
  const realNow = Date.now;
  Date.now = () => timestampSeconds * 1_000;
  try {
    return new Webhook(secret).verify(body, {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    });
  } finally {
    Date.now = realNow;
  }
}

export const LOOPBACK = createAddressRule(readAddressRanges('127.0.0.0/8'));

export interface TestDeliverer extends Deliverer {
  readonly outcomes: Attempt['outcome'][];
}

/** A deliverer with the service's clock, which may send to this machine. */
export function createTestDeliverer(
  { db, nowMs, deletionMs = nowMs }: Pick<Service, 'db' | 'nowMs'> & { readonly deletionMs?: () => number },
  options: Partial<SenderDeps> = {},
): TestDeliverer {
  const outcomes: Attempt['outcome'][] = [];
  const deliverer = createDeliverer({
    db,
    nowMs,
    deletionMs,
    monotonicMs: () => performance.now(),
    send: createSender({ rule: LOOPBACK, ...options }),
    logger: createLogger({ name: 'test', level: 'silent', pretty: false }),
    onAttempt: (outcome) => outcomes.push(outcome),
  });
  return { ...deliverer, outcomes };
}
