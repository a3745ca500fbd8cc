// Agents: register, list, read, update, and terminate them.
import type { Static } from 'typebox';
import type { EntitySql, Sql } from '../../shared/platform/db/database.ts';
import { loadTrust } from '../../shared/domain/trust/state.ts';
import { isUniqueViolation } from '../../shared/platform/db/database.ts';
import { mayBecome } from '../../shared/kernel/agent-status.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { newId } from '../../shared/kernel/ids.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Declarations } from '../../shared/core/policy/declarations.ts';
import { assertMayName, mayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import {
  Agent,
  type AgentBody,
  AgentCreate,
  AgentIdParams,
  AgentList,
  AgentListQuery,
  AgentUpdate,
} from '../../shared/api/agent.ts';
import { find, findPage, hold, insertSealed, updateSealed } from '../../shared/platform/db/seals/rows.ts';
import { dayOf } from '../../shared/core/trust/beta.ts';
import { NOTHING_RECORDED } from '../../shared/core/trust/recorded.ts';
import type { AgentStatus } from '../../shared/kernel/vocabulary.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import {
  type AgentRow,
  assertMaySet,
  attributesText,
  bodyOf,
  changeOf,
  isSameToPolicies,
  logAgent,
  metadataText,
} from './agent-parts.ts';
import { readPage } from './paging.ts';

const selectionOf = ({ organisationId, environment }: AuthenticatedKey) =>
  ({ organisation_id: organisationId, environment }) as const;

async function read(sql: EntitySql, key: AuthenticatedKey, agentId: string): Promise<AgentRow | undefined> {
  return (await find(sql, 'agent', { ...selectionOf(key), agent_id: agentId }))[0];
}

function notFound(): ApiError {
  return new ApiError('E4002', 'There is no such agent in this organisation and environment.');
}

export interface AgentDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
  /** Resolves when the caches of this process have the committed change: read-your-writes for the caller. */
  readonly settle: () => Promise<void>;
  readonly policies: Pick<ActivePolicySet, 'installation'>;
}

