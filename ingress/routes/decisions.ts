// Decisions: read one, or list them.
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import { ownerOf } from '../../shared/kernel/owner.ts';
import type { DecisionFilter, DecisionStore } from '../../shared/domain/decisions/decision-store.ts';
import { ApiError, droppedByRetention, invalidField } from '../../shared/kernel/errors.ts';
import { mayName } from '../../shared/domain/keys/bound.ts';
import { hasAsked, keysOfLine } from '../../shared/domain/keys/line.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { IdParams } from '../../shared/api/common.ts';
import { DecisionList, DecisionListQuery, DecisionOnRecord } from '../../shared/api/decision.ts';
import type { ShowDecisions } from './decision-view.ts';
import { OutcomeAnswer, OutcomeRequest } from '../../shared/api/outcome.ts';
import { reportOutcome } from '../../shared/domain/decisions/outcomes.ts';
import { defineRoute, type Route } from '../route.ts';
import { agentsOf, instant, readPage } from './paging.ts';

type ToolFilter = Pick<DecisionFilter, 'toolServer' | 'toolName'>;

/** Whether a key sees only what it asked for: one with intents:write and without proofs:read. */
function ownOnly(key: AuthenticatedKey): boolean {
  return !key.scopes.has('proofs:read') && !key.scopes.has('admin:*');
}

/** The keys whose decisions and intents a key sees: of one that sees only its own, those of its line. Undefined: all. */
export async function askersOf(sql: Sql, key: AuthenticatedKey): Promise<readonly string[] | undefined> {
  return ownOnly(key) ? [...(await keysOfLine(sql, key))] : undefined;
}

/** Whether a key sees what another one asked for. */
export async function maySee(sql: Sql, key: AuthenticatedKey, askingKeyId: string): Promise<boolean> {
  return !ownOnly(key) || hasAsked(sql, key, askingKeyId);
}

/** The filter by tool. @throws {ApiError} E2001 for a tool without its server */
export function toolsOf({ toolServer, toolName }: { toolServer?: string; toolName?: string }): ToolFilter {
  if (toolName !== undefined && toolServer === undefined)
    throw invalidField('?toolServer', 'is required with toolName');
  return { toolServer, toolName };
}

export interface DecisionDeps {
  readonly db: Sql;
  readonly nowMs: () => number;
  readonly decisions: DecisionStore;
  readonly shown: ShowDecisions;
}

export function decisionRoutes({ db, decisions, shown, nowMs }: DecisionDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/decisions',
      operationId: 'listDecisions',
      access: ['proofs:read', 'intents:write'],
      tag: 'Decisions',
      summary: 'List decisions, newest first',
      description:
        'A key with intents:write but not proofs:read sees what it asked itself, also before a rotation. `toolServer` and `toolName` find calls of tools. `requestId` finds what one request led to, by its X-Request-Id: all decisions of a batch, and those of an intent that it submitted.',
      request: { query: DecisionListQuery },
      responses: { 200: { description: 'One page of decisions.', schema: DecisionList } },
      handler: async ({ key, query }) => {
        const filter = {
          ...ownerOf(key),
          keyIds: await askersOf(db, key),
          agentIds: agentsOf(key, query.agentId),
          verdict: query.verdict,
          reason: query.reason,
          requestId: query.requestId,
          ...toolsOf(query),
          from: instant(query.from),
          to: instant(query.to),
        };
        const { items, nextCursor } = await readPage(query, {
          cursor: /^dec_[0-9a-z]{26}$/,
          read: (before, count) => decisions.list({ ...filter, before }, count),
          sortKey: (row) => row.decision_id,
        });
        const texts = await shown(
          key,
          items.map(({ record }) => record),
        );
        return { status: 200, text: `{"items":[${texts.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}` };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/decisions/{id}',
      operationId: 'getDecision',
      access: ['proofs:read', 'intents:write'],
      tag: 'Decisions',
      summary: 'Read one decision',
      description:
        'The answer byte for byte (a promise signed with others is signed alone), then `stands`: whether it may be acted upon now. It may not when it permits nothing (`verdict`), has `expired` or was reported as `not_carried_out`, while the environment is `halted` or the agent is not active (`agent_not_active`), and once the key that asked, with its rotations, is not valid (`key_invalid`).',
      request: { params: IdParams },
      responses: { 200: { description: 'The decision, and whether it stands.', schema: DecisionOnRecord } },
      errors: ['E4001', 'E4006'],
      handler: async ({ key, params }) => {
        const row = await decisions.read(key, params.id);
        if (row === undefined && (await decisions.isDropped(key, params.id))) throw droppedByRetention('This decision');
        if (row === undefined || !mayName(key, row.agent_id) || !(await maySee(db, key, row.key_id))) {
          throw new ApiError('E4001', 'There is no such decision in this organisation and environment.');
        }
        return { status: 200, text: (await shown(key, [row.record])).join('') };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/decisions/{id}/outcome',
      operationId: 'reportOutcome',
      access: ['intents:write'],
      tag: 'Decisions',
      summary: 'Report what became of a permitted action',
      description:
        'By the key that asked, or one that rotations made of it. `not_carried_out` gives back what the decision counted against budgets, and the decision does not stand any more: nobody may act upon it. ',
      request: { params: IdParams, body: OutcomeRequest },
      responses: { 200: { description: 'The outcome, as it was first reported.', schema: OutcomeAnswer } },
      errors: ['E4001', 'E5002'],
      idempotent: true,
      handler: ({ key, params, body, commit }) =>
        commit(async (sql) => {
          const { reportedAt, ...known } = await reportOutcome(sql, key, params.id, { ...body, nowMs: nowMs() });
          return {
            status: 200,
            body: { decisionId: params.id, ...known, reportedAt: reportedAt.toISOString() },
            change: { subject: 'decision', id: params.id, fields: changedFields({}, { outcome: known.outcome }) },
          };
        }),
    }),
  ];
}
