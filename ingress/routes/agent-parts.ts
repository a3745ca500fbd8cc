// The parts of an agent's row: its body in answers, what a request may write, and its record in the log.
import { attributeProblems } from '../../shared/core/policy/attribute-values.ts';
import type { Declarations } from '../../shared/core/policy/declarations.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import type { TrustScore } from '../../shared/core/trust/beta.ts';
import { levelOf, tierName } from '../../shared/core/trust/score.ts';
import { attributesOf } from '../../shared/domain/agents/agent-rows.ts';
import { assertUnbound } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { pointerToken } from '../../shared/kernel/json.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { AGENT_STATUSES, type AgentStatus } from '../../shared/kernel/vocabulary.ts';
import type { AgentBody } from '../../shared/api/agent.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { WholeRow } from '../../shared/platform/db/seals/rows.ts';

/** A row whose seal is right. Any other row counts as absent here, and enforce denies (shared/domain/agents/agents.ts). */
export type AgentRow = WholeRow<'agent'>;
const METADATA_MAX_BYTES = 16_384;

/** @param declarations called only for an agent that has attributes */
export function bodyOf(row: AgentRow, { score, uncertainty }: TrustScore, declarations: () => Declarations): AgentBody {
  return {
    agentId: row.agent_id,
    name: row.name,
    description: row.description,
    capabilities: [...row.capabilities],
    tags: [...row.tags],
    ...attributesMember(row, declarations),
    // The caller's JSON object, validated when it was written.
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    // The table allows no other value.
    status: row.status as AgentStatus,
    trust: { score, level: levelOf(score), tier: tierName(levelOf(score)), uncertainty },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function attributesMember(
  { attributes: text }: AgentRow,
  declarations: () => Declarations,
): Pick<AgentBody, 'attributes' | 'attributesIgnored'> {
  if (text === null) return { attributes: {} };
  const attributes = attributesOf(text);
  const attributesIgnored = attributeProblems('agent', attributes, declarations());
  return attributesIgnored.length === 0 ? { attributes } : { attributes, attributesIgnored };
}

/**
 * The agent holds the keys that are bound to it, and must not change what policies know of it; only its status may become stricter.
 * @param given what the request sets
 * @param before undefined: the agent is new
 * @throws {ApiError} E1004
 */
export function assertMaySet(
  key: AuthenticatedKey,
  given: Partial<Pick<AgentBody, 'capabilities' | 'tags' | 'attributes' | 'status'>>,
  before?: AgentRow,
): void {
  if (key.agentIds === null) return;
  for (const name of ['capabilities', 'tags'] as const) {
    const value = given[name];
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(before?.[name] ?? []))
      assertUnbound(key, `set their ${name}`);
  }
  if (given.attributes !== undefined) assertUnbound(key, 'set their attributes');
  const strictness = (status: AgentStatus): number => AGENT_STATUSES.indexOf(status);
  const { status } = given;
  if (before !== undefined && status !== undefined && strictness(status) < strictness(before.status as AgentStatus))
    throw new ApiError('E1004', 'A key that is bound to agents may pause, suspend or terminate them, and not undo it.');
}

/** The column of attributes that a request gives. @throws {ApiError} E2001 for what is not declared */
export function attributesText(
  attributes: Readonly<Record<string, unknown>>,
  declarations: () => Declarations,
): string | null {
  const errors = attributeProblems('agent', attributes, declarations()).map(({ name, message }) => ({
    pointer: `/attributes${pointerToken(name)}`,
    message,
  }));
  const [first] = errors;
  if (first !== undefined)
    throw new ApiError('E2001', `The request is invalid: ${first.pointer} ${first.message}.`, { errors });
  return Object.keys(attributes).length === 0 ? null : canonicalize(attributes);
}

export function metadataText(metadata: object): string {
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) > METADATA_MAX_BYTES)
    throw invalidField('/metadata', `must be at most ${METADATA_MAX_BYTES} bytes of JSON`);
  return text;
}

/**
 * Records a change in the log: the fields that policies can read and the reason of a change of status, and nothing else,
 * because records are permanent.
 */
export async function logAgent(
  sql: Sql,
  key: AuthenticatedKey,
  { change, row, reason }: { change: 'registered' | 'changed'; row: AgentRow; reason?: string | undefined },
  nowMs: number,
): Promise<void> {
  const { organisationId, environment, keyId } = key;
  const { agent_id: agentId, status, capabilities, tags, attributes: text } = row;
  const attributes = text === null ? {} : { attributes: attributesOf(text) };
  const given = reason === undefined ? {} : { reason };
  const body = { change, agentId, status, capabilities, tags, ...attributes, by: keyId, ...given };
  await writeServiceRecord(sql, { organisationId, environment, event: 'custos.agent', agentId, body }, nowMs);
}

/** An agent before and after a request, for the operator trail. @param before undefined: it is new */
export function changeOf(before: AgentRow | undefined, after: AgentRow, reason?: string): RecordedChange {
  const members = ({ name, description, status, capabilities, tags, attributes, metadata }: AgentRow) => {
    return { name, description, status, capabilities, tags, attributes, metadata };
  };
  const fields = changedFields(before && members(before), members(after));
  return { subject: 'agent', id: after.agent_id, fields, ...(reason === undefined ? {} : { reason }) };
}

export function isSameToPolicies(a: AgentRow, b: AgentRow): boolean {
  const parts = ({ status, capabilities, tags, attributes }: AgentRow): string =>
    JSON.stringify([status, capabilities, tags, attributes]);
  return parts(a) === parts(b);
}
