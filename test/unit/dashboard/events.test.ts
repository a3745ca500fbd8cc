// Streams of live events with clients that do not read.
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { createEvents } from '../../../ingress/dashboard/events.ts';
import type { Sessions } from '../../../ingress/dashboard/sessions.ts';
import type { AdmissionDeps } from '../../../ingress/request/authenticate.ts';
import type { Exchange } from '../../../ingress/request/exchange.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { ofOrganisation } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import { waitFor } from '../../support/wait.ts';

const KEY = {
  keyId: 'k',
  organisationId: 'o',
  environment: 'live',
  agentIds: null,
  ...ofOrganisation({ isOperator: true }),
  scopes: new Set(['admin:*']),
} as unknown as AuthenticatedKey;

/** A response whose client neither reads nor disconnects: it closes only when it is destroyed. */
class StuckResponse extends EventEmitter {
  readonly written: string[] = [];
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  writeHead(): void {}
  write(text: string): void {
    this.written.push(text);
    this.writableLength += text.length;
  }
  end(): void {
    this.writableEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('streams of live events', () => {
  const admission: AdmissionDeps = {
    authenticate: () => KEY,
    limiter: {
      consume: () => ({ allowed: true, retryAfterSeconds: 0, headers: {} }),
      consumeAnonymous: () => ({ allowed: true, retryAfterSeconds: 0, headers: {} }),
      peekAnonymous: () => ({ allowed: true, retryAfterSeconds: 0, headers: {} }),
    },
    addressOf: () => '192.0.2.1',
  };
  /** A stream of a topic that sends `text`, and how often its end was recorded. */
  function open(find: Sessions['find'], text: string): { res: StuckResponse; ends(): number; close(): void } {
    const events = createEvents({
      sessions: { find, open: Promise.reject, switch: Promise.reject, end: Promise.reject, deleteCookie: '' },
      topics: [{ name: 'overview', load: async () => text }],
    });
    const res = new StuckResponse();
    let ends = 0;
    const req = { url: '/?topics=overview', headers: {}, method: 'GET' };
    const x = { req, res, requestId: 'r', record: () => (ends += 1), fail: () => undefined } as unknown as Exchange;
    events.serve(x, admission);
    return { res, ends: () => ends, close: () => events.close() };
  }

  it('end with the session, although the client does not read', async () => {
    const stream = open(async () => {
      throw new ApiError('E1002', 'revoked');
    }, 'x');
    await waitFor(() => stream.ends() === 1, { what: 'the stream to be counted as ended' });
    expect(stream.res.writableEnded).to.equal(true);
    expect(stream.res.written.at(-1)).to.contain('event: ended');
    stream.close();
  });

  it('are closed when a megabyte is unread', async () => {
    const stream = open(async () => ({ key: KEY, environments: ['live'], expiresAtMs: 0 }), 'x'.repeat(1_000_001));
    await waitFor(() => stream.res.destroyed, { what: 'the stream to be destroyed' });
    expect(stream.ends()).to.equal(1);
    expect(stream.res.written.length).to.equal(2);
    stream.close();
  });
});
