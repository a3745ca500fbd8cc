// The tables of the interface, as data: tiers, rate limits, errors, scopes.
import { type TSchema, Type } from 'typebox';
import { ERROR_TABLE, type ErrorEntry } from '../../shared/kernel/errors.ts';
import { RATE_LIMIT_TABLE, SCOPE_TABLE, TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import { listOf, named } from '../../shared/api/common.ts';
import { defineRoute, type Route } from '../route.ts';
import { cacheable } from './caching.ts';

const integer = (description: string) => Type.Integer({ description });
const text = (description: string) => Type.String({ description });

const Tier = named('ReferenceTier', {
  level: integer('0 to 7.'),
  name: text('Its name.'),
  from: integer('The lowest score.'),
  to: integer('The highest score.'),
});

const RateLimit = named('ReferenceRateLimit', {
  tier: integer('Of a key: 0 to 7.'),
  perSecond: integer('Requests in each second.'),
  perMinute: integer('Requests in each minute.'),
});

const ErrorItem = named('ReferenceError', {
  code: text('The code.'),
  statuses: Type.Array(Type.Integer(), { minItems: 1, description: 'The HTTP statuses that it can have.' }),
  title: text('Its name.'),
  category: text('Its kind.'),
  retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
  when: text('When it is given.'),
});

const ScopeItem = named('ReferenceScope', { scope: text('The scope.'), permits: text('What it permits.') });

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
    description: 'It changes only with the version of the service.',
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
