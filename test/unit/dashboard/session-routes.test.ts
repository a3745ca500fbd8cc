// Signing in and out while the service fails: the count of attempts, and the cookie.
import { expect } from 'chai';
import type { Attempts } from '../../../ingress/dashboard/attempts.ts';
import type { OperatorTrail } from '../../../ingress/dashboard/operator-trail.ts';
import { createDevices } from '../../../ingress/dashboard/devices.ts';
import { sessionRoutes } from '../../../ingress/dashboard/routes/session.ts';
import type { Sessions } from '../../../ingress/dashboard/sessions.ts';
import type { RequestContext } from '../../../ingress/route.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { generateKey } from '../../../shared/domain/keys/format.ts';

const away = (): ApiError => new ApiError('E6002', 'away', { headers: { 'retry-after': '1' } });
const GONE = 'custos_session=; Max-Age=0';

/** Both routes over dependencies that fail on request; `counted` is the number of attempts counted for the address. */
function routesWith(error: () => Error): { run(method: 'POST' | 'DELETE'): Promise<unknown>; counted(): number } {
  let counted = 0;
  const reject = async (): Promise<never> => {
    throw error();
  };
  const sessions: Sessions = { open: reject, switch: reject, find: reject, end: reject, deleteCookie: GONE };
  const trail: OperatorTrail = { note: () => undefined, around: async (_, work) => work(), recorded: (route) => route };
  const attempts: Attempts = {
    take: async () => void (counted += 1),
    giveBack: async () => void (counted -= 1),
  };
  const allowed = { allowed: true, retryAfterSeconds: 0, headers: {} };
  const strangers = { peekAnonymous: () => allowed, consumeAnonymous: () => allowed };
  const devices = createDevices('x'.repeat(32));
  const routes = sessionRoutes({ sessions, trail, attempts, devices, strangers, signIn: reject });
  // Only the members that these handlers read.
  const context = {
    body: { key: generateKey('live').key },
    headers: {},
    address: '192.0.2.1',
    path: '/dashboard/api/session',
    requestId: 'req_1',
  } as unknown as RequestContext<unknown, unknown, unknown>;
  return {
    run: async (method) => routes.find((route) => route.method === method)?.handler(context),
    counted: () => counted,
  };
}

async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('no ApiError was thrown');
}

describe('the session routes', () => {
  it('count an attempt for a wrong key, and none for an error of the service', async () => {
    const wrong = routesWith(() => new ApiError('E1002', 'wrong'));
    expect((await errorOf(wrong.run('POST'))).code).to.equal('E1002');
    expect(wrong.counted()).to.equal(1);
    const failing = routesWith(away);
    expect((await errorOf(failing.run('POST'))).code).to.equal('E6002');
    expect(failing.counted()).to.equal(0);
  });

  it('delete the cookie at sign-out although the database is unreachable', async () => {
    const error = await errorOf(routesWith(away).run('DELETE'));
    expect(error.code).to.equal('E6002');
    expect(error.headers).to.deep.equal({ 'retry-after': '1', 'set-cookie': GONE });
  });
});