export function agentRoutes(deps: AgentDeps): Route[] {
  const { db, nowMs, settle, trustDailyCap, policies } = deps;
  const declarations = (): Declarations => policies.installation().set.declarations;

  /** The bodies of agents, each with its current trust. */
  const bodiesOf = async (sql: Sql, key: AuthenticatedKey, rows: readonly AgentRow[]): Promise<AgentBody[]> => {
    const { organisationId, environment } = key;
    const now = nowMs();
    const keys = rows.map((row) => ({ organisationId, environment, agentId: row.agent_id }));
    const trusts = await loadTrust(sql, keys, now, trustDailyCap);
    return rows.map((row, i) => bodyOf(row, (trusts[i] ?? NOTHING_RECORDED).on(dayOf(now)), declarations));
  };
  const reply = async (sql: Sql, key: AuthenticatedKey, row: AgentRow): Promise<Reply> => ({
    status: 200,
    body: (await bodiesOf(sql, key, [row]))[0],
  });
  const settled = async (reply: Promise<Reply>): Promise<Reply> => {
    const done = await reply;
    await settle();
    return done;
  };

  const change = async (
    sql: EntitySql,
    key: AuthenticatedKey,
    agentId: string,
    { reason, ...patch }: Static<typeof AgentUpdate>,
  ): Promise<Reply> => {
    if (reason !== undefined && patch.status === undefined)
      throw invalidField('/reason', 'is the reason of a change of status, and the request has no status');
    const [row] = await hold(sql, 'agent', { ...selectionOf(key), agent_id: agentId });
    if (row === undefined) throw notFound();
    assertMaySet(key, patch, row);
    const before = row.status as AgentStatus;
    const status = patch.status ?? before;
    const onlyStatus = Object.keys(patch).every((name) => name === 'status');
    if (!mayBecome(before, status) || (row.status === 'TERMINATED' && !onlyStatus)) {
      throw new ApiError(
        'E5002',
        row.status === 'TERMINATED'
          ? 'A terminated agent cannot be changed.'
          : `An agent cannot go from ${row.status} to ${status}.`,
      );
    }
    if (onlyStatus && status === before) return { ...(await reply(sql, key, row)), change: changeOf(row, row) };
    const at = nowMs();
    const changes = {
      capabilities: patch.capabilities ?? row.capabilities,
      tags: patch.tags ?? row.tags,
      attributes: patch.attributes === undefined ? row.attributes : attributesText(patch.attributes, declarations),
      status,
    };
    const unsealed = {
      name: patch.name ?? row.name,
      description: patch.description === undefined ? row.description : patch.description,
      metadata:
        patch.metadata === undefined ? row.metadata : patch.metadata === null ? null : metadataText(patch.metadata),
      updated_at: new Date(at),
    };
    const updated = { ...(await updateSealed<'agent', AgentRow>(sql, 'agent', row, changes, unsealed)), ...unsealed };
    // A reason without a change of status explains nothing.
    const given = status === before ? undefined : reason;
    if (!isSameToPolicies(row, updated))
      await logAgent(sql, key, { change: 'changed', row: updated, reason: given }, at);
    return { ...(await reply(sql, key, updated)), change: changeOf(row, updated, given) };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/agents',
      operationId: 'createAgent',
      access: ['agents:write'],
      tag: 'Agents',
      summary: 'Register an agent',
      description:
        'Without agentId one is generated. An id is never used again, not even after its agent was terminated.',
      request: { body: AgentCreate },
      responses: { 201: { description: 'The agent.', schema: Agent } },
      errors: ['E5003'],
      idempotent: true,
      handler: ({ key, body, commit }) =>
        settled(
          commit(async (sql) => {
            const at = nowMs();
            const agentId = body.agentId ?? newId('agt', at);
            assertMayName(key, agentId, '/agentId');
            assertMaySet(key, body);
            try {
              const createdAt = new Date(at);
              const { organisationId, environment } = key;
              await insertSealed(
                sql,
                'agent',
                {
                  organisation_id: organisationId,
                  environment,
                  agent_id: agentId,
                  capabilities: body.capabilities ?? [],
                  tags: body.tags ?? [],
                  attributes: body.attributes === undefined ? null : attributesText(body.attributes, declarations),
                  status: 'ACTIVE',
                  created_at: createdAt,
                },
                {
                  unsealed: {
                    name: body.name,
                    description: body.description ?? null,
                    metadata: body.metadata === undefined ? null : metadataText(body.metadata),
                    updated_at: createdAt,
                  },
                },
              );
              const row = await read(sql, key, agentId);
              if (row === undefined) throw new Error('an agent that was just inserted is missing');
              await logAgent(sql, key, { change: 'registered', row }, at);
              return {
                ...(await reply(sql, key, row)),
                status: 201,
                headers: { location: `/v1/agents/${encodeURIComponent(agentId)}` },
                change: changeOf(undefined, row),
              };
            } catch (error) {
              // The versions of a row that was deleted in the database are still there.
              if (isUniqueViolation(error, 'agent_pkey') || isUniqueViolation(error, 'row_version_pkey'))
                throw new ApiError('E5003', 'An agent with this agentId exists or has existed.');
              throw error;
            }
          }),
        ),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents',
      operationId: 'listAgents',
      access: ['agents:read'],
      tag: 'Agents',
      summary: 'List agents, newest first',
      description: 'Each with its trust now.',
      request: { query: AgentListQuery },
      responses: { 200: { description: 'One page of agents.', schema: AgentList } },
      handler: async ({ key, query }) => {
        const where = {
          ...selectionOf(key),
          ...(query.status !== undefined && { status: query.status }),
          ...(key.agentIds !== null && { agent_id: [...key.agentIds] }),
        };
        const page = await readPage(query, {
          cursor: /^\d{1,18}$/,
          read: (before, count) => findPage(db, 'agent', where, before ?? null, count),
          sortKey: (row) => row.seq,
        });
        return { status: 200, body: { ...page, items: await bodiesOf(db, key, page.items) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/{agentId}',
      operationId: 'getAgent',
      access: ['agents:read'],
      tag: 'Agents',
      summary: 'Read one agent',
      description: 'With its trust now.',
      request: { params: AgentIdParams },
      responses: { 200: { description: 'The agent, with its trust.', schema: Agent } },
      errors: ['E4002'],
      handler: async ({ key, params }) => {
        if (!mayName(key, params.agentId)) throw notFound();
        const row = await read(db, key, params.agentId);
        if (row === undefined) throw notFound();
        return reply(db, key, row);
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/agents/{agentId}',
      operationId: 'updateAgent',
      access: ['agents:write'],
      tag: 'Agents',
      summary: 'Update an agent, or pause, resume, suspend or terminate it',
      description:
        'Only the members that are sent are changed. A bound key changes only name, description and metadata, and makes the status stricter. A change of status takes effect in every process within a second; its `reason` goes into the log.',
      request: { params: AgentIdParams, body: AgentUpdate },
      responses: { 200: { description: 'The agent as it is now.', schema: Agent } },
      errors: ['E4002', 'E5002'],
      handler: ({ key, params, body, commit }) => {
        assertMayName(key, params.agentId, '{agentId}');
        return settled(commit((sql) => change(sql, key, params.agentId, body)));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/agents/{agentId}',
      operationId: 'terminateAgent',
      access: ['agents:write'],
      tag: 'Agents',
      summary: 'Terminate an agent',
      description: 'The record stays, with status TERMINATED; every later request of the agent is denied.',
      request: { params: AgentIdParams },
      responses: { 200: { description: 'The agent, terminated.', schema: Agent } },
      errors: ['E4002'],
      handler: ({ key, params, commit }) => {
        assertMayName(key, params.agentId, '{agentId}');
        return settled(commit((sql) => change(sql, key, params.agentId, { status: 'TERMINATED' })));
      },
    }),
  ];
}
