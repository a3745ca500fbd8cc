// A small application with sample routes on the real HTTP edge, for tests of the edge.
import type http from 'node:http';
import { type Static, Type } from 'typebox';
import { createApp, type App, type AppDeps } from '../../ingress/app.ts';
import type { Idempotency } from '../../ingress/request/idempotency.ts';
import type { LimitAnswer } from '../../ingress/request/limit.ts';
import { defineRoute, type Route } from '../../ingress/route.ts';
import { closeServer, createExpressServer, listen } from '../../ingress/server.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { ofOrganisation } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { createMetrics } from '../../shared/platform/observe/metrics.ts';
import { CallerId, Instant, Limit, Nullable, StringEnum } from '../../shared/api/common.ts';
import type { Scope } from '../../shared/kernel/vocabulary.ts';
import { TEST_SEALS } from './seals.ts';

export function sampleKey(
  scopes: readonly Scope[] = ['intents:write'],
  more: Partial<AuthenticatedKey> = {},
): AuthenticatedKey {
  return {
    keyId: 'AAAAAAAA',
    lineage: more.keyId ?? 'AAAAAAAA',
    name: 'sample',
    organisationId: 'org_sample',
    organisationSlug: 'sample',
    ...ofOrganisation({ isOperator: true }),
    organisationTier: 7,
    environment: 'live',
    scopes: new Set(scopes),
    agentIds: null,
    keepsObligations: new Set(),
    tags: [],
    tier: 4,
    expiresAtMs: null,
    ...more,
  };
}

/** Keys by the bearer token or X-API-Key of a request. */
const KEYS: Readonly<Record<string, AuthenticatedKey>> = {
  writer: sampleKey(['intents:write']),
  reader: sampleKey(['agents:read'], { keyId: 'BBBBBBBB' }),
  admin: sampleKey(['admin:*'], { keyId: 'CCCCCCCC' }),
};

export const Thing = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 20 }),
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
    kind: Type.Optional(StringEnum(['red', 'green'])),
    note: Type.Optional(Nullable(Type.String())),
    parts: Type.Optional(Type.Array(Type.Object({ id: CallerId }, { additionalProperties: false }), { maxItems: 3 })),
  },
  { $id: 'Thing', additionalProperties: false },
);

const ThingQuery = Type.Object(
  {
    limit: Type.Optional(Limit),
    from: Type.Optional(Instant),
    deep: Type.Optional(Type.Boolean()),
    kind: Type.Optional(StringEnum(['red', 'green'])),
  },
  { additionalProperties: false },
);

const BatchBody = Type.Object(
  { items: Type.Array(Type.Integer(), { minItems: 1, maxItems: 100 }) },
  { additionalProperties: false },
);

export function sampleRoutes(): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/things',
      operationId: 'createThing',
      access: ['intents:write'],
      tag: 'Things',
      summary: 'Make a thing',
      request: { body: Thing },
      responses: { 201: { description: 'Made', schema: Thing } },
      errors: ['E5003'],
      idempotent: true,
      handler: (request) =>
        request.commit(async () => ({
          status: 201,
          body: request.body,
          headers: { location: `/v1/things/${encodeURIComponent(request.body.name)}` },
        })),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/things/{id}',
      operationId: 'getThing',
      access: 'any',
      tag: 'Things',
      summary: 'Read a thing',
      request: { params: Type.Object({ id: CallerId }, { additionalProperties: false }), query: ThingQuery },
      responses: {
        200: {
          description: 'The thing',
          schema: Type.Object({ id: Type.String(), query: ThingQuery }, { additionalProperties: false }),
        },
      },
      errors: ['E4001'],
      handler: ({ params, query }) => ({ status: 200, body: { id: params.id, query } }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/batch',
      operationId: 'createBatch',
      access: ['intents:write'],
      tag: 'Things',
      summary: 'Many at once',
      request: { body: BatchBody },
      responses: {
        200: { description: 'Done', schema: Type.Object({ done: Type.Integer() }, { additionalProperties: false }) },
      },
      errors: [],
      cost: (body: Static<typeof BatchBody>) => body.items.length / 10,
      handler: ({ body }) => ({ status: 200, body: { done: body.items.length } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trouble/{kind}',
      operationId: 'getTrouble',
      access: 'any',
      tag: 'Things',
      summary: 'Fails in every way',
      request: { params: Type.Object({ kind: Type.String() }, { additionalProperties: false }) },
      responses: { 200: { description: 'Never', schema: Type.Object({}, { additionalProperties: false }) } },
      errors: ['E4002', 'E4003', 'E4006', 'E5001', 'E5002', 'E5003', 'E5004'],
      handler: ({ params }) => trouble(params.kind),
    }),
  ];
}

