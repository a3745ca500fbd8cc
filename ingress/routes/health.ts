// Liveness, readiness and metrics of the service.
import type { IncomingHttpHeaders } from 'node:http';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../shared/kernel/errors.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import { within } from '../../shared/platform/queues/backend.ts';
import type { Metrics } from '../../shared/platform/observe/metrics.ts';
import { StringEnum } from '../../shared/api/common.ts';
import { ENVIRONMENTS } from '../../shared/kernel/vocabulary.ts';
import { DATABASE, type HaltedEnvironment, type ReadinessCheck } from '../readiness.ts';
import { type Access, defineRoute, type Route } from '../route.ts';

/** /ready answers within 2 s whatever its checks do. */
const CHECK_DEADLINE_MS = 1_500;

const Health = Type.Object(
  { status: StringEnum(['alive'], { description: 'The process answers.' }) },
  { $id: 'Health', additionalProperties: false },
);

const CheckResult = Type.Object(
  {
    name: Type.String({ description: 'The part.' }),
    ok: Type.Boolean({ description: 'Whether it works.' }),
    detail: Type.Optional(Type.String({ description: 'Why it does not; for the operator only.' })),
  },
  { $id: 'ReadinessCheck', additionalProperties: false },
);

const Halted = Type.Object(
  {
    organisation: Type.String({ description: 'Its slug.' }),
    environment: StringEnum(ENVIRONMENTS, { description: 'The environment whose verdicts are all DENY.' }),
    reason: Type.String({ description: 'The reason that was given.' }),
  },
  { $id: 'HaltedEnvironment', additionalProperties: false },
);

const Readiness = Type.Object(
  {
    status: StringEnum(['ready', 'not_ready', 'stopping'], { description: 'Whether requests may be sent here.' }),
    checks: Type.Array(CheckResult, { description: 'One for each part whose state is known.' }),
    degraded: Type.Array(Type.String(), {
      description: 'parts that are down and that the service can do without for a while',
    }),
    unknown: Type.Array(Type.String(), {
      description: 'parts whose state could not be read now, for example because the database is away',
    }),
    halted: Type.Optional(
      Type.Array(Halted, { description: 'halted environments, when they could be read; for the operator only' }),
    ),
  },
  { $id: 'Readiness', additionalProperties: false },
);

export interface HealthDeps {
  readonly readiness: readonly ReadinessCheck[];
  /** The halted environments; an error: unknown. */
  readonly halted: () => Promise<readonly HaltedEnvironment[]>;
  readonly isStopping: () => boolean;
  readonly metrics: Metrics;
  /** Whether a request shows a key of the operator. */
  readonly isOperator: (headers: IncomingHttpHeaders, address: string) => Promise<boolean>;
  /** Who may read /metrics. */
  readonly access: Access;
}

type KnownState = Static<typeof CheckResult>;

/** The result of `read`; undefined when it fails, with an error that may contain an address or a password, or is late. */
const inTime = <T>(read: () => Promise<T>): Promise<T | undefined> =>
  within(read(), CHECK_DEADLINE_MS, 'a check of /ready').catch(() => undefined);

/** The states that are known, all from one moment. */
interface Snapshot {
  readonly known: readonly KnownState[];
  /** Undefined: unknown. */
  readonly halted: readonly HaltedEnvironment[] | undefined;
}

async function readStates({ readiness, halted }: Pick<HealthDeps, 'readiness' | 'halted'>): Promise<Snapshot> {
  const [haltedNow, ...states] = await Promise.all([
    inTime(halted),
    ...readiness.map(async ({ name, check }): Promise<KnownState | undefined> => {
      const state = await inTime(check);
      return state && { name, ...state };
    }),
  ]);
  const found = states.filter((state) => state !== undefined);
  const hasDatabase = found.some(({ name, ok }) => name === DATABASE && ok);
  const inDatabase = new Set(readiness.filter(({ state }) => state === 'database').map(({ name }) => name));
  return {
    known: hasDatabase ? found : found.filter(({ name }) => !inDatabase.has(name)),
    halted: hasDatabase ? haltedNow : undefined,
  };
}

/** @param deps one snapshot answers all requests that arrive while it is read, because everybody may ask */
function readinessHandler(deps: HealthDeps): Route['handler'] {
  const { readiness, isStopping, isOperator } = deps;
  const severe = new Set(readiness.filter(({ severity }) => severity !== 'degraded').map(({ name }) => name));
  let reading: Promise<Snapshot> | undefined;
  const snapshot = (): Promise<Snapshot> => (reading ??= readStates(deps).finally(() => (reading = undefined)));
  return async ({ headers, address }) => {
    const [isOperators, { known, halted }] = await Promise.all([isOperator(headers, address), snapshot()]);
    const working = new Set(known.filter(({ ok }) => ok).map(({ name }) => name));
    const isReady = [...severe].every((name) => working.has(name));
    const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not_ready';
    const names = new Set(known.map(({ name }) => name));
    const unknown = readiness.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    return {
      status: status === 'ready' ? 200 : 503,
      body: {
        status,
        // Details name files, lines and organisations.
        checks: isOperators ? known : known.map(({ name, ok }) => ({ name, ok })),
        degraded: known.filter(({ name, ok }) => !ok && !severe.has(name)).map(({ name }) => name),
        unknown,
        ...(isOperators && halted !== undefined && { halted }),
      },
      ...(status === 'ready' ? {} : { headers: { 'retry-after': '1' } }),
    };
  };
}

export function healthRoutes(deps: HealthDeps): Route[] {
  const { metrics, access } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      operationId: 'getHealth',
      access: 'none',
      unlimited: true,
      tag: 'Service',
      summary: 'Whether the process is alive',
      description: 'Answers as long as the process runs, whatever its dependencies do.',
      responses: { 200: { description: 'It is', schema: Health } },
      handler: () => ({ status: 200, body: { status: 'alive' } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/ready',
      operationId: 'getReadiness',
      access: 'none',
      unlimited: true,
      tag: 'Service',
      summary: 'Whether the service can take requests, and which of its parts cannot work now',
      description:
        'No key is needed. With a live `admin:*` key of the operator, each check also says why (`detail`), and halted environments are listed.',
      responses: {
        200: {
          description: 'Ready; `degraded` lists the parts that are down, `unknown` those whose state could not be read',
          schema: Readiness,
        },
        503: { description: 'Not ready, or stopping', schema: Readiness },
      },
      handler: readinessHandler(deps),
    }),
    defineRoute({
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      access,
      unlimited: true,
      tag: 'Service',
      summary: 'Metrics in the text format of Prometheus',
      description: 'A setting can restrict them to the operator.',
      responses: { 200: { description: 'The metrics of this process', contentType: 'text/plain' } },
      handler: async ({ key }) => {
        // They are about the whole installation, so when a key is needed, it must be the operator's.
        if (access !== 'none' && !isOperatorsKey(key))
          throw new ApiError('E1004', "Metrics need a live admin:* key of the operator's organisation.");
        const { text, contentType } = await metrics.expose();
        return { status: 200, text, contentType };
      },
    }),
  ];
}
