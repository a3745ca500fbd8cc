// Decisions: read back one, or list them.
import type { DecisionStore } from '../../shared/decide/store.ts';
import { answerOfRecord } from '../../shared/decide/record.ts';
import { ApiError } from '../../shared/errors.ts';
import { assertMayName, mayName } from '../../shared/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/keys/types.ts';
import type { Promiser } from '../../shared/log/promises.ts';
import { DEFAULT_LIMIT } from '../../shared/schemas/common.ts';
import { Decision, DecisionIdParams, DecisionList, DecisionListQuery } from '../../shared/schemas/decision.ts';
import { defineRoute, type Route } from '../route.ts';
import { decodeCursor, instant, pageOf } from './paging.ts';

/** With proofs:read: all that the key may name. With intents:write alone: what this very key asked for. */
export function ownOnly(key: AuthenticatedKey): boolean {
  return !key.scopes.has('proofs:read') && !key.scopes.has('admin:*');
}

export interface DecisionDeps {
  readonly decisions: DecisionStore;
  /** Makes the promise that a decision went out with again. */
  readonly promiser: Pick<Promiser, 'promise'> | undefined;
}

/** A stored decision as it was answered. */
export function decisionText(promiser: DecisionDeps['promiser'], key: AuthenticatedKey, record: Buffer): string {
  return answerOfRecord(record, promiser && ((about) => promiser.promise({ ...key, ...about })));
}

export function decisionRoutes({ decisions, promiser }: DecisionDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/decisions',
      access: ['proofs:read', 'intents:write'],
      tag: 'Decisions',
      summary: 'List decisions, newest first',
      description:
        'A key with intents:write but not proofs:read sees what it asked itself. `from` is inclusive, `to` exclusive.',
      request: { query: DecisionListQuery },
      responses: { 200: { description: 'One page of decisions.', schema: DecisionList } },
      errors: [],
      handler: async ({ key, query }) => {
        if (query.agentId !== undefined) assertMayName(key, query.agentId, '?agentId');
        const limit = query.limit ?? DEFAULT_LIMIT;
        const rows = await decisions.list(
          {
            organisationId: key.organisationId,
            environment: key.environment,
            keyId: ownOnly(key) ? key.keyId : undefined,
            agentIds:
              query.agentId === undefined ? (key.agentIds === null ? undefined : [...key.agentIds]) : [query.agentId],
            verdict: query.verdict,
            from: instant(query.from),
            to: instant(query.to),
            before: decodeCursor(query.cursor, /^dec_[0-9a-z]{26}$/),
          },
          limit + 1,
        );
        const { items, nextCursor } = pageOf(
          rows,
          limit,
          (row) => decisionText(promiser, key, row.record),
          (row) => row.decision_id,
        );
        return { status: 200, text: `{"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}` };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/decisions/{id}',
      access: ['proofs:read', 'intents:write'],
      tag: 'Decisions',
      summary: 'Read one decision',
      request: { params: DecisionIdParams },
      responses: { 200: { description: 'The decision as it was answered.', schema: Decision } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        const row = await decisions.read(key.organisationId, key.environment, params.id);
        if (row === undefined || !mayName(key, row.agent_id) || (ownOnly(key) && row.key_id !== key.keyId)) {
          throw new ApiError('E4001', 'There is no such decision in this organisation and environment.');
        }
        return { status: 200, text: decisionText(promiser, key, row.record) };
      },
    }),
  ];
}
