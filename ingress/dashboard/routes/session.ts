// Signing in and out: an admin key is exchanged for a session. The pages do not keep the key.
import { Type } from 'typebox';
import { closed, StringEnum } from '../../../shared/api/common.ts';
import { ENVIRONMENTS } from '../../../shared/kernel/vocabulary.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { changedFields, type RecordedChange } from '../../../shared/kernel/recorded-change.ts';
import { parseKey } from '../../../shared/domain/keys/format.ts';
import { isOperatorsKey } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { Limiter } from '../../request/limit.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../../route.ts';
import { clientOf } from '../../request/address-limit.ts';
import { actionOf, type Action, type OperatorTrail } from '../operator-trail.ts';
import type { Attempts } from '../attempts.ts';
import type { SessionAnswer, SignInAnswer } from '../client/wire.ts';
import type { Devices } from '../devices.ts';
import type { Session, Sessions } from '../sessions.ts';

/** Checks a key. @throws {ApiError} E1002, E1003, E6002 */
export type SignIn = (key: string) => Promise<AuthenticatedKey>;

export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly trail: OperatorTrail;
  readonly attempts: Attempts;
  readonly devices: Devices;
  /** Counts requests without a session by address. */
  readonly strangers: Pick<Limiter, 'peekAnonymous' | 'consumeAnonymous'>;
  readonly signIn: SignIn;
}

const SignInBody = closed({
  key: Type.String({ minLength: 1, maxLength: 512 }),
  /** The token that this browser got when the key last signed in (devices.ts). */
  device: Type.Optional(Type.String({ maxLength: 128 })),
});

const SwitchBody = closed({ environment: StringEnum(ENVIRONMENTS) });

type Asked = Pick<RequestContext<unknown, unknown, unknown>, 'headers' | 'address'>;

const NO_SESSION: SessionAnswer = { session: null };

function answerOf({ key, environments, expiresAtMs }: Session): SessionAnswer {
  return {
    session: {
      keyId: key.keyId,
      keyName: key.name,
      organisation: key.organisationSlug,
      environment: key.environment,
      environments,
      isOperator: isOperatorsKey(key),
      bound:
        key.agentIds === null
          ? null
          : { agentIds: [...key.agentIds], tags: key.tags, keepsObligations: [...key.keepsObligations] },
      expiresAt: new Date(expiresAtMs).toISOString(),
    },
  };
}

/** A session by its key, because its token is secret. @param fromMs when the session ended before the change; undefined: there was none */
function changeOf({ keyId }: AuthenticatedKey, fromMs: number | undefined, toMs: number | undefined): RecordedChange {
  const members = (ms: number | undefined) => (ms === undefined ? undefined : { 'signed in until': new Date(ms) });
  return { subject: 'session', id: keyId, fields: changedFields(members(fromMs), members(toMs)) };
}

const tooMany = (): ApiError =>
  new ApiError('E3001', 'Too many requests without a session; come back in a second.', {
    headers: { 'retry-after': '1' },
  });

