// The tables of the interface, as data: tiers, rate limits, errors, scopes.
import { type TSchema, Type } from 'typebox';
import { ERROR_TABLE, type ErrorEntry } from '../../shared/kernel/errors.ts';
import { RATE_LIMIT_TABLE, SCOPE_TABLE, TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import { listOf } from '../../shared/api/common.ts';
import { defineRoute, type Route } from '../route.ts';
import { cacheable } from './caching.ts';

const closed = { additionalProperties: false };

const Tier = Type.Object(
  { level: Type.Integer(), name: Type.String(), from: Type.Integer(), to: Type.Integer() },
  { $id: 'ReferenceTier', ...closed },
);

const RateLimit = Type.Object(
  { tier: Type.Integer(), perSecond: Type.Integer(), perMinute: Type.Integer() },
  { $id: 'ReferenceRateLimit', ...closed },
);

const ErrorItem = Type.Object(
  {
    code: Type.String(),
    statuses: Type.Array(Type.Integer(), { minItems: 1 }),
    title: Type.String(),
    category: Type.String(),
    retryable: Type.Boolean(),
    when: Type.String(),
  },
  { $id: 'ReferenceError', ...closed },
);

const ScopeItem = Type.Object({ scope: Type.String(), permits: Type.String() }, { $id: 'ReferenceScope', ...closed });

/** A table changes only with the program, so the reply is made once. */
function tableRoute(
  name: string,
  operationId: string,
  summary: string,
  item: TSchema,
  items: readonly object[],
): Route {
  const reply = cacheable({ status: 200, text: JSON.stringify({ items, nextCursor: null }) }, 'public, max-age=300');
  return defineRoute({
    method: 'GET',
    path: `/v1/reference/${name}`,
    operationId,
    access: 'none',
    cached: true,
    tag: 'Reference',
    summary,
    responses: { 200: { description: 'The whole table', schema: listOf(item) } },
    handler: () => reply,
  });
}

export function referenceRoutes(): Route[] {
  const errors = Object.entries<ErrorEntry>(ERROR_TABLE).map(([code, entry]) => ({ code, ...entry }));
  return [
    tableRoute('tiers', 'listTiers', 'Trust levels: name and range of scores', Tier, TIER_TABLE),
    tableRoute(
      'rate-limits',
      'listRateLimits',
      'Requests per second and per minute by the tier of a key',
      RateLimit,
      RATE_LIMIT_TABLE,
    ),
    tableRoute('errors', 'listErrors', 'Every error code, its statuses and when it is given', ErrorItem, errors),
    tableRoute('scopes', 'listScopes', 'The scopes of keys and what they permit', ScopeItem, SCOPE_TABLE),
  ];
}