async function trouble(kind: string): Promise<never> {
  if (kind === 'secret') throw new Error('password=hunter2 at /srv/app/secret.ts:12');
  if (kind === 'down') throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.3:5432'), { code: 'ECONNREFUSED' });
  if (kind === 'header') return { status: 200, body: {}, headers: { location: 'a\nb' } } as never;
  if (kind === 'cycle') {
    const body: Record<string, unknown> = {};
    body['self'] = body;
    return { status: 200, body } as never;
  }
  if (/^E[45]00[1-4]$/.test(kind)) throw new ApiError(kind as 'E4002', `Provoked ${kind}.`);
  throw 'not even an error';
}

/** State that a test may read and change while the application runs. */
export interface Sample {
  readonly app: App;
  readonly server: http.Server;
  readonly baseUrl: string;
  readonly port: number;
  readonly logged: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[];
  /** Units consumed by keys, in order. */
  readonly costs: number[];
  /** The answer of the key limiter, set by tests. */
  limit: LimitAnswer;
  /** Remaining units of an address without a key. */
  anonymousLeft: number;
  /** Look-ups by the authenticator. */
  lookups: number;
  stopping: boolean;
  close(): Promise<void>;
}

const HEADERS = { 'RateLimit-Policy': '"second";q=50;w=1', RateLimit: '"second";r=49;t=1' };

const noDatabase = (): Promise<never> => Promise.reject(new Error('the sample has no database'));

/** Idempotency without storage: commit runs the work at once. */
const NO_IDEMPOTENCY: Idempotency = {
  commit: (work) => work({ seals: TEST_SEALS, query: noDatabase, select: noDatabase }),
  begin: noDatabase,
  close: () => undefined,
};

export interface SampleOptions extends Partial<Omit<AppDeps, 'config'>> {
  readonly config?: Partial<AppDeps['config']>;
  /** Authentication and limits return promises, as they do while caches are cold. */
  readonly slow?: boolean;
}

/** Starts the sample on a free port. Keys: `writer`, `reader`, `admin`; `expired` has expired; any other is invalid. */
export async function startSample(options: SampleOptions = {}): Promise<Sample> {
  const { slow = false, config, ...deps } = options;
  const state = {
    limit: { allowed: true, retryAfterSeconds: 0, headers: HEADERS } as LimitAnswer,
    anonymousLeft: 1_000_000,
    lookups: 0,
    stopping: false,
  };
  const logged: Sample['logged'] = [];
  const costs: number[] = [];
  const log = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void logged.push({ level, fields, message });
  const maybe = <T>(value: T): T | Promise<T> => (slow ? Promise.resolve(value) : value);
  const anonymous = (): LimitAnswer => ({
    allowed: state.anonymousLeft > 0,
    retryAfterSeconds: state.anonymousLeft > 0 ? 0 : 1,
    headers: {},
  });
  const app = createApp({
    routes: sampleRoutes(),
    waits: { start: () => undefined, check: () => undefined, close: () => undefined },
    authenticate: (headers, beforeLookUp) => {
      const bearer = headers.authorization?.replace(/^Bearer /, '');
      const other = headers['x-api-key'];
      if (bearer !== undefined && other !== undefined && bearer !== other)
        throw new ApiError('E2001', 'Two different keys were given.');
      const shown = String(bearer ?? other ?? '');
      if (shown === '') throw new ApiError('E1001', 'The API key is missing.');
      const key = KEYS[shown];
      if (key !== undefined) return maybe(key);
      beforeLookUp();
      state.lookups += 1;
      const refusal =
        shown === 'expired'
          ? new ApiError('E1003', 'The key has expired.')
          : new ApiError('E1002', 'The key is invalid.');
      if (slow) return Promise.reject(refusal);
      throw refusal;
    },
    limiter: {
      consume: (_key, cost) => {
        costs.push(cost);
        return maybe(state.limit);
      },
      consumeAnonymous: () => {
        const answer = anonymous();
        state.anonymousLeft -= 1;
        return maybe(answer);
      },
      peekAnonymous: anonymous,
    },
    idempotency: NO_IDEMPOTENCY,
    logger: { info: log('info'), error: log('error') },
    metrics: createMetrics({ processMetrics: false }),
    clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
    isStopping: () => state.stopping,
    isLogged: () => true,
    readiness: [],
    halted: async () => [],
    ...deps,
    config: { version: '0.0.0-test', schemaDir: '.', ...config },
  });
  const server = createExpressServer(app);
  const { port } = await listen(server, '127.0.0.1', 0);
  return Object.assign(state, {
    app,
    server,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    logged,
    costs,
    close: () => closeServer(server, 1_000),
  });
}
