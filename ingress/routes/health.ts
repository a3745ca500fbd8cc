// Liveness, readiness and metrics of the service.
import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { ApiError } from '../../shared/kernel/errors.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import type { Metrics } from '../../shared/platform/observe/metrics.ts';
import { StringEnum } from '../../shared/api/common.ts';
import type { ReadinessCheck } from '../readiness.ts';
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

const Readiness = Type.Object(
  {
    status: StringEnum(['ready', 'not_ready', 'stopping'], { description: 'Whether requests may be sent here.' }),
    checks: Type.Array(CheckResult, { description: 'One for each part.' }),
    degraded: Type.Array(Type.String(), {
      description: 'parts that are down and that the service can do without for a while',
    }),
  },
  { $id: 'Readiness', additionalProperties: false },
);

export interface HealthDeps {
  readonly readiness: readonly ReadinessCheck[];
  readonly isStopping: () => boolean;
  readonly metrics: Metrics;
  /** Whether a request shows a key of the operator. */
  readonly isOperator: (headers: IncomingHttpHeaders, address: string) => Promise<boolean>;
  /** Who may read /metrics. */
  readonly access: Access;
}

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

/** Runs one check; an error or a missed deadline is a failure. */
async function runCheck(check: ReadinessCheck): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve({ name: check.name, ok: false, detail: `no answer within ${CHECK_DEADLINE_MS} ms` }),
      CHECK_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([check.check().then((outcome) => ({ name: check.name, ...outcome })), late]);
  } catch {
    // The error may contain an address or a password.
    return { name: check.name, ok: false, detail: 'failed' };
  } finally {
    clearTimeout(timer);
  }
}

export function healthRoutes(deps: HealthDeps): Route[] {
  const { readiness, isStopping, metrics, access, isOperator } = deps;
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
      description: 'No key is needed. With a live `admin:*` key of the operator, each check also says why (`detail`).',
      responses: {
        200: { description: 'Ready; `degraded` lists the parts that are down', schema: Readiness },
        503: { description: 'Not ready, or stopping', schema: Readiness },
      },
      handler: async ({ headers, address }) => {
        const [isOperators, outcomes] = await Promise.all([
          isOperator(headers, address),
          Promise.all(readiness.map(runCheck)),
        ]);
        const severe = new Set(readiness.filter((check) => check.severity !== 'degraded').map((check) => check.name));
        const down = outcomes.filter((outcome) => !outcome.ok);
        const status = isStopping()
          ? 'stopping'
          : down.some((outcome) => severe.has(outcome.name))
            ? 'not_ready'
            : 'ready';
        return {
          status: status === 'ready' ? 200 : 503,
          body: {
            status,
            // Details name files, lines and organisations.
            checks: isOperators ? outcomes : outcomes.map(({ name, ok }) => ({ name, ok })),
            degraded: down.filter((outcome) => !severe.has(outcome.name)).map((outcome) => outcome.name),
          },
          ...(status === 'ready' ? {} : { headers: { 'retry-after': '1' } }),
        };
      },
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
