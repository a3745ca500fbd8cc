// Signing in and out: an admin key is exchanged for a session, and never asked for again or kept by the pages.
import { Type } from 'typebox';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { parseKey } from '../../../shared/domain/keys/format.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { Limiter } from '../../ports.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../../route.ts';
import { clientOf } from '../../request/address-limit.ts';
import { actionOf, type Action, type Audit } from '../audit.ts';
import type { Attempts } from '../attempts.ts';
import type { SessionAnswer, SignInAnswer } from '../client/wire.ts';
import type { Devices } from '../devices.ts';
import type { Session, Sessions } from '../sessions.ts';

/** The key that a text is. @throws {ApiError} E1002, E1003, E6002 */
export type SignIn = (key: string) => Promise<AuthenticatedKey>;

export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly attempts: Attempts;
  readonly devices: Devices;
  /** Counts requests without a session by address. */
  readonly strangers: Pick<Limiter, 'peekAnonymous' | 'consumeAnonymous'>;
  readonly signIn: SignIn;
}

const SignInBody = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 512 }),
    /** What this browser was given when the key last signed in with it. */
    device: Type.Optional(Type.String({ maxLength: 128 })),
  },
  { additionalProperties: false },
);

type Asked = Pick<RequestContext<unknown, unknown, unknown>, 'headers' | 'address'>;

const NO_SESSION: SessionAnswer = { session: null };

function answerOf({ key, expiresAtMs }: Session): SessionAnswer {
  return {
    session: {
      keyId: key.keyId,
      keyName: key.name,
      organisation: key.organisationSlug,
      environment: key.environment,
      isOperator: key.isOperator && key.environment === 'live',
      agents: key.agentIds?.size ?? null,
      expiresAt: new Date(expiresAtMs).toISOString(),
    },
  };
}

const tooMany = (): ApiError =>
  new ApiError('E3001', 'Too many requests without a session; come back in a second.', {
    headers: { 'retry-after': '1' },
  });

export function sessionRoutes({ sessions, audit, attempts, devices, strangers, signIn }: SessionRouteDeps): Route[] {
  /** The session, if there is one. Strangers are counted by address, and are none of the session's business. */
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
      // Counted below: who is signed in must not wait for strangers behind the same address.
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
        const action: Action = {
          ...actionOf(context, undefined, 'sign-in'),
          keyId: shown?.keyId ?? null,
        };
        const device = devices.nameOf(body.device, shown?.keyId);
        const client = device ?? clientOf(address);
        const waitSeconds = await attempts.take(client);
        if (waitSeconds !== undefined) {
          audit.note(action, 'refused', 429, 'E3001');
          throw new ApiError(
            'E3001',
            `Too many wrong keys from this ${device === undefined ? 'address' : 'browser'}; try again in ${minutes(waitSeconds)}.`,
            {
              headers: { 'retry-after': String(waitSeconds) },
            },
          );
        }
        let countsAgainst = true;
        const exchange = async (): Promise<Reply> => {
          if (shown === undefined)
            throw new ApiError('E1002', 'This is not an API key: one begins with cst_ and is copied whole.');
          const key = await signIn(body.key.trim());
          if (!key.scopes.has('admin:*'))
            throw new ApiError(
              'E1004',
              'The dashboard needs a key with the scope admin:*; this key is valid but lacks it.',
            );
          await attempts.giveBack(client);
          countsAgainst = false;
          // A session that this browser had before is over.
          await sessions.end(headers);
          const { session, cookie } = await sessions.open(key);
          const answer: SignInAnswer = { ...answerOf(session), device: devices.issue(key.keyId) };
          return { status: 200, body: answer, headers: { 'set-cookie': cookie } };
        };
        try {
          return await audit.around(action, exchange);
        } catch (error) {
          // What the service failed at says nothing of the key.
          const isOurs = !(error instanceof ApiError) || error.status >= 500;
          if (countsAgainst && isOurs) await attempts.giveBack(client).catch(() => undefined);
          throw error;
        }
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
          // Anybody could say it without end, and nothing is done: no row of the audit.
          if (session === undefined) return await signOut();
          return await audit.around(actionOf(context, session.key, 'sign-out'), signOut);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          // Whoever signs out must not be signed in here any more, even when the session can only end by itself later.
          const { code, message, status, cause } = error;
          throw new ApiError(code, message, {
            status,
            cause,
            headers: { ...error.headers, 'set-cookie': sessions.takeAway },
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