export function sessionRoutes({ sessions, trail, attempts, devices, strangers, signIn }: SessionRouteDeps): Route[] {
  /** The session, if there is one. Requests without one are limited by address; those with one are not. */
  const sessionOf = async ({ headers, address }: Asked): Promise<Session | undefined> => {
    try {
      return await sessions.find(headers, false, () => {
        if (!strangers.peekAnonymous(address).allowed) throw tooMany();
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      if (!(await strangers.consumeAnonymous(address)).allowed) throw tooMany();
      return undefined;
    }
  };
  const common = { tag: 'Dashboard', responses: { 200: { description: 'The session.' } } } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/session',
      access: 'none',
      // Counted by sessionOf: a signed-in operator is not limited together with strangers at the same address.
      unlimited: true,
      summary: 'Who is signed in, if anybody',
      request: {},
      errors: [],
      handler: async (context) => {
        const session = await sessionOf(context);
        return { status: 200, body: session === undefined ? NO_SESSION : answerOf(session) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dashboard/api/session',
      access: 'none',
      summary: 'Exchange an admin key for a session',
      request: { body: SignInBody },
      errors: ['E1002', 'E1003', 'E1004', 'E3001'],
      handler: async (context) => {
        const { body, address, headers } = context;
        const shown = parseKey(body.key.trim());
        const action: Action = { ...actionOf(context, undefined, 'sign-in'), keyId: shown?.keyId ?? null };
        const device = devices.nameOf(body.device, shown?.keyId);
        const client = device ?? clientOf(address);
        const waitSeconds = await attempts.take(client);
        if (waitSeconds !== undefined) {
          trail.note(action, 'refused', 429, 'E3001');
          throw new ApiError(
            'E3001',
            `Too many wrong keys from this ${device === undefined ? 'address' : 'browser'}; try again in ${minutes(waitSeconds)}.`,
            { headers: { 'retry-after': String(waitSeconds) } },
          );
        }
        let isCounted = true;
        const exchange = async (): Promise<Reply> => {
          if (shown === undefined)
            throw new ApiError(
              'E1002',
              'This is not an API key. A key begins with cst_; make sure that you copied all of it.',
            );
          const key = await signIn(body.key.trim());
          if (!key.scopes.has('admin:*'))
            throw new ApiError(
              'E1004',
              'The dashboard needs a key with the scope admin:*; this key is valid but lacks it.',
            );
          await attempts.giveBack(client);
          isCounted = false;
          // Ends the session that this browser had before.
          await sessions.end(headers);
          const { session, cookie } = await sessions.open(key);
          const answer: SignInAnswer = { ...answerOf(session), device: devices.issue(key.keyId) };
          const change = changeOf(key, undefined, session.expiresAtMs);
          return { status: 200, body: answer, headers: { 'set-cookie': cookie }, change };
        };
        try {
          return await trail.around(action, exchange);
        } catch (error) {
          // An error of the service does not mean that the key is wrong.
          const isOurs = !(error instanceof ApiError) || error.status >= 500;
          if (isCounted && isOurs) await attempts.giveBack(client).catch(() => undefined);
          throw error;
        }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dashboard/api/session/environment',
      access: 'none',
      unlimited: true,
      summary: 'Act in another environment of the organisation',
      request: { body: SwitchBody },
      errors: ['E1001', 'E1002', 'E1003', 'E1004', 'E3001'],
      handler: async (context) => {
        const { headers, body } = context;
        const before = await sessionOf(context);
        if (before === undefined) throw new ApiError('E1001', 'Your session has ended; sign in again.');
        // The trail of the environment that is left has the switch, and names the other one.
        const action = { ...actionOf(context, before.key, 'switch-environment'), subject: body.environment };
        return trail.around(action, async () => {
          const { session, cookie } = await sessions.switch(headers, body.environment);
          return { status: 200, body: answerOf(session), headers: { 'set-cookie': cookie } };
        });
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dashboard/api/session',
      access: 'none',
      unlimited: true,
      summary: 'Sign out',
      request: {},
      errors: [],
      handler: async (context) => {
        const { headers } = context;
        const signOut = async (): Promise<Reply> => ({
          status: 200,
          body: NO_SESSION,
          headers: { 'set-cookie': await sessions.end(headers) },
        });
        try {
          const session = await sessionOf(context);
          // Not on the trail: nothing changes, and anybody could repeat it without limit.
          if (session === undefined) return await signOut();
          const { key, expiresAtMs } = session;
          return await trail.around(actionOf(context, key, 'sign-out'), async () => ({
            ...(await signOut()),
            change: changeOf(key, expiresAtMs, undefined),
          }));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          // The cookie is deleted in any case, even when the session in the database can only expire.
          const { code, message, status, cause } = error;
          throw new ApiError(code, message, {
            status,
            cause,
            headers: { ...error.headers, 'set-cookie': sessions.deleteCookie },
          });
        }
      },
    }),
  ];
}

function minutes(seconds: number): string {
  const whole = Math.ceil(seconds / 60);
  return whole === 1 ? 'a minute' : `${whole} minutes`;
}
